//! Order and contents of calls of a controller.
