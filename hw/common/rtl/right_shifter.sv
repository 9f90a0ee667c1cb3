/// The low `OutWidth` bits of a word shifted right, the longest step first, registers between steps.
///
/// Timing: `ChoiceUnits` units a bit of the shift, from `First` on of a chain of `Total` units with
/// `Stages` registers; the shift travels beside the word. Area: a multiplexer a bit and step.
module right_shifter
  import pipeline_pkg::*;
#(
    parameter int unsigned InWidth    = 32,
    parameter int unsigned OutWidth   = 16,
    parameter int unsigned ShiftWidth = 4,
    parameter int unsigned First      = 0,
    parameter int unsigned Total      = ChoiceUnits * ShiftWidth,
    parameter int unsigned Stages     = 0
) (
    input  logic                  clk_i,
    input  logic [InWidth-1:0]    data_i,
    input  logic [ShiftWidth-1:0] shift_i,
    output logic [OutWidth-1:0]   data_o
);
  typedef struct packed {
    logic [ShiftWidth-1:0] shift;
    logic [InWidth-1:0]    data;
  } step_t;
  for (genvar s = 0; s <= ShiftWidth; s++) begin : gen_step
    step_t after;
    if (s == 0) begin : gen_given
      assign after = '{shift: shift_i, data: data_i};
    end else begin : gen_shifted
      localparam int unsigned Bit = ShiftWidth - s;
      step_t from, here;
      assign from       = gen_step[s-1].after;
      assign here.shift = from.shift;
      assign here.data  = from.shift[Bit] ? from.data >> (1 << Bit) : from.data;
      delay_line #(
          .data_t(step_t),
          .Stages(registers(First + ChoiceUnits * (s - 1), First + ChoiceUnits * s, Total, Stages))
      ) i_step (
          .clk_i,
          .data_i(here),
          .data_o(after)
      );
    end
  end
  assign data_o = OutWidth'(gen_step[ShiftWidth].after.data);

  // What no further step looks at.
  logic unused;
  assign unused = &gen_step[ShiftWidth].after;
endmodule
