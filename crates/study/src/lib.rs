//! Published studies: claims, readings, verdicts.
