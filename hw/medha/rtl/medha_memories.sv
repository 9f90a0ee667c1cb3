`include "registers.svh"

/// The memories of an RPAU: four of residues, the virtual one that lies in what three of them leave over,
/// and the one behind the ring, whose words are as wide as the ring's.
///
/// Each reader and writer names a slot, and a row of it for each bank; slot s of towers of 2^log_n words
/// begins at row s 2^log_n / banks. Of those that have the same port only one may ask at a time
/// (`ports_of`). A word of the virtual memory is cut in three, one part in each of memories 1 to 3: bytes of
/// their own (an UltraRAM writes bytes), so that one may be read in the cycle in which its neighbour is written.
///
/// Timing: what is read comes a cycle later, and stays until the memory's next read.
module medha_memories
  import medha_pkg::*;
#(
    parameter int unsigned Banks        = 4,
    parameter int unsigned BankWords    = 64,
    parameter int unsigned LandingWords = 32,
    parameter int unsigned LogMaxN      = 6,
    parameter int unsigned Own          = 30,
    parameter int unsigned Width        = 36,
    parameter bit          HasVirtual   = 1'b1,
    parameter int unsigned Readers      = 8,
    parameter int unsigned Writers      = 6,
    localparam int unsigned LogBanks    = $clog2(Banks),
    localparam int unsigned TowerWidth  = LogMaxN - LogBanks,
    localparam int unsigned BitWidth    = $clog2(LogMaxN + 2)
) (
    input  logic                                          clk_i,
    input  logic                                          rst_ni,
    input  logic [BitWidth-1:0]                           log_n_i,

    input  logic [Readers-1:0]                            read_i,
    input  held_t [Readers-1:0]                           read_from_i,
    input  logic [Readers-1:0][Banks-1:0][TowerWidth-1:0] read_row_i,
    /// By memory.
    output logic [Ports-1:0][Banks-1:0][Width-1:0]        read_data_o,

    input  logic [Writers-1:0][Banks-1:0]                 write_i,
    input  held_t [Writers-1:0]                           write_to_i,
    input  logic [Writers-1:0][Banks-1:0][TowerWidth-1:0] write_row_i,
    input  logic [Writers-1:0][Banks-1:0][Width-1:0]      write_data_i
);
  localparam int unsigned RowWidth     = $clog2(BankWords);
  localparam int unsigned LandingWidth = (LandingWords > 1) ? $clog2(LandingWords) : 1;
  localparam int unsigned Spare        = (Own + 2) / 3;
  typedef logic [RowWidth-1:0] row_t;

  logic [Ports-1:0] read;
  logic [Ports-1:0][Banks-1:0] write;
  logic [Ports-1:0][Banks-1:0][RowWidth-1:0] read_row, write_row;
  logic [Ports-1:0][Banks-1:0][Width-1:0] write_data;
  logic reads_virtual, writes_virtual;

  function automatic row_t base(logic [4:0] number, logic [BitWidth-1:0] log_n);
    return row_t'(32'(number) << (log_n - BitWidth'(LogBanks)));
  endfunction

  // One of all is there at a port, so they are joined.
  always_comb begin
    read           = '0;
    read_row       = '0;
    write          = '0;
    write_row      = '0;
    write_data     = '0;
    reads_virtual  = 1'b0;
    writes_virtual = 1'b0;
    for (int unsigned r = 0; r < Readers; r++) begin
      if (read_i[r]) read |= ports_of(read_from_i[r]);
      reads_virtual |= read_i[r] && 32'(read_from_i[r].bank) == Virtual;
      for (int unsigned m = 0; m < Ports; m++) begin
        if (read_i[r] && ports_of(read_from_i[r])[m]) begin
          for (int unsigned b = 0; b < Banks; b++) begin
            read_row[m][b] |= base(read_from_i[r].number, log_n_i) | row_t'(read_row_i[r][b]);
          end
        end
      end
    end
    for (int unsigned w = 0; w < Writers; w++) begin
      writes_virtual |= write_i[w] != '0 && 32'(write_to_i[w].bank) == Virtual;
      for (int unsigned m = 0; m < Ports; m++) begin
        for (int unsigned b = 0; b < Banks; b++) begin
          if (write_i[w][b] && ports_of(write_to_i[w])[m]) begin
            write[m][b] = 1'b1;
            write_row[m][b] |= base(write_to_i[w].number, log_n_i) | row_t'(write_row_i[w][b]);
            write_data[m][b] |= write_data_i[w][b];
          end
        end
      end
    end
  end

  logic [2:0][Banks-1:0][Spare-1:0] kept;
  for (genvar m = 0; m < Memories; m++) begin : gen_memory
    logic [Banks-1:0][Own-1:0] here, there;
    for (genvar b = 0; b < Banks; b++) begin : gen_word
      assign here[b]           = write_data[m][b][Own-1:0];
      assign read_data_o[m][b] = Width'(there[b]);
    end
    medha_memory #(
        .Banks(Banks),
        .Words(BankWords),
        .Width(Own)
    ) i_memory (
        .clk_i,
        .rst_ni,
        .read_i(read[m] && !(m > 0 && reads_virtual)),
        .read_row_i(read_row[m]),
        .read_data_o(there),
        .write_i((m > 0 && writes_virtual) ? '0 : write[m]),
        .write_row_i(write_row[m]),
        .write_data_i(here)
    );
    if (m > 0) begin : gen_third
      if (HasVirtual) begin : gen_spare
        logic [Banks-1:0][Spare-1:0] cut;
        for (genvar b = 0; b < Banks; b++) begin : gen_part
          assign cut[b] = Spare'(here[b] >> ((m - 1) * Spare));
        end
        medha_memory #(
            .Banks(Banks),
            .Words(BankWords),
            .Width(Spare)
        ) i_spare (
            .clk_i,
            .rst_ni,
            .read_i(read[m] && reads_virtual),
            .read_row_i(read_row[m]),
            .read_data_o(kept[m-1]),
            .write_i(writes_virtual ? write[m] : '0),
            .write_row_i(write_row[m]),
            .write_data_i(cut)
        );
      end else begin : gen_none
        assign kept[m-1] = '0;
      end
    end
  end
  for (genvar b = 0; b < Banks; b++) begin : gen_virtual
    assign read_data_o[Virtual][b] = Width'(Own'({kept[2][b], kept[1][b], kept[0][b]}));
  end

  logic [Banks-1:0][LandingWidth-1:0] landing_read_row, landing_write_row;
  for (genvar b = 0; b < Banks; b++) begin : gen_landing
    assign landing_read_row[b]  = LandingWidth'(read_row[Landing][b]);
    assign landing_write_row[b] = LandingWidth'(write_row[Landing][b]);
  end
  medha_memory #(
      .Banks(Banks),
      .Words(LandingWords),
      .Width(Width)
  ) i_landing (
      .clk_i,
      .rst_ni,
      .read_i(read[Landing]),
      .read_row_i(landing_read_row),
      .read_data_o(read_data_o[Landing]),
      .write_i(write[Landing]),
      .write_row_i(landing_write_row),
      .write_data_i(write_data[Landing])
  );

  // The virtual memory has no port of its own, and the others' rows may be longer than its.
  logic unused;
  assign unused = ^{read[Virtual], write[Virtual], read_row[Virtual], write_row[Virtual],
                    write_data[Virtual], read_row[Landing], write_row[Landing], write_data};
endmodule
