//! Runs of a campaign on a cluster. The program itself knows none: who has it inside may bring one.

use std::fs;
use std::sync::OnceLock;

use airpath_campaign::Elsewhere;
use airpath_results::Digests;

use crate::args::SweepArgs;
use crate::output::is_standard;

/// Campaign whose runs are made on a cluster.
#[derive(Clone, Debug, Default)]
pub struct ClusterWork {
    /// Address of the scheduler.
    pub address: String,
    /// URL below which workers write records; without it, workers send these back.
    pub store: Option<String>,
    /// True if a damaged record of the store is read all the same.
    pub unchecked: bool,
    /// Name of the scenario in errors.
    pub name: String,
    /// Text of the scenario.
    pub text: String,
    /// Folder of the files that the scenario names.
    pub folder: String,
    /// Changes of the scenario's keys, as `--set` has them.
    pub overrides: Vec<String>,
    /// Axes of the campaign, as `--vary` has them.
    pub vary: Vec<String>,
    /// Runs of each arm; without it, the number is the scenario's.
    pub runs: Option<u64>,
}

/// Connects to a cluster; why not, if that fails.
pub type Cluster = Box<dyn Fn(ClusterWork) -> Result<Box<dyn Elsewhere>, String> + Send + Sync>;

static CLUSTER: OnceLock<Cluster> = OnceLock::new();

/// Lets `airpath sweep --dask` and `airpath capacity --dask` use this. The first call counts.
pub fn with_cluster(cluster: Cluster) {
    let _ = CLUSTER.set(cluster);
}

/// Cluster that makes the runs of a work, if there is an address of its scheduler.
pub fn connect(
    address: Option<&str>,
    work: impl FnOnce() -> Result<ClusterWork, String>,
) -> Result<Option<Box<dyn Elsewhere>>, String> {
    let Some(address) = address else { return Ok(None) };
    let Some(cluster) = CLUSTER.get() else {
        return Err(
            "--dask needs Python, which this program is without; that of the Python package \
                    has it: `pip install '.[cluster]'` in airpath's folder"
                .to_owned(),
        );
    };
    cluster(ClusterWork { address: address.to_owned(), ..work()? }).map(Some)
}

/// Work of a sweep, but for the address.
pub fn work(args: &SweepArgs) -> Result<ClusterWork, String> {
    let file = &args.scenario.scenario;
    if is_standard(file) {
        return Err("--dask needs a file, and not standard input".to_owned());
    }
    let name = args.scenario.name();
    let text = fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let folder = file.parent().and_then(|parent| std::path::absolute(parent).ok());
    Ok(ClusterWork {
        address: String::new(),
        store: args.store.clone(),
        unchecked: args.read.digests() == Digests::Unchecked,
        name,
        text,
        folder: folder.unwrap_or_default().display().to_string(),
        overrides: args.scenario.over.all(),
        vary: args.vary.clone(),
        runs: args.seeds,
    })
}
