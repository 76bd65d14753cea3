//! Check of a store's books.

use airpath_net::Held;

use super::Store;
use crate::pdcp::Waiting;

impl Store {
    /// Counts again what is there, and checks the books with it.
    pub fn audit(&self) -> Result<(), String> {
        let held = Held::of(self.sdus.iter().filter_map(|sdu| sdu.packet.as_ref()));
        let rest = self.rest().map(|bytes| Waiting { sdus: 1, bytes: u64::from(bytes) });
        let whole = self.sdus.iter().skip(self.head.saturating_sub(self.base) as usize);
        let waiting = whole.fold(rest.unwrap_or_default(), |sum, sdu| {
            sum.plus(Waiting { sdus: 1, bytes: u64::from(sdu.size) })
        });
        match held == self.held && waiting == self.waiting && self.books.closes(held) {
            true => Ok(()),
            false => Err(format!(
                "{:?}, {held:?} counted as {:?}, {waiting:?} counted as {:?}",
                self.books, self.held, self.waiting
            )),
        }
    }
}
