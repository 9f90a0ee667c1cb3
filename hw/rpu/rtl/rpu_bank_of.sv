/// The bank of a word of the vector data memory; `Map` as in `rpu_address_generator`.
module rpu_bank_of #(
    parameter int unsigned Banks        = 8,
    parameter int unsigned AddressWidth = 11,
    parameter string       Map          = "skewed",
    localparam int unsigned BankWidth = $clog2(Banks)
) (
    input  logic [AddressWidth-1:0] address_i,
    output logic [BankWidth-1:0]    bank_o
);
  if (Map == "modulo") begin : gen_modulo
    assign bank_o = BankWidth'(address_i);
    if (AddressWidth > BankWidth) begin : gen_word
      logic unused;
      assign unused = &address_i[AddressWidth-1:BankWidth];
    end
  end else if (Map == "skewed") begin : gen_skewed
    always_comb begin
      bank_o = '0;
      for (int unsigned low = 0; low < AddressWidth; low += BankWidth) begin
        bank_o += BankWidth'(address_i >> low);
      end
    end
  end else begin : gen_unknown
    $fatal(1, "rpu_bank_of: Map is \"modulo\" or \"skewed\", not \"%s\"", Map);
  end
endmodule
