`include "registers.svh"
`include "assertions.svh"

/// The pages of 4 KiB that stores on their way write: a load of one of them waits.
///
/// AXI4 orders no read behind a write; what was stored is there once its response has come. Stores
/// enter in order and leave in order.
/// Timing: `hit_o` is combinational. Area: `Depth` page numbers and comparators.
module rpu_dma_pages #(
    parameter int unsigned Depth = 4,
    parameter int unsigned Width = 28
) (
    input  logic             clk_i,
    input  logic             rst_ni,

    output logic             ready_o,
    input  logic             push_i,
    input  logic [Width-1:0] page_i,
    input  logic             pop_i,
    /// Whether a store of `page_i` is on its way.
    output logic             hit_o,
    output logic             empty_o
);
  localparam int unsigned IndexWidth = (Depth > 1) ? $clog2(Depth) : 1;
  typedef logic [IndexWidth-1:0] index_t;

  logic [Depth-1:0] valid_d, valid_q, hits;
  logic [Depth-1:0][Width-1:0] pages_q;
  index_t write_q, read_q;

  function automatic index_t next(index_t index);
    return (index == index_t'(Depth - 1)) ? '0 : index + index_t'(1);
  endfunction

  for (genvar i = 0; i < Depth; i++) begin : gen_page
    assign valid_d[i] = (push_i & (write_q == index_t'(i))) |
                        (valid_q[i] & ~(pop_i & (read_q == index_t'(i))));
    assign hits[i]    = valid_q[i] & (pages_q[i] == page_i);
  end
  `RW_FF(valid_q, valid_d, '0)
  `RW_FFL(write_q, next(write_q), push_i, '0)
  `RW_FFL(read_q, next(read_q), pop_i, '0)
  `RW_FFLNR(pages_q[write_q], page_i, push_i)
  assign ready_o = ~valid_q[write_q];
  assign hit_o   = hits != '0;
  assign empty_o = valid_q == '0;

  `RW_ASSERT(rpu_dma_pages_push, !push_i || ready_o)
  `RW_ASSERT(rpu_dma_pages_pop, !pop_i || valid_q[read_q])
endmodule
