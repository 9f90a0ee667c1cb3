//! The wire format: round trips, and what is refused.

mod damage;
mod holdings;
mod masks;
mod round_trip;
