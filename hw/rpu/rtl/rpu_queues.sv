/// The three queues between the front end and the pipes (RPU, section IV-A).
///
/// An instruction goes into the queue of its class with the values of scalar registers that it took
/// along at its issue. `room_o`, `valid_o` and `ready_i` are indexed by class.
/// Timing: what goes in at cycle c is at a queue's head in c + 1 at the earliest.
module rpu_queues
  import rpu_isa_pkg::*;
#(
    parameter int unsigned Depth    = 8,
    parameter int unsigned WordBits = 64,
    localparam int unsigned ModulusWidth = WordBits - 1,
    localparam int unsigned ShiftWidth   = $clog2(ModulusWidth)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    /// From decode, in the cycle of an issue.
    input  logic                    issue_i,
    input  decoded_t                instruction_i,
    input  logic [31:0]             address_i,
    input  logic [WordBits-1:0]     scalar_i,
    input  logic [ModulusWidth-1:0] modulus_i,
    input  logic [WordBits-1:0]     reciprocal_i,
    input  logic [ShiftWidth-1:0]   shift_i,
    output logic [2:0]              room_o,

    /// The heads.
    output logic [2:0]              valid_o,
    input  logic [2:0]              ready_i,
    output decoded_t                load_store_o,
    /// The address of element 0.
    output logic [31:0]             base_o,
    output decoded_t                compute_o,
    output logic [WordBits-1:0]     scalar_o,
    output logic [ModulusWidth-1:0] modulus_o,
    output logic [WordBits-1:0]     reciprocal_o,
    output logic [ShiftWidth-1:0]   shift_o,
    output decoded_t                shuffle_o
);
  typedef struct packed {
    decoded_t    instruction;
    logic [31:0] base;
  } load_store_t;
  typedef struct packed {
    decoded_t                instruction;
    logic [WordBits-1:0]     scalar;
    logic [ModulusWidth-1:0] modulus;
    logic [WordBits-1:0]     reciprocal;
    logic [ShiftWidth-1:0]   shift;
  } compute_t;

  logic [2:0] push;
  load_store_t load_store_in, load_store_head;
  compute_t compute_in, compute_head;
  for (genvar i = 0; i < 3; i++) begin : gen_push
    assign push[i] = issue_i & (instruction_i.class_id == class_e'(i));
  end
  assign load_store_in = '{
          instruction: instruction_i,
          base: address_i + 32'(instruction_i.address)
      };
  assign compute_in = '{
          instruction: instruction_i,
          scalar: scalar_i,
          modulus: modulus_i,
          reciprocal: reciprocal_i,
          shift: shift_i
      };

  logic [2:0][$clog2(Depth+1)-1:0] unused_usage;
  fifo #(
      .Depth(Depth),
      .data_t(load_store_t)
  ) i_load_store (
      .clk_i,
      .rst_ni,
      .valid_i(push[ClassLoadStore]),
      .ready_o(room_o[ClassLoadStore]),
      .data_i(load_store_in),
      .valid_o(valid_o[ClassLoadStore]),
      .ready_i(ready_i[ClassLoadStore]),
      .data_o(load_store_head),
      .usage_o(unused_usage[0])
  );
  fifo #(
      .Depth(Depth),
      .data_t(compute_t)
  ) i_compute (
      .clk_i,
      .rst_ni,
      .valid_i(push[ClassCompute]),
      .ready_o(room_o[ClassCompute]),
      .data_i(compute_in),
      .valid_o(valid_o[ClassCompute]),
      .ready_i(ready_i[ClassCompute]),
      .data_o(compute_head),
      .usage_o(unused_usage[1])
  );
  fifo #(
      .Depth(Depth),
      .data_t(decoded_t)
  ) i_shuffle (
      .clk_i,
      .rst_ni,
      .valid_i(push[ClassShuffle]),
      .ready_o(room_o[ClassShuffle]),
      .data_i(instruction_i),
      .valid_o(valid_o[ClassShuffle]),
      .ready_i(ready_i[ClassShuffle]),
      .data_o(shuffle_o),
      .usage_o(unused_usage[2])
  );

  assign load_store_o = load_store_head.instruction;
  assign base_o       = load_store_head.base;
  assign compute_o    = compute_head.instruction;
  assign scalar_o     = compute_head.scalar;
  assign modulus_o    = compute_head.modulus;
  assign reciprocal_o = compute_head.reciprocal;
  assign shift_o      = compute_head.shift;

  logic unused;
  assign unused = &{unused_usage};
endmodule
