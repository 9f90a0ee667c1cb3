/// `fifo` with probes, behind the two vectors through which a lockstep run drives a design.
module lockstep_fifo #(
    parameter int unsigned Depth = 4
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    /// [31:0] data, [32] valid, [33] ready.
    input  logic [95:0] in_i,
    /// [31:0] data, [32] valid, [33] ready.
    output logic [95:0] out_o
);
  localparam int unsigned Width = 32;
  localparam int unsigned UsageWidth = $clog2(Depth + 1);

  logic valid, ready;
  logic [Width-1:0] data;
  logic [UsageWidth-1:0] usage;

  fifo #(
      .Depth(Depth),
      .Width(Width)
  ) i_fifo (
      .clk_i,
      .rst_ni,
      .valid_i(in_i[32]),
      .ready_o(ready),
      .data_i(in_i[31:0]),
      .valid_o(valid),
      .ready_i(in_i[33]),
      .data_o(data),
      .usage_o(usage)
  );
  assign out_o = 96'({ready, valid, data});

  lockstep_probe #(
      .Unit("fifo"),
      .Event("push")
  ) i_push (
      .clk_i,
      .rst_ni,
      .fire_i(in_i[32] & ready),
      .destination_i(64'(usage)),
      .value_i(128'(in_i[31:0]))
  );
  lockstep_probe #(
      .Unit("fifo"),
      .Event("pop")
  ) i_pop (
      .clk_i,
      .rst_ni,
      .fire_i(valid & in_i[33]),
      .destination_i(64'(usage)),
      .value_i(128'(data))
  );

  logic unused;
  assign unused = &in_i[95:34];
endmodule
