/// Beats of off-chip memory and lines of the device's memories: where each word lies in a beat.
///
/// A line's word j is the j-th of its beat: an instruction of 8 bytes, a word of its whole width, or
/// one of half of it. What a beat holds beyond its words is 0.
/// Timing: no register. Area: for each word of a line a choice among three places.
module rpu_dma_lines
  import rpu_config_pkg::*;
#(
    parameter config_t Config = rpu_machine_pkg::Machine,
    localparam int unsigned Line        = line_words(Config),
    localparam int unsigned ElementBits = element_bits(Config)
) (
    input  logic                              instructions_i,
    input  logic                              narrow_i,

    input  logic [8*Config.port_bytes-1:0]    beat_i,
    output logic [Line-1:0][ElementBits-1:0]  line_o,

    input  logic [Line-1:0][ElementBits-1:0]  line_i,
    output logic [8*Config.port_bytes-1:0]    beat_o
);
  localparam int unsigned WordBits   = Config.word_bits;
  localparam int unsigned Wide       = 8 * word_bytes(Config);
  localparam int unsigned Narrow     = Wide / 2;
  localparam int unsigned NarrowBits = (WordBits < Narrow) ? WordBits : Narrow;
  localparam bit          Packed     = Config.offchip_words == OffchipWordsPacked;
  localparam int unsigned Wides      = 8 * Config.port_bytes / Wide;

  for (genvar j = 0; j < Line; j++) begin : gen_word
    logic [ElementBits-1:0] instruction, wide, narrow;
    if (j < Config.port_bytes / 8) begin : gen_instruction
      assign instruction = ElementBits'(beat_i[64*j+:64]);
    end else begin : gen_no_instruction
      assign instruction = '0;
    end
    if (j < Wides) begin : gen_wide
      assign wide = ElementBits'(beat_i[Wide*j+:WordBits]);
    end else begin : gen_no_wide
      assign wide = '0;
    end
    if (Packed) begin : gen_narrow
      assign narrow = ElementBits'(beat_i[Narrow*j+:NarrowBits]);
    end else begin : gen_no_narrow
      assign narrow = '0;
    end
    assign line_o[j] = instructions_i ? instruction : narrow_i ? narrow : wide;
  end

  logic [8*Config.port_bytes-1:0] wides, narrows;
  for (genvar j = 0; j < Wides; j++) begin : gen_wide_beat
    assign wides[Wide*j+:Wide] = Wide'(line_i[j][WordBits-1:0]);
  end
  if (Packed) begin : gen_narrow_beat
    for (genvar j = 0; j < 2 * Wides; j++) begin : gen_beat
      assign narrows[Narrow*j+:Narrow] = Narrow'(line_i[j][NarrowBits-1:0]);
    end
  end else begin : gen_no_narrow_beat
    assign narrows = '0;
  end
  assign beat_o = narrow_i ? narrows : wides;

  logic unused;
  assign unused = &{line_i, beat_i};
endmodule
