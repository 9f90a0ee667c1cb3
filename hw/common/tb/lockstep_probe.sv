/// Emits one record `(unit, event, destination, value)` in each cycle in which `fire_i` is 1.
///
/// For simulation only: the function behind it is in `hw/harness/lockstep.cpp`, which knows the
/// cycle. What is recorded is what the registers see at the edge that ends the cycle.
module lockstep_probe #(
    parameter string Unit  = "unit",
    parameter string Event = "event"
) (
    input logic         clk_i,
    input logic         rst_ni,
    input logic         fire_i,
    input logic [63:0]  destination_i,
    input logic [127:0] value_i
);
  import "DPI-C" function int unsigned ringwright_probe(input string unit, input string event_name);
  import "DPI-C" function void ringwright_record(
      input int unsigned probe, input longint unsigned destination, input bit [127:0] value);

  int unsigned probe;
  initial probe = ringwright_probe(Unit, Event);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end
    else if (fire_i) ringwright_record(probe, destination_i, value_i);
  end
endmodule
