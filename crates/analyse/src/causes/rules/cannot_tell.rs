//! Cannot tell: the capture does not show the cause.
//!
//! No other rule holds. Source: none, as it is the absence of a cause.

use super::Rule;

pub(crate) const RULE: Rule = Rule { words: "the cause cannot be told from here", holds: |_| true };
