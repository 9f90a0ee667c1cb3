/// The parameters of a Medha as one value, which modules of several units take and pass on.
///
/// `spec/medha/params.toml` says what each is; dyadic cores and links take a word of every bank in a
/// cycle. `products` is how multipliers add partial products (`barrett_mul`), `code_words` the
/// microinstructions of a stream, `constants` and `arguments` the entries of an RPAU's tables.
package medha_config_pkg;
  // Each module uses its part of a package.
  /* verilator lint_off UNUSEDPARAM */

  typedef enum logic {PackingNone, PackingThreeInFour} packing_e;
  typedef enum logic {RingOrderFolded, RingOrderStraight} ring_order_e;
  typedef enum logic {ProductsCompressed, ProductsSliced} products_e;

  typedef struct packed {
    int unsigned rpaus;
    int unsigned wide_rpaus;
    int unsigned word_bits;
    int unsigned wide_bits;
    int unsigned butterflies;
    int unsigned max_degree;
    int unsigned bank_words;
    packing_e    packing;
    int unsigned landing_towers;
    int unsigned ntt_latency;
    int unsigned dyadic_latency;
    int unsigned issue_cycles;
    int unsigned slrs;
    ring_order_e ring_order;
    int unsigned hop_cycles;
    int unsigned slr_cycles;
    int unsigned dma_lanes;
    int unsigned start_cycles;
    int unsigned code_words;
    int unsigned constants;
    int unsigned arguments;
    products_e   products;
  } config_t;

  /* verilator lint_on UNUSEDPARAM */

  // Each function looks at its part of the value.
  /* verilator lint_off UNUSEDSIGNAL */

  /// Banks of a memory.
  function automatic int unsigned banks(config_t config_value);
    return 2 * config_value.butterflies;
  endfunction

  /// Bytes of a lane's port to memory: a row of the banks, or as many as AXI4 has.
  function automatic int unsigned port_bytes(config_t config_value);
    return (8 * banks(config_value) < 128) ? 8 * banks(config_value) : 128;
  endfunction

  /// Words of a bank behind the ring.
  function automatic int unsigned landing_words(config_t config_value);
    return config_value.landing_towers * config_value.max_degree / banks(config_value);
  endfunction

  /// Bits of a residue in an RPAU.
  function automatic int unsigned bits(config_t config_value, int unsigned rpau);
    return (rpau < config_value.wide_rpaus) ? config_value.wide_bits : config_value.word_bits;
  endfunction

  /// Whether an RPAU has the virtual memory.
  function automatic logic packed_words(config_t config_value, int unsigned rpau);
    return config_value.packing == PackingThreeInFour && rpau >= config_value.wide_rpaus;
  endfunction

  /// The die of an RPAU: up the dies and down again, or up alone.
  function automatic int unsigned die(config_t config_value, int unsigned rpau);
    int unsigned place;
    if (config_value.ring_order == RingOrderStraight) begin
      return rpau * config_value.slrs / config_value.rpaus;
    end
    place = rpau * 2 * config_value.slrs / config_value.rpaus;
    return (place < config_value.slrs) ? place : 2 * config_value.slrs - 1 - place;
  endfunction

  /// Cycles of the link from an RPAU to the next.
  function automatic int unsigned link_cycles(config_t config_value, int unsigned rpau);
    int unsigned here, there;
    here  = die(config_value, rpau);
    there = die(config_value, (rpau + 1) % config_value.rpaus);
    return config_value.hop_cycles +
           config_value.slr_cycles * ((here > there) ? here - there : there - here);
  endfunction

  function automatic string products_name(products_e products);
    return (products == ProductsCompressed) ? "Compressed" : "Sliced";
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */
endpackage
