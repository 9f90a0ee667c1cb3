/// `medha_core` with probes, behind the two vectors through which a lockstep run drives a design.
///
/// Records, of RPAU r: `rpau<r>` with events ntt, dyadic, link: begin and end (how many began or ended
/// before), and `m0` to `m3`, `v1` to `v3` (a part of a word of the virtual memory), `m5`: a write
/// (row times banks and bank, word). Of lane l: `lane<l>` begin and end.
module lockstep_medha_core
  import medha_config_pkg::*;
  import medha_isa_pkg::*;
  import medha_pkg::*;
#(
    parameter config_t Config = medha_machine_pkg::Machine
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    /// Set-up: [127:0] data, [151:128] address, [156:152] unit, [159:157] table, [160] set, [161] set
    /// log_n, [166:162] log_n, [167] start, [172:168] kernel. Lane l from bit 192 + 576 l on: words of 64
    /// bits, and from 512 on row_valid, row_ready, stored.
    input  logic [2495:0] in_i,
    /// [0] busy, [1] done, [4:2] wrong, [8:5] its RPAU. Lane l from bit 64 + 640 l on: words of 64 bits,
    /// and from 512 on the address, request, whether it stores, row_valid.
    output logic [2623:0] out_o
);
  localparam int unsigned Banks    = banks(Config);
  localparam int unsigned Width    = Config.wide_bits;
  localparam int unsigned Lanes    = Config.dma_lanes;
  localparam int unsigned BitWidth = $clog2($clog2(Config.max_degree) + 2);

  logic busy, done;
  wrong_e wrong;
  logic [3:0] wrong_rpau;
  logic [Lanes-1:0] request, request_stores, row_valid_in, row_ready, row_valid_out, stored;
  logic [Lanes-1:0][63:0] request_address;
  logic [Lanes-1:0][Banks-1:0][Width-1:0] row_in, row_out;
  medha_core #(
      .Config(Config)
  ) i_core (
      .clk_i,
      .rst_ni,
      .set_i(in_i[160]),
      .set_unit_i(in_i[156:152]),
      .set_table_i(table_e'(in_i[159:157])),
      .set_address_i(in_i[151:128]),
      .set_data_i(in_i[127:0]),
      .set_log_n_i(in_i[161]),
      .log_n_i(in_i[162+:BitWidth]),
      .start_i(in_i[167]),
      .kernel_i(in_i[172:168]),
      .busy_o(busy),
      .done_o(done),
      .wrong_o(wrong),
      .wrong_rpau_o(wrong_rpau),
      .request_o(request),
      .request_stores_o(request_stores),
      .request_address_o(request_address),
      .row_valid_i(row_valid_in),
      .row_i(row_in),
      .row_ready_i(row_ready),
      .row_valid_o(row_valid_out),
      .row_o(row_out),
      .stored_i(stored)
  );
  // Machines take a part of both.
  logic unused;
  assign unused = ^in_i;
  assign out_o[63:0] = {55'b0, wrong_rpau, wrong, done, busy};
  for (genvar l = 0; l < 4; l++) begin : gen_lane
    if (l < Lanes) begin : gen_there
      assign row_valid_in[l] = in_i[192+576*l+512];
      assign row_ready[l]    = in_i[192+576*l+513];
      assign stored[l]       = in_i[192+576*l+514];
      for (genvar b = 0; b < 8; b++) begin : gen_word
        if (b < Banks) begin : gen_bank
          assign row_in[l][b] = in_i[192+576*l+64*b+:Width];
          assign out_o[64+640*l+64*b+:64] = 64'(row_out[l][b]);
        end else begin : gen_none
          assign out_o[64+640*l+64*b+:64] = '0;
        end
      end
      assign out_o[64+640*l+512+:128] = {61'b0, row_valid_out[l], request_stores[l], request[l],
                                         request_address[l]};
      logic [63:0] began_q, ended_q;
      logic begins;
      assign begins = i_core.gen_lane[l].i_lane.begins;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) {began_q, ended_q} <= '0;
        else begin
          began_q <= in_i[167] ? '0 : began_q + 64'(begins);
          ended_q <= in_i[167] ? '0 : ended_q + 64'(i_core.ended[l]);
        end
      end
      lockstep_probe #(
          .Unit($sformatf("lane%0d", l)),
          .Event("begin")
      ) i_begin (
          .clk_i,
          .rst_ni,
          .fire_i(begins),
          .destination_i(began_q),
          .value_i('0)
      );
      lockstep_probe #(
          .Unit($sformatf("lane%0d", l)),
          .Event("end")
      ) i_end (
          .clk_i,
          .rst_ni,
          .fire_i(i_core.ended[l]),
          .destination_i(ended_q),
          .value_i('0)
      );
    end else begin : gen_absent
      assign out_o[64+640*l+:640] = '0;
    end
  end

  for (genvar r = 0; r < Config.rpaus; r++) begin : gen_rpau
    for (genvar s = 0; s < 3; s++) begin : gen_stream
      localparam string Name = (s == 0) ? "ntt" : (s == 1) ? "dyadic" : "link";
      logic begins, ends;
      // A wait begins too.
      assign begins = i_core.gen_rpau[r].i_rpau.gen_stream[s].i_sequencer.begins;
      assign ends   = i_core.gen_rpau[r].i_rpau.gen_stream[s].i_sequencer.ended_o;
      logic [63:0] began_q, ended_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) {began_q, ended_q} <= '0;
        else begin
          began_q <= in_i[167] ? '0 : began_q + 64'(begins);
          ended_q <= in_i[167] ? '0 : ended_q + 64'(ends);
        end
      end
      lockstep_probe #(
          .Unit($sformatf("rpau%0d", r)),
          .Event({Name, " begin"})
      ) i_begin (
          .clk_i,
          .rst_ni,
          .fire_i(begins),
          .destination_i(began_q),
          .value_i('0)
      );
      lockstep_probe #(
          .Unit($sformatf("rpau%0d", r)),
          .Event({Name, " end"})
      ) i_end (
          .clk_i,
          .rst_ni,
          .fire_i(ends),
          .destination_i(ended_q),
          .value_i('0)
      );
    end
    for (genvar m = 0; m < 4; m++) begin : gen_memory
      logic [Banks-1:0][63:0] destination;
      logic [Banks-1:0][127:0] value;
      for (genvar b = 0; b < Banks; b++) begin : gen_bank
        assign destination[b] =
            64'(i_core.gen_rpau[r].i_rpau.i_memories.gen_memory[m].i_memory.write_row_i[b]) * Banks + b;
        assign value[b] =
            128'(i_core.gen_rpau[r].i_rpau.i_memories.gen_memory[m].i_memory.write_data_i[b]);
      end
      lockstep_probe #(
          .Unit($sformatf("rpau%0d", r)),
          .Event($sformatf("m%0d", m)),
          .Lanes(Banks)
      ) i_write (
          .clk_i,
          .rst_ni,
          .fire_i(i_core.gen_rpau[r].i_rpau.i_memories.gen_memory[m].i_memory.write_i),
          .destination_i(destination),
          .value_i(value)
      );
      if (m > 0 && packed_words(Config, r)) begin : gen_spare
        logic [Banks-1:0][127:0] part;
        for (genvar b = 0; b < Banks; b++) begin : gen_bank
          assign part[b] = 128'(i_core.gen_rpau[r].i_rpau.i_memories.gen_memory[m].gen_third.gen_spare
                                .i_spare.write_data_i[b]);
        end
        lockstep_probe #(
            .Unit($sformatf("rpau%0d", r)),
            .Event($sformatf("v%0d", m)),
            .Lanes(Banks)
        ) i_write (
            .clk_i,
            .rst_ni,
            .fire_i(i_core.gen_rpau[r].i_rpau.i_memories.gen_memory[m].gen_third.gen_spare.i_spare.write_i),
            .destination_i(destination),
            .value_i(part)
        );
      end
    end
    logic [Banks-1:0][63:0] destination;
    logic [Banks-1:0][127:0] value;
    for (genvar b = 0; b < Banks; b++) begin : gen_landing
      assign destination[b] =
          64'(i_core.gen_rpau[r].i_rpau.i_memories.i_landing.write_row_i[b]) * Banks + b;
      assign value[b] = 128'(i_core.gen_rpau[r].i_rpau.i_memories.i_landing.write_data_i[b]);
    end
    lockstep_probe #(
        .Unit($sformatf("rpau%0d", r)),
        .Event("m5"),
        .Lanes(Banks)
    ) i_landing (
        .clk_i,
        .rst_ni,
        .fire_i(i_core.gen_rpau[r].i_rpau.i_memories.i_landing.write_i),
        .destination_i(destination),
        .value_i(value)
    );
  end
endmodule
