// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The decoders of a controller: a tier 1 for each channel, one tier 2 for all, and an arbiter between them.
//
// Tier 2 is granted for a whole codeword, in turn: from the channel after the last one served. It is granted again as
// soon as the last beat is in, and then loads behind the codeword that leaves, so it is never idle while one waits,
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
    input logic clk,
    input logic rst_n,

    // May change only while nothing is inside.
    input logic       [7:0] tier1_max_iterations,
    input logic       [4:0] tier2_max_iterations,
    input llr_table_t [3:0] llr_table,

    input logic [Channels-1:0] give_up,

    input  word_t            [Channels-1:0] s_axis_tdata,
    input  logic             [Channels-1:0] s_axis_tvalid,
    input  logic             [Channels-1:0] s_axis_tlast,
    input  cluster_request_t [Channels-1:0] s_axis_tuser,
    output logic             [Channels-1:0] s_axis_tready,

    output word_t           [Channels-1:0] m_axis_tdata,
    output logic            [Channels-1:0] m_axis_tvalid,
    output logic            [Channels-1:0] m_axis_tlast,
    output cluster_result_t [Channels-1:0] m_axis_tuser,
    input  logic            [Channels-1:0] m_axis_tready,

    output logic            [Channels-1:0]       verdict_valid,
    output cluster_result_t [Channels-1:0]       verdict,
    output logic            [Channels-1:0][14:0] verdict_corrected,
    input  logic            [Channels-1:0]       verdict_ready,

    output logic [Channels-1:0] busy
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
  logic granted;
  channel_t owner;
  channel_t next;
  always_comb begin
    next = owner;
    for (int i = int'(Channels); i > 0; i--) begin
      automatic channel_t c = channel_t'((int'(owner) + i) % int'(Channels));
      if (waiting[c]) next = c;
    end
  end

  // Whose codewords are in tier 2, in order: one leaves, one is decoded or loaded.
  channel_t owners[4];
  logic [2:0] first;
  logic [2:0] after_last;
  channel_t leaving;
  assign leaving = owners[first[1:0]];

  logic tier2_tready;
  logic tier2_busy;
  ldpc_min_sum_decoder tier2 (
      .clk,
      .rst_n,
      .max_iterations(tier2_max_iterations),
      .llr_table,
      .give_up(give_up[owner]),
      .s_axis_tdata(tdata[owner]),
      .s_axis_tvalid(granted),
      .s_axis_tlast(tlast[owner]),
      .s_axis_tuser(tuser[owner]),
      .s_axis_tready(tier2_tready),
      .m_axis_tdata(result_tdata),
      .m_axis_tvalid(result_tvalid),
      .m_axis_tlast(result_tlast),
      .m_axis_tuser(result_tuser),
      .m_axis_tready(result_tready[leaving]),
      .busy(tier2_busy));

  always_ff @(posedge clk) begin
    if (!granted) begin
      if (waiting != '0) begin
        granted <= 1'b1;
        owner <= next;
        owners[after_last[1:0]] <= next;
        after_last <= after_last + 1'b1;
      end
    end else if (tier2_tready && ends[owner]) begin
      granted <= 1'b0;
    end
    if (result_tvalid && result_tready[leaving] && result_tlast) first <= first + 1'b1;
    if (!rst_n) begin
      granted <= 1'b0;
      owner <= '0;
      first <= '0;
      after_last <= '0;
    end
  end

  for (genvar c = 0; c < int'(Channels); c++) begin : gen_channel
    assign taken[c] = granted && owner == channel_t'(c) && tier2_tready;
    ldpc_decoder_channel #(.Slots(Slots)) channel (
        .clk,
        .rst_n,
        .tier1_max_iterations,
        .s_axis_tdata(s_axis_tdata[c]),
        .s_axis_tvalid(s_axis_tvalid[c]),
        .s_axis_tlast(s_axis_tlast[c]),
        .s_axis_tuser(s_axis_tuser[c]),
        .s_axis_tready(s_axis_tready[c]),
        .m_axis_tdata(m_axis_tdata[c]),
        .m_axis_tvalid(m_axis_tvalid[c]),
        .m_axis_tlast(m_axis_tlast[c]),
        .m_axis_tuser(m_axis_tuser[c]),
        .m_axis_tready(m_axis_tready[c]),
        .verdict_valid(verdict_valid[c]),
        .verdict(verdict[c]),
        .verdict_corrected(verdict_corrected[c]),
        .verdict_ready(verdict_ready[c]),
        .to_tier2_waiting(waiting[c]),
        .to_tier2_tdata(tdata[c]),
        .to_tier2_tlast(tlast[c]),
        .to_tier2_tuser(tuser[c]),
        .to_tier2_taken(taken[c]),
        .to_tier2_ends(ends[c]),
        .from_tier2_tdata(result_tdata),
        .from_tier2_tvalid(result_tvalid && leaving == channel_t'(c)),
        .from_tier2_tlast(result_tlast),
        .from_tier2_tuser(result_tuser),
        .from_tier2_tready(result_tready[c]),
        .busy(busy[c]));
  end

  always_ff @(posedge clk) begin
    if (rst_n) begin
      one_leaves_one_is_decoded :
      assert (after_last - first <= 3'd3)
      else $error("LDPC cluster: more codewords in tier 2 than it holds");
      results_have_an_owner :
      assert (!result_tvalid || after_last != first)
      else $error("LDPC cluster: tier 2 returns what it was not given");
      a_grant_has_a_codeword :
      assert (!granted || waiting[owner])
      else $error("LDPC cluster: granted to a channel that does not wait");
      idle_means_empty :
      assert (busy != '0 || !(tier2_busy || granted))
      else $error("LDPC cluster: tier 2 works for nobody");
    end
  end

endmodule
