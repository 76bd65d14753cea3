//! `docs/results.md`: every key of `summary.json` and every column of every table, from the
//! declarations that write them.

use std::fmt::Write as _;

use crate::measures::user;
use crate::{
    AdmissionSummary, BalancingSummary, BearerSummary, CarrierSummary, CellSummary, ChangeSummary,
    Collector, ConditionalSummary, DapsSummary, DecibelSummary, DelaySummary, EventCounts,
    FlowSummary, HandoverCostSummary, HandoverSummary, Inventory, LegSummary, LinkSummary,
    MediaSummary, Options, OverUsers, PageSummary, PairOffset, PlaybackSummary, QueueSummary,
    QuicSummary, RadioLinkSummary, RadioSummary, RealTime, RequestSummary, ResourcesSummary,
    RrcSummary, RunFacts, RunSummary, SecondarySummary, Table, Timing, UeSummary, UsersSummary,
    WebrtcSummary, blocks, live, tables, users,
};
use airpath_base::measure::FieldDoc;

const INTRODUCTION: &str = "\
# Results

`airpath run SCENARIO --out DIR` writes a folder:

| file | contents | written |
|---|---|---|
| `summary.json` | the run and its results | always |
| `metrics.json` | results of the run, a number under each name, for `airpath compare` | always |
| `scenario.toml` | the scenario as it was run, all defaults filled in | always |
| `timing.json` | cost of the run; the only file that differs from machine to machine | always |
| `flows.parquet`, `bearers.parquet`, `links.parquet` | a row for each | always |
| `cells.parquet`, `ues.parquet` | a row for each in each direction | always |
| `users.parquet` | a row for each UE, kind of application and direction | always |
| `series.parquet` | samples over time | `output.series` |
| `packets.parquet` | a row for each packet that ended | `output.packets` |
| `frames.parquet` | a row for each frame of media | `output.frames` |
| `requests.parquet` | a row for each request | where an application asks |
| `states.parquet` | a row for each stay in a radio state | where UEs have RRC |
| `positions.parquet` | samples of UEs that move | `output.positions`, where UEs have routes |
| `handovers.parquet` | a row for each handover, re-establishment in another cell and cell reselection | where `network.handover` is |
| `handover_flows.parquet` | the cost of each handover and re-establishment in another cell for each flow of the UE | where `network.handover` is |
| `handover_packets.parquet` | packets around the handover with the longest gap | where `network.handover` is |
| `cell_offsets.parquet` | moves of the offsets of cells by load | where `network.handover.load_balancing` moves any |
| `legs.parquet` | a row for each addition, change and end of a leg | where a carrier has role = \"leg\" |
| `secondary_cells.parquet` | a row for each secondary cell of a UE from its addition to its release | where `network.handover` is, and a carrier has role = \"secondary\" |
| `window.json`, `blocks.parquet`, `carried.parquet`, `control.parquet`, `queues.parquet`, `journeys.parquet` | the cell slot by slot: each transmission of a transport block, its contents, the control channel, queues, and the packets | `output.blocks` |
| `capture-POINT.pcapng` | packets at a point; its interface has the point's name | `output.pcap` |
| `flow-N.qlog` | a flow of TCP or QUIC as that point's capture shows it, as qlog 0.3; N is its number there | `output.qlog` |
| `quic-N-END-K.qlog` | connection K of flow N of QUIC as its end (`ue` or `server`) writes it, as qlog 0.3 | `output.qlog` |
| `capture.keys` | keys of all TLS connections of QUIC (NSS Key Log Format), with which Wireshark decrypts the captures | `output.pcap`, with flows of QUIC |
| `capture-mac.pcapng`, `wireshark` | transport blocks on the air, an interface for each cell; a profile of Wireshark for it | `output.pcap` with `mac` |

The folder is written under a hidden name beside `DIR` and takes its name at the end. An earlier
one is replaced. Half-written folders of killed runs are reported and removed.

Rows of packets are written as they come, in row groups of 65,536 rows, so memory does not grow with
them. A run that Ctrl-C, SIGTERM or SIGHUP ends completes all files. SIGKILL leaves the hidden folder
until the next run with the same `DIR`. Captures in that folder can be read. `packets.parquet` has no
footer by then, and Parquet readers refuse it.

## Digests

The last key of `summary.json`, `digests`, has the SHA-256 of each file but `timing.json`. Its last entry is of
`summary.json` itself, up to that entry. So has the folder of a campaign, an analysis, and the readings of a study.
`report`, `plot`, `compare`, `sweep` (where a campaign is continued), `reproduce` and Python check all files before
they read one. A file that differs or is missing is named, the exit code is 2, and nothing is overwritten.
`--unchecked`, in Python `unchecked=True`, reads the folder all the same. Files that are added later, as a report,
have no digest. Folders of earlier versions have no digests and are read without a check.

## Stages, queues and percentiles

A *stage* is a part of the path in which a packet spends time. Stages have the same names
everywhere, and those of a packet add up to its age exactly. The age is the delay of a packet that
arrived, and the time until its drop of one that was dropped. A dropped packet has its last wait in
the stage that it died in:

| cause | last wait |
|---|---|
| `queue_full`, `aqm`, `discard_timer` | The queue: `wired_queue` at a link, `pdcp` at the radio. |
| `pdu_set` | `pdcp`. Of an uplink set that was lost on the air, the last wait of a packet that the cell keeps from the core. |
| `rlc_loss` (UM) | `harq`, behind a first attempt in `radio`. Where the receiver ceases to wait while HARQ goes on, all since the scheduling decision is in `harq`. |
| `max_retransmissions` (AM) | `arq` or, if all of the packet has arrived and others were missing, `reordering`. |

A packet that is thrown out of an RTP queue was never sent: it has no row, and
`media.discarded_packets` counts it. A *queue* holds packets that wait: a packet that is being sent
has left it. A link's queue counts bytes on the wire, tunnels included. A bearer's queue counts SDUs
with their PDCP headers, at the cell downlink and at the UE uplink. An SDU leaves it as its bytes
are in a PDU. The bytes of a queue over time are exact: the integral is the sum of bytes times wait
over all packets (Little's law). That includes packets that were delivered, dropped and still
waiting. Percentiles are nearest-rank.

A packet's time in queues (`queue_ms` of a flow) is its time in the stages `wired_queue`, `pdcp` and
`rlc`. Four waits are no queueing: for a radio connection (`rrc`), for the right to send
(`uplink_access`), for a retransmission, and for earlier data. Time in the sender itself (`sender`)
is none either.

A quantity without a value is `null`. Each Parquet file has the texts below in its key-value metadata:
`description` for the table and `column.NAME` for each column. In Python these are
`pyarrow.parquet.read_metadata(file).metadata` or `polars.read_parquet_metadata(file)`, in
DuckDB `parquet_kv_metadata('FILE')`. They are the file's metadata, not that of Arrow fields,
which only a schema written by Arrow has.

## Warm-up

`output.warm_up` is time at the beginning that no statistic counts, for runs that begin in a state
that is not theirs. Packets, frames and requests count by their birth; events at queues, cells and
receivers by their time. An event at the end of the warm-up is behind it. A transport block that is received then
is not: it was sent before. Control channel elements count until before the end of the run. So a window has
no more transmissions than intervals.

| time that must be behind the warm-up | counted |
|---|---|
| birth of the packet: of media, that of its frame | packets sent, received, lost, marked and still on their way; their bytes of IP, delays, times in queues, stages and jitter; time in the RTP queue |
| birth of the frame | frames complete, lost and late; their delays |
| request of the application | requests, and their durations |
| the event itself | bytes that reached an application; retransmissions, timeouts, recoveries, RTTs; reports of a controller, packets thrown out of the RTP queue, declared lost, and arrived after that; stalls; transport blocks (received), resource blocks, control channel elements, scheduling requests; queues, with drops and marks of links; radio states |

Means over time are over the time behind it. `start_s`, `finish_s` and `startup_s` are facts and
stay; `events` counts the whole run. Tables with a row for each packet, frame, request, radio state
or sample have the warm-up too, with the time in each row.

This page is generated: `UPDATE_DOCS=1 cargo test -p airpath-results reference` writes it.
";

const USERS: &str = "
## Users

A user is a UE with one kind of application in one direction. `users.parquet` has a row for each
with all measures. `users[]` in `summary.json` has the distribution of each measure over users: each
user counts once, and percentiles are those of users. A user without a value (no frame arrived, no
page was finished) is in no distribution; its `users` says how many have one.

These are the measures (KPIs) of D. Brunello, *L4S in 5G networks*, KTH 2020, by chapter and
section. `…` stands for mean, p50, p95, p99 and max over all packets, frames, pages or reports of
the user behind the warm-up. Processing and propagation, the other parts of the source's equations
3.1 and 3.2, are settings of a scenario.

| measure | definition | section |
|---|---|---|
";

const RESOURCES: &str = "\
| `users[].low_rate_users` | Users whose `transmitted_bps` is below `output.low_rate`. | 6.2, figure 6.3 |
| `resources.pdsch`, `pdsch_by_class` | Resource blocks used downlink, of those of all cells, and by class of traffic. | 3.3, resource statistics; 5.3.8 |
| `resources.pdcch`, `pusch` | Control channel elements of grants, and resource blocks used uplink, of those of all cells. | appendix C |

Figures without the users below a rate, or without the worst of them, are those of the other rows
of `users.parquet`.
";

/// The objects of `summary.json` by their path, each with its fields.
const OBJECTS: [(&str, &[FieldDoc]); 33] = [
    ("", RunSummary::FIELDS),
    ("changes[]", ChangeSummary::FIELDS),
    ("flows[]", FlowSummary::FIELDS),
    ("flows[].media", MediaSummary::FIELDS),
    ("flows[].requests", RequestSummary::FIELDS),
    ("flows[].pages", PageSummary::FIELDS),
    ("flows[].playback", PlaybackSummary::FIELDS),
    ("flows[].quic", QuicSummary::FIELDS),
    ("flows[].webrtc", WebrtcSummary::FIELDS),
    ("flows[].handovers", HandoverCostSummary::FIELDS),
    ("ues[]", UeSummary::FIELDS),
    ("ues[].radio_link", RadioLinkSummary::FIELDS),
    ("ues[].rrc", RrcSummary::FIELDS),
    ("cells[]", CellSummary::FIELDS),
    ("bearers[]", BearerSummary::FIELDS),
    ("links[]", LinkSummary::FIELDS),
    ("resources", ResourcesSummary::FIELDS),
    ("users[]", UsersSummary::FIELDS),
    ("a distribution over users", OverUsers::FIELDS),
    ("events", EventCounts::FIELDS),
    ("events.handovers", HandoverSummary::FIELDS),
    ("events.handovers.admission", AdmissionSummary::FIELDS),
    ("events.handovers.load_balancing", BalancingSummary::FIELDS),
    ("events.handovers.load_balancing.pairs[]", PairOffset::FIELDS),
    ("events.handovers.carriers", CarrierSummary::FIELDS),
    ("events.handovers.legs", LegSummary::FIELDS),
    ("events.handovers.secondary_cells", SecondarySummary::FIELDS),
    ("events.handovers.conditional", ConditionalSummary::FIELDS),
    ("events.handovers.daps", DapsSummary::FIELDS),
    ("`down` and `up` of a UE or cell", RadioSummary::FIELDS),
    ("a set of SINRs", DecibelSummary::FIELDS),
    ("a queue", QueueSummary::FIELDS),
    ("a set of delays or times", DelaySummary::FIELDS),
];

const READINGS: &str = "
## Readings

Readings are of a run while it goes on: `airpath run --watch` shows them ([live](live.md)). As JSON
a session is one line, and so is each reading behind it. A reading counts packets by the times of
their events, those of a warm-up too. An interval has its end in it but not its beginning. So
without a warm-up readings add up to the summary exactly.
";

/// The objects of readings by their path.
const LIVE: [(&str, &[FieldDoc]); 9] = [
    ("a session", live::Session::FIELDS),
    ("a reading", live::Reading::FIELDS),
    ("`flows[]` of a reading", live::FlowReading::FIELDS),
    ("percentiles of an interval", live::Spread::FIELDS),
    ("`cells[]` of a reading", live::CellReading::FIELDS),
    ("`queues[]` of a reading", live::QueueReading::FIELDS),
    ("`radio_links[]` of a reading", live::RadioLinkReading::FIELDS),
    ("`totals` of a reading", live::TotalsReading::FIELDS),
    ("`health` of a reading", live::Health::FIELDS),
];

/// The whole page.
pub fn reference() -> String {
    let mut text = INTRODUCTION.to_owned();
    text += USERS;
    for (name, meaning, section) in user::definitions() {
        let _ = writeln!(text, "| `{name}` | {} | {section} |", cell(&meaning));
    }
    text += RESOURCES;
    text += "\n## `summary.json`\n";
    objects(&OBJECTS, &mut text);
    text += "\n## `timing.json`\n\n";
    object(Timing::FIELDS, &mut text);
    text += "\n### `real_time`\n\n";
    object(RealTime::FIELDS, &mut text);
    text += "\n## `window.json`\n\nWindow of the tables of transport blocks (`output.blocks`).\n\n";
    object(blocks::BlockWindow::FIELDS, &mut text);
    text +=
        "\n### `cells[]` of `window.json`\n\nA cell and its grid of slots and resource blocks.\n\n";
    object(blocks::WindowCell::FIELDS, &mut text);
    text += "\n### `scores[]`\n\nThe worst is where `wait_p95_ms` is highest; of equal ones that with the highest `used`, then the first.\n\n";
    object(blocks::ScoreSummary::FIELDS, &mut text);
    text += READINGS;
    objects(&LIVE, &mut text);
    for (file, table) in all_tables() {
        let _ = write!(text, "\n## `{file}`\n\n{}\n\n", table.description());
        text += "| column | type | unit | meaning |\n|---|---|---|---|\n";
        for column in table.described() {
            let (name, kind, unit, meaning) = column;
            let meaning = cell(meaning);
            let _ = writeln!(text, "| `{name}` | {kind} | {unit} | {meaning} |");
        }
    }
    text
}

fn objects(all: &[(&str, &[FieldDoc])], text: &mut String) {
    for (place, fields) in all {
        let title = match *place {
            "" => "the run".to_owned(),
            place if place.contains(' ') => place.to_owned(),
            place => format!("`{place}`"),
        };
        let _ = write!(text, "\n### {title}\n\n");
        object(fields, text);
    }
}

fn object(fields: &[FieldDoc], text: &mut String) {
    *text += "| key | type | unit | meaning |\n|---|---|---|---|\n";
    for field in fields {
        let (name, kind, unit) = (field.name, kind(field.kind), field.scale.unit);
        let meaning = cell(field.meaning);
        let _ = writeln!(text, "| `{name}` | {kind} | {unit} | {meaning} |");
    }
}

/// Text within a table of Markdown.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Every object of files and readings, by its path.
#[cfg(test)]
pub(crate) fn all_objects() -> impl Iterator<Item = &'static (&'static str, &'static [FieldDoc])> {
    OBJECTS.iter().chain(&LIVE)
}

/// Every table, without rows.
pub(crate) fn all_tables() -> Vec<(&'static str, Table)> {
    let collector = Collector::new(Inventory::default(), &Options::default());
    let run = collector.summary(RunFacts::default());
    let mut all = vec![
        ("flows.parquet", tables::flows_with(&run, [true; 2])),
        ("cells.parquet", tables::cells(&run)),
        ("ues.parquet", tables::ues(&run)),
        ("bearers.parquet", tables::bearers(&run)),
        ("links.parquet", tables::links(&run)),
        ("users.parquet", users::table(&[])),
        ("series.parquet", tables::series(&collector)),
        ("packets.parquet", tables::packets(&collector, &[])),
        ("frames.parquet", tables::frames(&collector)),
        ("requests.parquet", tables::requests(&collector)),
        ("states.parquet", tables::states(&collector)),
        ("positions.parquet", tables::positions_with(&collector, true)),
        ("handovers.parquet", tables::handovers_with(&collector, [true; 3])),
        ("handover_flows.parquet", tables::handover_flows(&collector)),
        ("handover_packets.parquet", tables::handover_packets(&collector)),
        ("cell_offsets.parquet", tables::cell_offsets(&collector)),
        ("legs.parquet", tables::legs(&collector)),
        ("secondary_cells.parquet", tables::secondary_cells(&collector)),
    ];
    all.extend(blocks::all_tables());
    all
}

/// JSON's type of a Rust type.
fn kind(rust: &str) -> String {
    let rust: String = rust.chars().filter(|c| !c.is_whitespace()).collect();
    let inner = |prefix: &str| rust.strip_prefix(prefix).and_then(|rest| rest.strip_suffix('>'));
    if let Some(some) = inner("Option<") {
        return format!("{} or null", kind(some));
    }
    if let Some(item) = inner("Vec<") {
        return format!("list of {}", kind(item));
    }
    if let Some(value) = inner("Named<") {
        return format!("object, {} by name", kind(value));
    }
    match rust.as_str() {
        "String" => "text",
        "bool" => "true or false",
        "u8" | "u32" | "u64" | "usize" => "integer",
        "f64" => "number",
        _ => "object",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// `UPDATE_DOCS=1` writes the page again.
    #[test]
    fn the_page_is_what_the_declarations_say() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results.md");
        let page = reference();
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &page).expect("a page");
        }
        let kept = std::fs::read_to_string(&path).expect("docs/results.md");
        let command = "UPDATE_DOCS=1 cargo test -p airpath-results reference";
        assert!(page == kept, "docs/results.md is old: {command}");
    }

    #[test]
    fn every_column_is_described() {
        for (file, table) in all_tables() {
            assert!(!table.description().is_empty(), "{file}");
            for (name, _, _, meaning) in table.described() {
                assert!(!meaning.is_empty(), "{file}: {name}");
            }
        }
    }

    #[test]
    fn every_object_of_a_summary_has_its_section() {
        let run = crate::summarise::tests::run(&Options::default());
        let run = run.summary(crate::summarise::tests::facts());
        let json = serde_json::to_value(&run).expect("JSON");
        let known = |name: &str, fields: &[FieldDoc]| fields.iter().any(|f| f.name == name);
        for (list, fields) in [
            ("flows", FlowSummary::FIELDS),
            ("ues", UeSummary::FIELDS),
            ("cells", CellSummary::FIELDS),
            ("bearers", BearerSummary::FIELDS),
            ("links", LinkSummary::FIELDS),
            ("users", UsersSummary::FIELDS),
        ] {
            let keys = json[list][0].as_object().expect("an object").keys();
            keys.for_each(|key| assert!(known(key, fields), "{list}[].{key}"));
        }
        let keys = json.as_object().expect("an object").keys();
        keys.for_each(|key| assert!(known(key, RunSummary::FIELDS), "{key}"));
    }
}
