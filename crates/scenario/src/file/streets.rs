//! Table `network.streets` of the scenario file: a grid of streets.

use airpath_channel::streets::Streets;
use airpath_schema::units::Metres;
use airpath_schema::{Decoder, Field, Json, Node, Value, between, choice, json, record};

record! {
    /// A grid of streets with rectangular blocks between them, centred at x = 0, y = 0.
    pub struct NetworkStreets : Default {
        /// Number of blocks to the east and to the north. Default: [2, 2], a choice of this model.
        blocks: Pair<u32> = Pair([2, 2]);
        /// Distance between centre lines of neighbouring streets to the east and to the north. Default: ["433 m",
        /// "250 m"] (TR 37.885, 6.1.2).
        block: Pair<Metres> = Pair([Metres(433.0), Metres(250.0)]);
        /// Width of a street from building to building. Default: 20 m, four lanes of 3.5 m and two sidewalks
        /// of 3 m (TR 37.885, 6.1.2).
        width: Metres = Metres(20.0) => between(Metres(1.0), Metres(200.0));
        /// Rule for line of sight between sites and UEs. Default: "buildings".
        line_of_sight: StreetSight = StreetSight::Buildings;
    }
}

choice! {
    /// Rule for line of sight in a network with streets.
    pub enum StreetSight {
        /// Line of sight where no building of the grid is between.
        Buildings = "buildings",
        /// Line of sight drawn with the probability of the environment.
        Drawn = "drawn",
    }
}

/// Two values, along the x axis and the y axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<T>(pub [T; 2]);

impl NetworkStreets {
    /// The grid as the channel has it.
    pub(crate) fn grid(&self) -> Streets {
        Streets {
            blocks: self.blocks.0,
            block_m: self.block.0.map(|length| length.0),
            width_m: self.width.0,
        }
    }
}

impl<T: Field> Field for Pair<T> {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        match &node.value {
            Value::Array(items) if items.len() == 2 => {
                Vec::decode(node, cx)?.try_into().ok().map(Pair)
            }
            Value::Array(items) => {
                let is_wrong = format!("has {} values", items.len());
                cx.fail(&node.place, &is_wrong, "it must be two, to the east and north".to_owned())
            }
            _ => cx.wrong_kind(node, "a list of two values, to the east and to the north"),
        }
    }
    fn encode(&self) -> Json {
        self.0.iter().map(Field::encode).collect()
    }
    fn schema() -> Json {
        json!({"type": "array", "items": T::schema(), "minItems": 2, "maxItems": 2})
    }
}
