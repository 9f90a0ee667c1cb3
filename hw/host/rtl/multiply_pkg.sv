/// What `multiply_pipe` can do. The first four are RISC-V's funct3 of a multiplication, the others
/// that of `spec/host/instructions.toml` behind them.
package multiply_pkg;
  typedef enum logic [2:0] {
    Low,                  // the low word of a product
    High,                 // the high word, both factors signed
    HighSignedUnsigned,   // only the first one
    HighUnsigned,         // none
    Modmul,
    ButterflySum,
    ButterflyDifference
  } operation_e;
endpackage
