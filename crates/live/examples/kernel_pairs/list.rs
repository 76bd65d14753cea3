//! Pairs of case and controller.

use std::path::{Path, PathBuf};

use airpath_evaluate::{Case, Criterion};
use airpath_study::Quantity;

/// The list: suite, case, controller, and the explanation of a known difference.
const LIST: &str = include_str!("pairs.csv");

/// Options of the command line.
pub struct Wanted {
    /// Part of the name of a case; all without.
    pub only: Option<String>,
    /// Seeds instead of those of each case.
    pub seeds: Option<u64>,
    /// Folder for tables.
    pub out: Option<PathBuf>,
}

/// A case with a controller.
pub struct Pair {
    /// Name of the suite.
    pub suite: String,
    /// The case.
    pub case: Case,
    /// File of its scenario.
    pub scenario: PathBuf,
    /// Name of the controller.
    pub controller: String,
    /// Explanation of a known difference; empty for none.
    pub why: String,
}

impl Wanted {
    /// Reads the words of a command line.
    pub fn read(words: &[&str]) -> Result<Wanted, String> {
        let mut wanted = Wanted { only: None, seeds: None, out: None };
        for pair in words.chunks(2) {
            match *pair {
                ["--only", part] => wanted.only = Some(part.to_owned()),
                ["--out", folder] => wanted.out = Some(folder.into()),
                ["--seeds", number] => {
                    let seeds =
                        number.parse().map_err(|_| format!("--seeds {number}: a number"))?;
                    wanted.seeds = Some(seeds);
                }
                _ => return Err(format!("{pair:?}: known are --only, --seeds and --out")),
            }
        }
        Ok(wanted)
    }
}

/// The pairs of the list.
pub fn pairs(wanted: &Wanted) -> Result<Vec<Pair>, String> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let rows = LIST.lines().skip(1).filter(|line| !line.is_empty());
    let pair = |line: &str| {
        let mut parts = line.splitn(4, ',').map(str::to_owned);
        let mut next = || parts.next().ok_or_else(|| format!("{line}: four columns"));
        let (suite, name, controller, why) = (next()?, next()?, next()?, next()?);
        let folder = cases.join(&suite);
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let file = folder.join(format!("{name}.case.toml"));
        let beside = |name: &str| read(&folder.join(name));
        let case = Case::parse(&file.display().to_string(), &read(&file)?, &beside);
        let case = case.map_err(|error| error.to_string())?;
        let scenario = folder.join(&case.file.scenario);
        Ok(Pair { suite, case, scenario, controller, why })
    };
    let all = rows.map(pair).collect::<Result<Vec<Pair>, String>>()?;
    let only = wanted.only.as_deref().unwrap_or_default();
    Ok(all.into_iter().filter(|pair| pair.name().contains(only)).collect())
}

impl Pair {
    /// Name of the pair.
    pub fn name(&self) -> String {
        format!("{}/{} {}", self.suite, self.case.name, self.controller)
    }

    /// Criteria that packets alone decide, with their quantities.
    pub fn criteria(&self) -> Vec<(&Criterion, Quantity)> {
        let all = self.case.file.criterion.iter();
        let comparable = all.filter(|own| !own.bbr_only || self.controller != "cubic");
        let read = |own: &'_ Criterion| Quantity::parse(&own.quantity);
        let read = comparable.filter_map(|own| Some((own, read(own)?)));
        read.filter(|(_, quantity)| quantity.is_of_packets()).collect()
    }

    /// Names of the runs that these criteria need, with their overrides.
    pub fn runs(&self) -> Vec<(String, Vec<String>)> {
        let mut common: Vec<String> = vec!["output.packets=true".to_owned()];
        for flow in &self.case.file.subjects {
            common.push(format!("flow.{flow}.tcp.controller=\"{}\"", self.controller));
        }
        let with = |set: &[String]| [&common[..], set].concat();
        let all: Vec<(String, Vec<String>)> = match &self.case.file.run[..] {
            [] => vec![("main".to_owned(), with(&[]))],
            runs => runs.iter().map(|run| (run.name.clone(), with(&run.set))).collect(),
        };
        let criteria = self.criteria();
        let needed = |name: &str| criteria.iter().any(|(_, own)| own.runs().contains(&name));
        all.into_iter().filter(|(name, _)| needed(name)).collect()
    }

    /// Number of seeds, from 1.
    pub fn seeds(&self, wanted: &Wanted) -> u64 {
        wanted.seeds.unwrap_or(self.case.file.seeds)
    }
}
