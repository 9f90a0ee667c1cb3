log_n 4
prime q0 = 1073741441
prime q1 = 1073740609
prime q2 = 1073739937
entry square

ring basis_extension@q0/q1..q2(x: poly[q0; coeff]) -> poly[q1..q2; coeff] is basis_extension {
  %1 = add_scalar x, [536870720]
  %2 = switch_modulus %1 -> poly[q1..q2; coeff]
  %3 = add_scalar %2, [536869889, 536869217]
  return %3
}

ring basis_extension@q1/q0+q2(x: poly[q1; coeff]) -> poly[q0, q2; coeff] is basis_extension {
  %1 = add_scalar x, [536870304]
  %2 = switch_modulus %1 -> poly[q0, q2; coeff]
  %3 = add_scalar %2, [536871137, 536869633]
  return %3
}

ring basis_extension@q2/q0..q1(x: poly[q2; coeff]) -> poly[q0..q1; coeff] is basis_extension {
  %1 = add_scalar x, [536869968]
  %2 = switch_modulus %1 -> poly[q0..q1; coeff]
  %3 = add_scalar %2, [536871473, 536870641]
  return %3
}

ring mod_down@q0..q1/q2.eval(x: poly[q0..q2; eval]) -> poly[q0..q1; eval] is mod_down {
  %1 = towers x -> poly[q2; eval]
  %2 = intt %1
  %3 = call basis_extension@q2/q0..q1(%2)
  %4 = ntt %3
  %5 = towers x -> poly[q0..q1; eval]
  %6 = sub %5, %4
  %7 = mul_scalar %6, [206323987, 461772375]
  return %7
}

ring key_switch@q0..q1/q2.digit1(
  x: poly[q0..q1; eval],
  key: poly[q0..q2; eval] x 4
) -> poly[q0..q1; eval], poly[q0..q1; eval] is key_switch(1, 1) {
  %2 = intt x
  %3 = towers x -> poly[q0; eval]
  %4 = towers %2 -> poly[q0; coeff]
  %5 = call basis_extension@q0/q1..q2(%4)
  %6 = ntt %5
  %7 = concat %3, %6
  %8 = element key, 0
  %9 = mul %7, %8
  %10 = element key, 1
  %11 = mul %7, %10
  %12 = towers x -> poly[q1; eval]
  %13 = towers %2 -> poly[q1; coeff]
  %14 = call basis_extension@q1/q0+q2(%13)
  %15 = ntt %14
  %16 = concat %12, %15
  %17 = towers %16 -> poly[q0..q2; eval]
  %18 = element key, 2
  %19 = mul %17, %18
  %20 = add %9, %19
  %21 = element key, 3
  %22 = mul %17, %21
  %23 = add %11, %22
  %24 = call mod_down@q0..q1/q2.eval(%20)
  %25 = call mod_down@q0..q1/q2.eval(%23)
  return %24, %25
}

ring ckks.mul_relin@2(
  a.0: poly[q0..q1; eval],
  a.1: poly[q0..q1; eval],
  b.0: poly[q0..q1; eval],
  b.1: poly[q0..q1; eval],
  k: poly[q0..q2; eval] x 4
) -> poly[q0..q1; eval], poly[q0..q1; eval] {
  d0 = mul a.0, b.0
  %6 = mul a.0, b.1
  %7 = mul a.1, b.0
  d1 = add %6, %7
  %9 = mul a.1, b.1
  %10, %11 = call key_switch@q0..q1/q2.digit1(%9, k)
  %12 = add d0, %10
  %13 = add d1, %11
  return %12, %13
}

ring square(
  x.0: poly[q0..q1; eval],
  x.1: poly[q0..q1; eval],
  mult: poly[q0..q2; eval] x 4
) -> poly[q0..q1; eval], poly[q0..q1; eval] {
  m, m_2 = call ckks.mul_relin@2(x.0, x.1, x.0, x.1, mult)  @ camera.py:12
  return m, m_2
}
