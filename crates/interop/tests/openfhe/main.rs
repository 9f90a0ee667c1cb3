//! OpenFHE's objects, on golden data (vectors/interop/openfhe).

mod damage;
mod golden;
