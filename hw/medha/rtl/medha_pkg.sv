/// What the units of an RPAU are told.
package medha_pkg;
  /// What the dyadic core computes of each word; a, b and c are its operands, s a constant.
  typedef enum logic [3:0] {
    Zero            = 4'd0,
    Add             = 4'd1,
    Sub             = 4'd2,
    Neg             = 4'd3,
    Mul             = 4'd4,
    MulAdd          = 4'd5,
    MulScalar       = 4'd6,
    AddScalar       = 4'd7,
    AddMulScalar    = 4'd8,
    SubMulScalar    = 4'd9,
    SubMulScalarAdd = 4'd10,
    Reduce          = 4'd11,
    Centre          = 4'd12
  } function_t;
endpackage
