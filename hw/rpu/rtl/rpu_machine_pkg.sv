/// The machine that is built where nobody says which: the default of every `Config`.
///
/// The package of another machine (`ringwright rtl`) has its values in this file. A design with two
/// different RPUs gives each a value of its own.
package rpu_machine_pkg;
  import rpu_config_pkg::*;

  localparam config_t Machine = '{
      hples: 8,
      banks: 8,
      vector_length: 64,
      word_bits: 64,
      vdm_words: 2048,
      sdm_words: 64,
      im_words: 256,
      compute_latency: 10,
      ii: 1,
      load_store_latency: 6,
      shuffle_latency: 5,
      gap: 0,
      queue_depth: 8,
      vrf_ports: VrfPortsSingle,
      vrf_map: VrfMapModulo,
      vdm_map: VdmMapSkewed,
      load_store_pipes: LoadStorePipesShared,
      busy_rule: BusyRuleSharedReads,
      source_release: SourceReleaseReadout,
      vdm_port: VdmPortSecond,
      offchip_words: OffchipWordsWhole,
      port_bytes: 32,
      products: ProductsCompressed
  };
endpackage
