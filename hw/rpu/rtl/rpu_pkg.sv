/// What the RPU and its host share.
package rpu_pkg;
  /// The memories that a host can reach.
  typedef enum logic [1:0] {
    MemoryInstruction = 2'd0,
    MemoryScalar      = 2'd1,
    MemoryVector      = 2'd2
  } memory_e;
endpackage
