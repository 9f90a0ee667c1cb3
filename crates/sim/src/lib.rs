//! Clocks, ordered events, timelines; knows no accelerator.
