//! Random numbers of stacks.
//!
//! Cryptography takes its random numbers from functions of the process. Here these functions draw from the stream of the
//! end whose stack is being called. Outside of a call there is none, and they fail.

use std::cell::RefCell;

use airpath_base::random::Stream;

thread_local! {
    static DRAWS: RefCell<Option<Stream>> = const { RefCell::new(None) };
}

/// Calls a stack, whose random numbers come from this stream meanwhile.
pub fn with<T>(draws: &mut Option<Stream>, call: impl FnOnce() -> T) -> T {
    let before = DRAWS.with_borrow_mut(|own| std::mem::replace(own, draws.take()));
    let done = call();
    *draws = DRAWS.with_borrow_mut(|own| std::mem::replace(own, before));
    done
}

/// Ends a call that has panicked: its stream is gone.
pub(crate) fn clear() {
    DRAWS.set(None);
}

/// Calls a stack whose identifiers come from fastrand, which has this state meanwhile. The state of the thread is put back.
pub(crate) fn with_fastrand<T>(state: &mut u64, call: impl FnOnce() -> T) -> T {
    let before = fastrand::get_seed();
    fastrand::seed(*state);
    let done = call();
    *state = fastrand::get_seed();
    fastrand::seed(before);
    done
}

/// Fills bytes with random numbers. False outside of a call.
pub fn fill(bytes: &mut [u8]) -> bool {
    DRAWS.with_borrow_mut(|own| {
        let Some(draws) = own else { return false };
        draw(draws, bytes);
        true
    })
}

/// Fills bytes from a stream.
pub(crate) fn draw(draws: &mut Stream, bytes: &mut [u8]) {
    for part in bytes.chunks_mut(8) {
        part.copy_from_slice(&draws.bits().to_le_bytes()[..part.len()]);
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;

    use super::*;

    #[test]
    fn identifiers_follow_from_their_state_alone() {
        let drawn = |other: usize| {
            let mut state = 7;
            let draw = |state: &mut u64| with_fastrand(state, || fastrand::u64(..));
            let first = draw(&mut state);
            for _ in 0..other {
                fastrand::u64(..);
            }
            (first, draw(&mut state))
        };
        assert_eq!(drawn(0), drawn(3));
        assert_ne!(drawn(0).0, drawn(0).1);
        fastrand::seed(1);
        let alone = fastrand::u64(..);
        fastrand::seed(1);
        with_fastrand(&mut 9, || fastrand::u64(..));
        assert_eq!(fastrand::u64(..), alone);
    }

    #[test]
    fn draws_are_those_of_the_call() {
        let drawn = |calls: usize| {
            let mut own = Some(Seed(1).stream("a stack"));
            let mut other = Some(Seed(2).stream("another"));
            let mut all = Vec::new();
            for _ in 0..calls {
                let mut bytes = [0; 11];
                assert!(
                    with(&mut own, || with(&mut other, || fill(&mut [0; 3])) && fill(&mut bytes))
                );
                all.extend(bytes);
            }
            all
        };
        assert_eq!(drawn(3), drawn(3));
        assert_eq!(drawn(3)[..22], drawn(2)[..]);
        assert!(!fill(&mut [0; 1]));
    }
}
