/// The lowest of the bits that are set: alone, and its number.
///
/// Timing: combinational, log2(`Count`) steps of a prefix, then as many of an OR. Area: `Count` times
/// log2(`Count`) gates for the prefix.
module rpu_lowest #(
    parameter int unsigned Count = 8,
    localparam int unsigned NumberWidth = (Count > 1) ? $clog2(Count) : 1
) (
    input  logic [Count-1:0]       bits_i,
    output logic                   any_o,
    output logic [Count-1:0]       lowest_o,
    output logic [NumberWidth-1:0] number_o
);
  localparam int unsigned Steps = $clog2(Count);
  // Whether any of the 2^s bits up to and including this one is set.
  logic [Steps:0][Count-1:0] any;
  assign any[0] = bits_i;
  for (genvar s = 0; s < Steps; s++) begin : gen_step
    assign any[s+1] = any[s] | (any[s] << (1 << s));
  end
  // Whether any bit below is set; the last: whether any is.
  logic [Count:0] below;
  assign below    = {any[Steps], 1'b0};
  assign any_o    = below[Count];
  assign lowest_o = bits_i & ~below[Count-1:0];

  // Those whose number has bit k.
  function automatic logic [Count-1:0] with_bit(int unsigned k);
    logic [Count-1:0] found;
    for (int unsigned j = 0; j < Count; j++) found[j] = 1'(j >> k);
    return found;
  endfunction
  for (genvar k = 0; k < NumberWidth; k++) begin : gen_number
    localparam logic [Count-1:0] Those = with_bit(k);
    assign number_o[k] = |(lowest_o & Those);
  end
endmodule
