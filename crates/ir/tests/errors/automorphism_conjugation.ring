# verify
kind "conjugate-invariant"
log_n 4
prime q0 = 1073741441
entry main

ring main(x: poly[q0; eval]) -> poly[q0; eval] {
  y = automorphism x, 63  @ camera.py:12
  return y
}
