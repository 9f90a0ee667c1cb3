//! SEAL's formats, on golden data (vectors/interop/seal).

mod damage;
mod golden;
mod round_trip;
