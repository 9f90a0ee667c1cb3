/// Names that the units of RISE share.
package rise_pkg;
  /// Instructions of the computing units. Products and sums of BG0 and BG1 go to BG1.
  typedef enum logic [2:0] {
    OpForward  = 3'd0,
    OpInverse  = 3'd1,
    OpMul      = 3'd2,
    OpAdd      = 3'd3,
    /// BG0 - BG1.
    OpSubFrom0 = 3'd4,
    /// BG1 - BG0.
    OpSubFrom1 = 3'd5
  } op_e;

  function automatic logic is_transform(op_e op);
    return op == OpForward || op == OpInverse;
  endfunction

  /// What a butterfly unit does with its operands a, b and the factor w: both of its results, or
  /// the one that counts.
  typedef enum logic [2:0] {
    /// a + w b and a - w b.
    BfuButterfly   = 3'd0,
    /// w a, as sum.
    BfuScale       = 3'd1,
    /// a b, as sum.
    BfuMul         = 3'd2,
    /// a + b, as sum.
    BfuAdd         = 3'd3,
    /// a - b, as difference.
    BfuSub         = 3'd4,
    /// b - a, as difference.
    BfuSubReversed = 3'd5
  } bfu_op_e;

  function automatic bfu_op_e pointwise(op_e op);
    unique case (op)
      OpMul:      return BfuMul;
      OpAdd:      return BfuAdd;
      OpSubFrom0: return BfuSub;
      OpSubFrom1: return BfuSubReversed;
      default:    return BfuScale;
    endcase
  endfunction
endpackage
