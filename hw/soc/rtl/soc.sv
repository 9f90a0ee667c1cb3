`include "registers.svh"
`include "assertions.svh"

/// A host, memory, devices, and an accelerator in a socket.
///
/// `soc_host` and `soc_accelerator` are whichever of `soc_host_*.sv` and `soc_accelerator_*.sv` is
/// compiled with this file, so neither knows of the other. Both reach one memory, each through a port of
/// its own (`soc_memory_port`), where they do not wait for each other; or the accelerator and the modem
/// reach it through the host's coherent port. A host that has one, where they do not, gives lines of its
/// cache up through that port (`soc_flusher`).
module soc
  import soc_pkg::*;
#(
    parameter int unsigned Latency     = 30,
    parameter int unsigned Outstanding = 8,
    /// Bytes of a beat of the accelerator's port.
    parameter int unsigned PortBytes   = 8,
    /// Whether accelerator and modem are on the host's coherent port.
    parameter bit          Coherent    = soc_host_pkg::HasCoherentPort,
    localparam int unsigned HostBytes  = soc_host_pkg::BeatBytes
) (
    input logic clk_i,
    input logic rst_ni
);
  logic interrupt;
  logic start, write, done, failed;
  logic [31:0] address;
  logic [63:0] written, answer;

  logic ar_valid, ar_ready, r_valid, r_ready, aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid, b_ready;
  logic [63:0] ar_addr, aw_addr;
  logic [7:0] ar_len;
  logic [2:0] ar_size, aw_size;
  logic [8*HostBytes-1:0] r_data, w_data;
  logic [HostBytes-1:0] w_strb;
  logic [1:0] r_resp, b_resp;
  logic r_last;
  narrow_request_t coherent_request;
  narrow_answer_t coherent_answer;
  soc_host i_host (
      .clk_i,
      .rst_ni,
      .interrupt_i(interrupt),
      .device_start_o(start),
      .device_write_o(write),
      .device_address_o(address),
      .device_data_o(written),
      .device_done_i(done),
      .device_data_i(answer),
      .ar_valid_o(ar_valid),
      .ar_ready_i(ar_ready),
      .ar_addr_o(ar_addr),
      .ar_len_o(ar_len),
      .ar_size_o(ar_size),
      .r_valid_i(r_valid),
      .r_ready_o(r_ready),
      .r_data_i(r_data),
      .r_resp_i(r_resp),
      .r_last_i(r_last),
      .aw_valid_o(aw_valid),
      .aw_ready_i(aw_ready),
      .aw_addr_o(aw_addr),
      .aw_size_o(aw_size),
      .w_valid_o(w_valid),
      .w_ready_i(w_ready),
      .w_data_o(w_data),
      .w_strb_o(w_strb),
      .w_last_o(w_last),
      .b_valid_i(b_valid),
      .b_ready_o(b_ready),
      .b_resp_i(b_resp),
      .coherent_i(coherent_request),
      .coherent_o(coherent_answer)
  );
  soc_memory_port #(
      .BeatBytes(HostBytes),
      .Latency(Latency),
      .Outstanding(Outstanding)
  ) i_host_port (
      .clk_i,
      .rst_ni,
      .ar_valid_i(ar_valid),
      .ar_ready_o(ar_ready),
      .ar_addr_i(ar_addr),
      .ar_len_i(ar_len),
      .ar_size_i(ar_size),
      .r_valid_o(r_valid),
      .r_ready_i(r_ready),
      .r_data_o(r_data),
      .r_resp_o(r_resp),
      .r_last_o(r_last),
      .aw_valid_i(aw_valid),
      .aw_ready_o(aw_ready),
      .aw_addr_i(aw_addr),
      .aw_size_i(aw_size),
      .w_valid_i(w_valid),
      .w_ready_o(w_ready),
      .w_data_i(w_data),
      .w_strb_i(w_strb),
      .w_last_i(w_last),
      .b_valid_o(b_valid),
      .b_ready_i(b_ready),
      .b_resp_o(b_resp)
  );

  // ---- Devices: the accelerator's registers, and the others.
  logic is_accelerator, apb_done, apb_failed;
  logic [31:0] apb_data;
  logic psel, penable, pwrite, pready, pslverr;
  logic [15:0] paddr;
  logic [31:0] pwdata, prdata;
  assign is_accelerator = address < DevicesBase;
  soc_apb i_apb (
      .clk_i,
      .rst_ni,
      .start_i(start & is_accelerator),
      .write_i(write),
      .address_i(address[15:0]),
      .data_i(written[31:0]),
      .done_o(apb_done),
      .data_o(apb_data),
      .failed_o(apb_failed),
      .psel_o(psel),
      .penable_o(penable),
      .pwrite_o(pwrite),
      .paddr_o(paddr),
      .pwdata_o(pwdata),
      .pready_i(pready),
      .prdata_i(prdata),
      .pslverr_i(pslverr)
  );
  logic [63:0] device_data, modem_from, modem_left;
  logic [63:0] flusher_from, flusher_left;
  logic device_done_q, modem_start, modem_failed, flusher_start, flusher_failed;
  soc_devices i_devices (
      .clk_i,
      .rst_ni,
      .valid_i(start & ~is_accelerator),
      .write_i(write),
      .address_i(address[7:0]),
      .data_i(written),
      .failed_i(failed),
      .data_o(device_data),
      .modem_start_o(modem_start),
      .modem_from_o(modem_from),
      .modem_left_i(modem_left),
      .flusher_start_o(flusher_start),
      .flusher_from_o(flusher_from),
      .flusher_left_i(flusher_left)
  );
  narrow_request_t modem_request;
  narrow_answer_t modem_answer;
  soc_modem i_modem (
      .clk_i,
      .rst_ni,
      .start_i(modem_start),
      .from_i(modem_from),
      .bytes_i(written),
      .left_o(modem_left),
      .failed_o(modem_failed),
      .port_o(modem_request),
      .port_i(modem_answer)
  );
  `RW_FF(device_done_q, start & ~is_accelerator, 1'b0)
  assign done   = device_done_q | apb_done;
  assign answer = device_done_q ? device_data : {apb_data, apb_data};
  // What a host cannot be told at once: it asks `soc_devices`.
  assign failed = (apb_done & apb_failed) | (r_valid & r_ready & r_resp[1]) |
                  (b_valid & b_ready & b_resp[1]) | modem_failed | flusher_failed;

  // ---- The accelerator, on a port of its own or on the host's.
  logic a_ar_valid, a_ar_ready, a_r_valid, a_r_ready, a_aw_valid, a_aw_ready;
  logic a_w_valid, a_w_ready, a_w_last, a_b_valid, a_b_ready, a_r_last;
  logic [63:0] a_ar_addr, a_aw_addr;
  logic [7:0] a_ar_len, a_aw_len;
  logic [2:0] a_ar_size, a_aw_size;
  logic [8*PortBytes-1:0] a_r_data, a_w_data;
  logic [PortBytes-1:0] a_w_strb;
  logic [1:0] a_r_resp, a_b_resp;
  soc_accelerator #(
      .PortBytes(PortBytes)
  ) i_accelerator (
      .clk_i,
      .rst_ni,
      .apb_psel_i(psel),
      .apb_penable_i(penable),
      .apb_pwrite_i(pwrite),
      .apb_paddr_i(paddr),
      .apb_pwdata_i(pwdata),
      .apb_pready_o(pready),
      .apb_prdata_o(prdata),
      .apb_pslverr_o(pslverr),
      .interrupt_o(interrupt),
      .ar_valid_o(a_ar_valid),
      .ar_ready_i(a_ar_ready),
      .ar_addr_o(a_ar_addr),
      .ar_len_o(a_ar_len),
      .ar_size_o(a_ar_size),
      .r_valid_i(a_r_valid),
      .r_ready_o(a_r_ready),
      .r_data_i(a_r_data),
      .r_resp_i(a_r_resp),
      .r_last_i(a_r_last),
      .aw_valid_o(a_aw_valid),
      .aw_ready_i(a_aw_ready),
      .aw_addr_o(a_aw_addr),
      .aw_len_o(a_aw_len),
      .aw_size_o(a_aw_size),
      .w_valid_o(a_w_valid),
      .w_ready_i(a_w_ready),
      .w_data_o(a_w_data),
      .w_strb_o(a_w_strb),
      .w_last_o(a_w_last),
      .b_valid_i(a_b_valid),
      .b_ready_o(a_b_ready),
      .b_resp_i(a_b_resp)
  );
  if (Coherent && !soc_host_pkg::HasCoherentPort) begin : gen_no_port
    $error("this host has no coherent port");
  end
  if (Coherent) begin : gen_coherent
    narrow_request_t a_request, either_request;
    narrow_answer_t a_answer, either_answer;
    if (PortBytes == 8) begin : gen_as_wide
      assign a_request = '{
          ar_valid: a_ar_valid,
          ar_id: 1'b0,
          ar_addr: a_ar_addr,
          ar_len: narrow_length_t'(a_ar_len),
          ar_size: a_ar_size,
          r_ready: a_r_ready,
          aw_valid: a_aw_valid,
          aw_id: 1'b0,
          aw_addr: a_aw_addr,
          aw_len: narrow_length_t'(a_aw_len),
          aw_size: a_aw_size,
          w_valid: a_w_valid,
          w_data: a_w_data,
          w_strb: a_w_strb,
          w_last: a_w_last,
          b_ready: a_b_ready
      };
      assign a_ar_ready = a_answer.ar_ready;
      assign a_r_valid  = a_answer.r_valid;
      assign a_r_data   = a_answer.r_data;
      assign a_r_resp   = a_answer.r_resp;
      assign a_r_last   = a_answer.r_last;
      assign a_aw_ready = a_answer.aw_ready;
      assign a_w_ready  = a_answer.w_ready;
      assign a_b_valid  = a_answer.b_valid;
      assign a_b_resp   = a_answer.b_resp;
    end else begin : gen_wider
      soc_narrower #(
          .WideBytes(PortBytes)
      ) i_narrower (
          .clk_i,
          .rst_ni,
          .ar_valid_i(a_ar_valid),
          .ar_ready_o(a_ar_ready),
          .ar_addr_i(a_ar_addr),
          .ar_len_i(a_ar_len),
          .ar_size_i(a_ar_size),
          .r_valid_o(a_r_valid),
          .r_ready_i(a_r_ready),
          .r_data_o(a_r_data),
          .r_resp_o(a_r_resp),
          .r_last_o(a_r_last),
          .aw_valid_i(a_aw_valid),
          .aw_ready_o(a_aw_ready),
          .aw_addr_i(a_aw_addr),
          .aw_len_i(a_aw_len),
          .aw_size_i(a_aw_size),
          .w_valid_i(a_w_valid),
          .w_ready_o(a_w_ready),
          .w_data_i(a_w_data),
          .w_strb_i(a_w_strb),
          .w_last_i(a_w_last),
          .b_valid_o(a_b_valid),
          .b_ready_i(a_b_ready),
          .b_resp_o(a_b_resp),
          .port_o(a_request),
          .port_i(a_answer)
      );
    end
    soc_coherent_mux #(
        .Outstanding(Outstanding)
    ) i_mux (
        .clk_i,
        .rst_ni,
        .accelerator_i(a_request),
        .accelerator_o(a_answer),
        .modem_i(modem_request),
        .modem_o(modem_answer),
        .port_o(either_request),
        .port_i(either_answer)
    );
    soc_interleaver i_interleaver (
        .clk_i,
        .rst_ni,
        .bursts_i(either_request),
        .bursts_o(either_answer),
        .port_o(coherent_request),
        .port_i(coherent_answer)
    );
    // The core's cache has nothing that they do not see.
    assign flusher_left   = '0;
    assign flusher_failed = 1'b0;
    logic unused;
    assign unused = &{flusher_start, flusher_from};
  end else begin : gen_streaming
    if (soc_host_pkg::HasCoherentPort) begin : gen_flusher
      soc_flusher i_flusher (
          .clk_i,
          .rst_ni,
          .start_i(flusher_start),
          .from_i(flusher_from),
          .bytes_i(written),
          .left_o(flusher_left),
          .failed_o(flusher_failed),
          .port_o(coherent_request),
          .port_i(coherent_answer)
      );
    end else begin : gen_no_flusher
      assign coherent_request = '0;
      assign flusher_left     = '0;
      assign flusher_failed   = 1'b0;
      logic unused;
      assign unused = &{coherent_answer, flusher_start, flusher_from};
    end
    logic unused;
    assign unused = &{a_aw_len};
    soc_memory_port #(
        .BeatBytes(PortBytes),
        .Latency(Latency),
        .Outstanding(Outstanding)
    ) i_accelerator_port (
        .clk_i,
        .rst_ni,
        .ar_valid_i(a_ar_valid),
        .ar_ready_o(a_ar_ready),
        .ar_addr_i(a_ar_addr),
        .ar_len_i(a_ar_len),
        .ar_size_i(a_ar_size),
        .r_valid_o(a_r_valid),
        .r_ready_i(a_r_ready),
        .r_data_o(a_r_data),
        .r_resp_o(a_r_resp),
        .r_last_o(a_r_last),
        .aw_valid_i(a_aw_valid),
        .aw_ready_o(a_aw_ready),
        .aw_addr_i(a_aw_addr),
        .aw_size_i(a_aw_size),
        .w_valid_i(a_w_valid),
        .w_ready_o(a_w_ready),
        .w_data_i(a_w_data),
        .w_strb_i(a_w_strb),
        .w_last_i(a_w_last),
        .b_valid_o(a_b_valid),
        .b_ready_i(a_b_ready),
        .b_resp_o(a_b_resp)
    );
    soc_memory_port #(
        .BeatBytes(8),
        .Latency(Latency),
        .Outstanding(Outstanding)
    ) i_modem_port (
        .clk_i,
        .rst_ni,
        .ar_valid_i(modem_request.ar_valid),
        .ar_ready_o(modem_answer.ar_ready),
        .ar_addr_i(modem_request.ar_addr),
        .ar_len_i(modem_request.ar_len[7:0]),
        .ar_size_i(modem_request.ar_size),
        .r_valid_o(modem_answer.r_valid),
        .r_ready_i(modem_request.r_ready),
        .r_data_o(modem_answer.r_data),
        .r_resp_o(modem_answer.r_resp),
        .r_last_o(modem_answer.r_last),
        .aw_valid_i(modem_request.aw_valid),
        .aw_ready_o(modem_answer.aw_ready),
        .aw_addr_i(modem_request.aw_addr),
        .aw_size_i(modem_request.aw_size),
        .w_valid_i(modem_request.w_valid),
        .w_ready_o(modem_answer.w_ready),
        .w_data_i(modem_request.w_data),
        .w_strb_i(modem_request.w_strb),
        .w_last_i(modem_request.w_last),
        .b_valid_o(modem_answer.b_valid),
        .b_ready_i(modem_request.b_ready),
        .b_resp_o(modem_answer.b_resp)
    );
  end
endmodule
