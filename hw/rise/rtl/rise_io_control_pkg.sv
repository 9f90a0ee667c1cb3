/// The instructions of a call, in order; which of them a request has, and what each occupies.
package rise_io_control_pkg;
  typedef enum logic [3:0] {
    /// Source 0 into BG0: loaded, drawn, or both.
    SlotFetch0 = 4'd0,
    SlotTransform0 = 4'd1,
    /// Source 1 into BG1.
    SlotLoad1 = 4'd2,
    SlotMultiply = 4'd3,
    /// Source 2 into BG0.
    SlotFetch2 = 4'd4,
    SlotTransform2 = 4'd5,
    SlotAdd = 4'd6,
    /// The sum in BG1.
    SlotTransformSum = 4'd7,
    SlotStore = 4'd8
  } slot_e;
  localparam int unsigned Slots = 9;

  /// Units and bank groups: two instructions that share one run one after the other.
  typedef struct packed {
    logic bg1;
    logic bg0;
    logic bfu;
    logic sampler;
    logic dma;
  } resources_t;
endpackage
