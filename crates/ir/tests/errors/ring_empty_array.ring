# parse, verify
log_n 4
prime q0 = 1073741441
prime q1 = 1073740609
prime q2 = 1073739937
entry main

ring main(x: poly[q0..q1; eval], k: poly[q0; eval] x 0) -> poly[q0..q1; eval] {
  return x
}
