# parse, verify
log_n 4
prime q0 = 97
entry main

ring inner(seed: secret seed) -> poly[q0; coeff] {
  y = sample ternary "u" seed -> poly[q0; coeff]
  return y
}

ring outer(seed: secret seed) -> poly[q0; coeff] {
  x = sample ternary "v" seed -> poly[q0; coeff]
  y = call inner(seed)
  z = add x, y
  return z
}

ring other(seed: secret seed) -> poly[q0; coeff] {
  y = sample uniform "u" seed -> poly[q0; coeff]
  return y
}

ring main(seed: secret seed) -> poly[q0; coeff] {
  y = call outer(seed)  @ camera.py:11
  z = call other(seed)  @ camera.py:12
  return z
}
