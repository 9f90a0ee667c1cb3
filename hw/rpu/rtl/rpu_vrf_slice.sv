`include "registers.svh"
`include "assertions.svh"

/// A lane's part of the vector register file: `Rows` words of each of 64 registers
/// (RPU, section IV-B1).
///
/// `Ports` is one of
///   "single"     the published one: 16 memories with one port, four registers stacked in each;
///                `Map` says which: "modulo" puts register r into memory r mod 16, "quotient" into
///                r / 4. At most one access per memory and cycle (asserted); two reads of one word
///                are one access.
///   "unlimited"  every port works in every cycle: for comparison; flip-flops.
/// Read ports: 0..2 of the compute pipe, 3 and 4 of the shuffle pipe, 5 of the stores. Write ports:
/// 0 and 1 of the compute pipe, 2 of the shuffle pipe, 3 of the loads.
///
/// Timing: `read_data_o` one cycle after the request. Area: 16 memories of 4 `Rows` words, a
/// 4-to-1 multiplexer before each and a 16-to-1 multiplexer behind each read port.
module rpu_vrf_slice #(
    parameter int unsigned Rows  = 8,
    parameter int unsigned Width = 64,
    parameter string       Ports = "single",
    parameter string       Map   = "modulo",
    localparam int unsigned ReadPorts  = 6,
    localparam int unsigned WritePorts = 4,
    localparam int unsigned RowWidth   = (Rows > 1) ? $clog2(Rows) : 1
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,

    input  logic [ReadPorts-1:0]                 read_i,
    input  logic [ReadPorts-1:0][5:0]            read_register_i,
    input  logic [ReadPorts-1:0][RowWidth-1:0]   read_row_i,
    output logic [ReadPorts-1:0][Width-1:0]      read_data_o,

    input  logic [WritePorts-1:0]                write_i,
    input  logic [WritePorts-1:0][5:0]           write_register_i,
    input  logic [WritePorts-1:0][RowWidth-1:0]  write_row_i,
    input  logic [WritePorts-1:0][Width-1:0]     write_data_i
);
  if (Ports == "single") begin : gen_single
    localparam int unsigned Memories = 16;
    localparam int unsigned Stacked  = 4;
    localparam int unsigned Words    = Stacked * Rows;
    localparam int unsigned AddressWidth = $clog2(Words);
    localparam bit Quotient = Map == "quotient";
    typedef logic [AddressWidth-1:0] address_t;

    // Memory and address of each access; reads first.
    localparam int unsigned AllPorts = ReadPorts + WritePorts;
    logic [AllPorts-1:0] used;
    logic [AllPorts-1:0][3:0] memory;
    address_t [AllPorts-1:0] place;
    for (genvar p = 0; p < AllPorts; p++) begin : gen_port
      logic [5:0] register_index;
      logic [RowWidth-1:0] row;
      if (p < ReadPorts) begin : gen_read
        assign used[p]        = read_i[p];
        assign register_index = read_register_i[p];
        assign row            = read_row_i[p];
      end else begin : gen_write
        assign used[p]        = write_i[p-ReadPorts];
        assign register_index = write_register_i[p-ReadPorts];
        assign row            = write_row_i[p-ReadPorts];
      end
      assign memory[p] = rpu_vrf_map_pkg::memory_of(Quotient, register_index);
      assign place[p]  = address_t'(rpu_vrf_map_pkg::layer_of(Quotient, register_index)) *
                         address_t'(Rows) + address_t'(row);
    end

    logic [Memories-1:0][Width-1:0] word;
    for (genvar m = 0; m < Memories; m++) begin : gen_memory
      logic [AllPorts-1:0] access;
      address_t address;
      logic [Width-1:0] write_data;
      for (genvar p = 0; p < AllPorts; p++) begin : gen_access
        assign access[p] = used[p] & (memory[p] == 4'(m));
      end
      always_comb begin
        address    = '0;
        write_data = '0;
        for (int p = 0; p < AllPorts; p++) begin
          if (access[p]) address = place[p];
        end
        for (int p = 0; p < WritePorts; p++) begin
          if (access[ReadPorts+p]) write_data = write_data_i[p];
        end
      end

      mem_1rw #(
          .Words(Words),
          .Width(Width)
      ) i_words (
          .clk_i,
          .rst_ni,
          .request_i(access != '0),
          .write_i(access[AllPorts-1:ReadPorts] != '0),
          .address_i(address),
          .write_data_i(write_data),
          .read_data_o(word[m])
      );

      logic one_word;
      always_comb begin
        one_word = access[AllPorts-1:ReadPorts] == '0 || $onehot(access);
        for (int p = 0; p < ReadPorts; p++) one_word &= !access[p] || place[p] == address;
      end
      `RW_ASSERT(rpu_vrf_slice_one_word, one_word)
    end

    for (genvar p = 0; p < ReadPorts; p++) begin : gen_read
      logic [3:0] memory_q;
      `RW_FFLNR(memory_q, memory[p], read_i[p])
      assign read_data_o[p] = word[memory_q];
    end

    if (Map != "modulo" && Map != "quotient") begin : gen_unknown_map
      $fatal(1, "rpu_vrf_slice: Map is \"modulo\" or \"quotient\", not \"%s\"", Map);
    end
  end else if (Ports == "unlimited") begin : gen_unlimited
    localparam int unsigned AddressWidth = $clog2(64 * Rows);
    typedef logic [AddressWidth-1:0] address_t;

    logic [Width-1:0] words[64 * Rows];
    function automatic address_t address_of(logic [5:0] register_index, logic [RowWidth-1:0] row);
      return address_t'(register_index) * address_t'(Rows) + address_t'(row);
    endfunction

    always_ff @(posedge clk_i) begin
      for (int p = 0; p < WritePorts; p++) begin
        if (write_i[p]) words[address_of(write_register_i[p], write_row_i[p])] <= write_data_i[p];
      end
    end
    for (genvar p = 0; p < ReadPorts; p++) begin : gen_read
      `RW_FFLNR(read_data_o[p], words[address_of(read_register_i[p], read_row_i[p])], read_i[p])
    end
    logic unused_reset;
    assign unused_reset = rst_ni;
  end else begin : gen_unknown
    $fatal(1, "rpu_vrf_slice: Ports is \"single\" or \"unlimited\", not \"%s\"", Ports);
  end
endmodule
