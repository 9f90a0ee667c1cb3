# parse
kind cyclic
log_n 4
prime q0 = 1073741441
entry main

ring main(x: poly[q0; eval]) -> poly[q0; eval] {
  return x
}
