`include "registers.svh"

/// What `rise_core` and its units say in a lockstep run, bound into the core: the records of
/// `crates/target-rise/src/core.rs` and of its units.
module rise_core_probes
  import rise_pkg::*;
#(
    parameter int unsigned Bfus      = 1,
    parameter int unsigned WordBits  = 30,
    parameter int unsigned BankWords = 4096,
    localparam int unsigned Banks    = 4 * Bfus,
    localparam int unsigned RowWidth = $clog2(BankWords)
) (
    input logic                                       clk_i,
    input logic                                       rst_ni,

    input logic                                       accepted,
    input logic                                       done,
    input op_e                                        op,
    input logic                                       stage_ends,
    input logic [63:0]                                stage,

    input logic [1:0][Banks-1:0]                      bank_read,
    input logic [1:0][Banks-1:0]                      bank_write,
    input logic [1:0][Banks-1:0][RowWidth-1:0]        bank_row,
    input logic [1:0][Banks-1:0][WordBits-1:0]        bank_data,

    input logic                                       factor_arrives,
    input logic [Bfus-1:0][WordBits-1:0]              product,

    input logic                                       result,
    input logic                                       wide,
    input logic [Bfus-1:0][WordBits-1:0]              sum,
    input logic [Bfus-1:0][WordBits-1:0]              difference,

    input logic                                       reordered_valid,
    input logic [2*Bfus-1:0][WordBits-1:0]            reordered,
    input logic [RowWidth-1:0]                        write_row,
    input logic [1:0]                                 write_quarter
);
  // A stage begins with its instruction or behind the one before.
  logic begins_q;
  `RW_FF(begins_q, stage_ends & ~done, 1'b0)

  lockstep_probe #(.Unit("control"), .Event("begin")) i_begin (
      .clk_i,
      .rst_ni,
      .fire_i(accepted),
      .destination_i(64'(op)),
      .value_i('0)
  );
  lockstep_probe #(.Unit("control"), .Event("stage")) i_stage (
      .clk_i,
      .rst_ni,
      .fire_i(is_transform(op) & (accepted | begins_q)),
      .destination_i(stage),
      .value_i('0)
  );
  lockstep_probe #(.Unit("control"), .Event("end")) i_end (
      .clk_i,
      .rst_ni,
      .fire_i(done),
      .destination_i(64'(op)),
      .value_i('0)
  );

  for (genvar g = 0; g < 2; g++) begin : gen_group
    localparam string Name = (g == 0) ? "BG0" : "BG1";
    logic [Banks-1:0][63:0]  address;
    logic [Banks-1:0][127:0] word, nothing;
    for (genvar b = 0; b < Banks; b++) begin : gen_bank
      assign address[b] = 64'(bank_row[g][b]) * 64'(Banks) + 64'(b);
      assign word[b]    = 128'(bank_data[g][b]);
      assign nothing[b] = '0;
    end
    lockstep_probe #(.Unit(Name), .Event("read"), .Lanes(Banks)) i_read (
        .clk_i,
        .rst_ni,
        .fire_i(bank_read[g]),
        .destination_i(address),
        .value_i(nothing)
    );
    lockstep_probe #(.Unit(Name), .Event("write"), .Lanes(Banks)) i_write (
        .clk_i,
        .rst_ni,
        .fire_i(bank_write[g]),
        .destination_i(address),
        .value_i(word)
    );
  end

  logic [Bfus-1:0][63:0]  lane_number;
  logic [Bfus-1:0][127:0] factors, results;
  for (genvar lane = 0; lane < Bfus; lane++) begin : gen_lane
    assign lane_number[lane] = 64'(lane);
    assign factors[lane]     = 128'(product[lane]);
    always_comb begin
      if (wide)                                        results[lane] = {64'(difference[lane]), 64'(sum[lane])};
      else if (op == OpSubFrom0 || op == OpSubFrom1)   results[lane] = 128'(difference[lane]);
      else                                             results[lane] = 128'(sum[lane]);
    end
  end
  lockstep_probe #(.Unit("twiddle_unit"), .Event("factor"), .Lanes(Bfus)) i_factor (
      .clk_i,
      .rst_ni,
      .fire_i({Bfus{factor_arrives}}),
      .destination_i(lane_number),
      .value_i(factors)
  );
  lockstep_probe #(.Unit("bfu"), .Event("result"), .Lanes(Bfus)) i_result (
      .clk_i,
      .rst_ni,
      .fire_i({Bfus{result}}),
      .destination_i(lane_number),
      .value_i(results)
  );

  logic [2*Bfus-1:0][63:0]  reordered_address;
  logic [2*Bfus-1:0][127:0] reordered_word;
  for (genvar k = 0; k < 2 * Bfus; k++) begin : gen_word
    assign reordered_address[k] = 64'(write_row) * 64'(Banks) + 64'(write_quarter) * 64'(Bfus) + 64'(k);
    assign reordered_word[k]    = 128'(reordered[k]);
  end
  lockstep_probe #(.Unit("reordering_unit"), .Event("word"), .Lanes(2 * Bfus)) i_word (
      .clk_i,
      .rst_ni,
      .fire_i({2*Bfus{reordered_valid}}),
      .destination_i(reordered_address),
      .value_i(reordered_word)
  );
endmodule
