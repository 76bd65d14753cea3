//! Suites, cases and cards.

mod card;
mod case;
mod faulty;
