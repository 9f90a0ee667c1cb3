/// What `rise` says in a lockstep run beside its core, bound into it: the records of
/// `crates/target-rise/src/hosted/records.rs`.
module rise_probes
  import rise_io_control_pkg::*;
#(
    parameter int unsigned PortWords = 2,
    parameter int unsigned WordBits  = 30
) (
    input logic                               clk_i,
    input logic                               rst_ni,

    input logic                               accepted,
    input logic                               place,
    input logic [2:0]                         request,
    input logic                               raises,

    // DMA, sampler, computing units.
    input logic [2:0]                         begins,
    input logic [2:0]                         ends,
    input logic [2:0]                         place_of,
    input logic [2:0][3:0]                    slot_of,
    input logic                               fetches_constants,

    input logic                               constant,
    input logic [7:0]                         constants,
    input logic [7:0]                         constant_index,
    input logic [PortWords-1:0][WordBits+1:0] constant_data
);
  lockstep_probe #(.Unit("io_control"), .Event("accept")) i_accept (
      .clk_i,
      .rst_ni,
      .fire_i(accepted),
      .destination_i(64'(place)),
      .value_i(128'(request))
  );
  lockstep_probe #(.Unit("io_control"), .Event("interrupt")) i_interrupt (
      .clk_i,
      .rst_ni,
      .fire_i(raises),
      .destination_i('0),
      .value_i('0)
  );

  // Unit, place of the call, number of the instruction; 15 is the call's constants.
  logic [2:0][63:0] instruction;
  always_comb begin
    for (int unsigned unit = 0; unit < 3; unit++) begin
      instruction[unit] = {48'd0, 8'(unit), 3'd0, place_of[unit], slot_of[unit]};
    end
    if (fetches_constants) instruction[0][3:0] = '1;
  end
  lockstep_probe #(.Unit("io_control"), .Event("begin"), .Lanes(3)) i_begin (
      .clk_i,
      .rst_ni,
      .fire_i(begins),
      .destination_i(instruction),
      .value_i('0)
  );
  lockstep_probe #(.Unit("io_control"), .Event("end"), .Lanes(3)) i_end (
      .clk_i,
      .rst_ni,
      .fire_i(ends),
      .destination_i(instruction),
      .value_i('0)
  );

  // A beat may reach beyond the table.
  logic [PortWords-1:0] inside_table;
  logic [PortWords-1:0][63:0] index;
  logic [PortWords-1:0][127:0] word;
  for (genvar lane = 0; lane < PortWords; lane++) begin : gen_lane
    assign index[lane]        = 64'(constant_index) + 64'(lane);
    assign word[lane]         = 128'(constant_data[lane]);
    assign inside_table[lane] = constant && index[lane] < 64'(constants);
  end
  lockstep_probe #(.Unit("dma"), .Event("constant"), .Lanes(PortWords)) i_constant (
      .clk_i,
      .rst_ni,
      .fire_i(inside_table),
      .destination_i(index),
      .value_i(word)
  );
endmodule
