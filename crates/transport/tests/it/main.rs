//! TCP's nodes with the applications that use them.

mod proxy;
