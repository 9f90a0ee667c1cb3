/// The machine that is built where nobody says which: the default of every `Config`.
///
/// The package of another machine (`ringwright rtl`) has its values in this file.
package medha_machine_pkg;
  import medha_config_pkg::*;

  localparam config_t Machine = '{
      rpaus: 2,
      wide_rpaus: 1,
      word_bits: 30,
      wide_bits: 36,
      butterflies: 2,
      max_degree: 256,
      bank_words: 256,
      packing: PackingThreeInFour,
      landing_towers: 2,
      ntt_latency: 12,
      dyadic_latency: 12,
      issue_cycles: 2,
      slrs: 1,
      ring_order: RingOrderFolded,
      hop_cycles: 2,
      slr_cycles: 2,
      dma_lanes: 2,
      start_cycles: 4,
      code_words: 64,
      constants: 32,
      arguments: 32,
      products: ProductsCompressed
  };
endpackage
