//! The scenario file: types, units, schema, errors, and the world it describes.
