/// Whether a command by itself is one, and what it means to the queues.
///
/// `error_o` is the first of the reasons in the order of `error_e` for which it is none; what else
/// leaves then says nothing. What it needs of those before it (`ErrorAfter`, `ErrorList`) is for
/// `rpu_commands`.
/// Timing: no register; the longest path adds a count to an address.
module rpu_command_check
  import rpu_config_pkg::*;
  import rpu_pkg::*;
  import rpu_command_pkg::*;
#(
    parameter config_t Config = rpu_machine_pkg::Machine
) (
    input  command_t command_i,

    output error_e   error_o,
    output logic     run_o,
    output move_t    move_o
);
  localparam int unsigned PortWidth = $clog2(Config.port_bytes);
  localparam bit          Packed    = Config.offchip_words == OffchipWordsPacked;

  memory_e memory;
  logic [31:0] words;
  logic [2:0] shift;
  logic [31:0] rest;
  logic [32:0] end_place, misplaced;
  logic [AddressWidth:0] end_address, past;
  assign run_o = command_i.kind == CommandRun;
  always_comb begin
    unique case (command_i.kind)
      CommandRun, CommandLoadInstructions: begin
        memory = MemoryInstruction;
        words  = 32'(Config.im_words);
      end
      CommandLoadScalars: begin
        memory = MemoryScalar;
        words  = 32'(Config.sdm_words);
      end
      default: begin
        memory = MemoryVector;
        words  = 32'(Config.vdm_words);
      end
    endcase
  end
  assign shift       = beat_shift(Config, memory == MemoryInstruction, command_i.narrow);
  assign end_place   = 33'(command_i.place) + 33'(command_i.count);
  assign misplaced   = 33'(command_i.place) & ((33'd1 << shift) - 33'd1);
  // Whole beats, and one more for a rest: carried in where an address has none of its low bits.
  assign rest        = command_i.count & ((32'd1 << shift) - 32'd1);
  assign past        = (rest != '0) ? ((AddressWidth + 1)'(1) << PortWidth) - (AddressWidth + 1)'(1) : '0;
  assign end_address = ((AddressWidth + 1)'(command_i.address) | past) +
                       ((AddressWidth + 1)'(command_i.count >> shift) << PortWidth) +
                       (AddressWidth + 1)'(rest != '0);

  always_comb begin
    error_o = ErrorNone;
    if (bits_of(command_i.kind) == '0) begin
      error_o = ErrorKind;
    end else if ((command_i & ~bits_of(command_i.kind)) != '0 || (command_i.narrow && !Packed)) begin
      error_o = ErrorReserved;
    end else if (command_i.count == '0 || end_place > 33'(words) ||
                 (memory == MemoryVector && misplaced != '0)) begin
      error_o = ErrorPlace;
    end else if (command_i.address[PortWidth-1:0] != '0 ||
                 end_address > (AddressWidth + 1)'(1) << AddressWidth) begin
      error_o = ErrorAddress;
    end
  end

  assign move_o = '{
      store: command_i.kind == CommandStoreVectors,
      memory: memory,
      narrow: command_i.narrow,
      last: ~command_i.more,
      address: command_i.address,
      place: command_i.place,
      count: command_i.count
  };
endmodule
