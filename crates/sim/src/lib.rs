//! Clocks, ordered events, timelines; knows no accelerator.
//!
//! Time is integer cycles of a named clock, and every clock has a whole number of femtoseconds as
//! its period, so time in different clocks is compared exactly: [`Clock`]. Events are ordered by
//! (cycle, unit, sequence), never by the order of a hash map, so two runs give identical bytes:
//! [`EventQueue`]. What happened is kept as spans on tracks: [`Timeline`]; what is paired with RTL,
//! event by event, goes into a [`Trace`]. No wall clock is read in this crate; a measured duration
//! enters as a number with its [`Provenance`].

mod clock;
mod events;
mod timeline;
mod trace;

pub use clock::{Clock, ClockError, Cycle, Femtoseconds};
pub use events::{Event, EventQueue, PastEvent, UnitId};
pub use ringwright_spec::{Provenance, UnknownProvenance};
pub use timeline::{Edge, EdgeKind, Span, Timeline, TimelineError, Track, TrackId};
pub use trace::{in_order, NoTrace, Records, Trace, TraceRecord};
