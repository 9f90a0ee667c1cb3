//! Negacyclic NTT plans, pointwise kernels, embedding FFT; the only home of SIMD intrinsics.
