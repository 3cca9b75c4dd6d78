// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Proof of l2p_lookup: one answer a request, in their order, with its tag; a write counts and looks nothing up; what is
// offered at a port stays until it is taken; places for requests do not run over. Inputs are free, but: reset comes in
// the first clock and not again, requests are of two logical pages at most and lie in the map's first bursts or beyond
// the map, and memory answers what it was asked, once.
module l2p_lookup_proof #(
    parameter int unsigned Depth = 2,
    parameter int unsigned TagBits = 2
) (
    input logic clk_i,
    input logic rst_ni,
    input logic request_valid_i,
    input logic request_write_i,
    input logic [TagBits-1:0] request_tag_i,
    input logic [4:0] request_lpn_i,
    input logic [1:0] request_lpages_i,
    input logic mem_ready_i,
    input logic mem_answer_i,
    input logic mem_error_i,
    input logic written_i,
    input logic dram_ready_i,
    input logic beat_valid_i,
    input logic beat_error_i,
    input logic value_ready_i,
    input logic answer_ready_i
);
  localparam int unsigned Places = Depth + 1;  // with the one in front
  typedef struct packed {
    logic write;
    logic [TagBits-1:0] tag;
  } request_t;

  bit started_q = 1'b0;
  logic request_ready, mem_valid, mem_write, dram_valid, beat_ready, value_valid, answer_valid;
  logic refused, failed, written, busy;
  logic [31:0] mem_address, mem_wdata, dram_address, value_address, value, looked_up;
  logic [TagBits-1:0] answer_tag;

  l2p_lookup #(
      .TagBits(TagBits),
      .Depth(Depth)
  ) u_lookup (
      .clk_i,
      .rst_ni,
      .map_base_i(32'h8000_0000),
      .map_lpages_i(32'd30),
      .map_initial_i(1'b1),
      .lookups_i(32'h2000_0000),
      .lpage_states_i(32'h3000_0000),
      .request_valid_i,
      .request_ready_o(request_ready),
      .request_write_i,
      .request_tag_i,
      .request_lpn_i(32'(request_lpn_i)),
      .request_lpages_i(17'(request_lpages_i)),
      .mem_valid_o(mem_valid),
      .mem_ready_i,
      .mem_write_o(mem_write),
      .mem_address_o(mem_address),
      .mem_wdata_o(mem_wdata),
      .mem_answer_i,
      .mem_error_i,
      .mem_rdata_i(128'(written_i)),
      .dram_valid_o(dram_valid),
      .dram_ready_i,
      .dram_address_o(dram_address),
      .beat_valid_i,
      .beat_ready_o(beat_ready),
      .beat_error_i,
      .beat_i('0),
      .value_valid_o(value_valid),
      .value_ready_i,
      .value_address_o(value_address),
      .value_o(value),
      .answer_valid_o(answer_valid),
      .answer_ready_i,
      .answer_tag_o(answer_tag),
      .answer_refused_o(refused),
      .answer_failed_o(failed),
      .answer_written_o(written),
      .busy_o(busy),
      .looked_up_o(looked_up));

  handshake_checker #(.PayloadBits(1)) u_memory_checker (
      .clk_i, .rst_ni, .valid_i(mem_valid), .ready_i(mem_ready_i), .payload_i(mem_write));
  handshake_checker #(.PayloadBits(1)) u_dram_checker (
      .clk_i, .rst_ni, .valid_i(dram_valid), .ready_i(dram_ready_i), .payload_i(1'b0));
  handshake_checker #(.PayloadBits(1)) u_value_checker (
      .clk_i, .rst_ni, .valid_i(value_valid), .ready_i(value_ready_i), .payload_i(1'b0));
  handshake_checker #(.PayloadBits(TagBits)) u_answer_checker (
      .clk_i, .rst_ni, .valid_i(answer_valid), .ready_i(answer_ready_i), .payload_i(answer_tag));

  // Requests that were taken and are without their answer, the oldest first.
  request_t [Places:0] requests_q;
  logic [1:0] count_q, place, under_way_q;
  logic takes, gives;
  assign takes = request_valid_i && request_ready;
  assign gives = answer_valid && answer_ready_i;
  assign place = count_q - 2'(gives);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (rst_ni == started_q);
    assume (request_lpages_i != 2'd3);
    assume (!mem_answer_i || (rst_ni && under_way_q != '0));
    if (!rst_ni) begin
      count_q <= '0;
      under_way_q <= '0;
    end else begin
      under_way_q <= under_way_q + 2'(mem_valid && mem_ready_i) - 2'(mem_answer_i);
      for (int unsigned i = 0; i < Places; i++) begin
        if (gives) requests_q[i] <= requests_q[i+1];
      end
      if (takes) requests_q[place] <= '{write: request_write_i, tag: request_tag_i};
      count_q <= place + 2'(takes);

      two_at_a_time :
      assert (under_way_q <= 2'd2);
      holds_what_it_took :
      assert (count_q <= 2'(Places));
      answers_what_was_asked :
      assert (!answer_valid || count_q != '0);
      in_their_order :
      assert (!answer_valid || answer_tag == requests_q[0].tag);
      no_value_of_a_write :
      assert (!value_valid || (count_q != '0 && !requests_q[0].write));
      busy_with_requests :
      assert (busy == (count_q != '0));

      full :
      cover (count_q == 2'(Places) && answer_valid && value_ready_i);
      a_lookup_ends :
      cover (gives && !requests_q[0].write && !refused && !failed);
    end
  end

endmodule
