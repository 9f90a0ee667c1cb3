"""What the benches, the lint and the proofs of `hw/` share: finding tools, building models once."""
