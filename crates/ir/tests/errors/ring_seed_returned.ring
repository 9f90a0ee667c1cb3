# parse, verify
log_n 4
prime q0 = 1073741441
prime q1 = 1073740609
prime q2 = 1073739937
entry main

ring main(x: poly[q0..q1; eval], c: poly[q0..q1; coeff], k: poly[q0..q2; eval] x 4, seed: secret seed) -> seed {
  return seed
}
