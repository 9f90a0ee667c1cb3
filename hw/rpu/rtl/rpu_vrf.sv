`include "registers.svh"
`include "assertions.svh"

/// The vector register file: 64 registers, a slice of `Rows` words of each in every lane
/// (RPU, section IV-B1).
///
/// `Ports` is one of
///   "single"     the published one: 16 memories with one port in every slice, four registers
///                stacked in each; `Map` says which: "modulo" puts register r into memory r mod 16,
///                "quotient" into r / 4. At most one access per memory and cycle (asserted); two
///                reads of one word are one access.
///   "unlimited"  every port works in every cycle: for comparison; flip-flops.
/// All lanes do the same, so what each memory does is decided here, once.
/// Read ports: 0..2 of the compute pipe, 3 and 4 of the shuffle pipe, 5 of the stores. Write ports:
/// 0 and 1 of the compute pipe, 2 of the shuffle pipe, 3 of the loads.
///
/// Timing: `read_data_o` one cycle after the request. Area: the slices; 16 times the choice among
/// ten accesses.
module rpu_vrf #(
    parameter int unsigned Hples = 8,
    parameter int unsigned Rows  = 8,
    parameter int unsigned Width = 64,
    parameter string       Ports = "single",
    parameter string       Map   = "modulo",
    localparam int unsigned ReadPorts  = 6,
    localparam int unsigned WritePorts = 4,
    localparam int unsigned RowWidth   = (Rows > 1) ? $clog2(Rows) : 1
) (
    input  logic                                           clk_i,
    input  logic                                           rst_ni,

    input  logic [ReadPorts-1:0]                           read_i,
    input  logic [ReadPorts-1:0][5:0]                      read_register_i,
    input  logic [ReadPorts-1:0][RowWidth-1:0]             read_row_i,
    output logic [ReadPorts-1:0][Hples-1:0][Width-1:0]     read_data_o,

    input  logic [WritePorts-1:0]                          write_i,
    input  logic [WritePorts-1:0][5:0]                     write_register_i,
    input  logic [WritePorts-1:0][RowWidth-1:0]            write_row_i,
    input  logic [WritePorts-1:0][Hples-1:0][Width-1:0]    write_data_i
);
  if (Ports == "single") begin : gen_single
    localparam int unsigned Memories     = 16;
    localparam int unsigned Words        = 4 * Rows;
    localparam int unsigned AddressWidth = $clog2(Words);
    localparam int unsigned AllPorts     = ReadPorts + WritePorts;
    localparam bit          Quotient     = Map == "quotient";
    typedef logic [AddressWidth-1:0] address_t;

    // Memory and address of each access; reads first.
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

    // What each memory does, and for whom.
    logic [Memories-1:0] request, write;
    address_t [Memories-1:0] address;
    logic [Memories-1:0][1:0] writer;
    for (genvar m = 0; m < Memories; m++) begin : gen_memory
      logic [AllPorts-1:0] access;
      logic one_word;
      for (genvar p = 0; p < AllPorts; p++) begin : gen_access
        assign access[p] = used[p] & (memory[p] == 4'(m));
      end
      assign request[m] = access != '0;
      assign write[m]   = access[AllPorts-1:ReadPorts] != '0;
      always_comb begin
        address[m] = '0;
        writer[m]  = '0;
        for (int p = 0; p < AllPorts; p++) begin
          if (access[p]) address[m] = place[p];
        end
        for (int p = 0; p < WritePorts; p++) begin
          if (access[ReadPorts+p]) writer[m] = 2'(p);
        end
        one_word = !write[m] || $onehot(access);
        for (int p = 0; p < ReadPorts; p++) one_word &= !access[p] || place[p] == address[m];
      end
      `RW_ASSERT(rpu_vrf_one_word, one_word)
    end

    logic [ReadPorts-1:0][3:0] memory_q;
    for (genvar p = 0; p < ReadPorts; p++) begin : gen_memory_q
      `RW_FFLNR(memory_q[p], memory[p], read_i[p])
    end

    for (genvar j = 0; j < Hples; j++) begin : gen_slice
      logic [WritePorts-1:0][Width-1:0] write_data;
      logic [ReadPorts-1:0][Width-1:0] read_data;
      for (genvar p = 0; p < WritePorts; p++) begin : gen_write
        assign write_data[p] = write_data_i[p][j];
      end
      for (genvar p = 0; p < ReadPorts; p++) begin : gen_read
        assign read_data_o[p][j] = read_data[p];
      end
      rpu_vrf_slice #(
          .Words(Words),
          .Width(Width)
      ) i_slice (
          .clk_i,
          .rst_ni,
          .request_i(request),
          .write_i(write),
          .address_i(address),
          .writer_i(writer),
          .write_data_i(write_data),
          .read_memory_i(memory_q),
          .read_data_o(read_data)
      );
    end

    if (Map != "modulo" && Map != "quotient") begin : gen_unknown_map
      $fatal(1, "rpu_vrf: Map is \"modulo\" or \"quotient\", not \"%s\"", Map);
    end
  end else if (Ports == "unlimited") begin : gen_unlimited
    localparam int unsigned Words = 64 * Rows;
    typedef logic [$clog2(Words)-1:0] address_t;
    typedef logic [Hples-1:0][Width-1:0] row_t;

    row_t words[Words];
    for (genvar p = 0; p < ReadPorts; p++) begin : gen_read
      address_t address;
      assign address = address_t'(read_register_i[p]) * address_t'(Rows) +
                       address_t'(read_row_i[p]);
      `RW_FFLNR(read_data_o[p], words[address], read_i[p])
    end
    address_t [WritePorts-1:0] address;
    for (genvar p = 0; p < WritePorts; p++) begin : gen_write
      assign address[p] = address_t'(write_register_i[p]) * address_t'(Rows) +
                          address_t'(write_row_i[p]);
    end
    always_ff @(posedge clk_i) begin
      for (int p = 0; p < WritePorts; p++) begin
        if (write_i[p]) words[address[p]] <= write_data_i[p];
      end
    end
    logic unused_reset;
    assign unused_reset = rst_ni;
  end else begin : gen_unknown
    $fatal(1, "rpu_vrf: Ports is \"single\" or \"unlimited\", not \"%s\"", Ports);
  end
endmodule
