/// The parameters of an RPU as one value, which modules of several units take and pass on.
///
/// `spec/rpu/params.toml` says what each is. `Products` is how multipliers add partial products
/// (`barrett_mul`), `port_bytes` the width of the port to off-chip memory. Units that stand alone take numbers and names of their own; the functions here
/// make those names.
package rpu_config_pkg;
  // Each module uses its part of a package.
  /* verilator lint_off UNUSEDPARAM */

  typedef enum logic {VrfPortsSingle, VrfPortsUnlimited} vrf_ports_e;
  typedef enum logic {VrfMapModulo, VrfMapQuotient} vrf_map_e;
  typedef enum logic {VdmMapSkewed, VdmMapModulo} vdm_map_e;
  typedef enum logic {LoadStorePipesShared, LoadStorePipesSeparate} load_store_pipes_e;
  typedef enum logic {BusyRuleSharedReads, BusyRuleOneBit} busy_rule_e;
  typedef enum logic {SourceReleaseReadout, SourceReleaseCompletion} source_release_e;
  typedef enum logic {VdmPortSecond, VdmPortExclusive} vdm_port_e;
  typedef enum logic {OffchipWordsWhole, OffchipWordsPacked} offchip_words_e;
  typedef enum logic {ProductsCompressed, ProductsSliced} products_e;

  typedef struct packed {
    int unsigned       hples;
    int unsigned       banks;
    int unsigned       vector_length;
    int unsigned       word_bits;
    int unsigned       vdm_words;
    int unsigned       sdm_words;
    int unsigned       im_words;
    int unsigned       compute_latency;
    int unsigned       ii;
    int unsigned       load_store_latency;
    int unsigned       shuffle_latency;
    int unsigned       gap;
    int unsigned       queue_depth;
    vrf_ports_e        vrf_ports;
    vrf_map_e          vrf_map;
    vdm_map_e          vdm_map;
    load_store_pipes_e load_store_pipes;
    busy_rule_e        busy_rule;
    source_release_e   source_release;
    vdm_port_e         vdm_port;
    offchip_words_e    offchip_words;
    int unsigned       port_bytes;
    products_e         products;
  } config_t;

  /* verilator lint_on UNUSEDPARAM */

  // Each function looks at its part of the value.
  /* verilator lint_off UNUSEDSIGNAL */

  /// Rows of a vector.
  function automatic int unsigned beats(config_t config_value);
    return config_value.vector_length / config_value.hples;
  endfunction

  /// Words of a bank.
  function automatic int unsigned bank_words(config_t config_value);
    return config_value.vdm_words / config_value.banks;
  endfunction

  /// Bits that count to `count`, at least one.
  function automatic int unsigned index_width(int unsigned count);
    return (count > 1) ? $clog2(count) : 1;
  endfunction

  /// Bytes of a word off chip.
  function automatic int unsigned word_bytes(config_t config_value);
    return (config_value.word_bits <= 32) ? 4 : (config_value.word_bits <= 64) ? 8 : 16;
  endfunction

  /// Bytes of the narrowest word off chip.
  function automatic int unsigned narrow_bytes(config_t config_value);
    return word_bytes(config_value) >> 32'(config_value.offchip_words == OffchipWordsPacked);
  endfunction

  /// Elements of a line: as many words, or instructions, as a beat of the port holds at most.
  function automatic int unsigned line_words(config_t config_value);
    return config_value.port_bytes / ((narrow_bytes(config_value) < 8) ? narrow_bytes(config_value) : 8);
  endfunction

  /// log2 of the words, or instructions, of a beat.
  function automatic logic [2:0] beat_shift(config_t config_value, logic instructions, logic narrow);
    if (instructions) return 3'($clog2(config_value.port_bytes / 8));
    if (narrow) return 3'($clog2(config_value.port_bytes / word_bytes(config_value)) + 1);
    return 3'($clog2(config_value.port_bytes / word_bytes(config_value)));
  endfunction

  /// Bits of an element: a word or an instruction.
  function automatic int unsigned element_bits(config_t config_value);
    return (config_value.word_bits > 64) ? config_value.word_bits : 64;
  endfunction

  function automatic string ports_name(vrf_ports_e ports);
    return (ports == VrfPortsSingle) ? "single" : "unlimited";
  endfunction

  function automatic string vrf_map_name(vrf_map_e map);
    return (map == VrfMapModulo) ? "modulo" : "quotient";
  endfunction

  function automatic string vdm_map_name(vdm_map_e map);
    return (map == VdmMapSkewed) ? "skewed" : "modulo";
  endfunction

  function automatic string rule_name(busy_rule_e rule);
    return (rule == BusyRuleSharedReads) ? "shared_reads" : "one_bit";
  endfunction

  function automatic string products_name(products_e products);
    return (products == ProductsCompressed) ? "Compressed" : "Sliced";
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */
endpackage
