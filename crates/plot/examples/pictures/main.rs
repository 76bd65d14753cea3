//! Draws a chart of each kind: `cargo run -p airpath-plot --example pictures -- FOLDER`.

mod kinds;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let folder = std::path::Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    for (n, chart) in kinds::kinds().iter().enumerate() {
        std::fs::write(folder.join(format!("{n}.svg")), chart.svg())?;
        std::fs::write(folder.join(format!("{n}.png")), chart.png())?;
    }
    Ok(())
}
