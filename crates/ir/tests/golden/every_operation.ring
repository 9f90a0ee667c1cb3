log_n 4
prime q0 = 1073741441
prime q1 = 1073740609
prime q2 = 1073739937
entry main

ring low@1(x: poly[q0..q1; eval]) -> poly[q1; coeff] {
  low = towers x -> poly[q1; eval]
  %2 = intt low
  return %2
}

ring fresh(seed: secret seed) -> poly[q0..q1; eval], poly[q0, q2; coeff], poly[q1; coeff] {
  a = sample uniform "a" seed -> poly[q0..q1; eval]
  u = sample ternary "u" seed -> poly[q0, q2; coeff]
  e = sample binomial21 "e \"of\" fresh" seed -> poly[q1; coeff]
  f = sample flood(30) "f" seed -> poly[q1; coeff]
  s = add e, f
  return a, u, s
}

ring main(
  x: poly[q0..q1; eval],
  key: poly[q0..q1; eval] x 2,
  "the seed": secret seed
) -> poly[q0..q1; eval], poly[q2, q0..q1; coeff] {
  k = element key, 1  @ camera.py:12
  p = mul x, k  @ camera.py:12
  n = neg p  @ "my camera.py":13
  d = sub n, x
  m = mul_scalar d, [536870721, 3]
  t = add_scalar m, [1, 0]
  r = automorphism t, 5
  l = call low@1(r)
  w = switch_modulus l -> poly[q0..q2; coeff]
  a, u, e = call fresh("the seed")
  v = towers w -> poly[q0..q1; coeff]
  y = ntt v
  z = zero -> poly[q2; coeff]
  c = concat z, v
  o = add y, a
  return o, c
}
