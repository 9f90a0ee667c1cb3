//! Pointwise kernels on residues modulo one q.
