//! Pages with every kind of chart: `cargo run -p airpath-plot --example gallery -- FOLDER` writes
//! them there, and of each chart its specification and static pictures.

mod charts;
mod kinds;

use std::path::Path;

use airpath_plot::{Chart, html};

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "gallery".into());
    write(Path::new(&folder), "gallery", &charts::charts())?;
    write(Path::new(&folder), "kinds", &kinds::kinds())
}

fn write(folder: &Path, name: &str, charts: &[Chart]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (n, chart) in charts.iter().enumerate() {
        let text = format!("{:#}\n", chart.vega_lite());
        std::fs::write(folder.join(format!("{name}-{n}.vl.json")), text)?;
        std::fs::write(folder.join(format!("{name}-{n}.svg")), chart.svg())?;
        std::fs::write(folder.join(format!("{name}-{n}.png")), chart.png())?;
    }
    let page = html("Every kind of chart", "All figures are made up.", charts);
    std::fs::write(folder.join(format!("{name}.html")), page)
}
