// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// One channel of the decoder cluster: its tier 1, the codewords as they were read, and its way to the shared tier 2.
//
// Every plane that comes in is kept in a slot until its codeword has left: tier 2 needs the bits as read, and the
// bits corrected are counted against them. A codeword that tier 1 gives up waits in its slot for tier 2; what
// came after it goes on and overtakes it. Each codeword that goes in comes out once: one packet of bits, right or not,
// and one verdict with the last beat of it. The output takes whole packets, those of tier 2 first.
//
// Limits: an output that is not taken holds up the channel, and, when a codeword of tier 2 waits there, tier 2.
module ldpc_decoder_channel
  import bit_plane_pkg::*;
  import ldpc_base_pkg::*;
  import ldpc_cluster_pkg::*;
  import min_sum_pkg::*;
#(
    parameter int unsigned Slots = 8  // planes kept; a power of two, 4 at least
) (
    input logic clk,
    input logic rst_n,
    input logic [7:0] tier1_max_iterations,

    input  word_t            s_axis_tdata,
    input  logic             s_axis_tvalid,
    input  logic             s_axis_tlast,
    input  cluster_request_t s_axis_tuser,
    output logic             s_axis_tready,

    output word_t           m_axis_tdata,
    output logic            m_axis_tvalid,
    output logic            m_axis_tlast,
    output cluster_result_t m_axis_tuser,
    input  logic            m_axis_tready,

    output logic            verdict_valid,
    output cluster_result_t verdict,
    output logic [14:0]     verdict_corrected,  // bits in which the result differs from what was read
    input  logic            verdict_ready,

    // To tier 2: a codeword waits; its beats while it is granted; the end of it.
    output logic             to_tier2_waiting,
    output word_t            to_tier2_tdata,
    output logic             to_tier2_tlast,
    output min_sum_request_t to_tier2_tuser,
    input  logic             to_tier2_taken,
    output logic             to_tier2_ends,

    // From tier 2: a codeword of this channel leaves.
    input  word_t           from_tier2_tdata,
    input  logic            from_tier2_tvalid,
    input  logic            from_tier2_tlast,
    input  min_sum_result_t from_tier2_tuser,
    output logic            from_tier2_tready,

    output logic busy
);
  localparam int unsigned SlotBits = $clog2(Slots);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);
  typedef logic [SlotBits-1:0] slot_t;

  typedef struct packed {
    cluster_request_t request;
    slot_t [2:0]      slots;  // of its planes
  } codeword_t;

  typedef enum logic [1:0] {
    NONE,
    FROM_TIER1,
    FROM_TIER2,
    SWALLOW  // what tier 1 gave up and tier 2 will have
  } output_state_t;

  word_t buffer[Slots][StreamBeats];
  logic [Slots-1:0] in_use;

  // Coming in.
  codeword_t incoming;  // its planes so far
  logic [1:0] in_plane;
  logic [8:0] in_beat;
  slot_t free_slot;
  slot_t in_slot;
  logic has_slot;
  logic to_tier1;
  logic tier1_ready;
  logic takes;
  logic arrives_for_tier2;
  codeword_t arrived;

  // In tier 1, in order: two are inside, a third one comes in behind the first.
  codeword_t in_tier1[4];
  logic [2:0] tier1_head;
  logic [2:0] tier1_tail;
  codeword_t first1;

  // Of tier 2, in order: [done, fed) are inside, [fed, tail) wait.
  codeword_t for_tier2[Slots];
  logic [SlotBits:0] tier2_done;
  logic [SlotBits:0] tier2_fed;
  logic [SlotBits:0] tier2_tail;
  logic [1:0] feed_plane;
  logic [8:0] feed_beat;
  codeword_t feeding;
  codeword_t first2;

  // Going out.
  output_state_t output_state;
  output_state_t output_now;
  codeword_t leaving;
  logic [8:0] out_beat;
  logic [14:0] corrected;
  logic [14:0] corrected_now;
  word_t out_data;
  logic out_valid;
  logic out_last;
  logic out_ready;
  logic out_moves;
  logic given_up;  // by tier 1, now
  cluster_result_t out_result;

  word_t tier1_tdata;
  logic tier1_tvalid;
  logic tier1_tlast;
  logic [8:0] tier1_tuser;
  logic tier1_tready;
  logic tier1_busy;

  // In. A plane needs a slot, and without soft planes, unless it goes straight to tier 2, tier 1 as well.
  always_comb begin
    free_slot = '0;
    for (int i = int'(Slots) - 1; i >= 0; i--) begin
      if (!in_use[i]) free_slot = slot_t'(i);
    end
  end
  assign in_slot = in_beat == '0 ? free_slot : incoming.slots[in_plane];
  assign has_slot = in_beat != '0 || in_use != '1;
  assign to_tier1 = s_axis_tuser.path != TIER2_ONLY;
  assign s_axis_tready = has_slot && (!to_tier1 || tier1_ready);
  assign takes = s_axis_tvalid && s_axis_tready;
  assign arrives_for_tier2 =
      takes && !to_tier1 && in_beat == LastBeat && in_plane == s_axis_tuser.soft_planes;
  always_comb begin
    arrived = incoming;
    arrived.request = s_axis_tuser;
    arrived.slots[in_plane] = in_slot;
  end

  ldpc_bit_flip_decoder tier1 (
      .clk,
      .rst_n,
      .max_iterations(tier1_max_iterations),
      .s_axis_tdata,
      .s_axis_tvalid(s_axis_tvalid && has_slot && to_tier1),
      .s_axis_tlast,
      .s_axis_tready(tier1_ready),
      .m_axis_tdata(tier1_tdata),
      .m_axis_tvalid(tier1_tvalid),
      .m_axis_tlast(tier1_tlast),
      .m_axis_tuser(tier1_tuser),
      .m_axis_tready(tier1_tready),
      .busy(tier1_busy));

  assign first1 = in_tier1[tier1_head[1:0]];
  assign first2 = for_tier2[tier2_done[SlotBits-1:0]];
  assign feeding = for_tier2[tier2_fed[SlotBits-1:0]];

  // To tier 2.
  assign to_tier2_waiting = tier2_fed != tier2_tail;
  assign to_tier2_tdata = buffer[feeding.slots[feed_plane]][feed_beat];
  assign to_tier2_tlast = feed_beat == LastBeat;
  assign to_tier2_tuser = '{
      tag: feeding.request.tag, profile: feeding.request.profile, soft_planes: feeding.request.soft_planes};
  assign to_tier2_ends = to_tier2_tlast && feed_plane == feeding.request.soft_planes;

  // Out: which packet begins when none is under way.
  always_comb begin
    output_now = output_state;
    if (output_state == NONE) begin
      if (from_tier2_tvalid) output_now = FROM_TIER2;
      else if (tier1_tvalid) begin
        output_now = !tier1_tuser[8] && first1.request.path == ESCALATE ? SWALLOW : FROM_TIER1;
      end
    end
  end
  assign leaving = output_now == FROM_TIER2 ? first2 : first1;
  assign out_data = output_now == FROM_TIER2 ? from_tier2_tdata : tier1_tdata;
  assign out_valid = ((output_now == FROM_TIER2 && from_tier2_tvalid) || (output_now == FROM_TIER1 && tier1_tvalid)) &&
      !(out_last && verdict_valid);
  assign out_last = out_beat == LastBeat;
  assign out_moves = out_valid && out_ready;
  // The last beat of what tier 1 gave up puts it into the queue; not in the clock in which another one goes there.
  assign tier1_tready = (output_now == SWALLOW && !(tier1_tlast && arrives_for_tier2)) ||
      (output_now == FROM_TIER1 && out_ready && !(out_last && verdict_valid));
  assign given_up = output_now == SWALLOW && tier1_tvalid && tier1_tready && tier1_tlast;
  assign from_tier2_tready = output_now == FROM_TIER2 && out_ready && !(out_last && verdict_valid);
  assign corrected_now =
      (out_beat == '0 ? '0 : corrected) + 15'($countones(out_data ^ buffer[leaving.slots[0]][out_beat]));
  always_comb begin
    out_result = '{
        tag: leaving.request.tag, success: tier1_tuser[8], aborted: 1'b0, tier2: 1'b0, iterations: tier1_tuser[7:0]};
    if (output_now == FROM_TIER2) begin
      out_result.success = from_tier2_tuser.success;
      out_result.aborted = from_tier2_tuser.aborted;
      out_result.tier2 = 1'b1;
      out_result.iterations = {3'b0, from_tier2_tuser.layers[7:3]} + {7'b0, from_tier2_tuser.layers[2:0] != '0};
    end
  end

  assign busy = in_use != '0 || tier1_busy || m_axis_tvalid || verdict_valid;

  always_ff @(posedge clk) begin
    automatic logic [Slots-1:0] used = in_use;

    if (takes) begin
      buffer[in_slot][in_beat] <= s_axis_tdata;
      incoming <= arrived;
      used[in_slot] = 1'b1;
      if (in_beat == '0 && to_tier1) begin
        in_tier1[tier1_tail[1:0]] <= arrived;
        tier1_tail <= tier1_tail + 1'b1;
      end
      if (in_beat == LastBeat) begin
        in_beat <= '0;
        in_plane <= in_plane == s_axis_tuser.soft_planes ? '0 : in_plane + 1'b1;
      end else begin
        in_beat <= in_beat + 1'b1;
      end
    end

    if (output_now == SWALLOW && tier1_tvalid && tier1_tready) begin
      output_state <= tier1_tlast ? NONE : SWALLOW;
      if (tier1_tlast) tier1_head <= tier1_head + 1'b1;
    end

    if (verdict_ready) verdict_valid <= 1'b0;
    if (out_moves) begin
      corrected <= corrected_now;
      out_beat <= out_last ? '0 : out_beat + 1'b1;
      output_state <= out_last ? NONE : output_now;
      if (out_last) begin
        verdict_valid <= 1'b1;
        verdict <= out_result;
        verdict_corrected <= corrected_now;
        for (int plane = 0; plane < 3; plane++) begin
          if (2'(plane) <= leaving.request.soft_planes) used[leaving.slots[plane]] = 1'b0;
        end
        if (output_now == FROM_TIER1) tier1_head <= tier1_head + 1'b1;
        else tier2_done <= tier2_done + 1'b1;
      end
    end
    in_use <= used;

    if (arrives_for_tier2 || given_up) begin
      for_tier2[tier2_tail[SlotBits-1:0]] <= given_up ? first1 : arrived;
      tier2_tail <= tier2_tail + 1'b1;
    end

    if (to_tier2_taken) begin
      feed_beat <= to_tier2_tlast ? '0 : feed_beat + 1'b1;
      if (to_tier2_tlast) feed_plane <= to_tier2_ends ? '0 : feed_plane + 1'b1;
      if (to_tier2_ends) tier2_fed <= tier2_fed + 1'b1;
    end

    if (!rst_n) begin
      in_use <= '0;
      in_plane <= '0;
      in_beat <= '0;
      tier1_head <= '0;
      tier1_tail <= '0;
      tier2_done <= '0;
      tier2_fed <= '0;
      tier2_tail <= '0;
      feed_plane <= '0;
      feed_beat <= '0;
      output_state <= NONE;
      out_beat <= '0;
      verdict_valid <= 1'b0;
    end
  end

  axi_stream_register #(.PayloadBits(65 + $bits(cluster_result_t))) output_register (
      .clk, .rst_n, .in_payload({out_result, out_last, out_data}), .in_valid(out_valid), .in_ready(out_ready),
      .out_payload({m_axis_tuser, m_axis_tlast, m_axis_tdata}), .out_valid(m_axis_tvalid), .out_ready(m_axis_tready));

  axi_stream_checker #(.PayloadBits(64 + $bits(cluster_request_t)), .Beats(StreamBeats)) input_checker (
      .clk, .rst_n, .tvalid(s_axis_tvalid), .tready(s_axis_tready), .tlast(s_axis_tlast),
      .payload({s_axis_tuser, s_axis_tdata}));

  axi_stream_checker #(.PayloadBits(64 + $bits(cluster_result_t)), .Beats(StreamBeats)) output_checker (
      .clk, .rst_n, .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tlast(m_axis_tlast),
      .payload({m_axis_tuser, m_axis_tdata}));

  handshake_checker #(.PayloadBits(15 + $bits(cluster_result_t))) verdict_checker (
      .clk, .rst_n, .valid(verdict_valid), .ready(verdict_ready), .payload({verdict, verdict_corrected}));

  logic [SlotBits:0] in_tier2;
  logic [SlotBits:0] of_tier2;
  assign in_tier2 = tier2_fed - tier2_done;
  assign of_tier2 = tier2_tail - tier2_done;

  // Queues hold what they were made for, slots have one owner, and the state machine takes only the steps it has.
  always_ff @(posedge clk) begin
    if (rst_n) begin
      soft_bits_are_for_tier2 :
      assert (!s_axis_tvalid || s_axis_tuser.path == TIER2_ONLY || s_axis_tuser.soft_planes == '0)
      else $error("LDPC channel: soft planes sent to tier 1");
      known_request :
      assert (!s_axis_tvalid || (s_axis_tuser.path != decode_path_t'(2'd3) && s_axis_tuser.soft_planes != 2'd3))
      else $error("LDPC channel: unknown path, or three soft planes");
      one_request_a_codeword :
      assert (!s_axis_tvalid || (in_plane == '0 && in_beat == '0) || s_axis_tuser == incoming.request)
      else $error("LDPC channel: tuser changes within a codeword");
      slot_is_free :
      assert (!takes || in_beat != '0 || !in_use[in_slot])
      else $error("LDPC channel: a plane overwrites a slot in use");
      tier1_queue_has_room :
      assert (tier1_tail - tier1_head <= 3'd4)
      else $error("LDPC channel: more codewords in tier 1 than it holds");
      tier1_queue_is_filled :
      assert (!tier1_tvalid || tier1_tail != tier1_head)
      else $error("LDPC channel: tier 1 returns what it was not given");
      tier2_queue_is_in_order :
      assert (in_tier2 <= of_tier2 && of_tier2 <= {1'b1, {SlotBits{1'b0}}})
      else $error("LDPC channel: queue of tier 2 overflows");
      tier2_returns_what_it_was_given :
      assert (!from_tier2_tvalid || (tier2_done != tier2_fed && from_tier2_tuser.tag == first2.request.tag))
      else $error("LDPC channel: tier 2 returns what it was not given");
      packets_are_whole :
      assert (output_state == NONE || output_now == output_state)
      else $error("LDPC channel: the output changes its source within a packet");
      ends_agree :
      assert (!out_valid || out_last == (output_now == FROM_TIER2 ? from_tier2_tlast : tier1_tlast))
      else $error("LDPC channel: beats of the output miscounted");
    end
  end

endmodule
