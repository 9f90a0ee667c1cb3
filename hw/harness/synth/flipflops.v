// The cell library has one flip-flop: rising edge, inverted output, no reset, no enable. An
// asynchronous reset becomes a gate before its data, as a synchronous one would: the area is right
// to a gate, and nobody should tape this out.
module \$_DFF_PN0_ (input D, C, R, output Q);
  \$_DFF_P_ flipflop (.D(D & R), .C(C), .Q(Q));
endmodule

module \$_DFF_PN1_ (input D, C, R, output Q);
  \$_DFF_P_ flipflop (.D(D | ~R), .C(C), .Q(Q));
endmodule
