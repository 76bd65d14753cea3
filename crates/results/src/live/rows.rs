//! Rows of a reading: that which a flow, a cell or a queue counts in.

use airpath_net::Direction;

use crate::{FlowInfo, Inventory, UeGroups};

/// With more flows than this, those of like UEs are one row.
const MOST_ALONE: usize = 8;
/// Most rows of flows.
const MOST_FLOWS: usize = 24;

/// Members of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) members: u32,
    pub(super) direction: Option<Direction>,
}

/// Rows of flows, and the row of each flow by its number.
pub(super) fn of_flows(inventory: &Inventory, groups: &UeGroups) -> (Vec<Row>, Vec<usize>) {
    let grouped = inventory.flows.len() > MOST_ALONE;
    let mut rows: Vec<Row> = Vec::new();
    let mut places = Vec::new();
    for flow in &inventory.flows {
        let name = if grouped { group(inventory, groups, flow) } else { flow.name.clone() };
        let known = rows.iter().position(|row| grouped && row.name == name);
        let at = known.unwrap_or_else(|| {
            rows.push(Row { name, members: 0, direction: flow.direction });
            rows.len() - 1
        });
        rows[at].join(1, flow.direction);
        places.push(at);
    }
    let last = gather(&mut rows, MOST_FLOWS);
    places.iter_mut().for_each(|place| *place = last.min(*place));
    (rows, places)
}

fn group(inventory: &Inventory, groups: &UeGroups, flow: &FlowInfo) -> String {
    let ue = flow.ue.and_then(|ue| inventory.ues.get(ue.index()));
    groups.flow_of(&flow.name, ue.map(|ue| ue.name.as_str()))
}

/// Makes one row of all that are too many; gives the index of the last row.
pub(super) fn gather(rows: &mut Vec<Row>, most: usize) -> usize {
    if rows.len() > most {
        let mut others = rows.split_off(most - 1).into_iter();
        let mut rest = others.next().expect("more than fit");
        others.for_each(|row| rest.join(row.members, row.direction));
        rest.name = format!("{} others", rest.members);
        rows.push(rest);
    }
    rows.len().saturating_sub(1)
}

impl Row {
    fn join(&mut self, members: u32, direction: Option<Direction>) {
        self.members += members;
        self.direction = self.direction.filter(|own| Some(*own) == direction);
    }

    /// One of its own.
    pub(super) fn alone(name: &str, direction: Option<Direction>) -> Row {
        Row { name: name.to_owned(), members: 1, direction }
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::UeId;
    use serde_json::json;

    use super::*;
    use crate::UeInfo;

    /// A flow for each UE, downlink but for the first.
    fn world(ues: &[String]) -> Inventory {
        let flow = |(n, ue): (usize, &String)| FlowInfo {
            name: format!("{ue} video"),
            ue: Some(UeId(n as u32)),
            direction: Some(if n == 0 { Direction::Uplink } else { Direction::Downlink }),
            ..FlowInfo::default()
        };
        let ue = |name: &String| UeInfo { name: name.clone(), ..UeInfo::default() };
        Inventory {
            flows: ues.iter().enumerate().map(flow).collect(),
            ues: ues.iter().map(ue).collect(),
            ..Inventory::default()
        }
    }

    fn names(count: usize) -> Vec<String> {
        (1..=count).map(|n| format!("car-{n}")).collect()
    }

    #[test]
    fn few_flows_have_a_row_each_and_like_ones_share_theirs() {
        let groups = UeGroups::of(&json!({"ue": [{"name": "car", "count": 20}]}));
        let (rows, places) = of_flows(&world(&names(8)), &groups);
        assert_eq!((rows.len(), places), (8, (0..8).collect()));
        assert_eq!(rows[7], Row::alone("car-8 video", Some(Direction::Downlink)));
        let mut ues = names(8);
        ues.insert(0, "van".to_owned());
        let (rows, places) = of_flows(&world(&ues), &groups);
        assert_eq!(places, [0, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(rows[0], Row::alone("van video", Some(Direction::Uplink)));
        let cars = Row { members: 8, ..Row::alone("car video", Some(Direction::Downlink)) };
        assert_eq!(rows[1..], [cars]);
    }

    #[test]
    fn what_has_no_row_is_summed_and_said_so() {
        let (rows, places) = of_flows(&world(&names(30)), &UeGroups::default());
        assert_eq!((rows.len(), rows[22].name.as_str()), (24, "car-23 video"));
        let others = Row { members: 7, ..Row::alone("7 others", Some(Direction::Downlink)) };
        assert_eq!(rows[23], others);
        assert_eq!((places[22], places[23], places[29]), (22, 23, 23));
        let mut both = vec![Row::alone("a", None); 2];
        both[1].direction = Some(Direction::Uplink);
        assert_eq!(gather(&mut both, 1), 0);
        assert_eq!(both, [Row { members: 2, ..Row::alone("2 others", None) }]);
        assert_eq!(gather(&mut Vec::new(), 1), 0);
    }
}
