/// What the I/O controller asks the DMA unit for, and how a polynomial lies in a bank group.
package rise_dma_pkg;
  typedef enum logic [1:0] {
    /// Memory to the constants of a call.
    TransferConstants = 2'd0,
    /// Memory to a bank group.
    TransferLoad = 2'd1,
    /// Memory to the sampler, one word at a time, in order.
    TransferAddend = 2'd2,
    /// A bank group to memory.
    TransferStore = 2'd3
  } transfer_e;

  /// Before or after a forward or inverse transform; bit 1: inverse, bit 0: after.
  typedef enum logic [1:0] {
    LayoutForwardIn  = 2'd0,
    LayoutForwardOut = 2'd1,
    LayoutInverseIn  = 2'd2,
    LayoutInverseOut = 2'd3
  } layout_e;
endpackage
