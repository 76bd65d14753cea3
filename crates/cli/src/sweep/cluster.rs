//! Runs of a campaign on a cluster. The program itself knows none: who has it inside may bring one.

use std::fs;
use std::sync::OnceLock;

use airpath_campaign::Elsewhere;

use crate::args::SweepArgs;
use crate::output::is_standard;

/// What is to be made, and where.
#[derive(Clone, Debug)]
pub struct ClusterWork {
    /// Address of the scheduler.
    pub address: String,
    /// Where workers write records, if not back.
    pub store: Option<String>,
    /// What errors call the scenario.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Folder of the files that it names.
    pub folder: String,
    /// What is set over it.
    pub overrides: Vec<String>,
    /// What is varied.
    pub vary: Vec<String>,
    /// Runs of each arm, if not what the scenario says.
    pub runs: Option<u64>,
}

/// Connects to a cluster; why not, if that fails.
pub type Cluster = Box<dyn Fn(ClusterWork) -> Result<Box<dyn Elsewhere>, String> + Send + Sync>;

static CLUSTER: OnceLock<Cluster> = OnceLock::new();

/// Lets `airpath sweep --dask` use this. The first call counts.
pub fn with_cluster(cluster: Cluster) {
    let _ = CLUSTER.set(cluster);
}

/// What makes the runs, if they are to be made on a cluster.
pub fn connect(args: &SweepArgs) -> Result<Option<Box<dyn Elsewhere>>, String> {
    let Some(address) = args.dask.clone() else { return Ok(None) };
    let Some(cluster) = CLUSTER.get() else {
        return Err(
            "--dask needs Python, which this program is without; that of the Python package \
                    has it: `pip install '.[cluster]'` in airpath's folder"
                .to_owned(),
        );
    };
    let file = &args.scenario.scenario;
    if is_standard(file) {
        return Err("--dask needs a file, and not standard input".to_owned());
    }
    let name = args.scenario.name();
    let text = fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let folder = file.parent().and_then(|parent| std::path::absolute(parent).ok());
    let work = ClusterWork {
        address,
        store: args.store.clone(),
        name,
        text,
        folder: folder.unwrap_or_default().display().to_string(),
        overrides: args.scenario.over.all(),
        vary: args.vary.clone(),
        runs: args.seeds,
    };
    cluster(work).map(Some)
}
