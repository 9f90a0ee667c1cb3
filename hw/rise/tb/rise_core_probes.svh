// Puts `rise_core_probes` into every `rise_core`; for the top modules of lockstep runs.
`ifndef RW_RISE_CORE_PROBES_SVH
`define RW_RISE_CORE_PROBES_SVH

bind rise_core rise_core_probes #(
    .Bfus(Bfus),
    .WordBits(WordBits),
    .BankWords(BankWords)
) i_probes (
    .clk_i,
    .rst_ni,
    .accepted(i_control.accepted),
    .done(done_o),
    .op,
    .stage_ends(i_control.stage_ends),
    .stage(64'(i_control.stage_q)),
    .bank_read({gen_group[1].i_bank_group.bank_read, gen_group[0].i_bank_group.bank_read}),
    .bank_write({gen_group[1].i_bank_group.bank_write, gen_group[0].i_bank_group.bank_write}),
    .bank_row({gen_group[1].i_bank_group.bank_row, gen_group[0].i_bank_group.bank_row}),
    .bank_data({gen_group[1].i_bank_group.bank_write_data,
                gen_group[0].i_bank_group.bank_write_data}),
    .factor_arrives,
    .product,
    .result,
    .wide,
    .sum,
    .difference,
    .reordered_valid,
    .reordered,
    .write_row,
    .write_quarter
);

`endif
