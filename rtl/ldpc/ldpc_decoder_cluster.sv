// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The decoders of a controller: a tier 1 for each channel, one tier 2 for all, and an arbiter between them.
//
// Tier 2 is granted for a whole codeword, in turn: from the channel after the last one served. Tier 2 is granted again
// as soon as the last beat is in, and then loads behind the codeword that leaves, so it is never idle while one waits,
// unless an output is not taken. ldpc_decoder_channel says what happens to a codeword.
//
// Ports are those of the channels side by side. give_up[c] ends what tier 2 is loading or decoding when it is of
// channel c: it leaves marked as aborted. Codewords that wait are not touched.
//
// Limits: one clock for all. Nothing was synthesised for a library.
module ldpc_decoder_cluster
  import bit_plane_pkg::*;
  import ldpc_cluster_pkg::*;
  import min_sum_pkg::*;
#(
    parameter int unsigned Channels = 4,
    parameter int unsigned Slots = 8
) (
    input logic clk_i,
    input logic rst_ni,

    // May change only while nothing is inside.
    input logic       [7:0] tier1_max_iterations_i,
    input logic       [4:0] tier2_max_iterations_i,
    input llr_table_t [3:0] llr_table_i,

    input logic [Channels-1:0] give_up_i,

    input  word_t            [Channels-1:0] s_axis_tdata_i,
    input  logic             [Channels-1:0] s_axis_tvalid_i,
    input  logic             [Channels-1:0] s_axis_tlast_i,
    input  cluster_request_t [Channels-1:0] s_axis_tuser_i,
    output logic             [Channels-1:0] s_axis_tready_o,

    output word_t           [Channels-1:0] m_axis_tdata_o,
    output logic            [Channels-1:0] m_axis_tvalid_o,
    output logic            [Channels-1:0] m_axis_tlast_o,
    output cluster_result_t [Channels-1:0] m_axis_tuser_o,
    input  logic            [Channels-1:0] m_axis_tready_i,

    output logic            [Channels-1:0]       verdict_valid_o,
    output cluster_result_t [Channels-1:0]       verdict_o,
    output logic            [Channels-1:0][14:0] verdict_corrected_o,
    input  logic            [Channels-1:0]       verdict_ready_i,

    output logic [Channels-1:0] busy_o
);
  localparam int unsigned ChannelBits = $clog2(Channels);
  typedef logic [ChannelBits-1:0] channel_t;

  logic [Channels-1:0] waiting;
  word_t [Channels-1:0] tdata;
  logic [Channels-1:0] tlast;
  min_sum_request_t [Channels-1:0] tuser;
  logic [Channels-1:0] taken;
  logic [Channels-1:0] ends;

  word_t result_tdata;
  logic result_tvalid;
  logic result_tlast;
  min_sum_result_t result_tuser;
  logic [Channels-1:0] result_tready;

  // The arbiter: the channel that has tier 2's input, until its codeword is in.
  logic grants;
  logic granted_d, granted_q;
  channel_t owner_d, owner_q;
  channel_t next;
  always_comb begin
    next = owner_q;
    for (int i = int'(Channels); i > 0; i--) begin
      automatic channel_t c = channel_t'((int'(owner_q) + i) % int'(Channels));
      if (waiting[c]) next = c;
    end
  end

  // Whose codewords are in tier 2, in order: one leaves, one is decoded or loaded.
  channel_t owners[4];
  logic [2:0] first_d, first_q;
  logic [2:0] after_last_d, after_last_q;
  channel_t leaving;
  assign leaving = owners[first_q[1:0]];

  logic tier2_tready;
  logic tier2_busy;
  ldpc_min_sum_decoder u_tier2 (
      .clk_i,
      .rst_ni,
      .max_iterations_i(tier2_max_iterations_i),
      .llr_table_i,
      .give_up_i(give_up_i[owner_q]),
      .s_axis_tdata_i(tdata[owner_q]),
      .s_axis_tvalid_i(granted_q),
      .s_axis_tlast_i(tlast[owner_q]),
      .s_axis_tuser_i(tuser[owner_q]),
      .s_axis_tready_o(tier2_tready),
      .m_axis_tdata_o(result_tdata),
      .m_axis_tvalid_o(result_tvalid),
      .m_axis_tlast_o(result_tlast),
      .m_axis_tuser_o(result_tuser),
      .m_axis_tready_i(result_tready[leaving]),
      .busy_o(tier2_busy));

  assign grants = !granted_q && waiting != '0;
  always_comb begin
    granted_d = grants || (granted_q && !(tier2_tready && ends[owner_q]));
    owner_d = grants ? next : owner_q;
    after_last_d = grants ? after_last_q + 1'b1 : after_last_q;
    first_d = result_tvalid && result_tready[leaving] && result_tlast ? first_q + 1'b1 : first_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      granted_q <= 1'b0;
      owner_q <= '0;
      first_q <= '0;
      after_last_q <= '0;
    end else begin
      granted_q <= granted_d;
      owner_q <= owner_d;
      first_q <= first_d;
      after_last_q <= after_last_d;
    end
  end

  // No reset: entries of a queue, read between first_q and after_last_q.
  always_ff @(posedge clk_i) begin
    if (grants) owners[after_last_q[1:0]] <= next;
  end

  for (genvar c = 0; c < int'(Channels); c++) begin : gen_channel
    assign taken[c] = granted_q && owner_q == channel_t'(c) && tier2_tready;
    ldpc_decoder_channel #(.Slots(Slots)) u_channel (
        .clk_i,
        .rst_ni,
        .tier1_max_iterations_i,
        .s_axis_tdata_i(s_axis_tdata_i[c]),
        .s_axis_tvalid_i(s_axis_tvalid_i[c]),
        .s_axis_tlast_i(s_axis_tlast_i[c]),
        .s_axis_tuser_i(s_axis_tuser_i[c]),
        .s_axis_tready_o(s_axis_tready_o[c]),
        .m_axis_tdata_o(m_axis_tdata_o[c]),
        .m_axis_tvalid_o(m_axis_tvalid_o[c]),
        .m_axis_tlast_o(m_axis_tlast_o[c]),
        .m_axis_tuser_o(m_axis_tuser_o[c]),
        .m_axis_tready_i(m_axis_tready_i[c]),
        .verdict_valid_o(verdict_valid_o[c]),
        .verdict_o(verdict_o[c]),
        .verdict_corrected_o(verdict_corrected_o[c]),
        .verdict_ready_i(verdict_ready_i[c]),
        .to_tier2_waiting_o(waiting[c]),
        .to_tier2_tdata_o(tdata[c]),
        .to_tier2_tlast_o(tlast[c]),
        .to_tier2_tuser_o(tuser[c]),
        .to_tier2_taken_i(taken[c]),
        .to_tier2_ends_o(ends[c]),
        .from_tier2_tdata_i(result_tdata),
        .from_tier2_tvalid_i(result_tvalid && leaving == channel_t'(c)),
        .from_tier2_tlast_i(result_tlast),
        .from_tier2_tuser_i(result_tuser),
        .from_tier2_tready_o(result_tready[c]),
        .busy_o(busy_o[c]));
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_leaves_one_is_decoded :
      assert (after_last_q - first_q <= 3'd3)
      else $error("LDPC cluster: more codewords in tier 2 than it holds");
      results_have_an_owner :
      assert (!result_tvalid || after_last_q != first_q)
      else $error("LDPC cluster: tier 2 returns what it was not given");
      a_grant_has_a_codeword :
      assert (!granted_q || waiting[owner_q])
      else $error("LDPC cluster: granted to a channel that does not wait");
      idle_means_empty :
      assert (busy_o != '0 || !(tier2_busy || granted_q))
      else $error("LDPC cluster: tier 2 works for nobody");
    end
  end

endmodule
