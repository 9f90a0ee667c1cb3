kind "conjugate-invariant"
log_n 4
prime q0 = 1073741441
entry turned

ring turned(x: poly[q0; eval]) -> poly[q0; coeff] {
  %1 = automorphism x, 5
  %2 = intt %1
  return %2
}
