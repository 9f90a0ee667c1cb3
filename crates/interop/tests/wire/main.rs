//! The wire format: round trips, and what is refused.

mod damage;
mod holdings;
mod round_trip;
