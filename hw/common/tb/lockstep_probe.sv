/// Emits a record `(unit, event, destination, value)` for each lane whose `fire_i` is 1, each cycle.
///
/// For simulation only: the function behind it is in `hw/harness/lockstep.cpp`, which knows the
/// cycle. What is recorded is what the registers see at the edge that ends the cycle.
module lockstep_probe #(
    parameter string       Unit  = "unit",
    parameter string       Event = "event",
    parameter int unsigned Lanes = 1
) (
    input logic                    clk_i,
    input logic                    rst_ni,
    input logic [Lanes-1:0]        fire_i,
    input logic [Lanes-1:0][63:0]  destination_i,
    input logic [Lanes-1:0][127:0] value_i
);
  import "DPI-C" function int unsigned ringwright_probe(input string unit, input string event_name);
  import "DPI-C" function void ringwright_record(
      input int unsigned probe, input longint unsigned destination, input bit [127:0] value);

  int unsigned probe;
  initial probe = ringwright_probe(Unit, Event);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end
    else begin
      for (int unsigned i = 0; i < Lanes; i++) begin
        if (fire_i[i]) ringwright_record(probe, destination_i[i], value_i[i]);
      end
    end
  end
endmodule
