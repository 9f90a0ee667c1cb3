# verify
kind "conjugate-invariant"
log_n 4
prime q0 = 1073739937
entry main

ring main(x: poly[q0; eval]) -> poly[q0; eval] {
  return x
}
