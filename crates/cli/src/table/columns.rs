//! A table within 80 columns: what does not fit goes on below, under the names again.
//! No name is ever cut: one that is too long has a line of its own.

/// Columns of a screen.
pub const SCREEN: usize = 80;
/// Between two columns.
const GAP: usize = 2;
/// Columns for names at most; a longer one has a line of its own.
const LONGEST_NAME: usize = 24;

/// A column of numbers.
pub struct Column {
    /// Heading over neighbouring columns of the same kind; empty for none.
    pub over: &'static str,
    /// Its title.
    pub title: String,
    /// A cell for each name.
    pub cells: Vec<String>,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| width(cell));
        GAP + cells.chain([width(&self.title)]).max().unwrap_or(0)
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// The table, with `title` over the names.
pub fn table(title: &str, names: &[String], columns: Vec<Column>) -> String {
    let fit = names.iter().map(|name| width(name)).filter(|width| *width <= LONGEST_NAME);
    let first = fit.max().unwrap_or(0).max(width(title));
    let mut text = String::new();
    let mut block: Vec<Column> = Vec::new();
    for column in columns {
        block.push(column);
        if first + widths(&block).iter().sum::<usize>() > SCREEN && block.len() > 1 {
            let next = block.pop();
            text += &print(title, first, names, &block);
            block = next.into_iter().collect();
        }
    }
    text + &print(title, first, names, &block)
}

/// Widths of columns, so that what stands over them has room as well.
fn widths(block: &[Column]) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::new();
    for same in block.chunk_by(|a, b| a.over == b.over) {
        let start = widths.len();
        widths.extend(same.iter().map(Column::width));
        let span: usize = widths[start..].iter().sum();
        let over = if same[0].over.is_empty() { 0 } else { GAP + width(same[0].over) };
        widths[start] += over.saturating_sub(span);
    }
    widths
}

fn print(title: &str, first: usize, names: &[String], block: &[Column]) -> String {
    let widths = widths(block);
    let row = |cells: &mut dyn Iterator<Item = &str>| -> String {
        cells.zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect()
    };
    let mut text = String::new();
    if block.iter().any(|column| !column.over.is_empty()) {
        text += &line(&format!("{:first$}{}", "", heads(block, &widths)));
    }
    let titles = row(&mut block.iter().map(|column| column.title.as_str()));
    text += &line(&format!("{title:first$}{titles}"));
    for (n, name) in names.iter().enumerate() {
        let cells = row(&mut block.iter().map(|column| column.cells[n].as_str()));
        match width(name) <= first {
            true => text += &line(&format!("{name:first$}{cells}")),
            false => text += &line(&format!("{name}\n{:first$}{cells}", "")),
        }
    }
    text
}

/// The line of what stands over columns, each at the right end of its own.
fn heads(block: &[Column], widths: &[usize]) -> String {
    let mut widths = widths.iter();
    let of = block.chunk_by(|a, b| a.over == b.over);
    of.map(|same| {
        let span: usize = widths.by_ref().take(same.len()).sum();
        format!("{:>span$}", same[0].over)
    })
    .collect()
}

fn line(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(over: &'static str, title: &str, cells: &[&str]) -> Column {
        let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
        Column { over, title: title.to_owned(), cells }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_heading_stands_over_its_columns() {
        let columns = vec![
            column("", "sent", &["7", "12"]),
            column("delay, ms", "mean", &["1.50", "2"]),
            column("delay, ms", "p99", &["3", "4"]),
            column("goodput", "bit/s", &["5", "6"]),
        ];
        let text = table("flow", &names(&["a", "voice"]), columns);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "             delay, ms  goodput");
        assert_eq!(lines[1], "flow   sent  mean  p99    bit/s");
        assert_eq!(lines[2], "a         7  1.50    3        5");
        assert_eq!(lines[3], "voice    12     2    4        6");
    }

    #[test]
    fn what_does_not_fit_goes_on_below_and_no_name_is_cut() {
        let long = "a name that is much too long for the column of names";
        let cells = ["1", "2"];
        let columns = (0..12).map(|_| column("", "a long title", &cells)).collect();
        let text = table("flow", &names(&["short", long]), columns);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert_eq!(text.matches(long).count(), text.matches("short").count());
        assert!(text.matches("short").count() > 1 && text.matches("title").count() == 12, "{text}");
    }
}
