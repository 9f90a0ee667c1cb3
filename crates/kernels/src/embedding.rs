//! The canonical embedding.
