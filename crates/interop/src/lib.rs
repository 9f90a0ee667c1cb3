//! Wire formats: our own, versioned and checksummed.
