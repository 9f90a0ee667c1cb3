`include "registers.svh"

/// Tells when a program touches words that are held: those that a move under way brings or takes.
///
/// A hold is of words of one memory, first to last; of the vector data memory it takes whole rows of
/// the banks, so two towers that nobody moves at once may share none. Every access of the pipes and
/// every fetch is compared with every hold.
/// Timing: `violation_o` in the cycle after the access. Area: two comparators of a row's number for
/// every hold and every bank either way.
module rpu_holds
  import rpu_config_pkg::*;
  import rpu_pkg::*;
#(
    parameter config_t     Config = rpu_machine_pkg::Machine,
    parameter int unsigned Holds  = 4,
    localparam int unsigned Banks     = Config.banks,
    localparam int unsigned WordWidth = index_width(bank_words(Config)),
    localparam int unsigned ImWidth   = $clog2(Config.im_words),
    localparam int unsigned SdmWidth  = $clog2(Config.sdm_words)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,

    input  hold_t [Holds-1:0]               holds_i,
    input  logic                            fetch_i,
    input  logic [ImWidth-1:0]              fetch_address_i,
    /// A scalar's address, or the first of a modulus' two.
    input  logic                            scalar_i,
    input  logic [SdmWidth-1:0]             scalar_address_i,
    input  logic [Banks-1:0]                read_i,
    input  logic [Banks-1:0][WordWidth-1:0] read_word_i,
    input  logic [Banks-1:0]                write_i,
    input  logic [Banks-1:0][WordWidth-1:0] write_word_i,
    output logic                            violation_o
);
  localparam int unsigned BankWidth = $clog2(Banks);

  logic [Holds-1:0] hit;
  logic violation_q;
  for (genvar h = 0; h < Holds; h++) begin : gen_hold
    logic fetched, scalar;
    logic [Banks-1:0] touched;
    logic [31:0] first, last;
    assign first   = holds_i[h].first >> BankWidth;
    assign last    = holds_i[h].last >> BankWidth;
    assign fetched = fetch_i & (32'(fetch_address_i) >= holds_i[h].first) &
                     (32'(fetch_address_i) <= holds_i[h].last);
    assign scalar  = scalar_i & (32'(scalar_address_i) >= holds_i[h].first) &
                     (32'(scalar_address_i) <= holds_i[h].last);
    for (genvar b = 0; b < Banks; b++) begin : gen_bank
      assign touched[b] =
          (read_i[b] & (32'(read_word_i[b]) >= first) & (32'(read_word_i[b]) <= last)) |
          (write_i[b] & (32'(write_word_i[b]) >= first) & (32'(write_word_i[b]) <= last));
    end
    always_comb begin
      unique case (holds_i[h].memory)
        MemoryInstruction: hit[h] = holds_i[h].valid & fetched;
        MemoryScalar:      hit[h] = holds_i[h].valid & scalar;
        default:           hit[h] = holds_i[h].valid & (touched != '0);
      endcase
    end
  end
  `RW_FF(violation_q, hit != '0, 1'b0)
  assign violation_o = violation_q;
endmodule
