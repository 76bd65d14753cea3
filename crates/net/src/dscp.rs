//! Code points of differentiated services as an option.

use airpath_schema::{Decoder, Field, Json, Node, json};
use airpath_wire::dscp::CODE_POINTS;

/// Differentiated services code point, 0 to 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dscp(pub u8);

impl Field for Dscp {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "a code point of 0 to 63 or its name, as \"EF\", \"AF41\" or \"CS5\"";
        let valid = |n: i64| u8::try_from(n).ok().filter(|n| *n < 64).map(Dscp);
        let named = |name: &str| {
            let known = CODE_POINTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            known.map(|(_, code_point)| Dscp(*code_point))
        };
        cx.number_or_text(node, allowed, valid, named)
    }
    fn encode(&self) -> Json {
        json!(self.0)
    }
    fn schema() -> Json {
        let names: Vec<&str> = CODE_POINTS.iter().map(|(name, _)| *name).collect();
        json!({"anyOf": [{"type": "integer", "minimum": 0, "maximum": 63}, {"enum": names}]})
    }
}
