//! Suites, cases and cards.

mod card;
mod case;
mod controllers;
mod faulty;
mod kept;
