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
    input logic clk_i,
    input logic rst_ni,
    input logic [7:0] tier1_max_iterations_i,

    input  word_t            s_axis_tdata_i,
    input  logic             s_axis_tvalid_i,
    input  logic             s_axis_tlast_i,
    input  cluster_request_t s_axis_tuser_i,
    output logic             s_axis_tready_o,

    output word_t           m_axis_tdata_o,
    output logic            m_axis_tvalid_o,
    output logic            m_axis_tlast_o,
    output cluster_result_t m_axis_tuser_o,
    input  logic            m_axis_tready_i,

    output logic            verdict_valid_o,
    output cluster_result_t verdict_o,
    output logic [14:0]     verdict_corrected_o,  // bits in which the result differs from what was read
    input  logic            verdict_ready_i,

    // To tier 2: a codeword waits; its beats while it is granted; the end of it.
    output logic             to_tier2_waiting_o,
    output word_t            to_tier2_tdata_o,
    output logic             to_tier2_tlast_o,
    output min_sum_request_t to_tier2_tuser_o,
    input  logic             to_tier2_taken_i,
    output logic             to_tier2_ends_o,

    // From tier 2: a codeword of this channel leaves.
    input  word_t           from_tier2_tdata_i,
    input  logic            from_tier2_tvalid_i,
    input  logic            from_tier2_tlast_i,
    input  min_sum_result_t from_tier2_tuser_i,
    output logic            from_tier2_tready_o,

    output logic busy_o
);
  localparam int unsigned SlotBits = $clog2(Slots);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);
  typedef logic [SlotBits-1:0] slot_t;

  typedef struct packed {
    cluster_request_t request;
    slot_t [2:0]      slots;  // slots of its planes
  } codeword_t;

  typedef enum logic [1:0] {
    OutNone,
    OutFromTier1,
    OutFromTier2,
    OutSwallow  // what tier 1 gave up and tier 2 will have
  } output_state_e;

  word_t buffer[Slots][StreamBeats];
  logic [Slots-1:0] in_use_d, in_use_q;

  // Coming in.
  codeword_t incoming_q;  // its planes so far
  logic [1:0] in_plane_d, in_plane_q;
  logic [8:0] in_beat_d, in_beat_q;
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
  logic [2:0] tier1_head_d, tier1_head_q;
  logic [2:0] tier1_tail_d, tier1_tail_q;
  codeword_t first1;

  // The codewords of tier 2, in order: [done, fed) are inside, [fed, tail) wait.
  codeword_t for_tier2[Slots];
  logic [SlotBits:0] tier2_done_d, tier2_done_q;
  logic [SlotBits:0] tier2_fed_d, tier2_fed_q;
  logic [SlotBits:0] tier2_tail_d, tier2_tail_q;
  logic [1:0] feed_plane_d, feed_plane_q;
  logic [8:0] feed_beat_d, feed_beat_q;
  codeword_t feeding;
  codeword_t first2;

  // Going out.
  output_state_e output_state_d, output_state_q;
  output_state_e output_now;
  codeword_t leaving;
  logic [8:0] out_beat_d, out_beat_q;
  logic [14:0] corrected_q;
  logic [14:0] corrected_now;
  word_t out_data;
  logic out_valid;
  logic out_last;
  logic out_ready;
  logic out_moves;
  logic given_up;  // given up by tier 1, now
  cluster_result_t out_result;
  logic verdict_valid_d, verdict_valid_q;
  cluster_result_t verdict_q;
  logic [14:0] verdict_corrected_q;

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
      if (!in_use_q[i]) free_slot = slot_t'(i);
    end
  end
  assign in_slot = in_beat_q == '0 ? free_slot : incoming_q.slots[in_plane_q];
  assign has_slot = in_beat_q != '0 || in_use_q != '1;
  assign to_tier1 = s_axis_tuser_i.path != PathTier2Only;
  assign s_axis_tready_o = has_slot && (!to_tier1 || tier1_ready);
  assign takes = s_axis_tvalid_i && s_axis_tready_o;
  assign arrives_for_tier2 =
      takes && !to_tier1 && in_beat_q == LastBeat && in_plane_q == s_axis_tuser_i.soft_planes;
  always_comb begin
    arrived = incoming_q;
    arrived.request = s_axis_tuser_i;
    arrived.slots[in_plane_q] = in_slot;
  end

  ldpc_bit_flip_decoder u_tier1 (
      .clk_i,
      .rst_ni,
      .max_iterations_i(tier1_max_iterations_i),
      .s_axis_tdata_i,
      .s_axis_tvalid_i(s_axis_tvalid_i && has_slot && to_tier1),
      .s_axis_tlast_i,
      .s_axis_tready_o(tier1_ready),
      .m_axis_tdata_o(tier1_tdata),
      .m_axis_tvalid_o(tier1_tvalid),
      .m_axis_tlast_o(tier1_tlast),
      .m_axis_tuser_o(tier1_tuser),
      .m_axis_tready_i(tier1_tready),
      .busy_o(tier1_busy));

  assign first1 = in_tier1[tier1_head_q[1:0]];
  assign first2 = for_tier2[tier2_done_q[SlotBits-1:0]];
  assign feeding = for_tier2[tier2_fed_q[SlotBits-1:0]];

  // To tier 2.
  assign to_tier2_waiting_o = tier2_fed_q != tier2_tail_q;
  assign to_tier2_tdata_o = buffer[feeding.slots[feed_plane_q]][feed_beat_q];
  assign to_tier2_tlast_o = feed_beat_q == LastBeat;
  assign to_tier2_tuser_o = '{
      tag: feeding.request.tag, profile: feeding.request.profile, soft_planes: feeding.request.soft_planes};
  assign to_tier2_ends_o = to_tier2_tlast_o && feed_plane_q == feeding.request.soft_planes;

  // Out: which packet begins when none is under way.
  always_comb begin
    output_now = output_state_q;
    if (output_state_q == OutNone) begin
      if (from_tier2_tvalid_i) output_now = OutFromTier2;
      else if (tier1_tvalid) begin
        output_now = !tier1_tuser[8] && first1.request.path == PathEscalate ? OutSwallow : OutFromTier1;
      end
    end
  end
  assign leaving = output_now == OutFromTier2 ? first2 : first1;
  assign out_data = output_now == OutFromTier2 ? from_tier2_tdata_i : tier1_tdata;
  assign out_valid = !(out_last && verdict_valid_q) &&
      ((output_now == OutFromTier2 && from_tier2_tvalid_i) || (output_now == OutFromTier1 && tier1_tvalid));
  assign out_last = out_beat_q == LastBeat;
  assign out_moves = out_valid && out_ready;
  // The last beat of what tier 1 gave up puts it into the queue; not in the clock in which another one goes there.
  assign tier1_tready = (output_now == OutSwallow && !(tier1_tlast && arrives_for_tier2)) ||
      (output_now == OutFromTier1 && out_ready && !(out_last && verdict_valid_q));
  assign given_up = output_now == OutSwallow && tier1_tvalid && tier1_tready && tier1_tlast;
  assign from_tier2_tready_o = output_now == OutFromTier2 && out_ready && !(out_last && verdict_valid_q);
  assign corrected_now =
      (out_beat_q == '0 ? '0 : corrected_q) + 15'($countones(out_data ^ buffer[leaving.slots[0]][out_beat_q]));
  always_comb begin
    out_result = '{
        tag: leaving.request.tag, success: tier1_tuser[8], aborted: 1'b0, tier2: 1'b0, iterations: tier1_tuser[7:0]};
    if (output_now == OutFromTier2) begin
      out_result.success = from_tier2_tuser_i.success;
      out_result.aborted = from_tier2_tuser_i.aborted;
      out_result.tier2 = 1'b1;
      out_result.iterations = {3'b0, from_tier2_tuser_i.layers[7:3]} + {7'b0, from_tier2_tuser_i.layers[2:0] != '0};
    end
  end

  assign busy_o = in_use_q != '0 || tier1_busy || m_axis_tvalid_o || verdict_valid_q;

  // ---- next state ----

  always_comb begin
    in_use_d = in_use_q;
    in_plane_d = in_plane_q;
    in_beat_d = in_beat_q;
    tier1_head_d = tier1_head_q;
    tier1_tail_d = tier1_tail_q;
    if (takes) begin
      in_use_d[in_slot] = 1'b1;
      if (in_beat_q == '0 && to_tier1) tier1_tail_d = tier1_tail_q + 1'b1;
      in_beat_d = in_beat_q == LastBeat ? '0 : in_beat_q + 1'b1;
      if (in_beat_q == LastBeat) in_plane_d = in_plane_q == s_axis_tuser_i.soft_planes ? '0 : in_plane_q + 1'b1;
    end

    output_state_d = output_state_q;
    out_beat_d = out_beat_q;
    tier2_done_d = tier2_done_q;
    verdict_valid_d = verdict_valid_q && !verdict_ready_i;
    if (output_now == OutSwallow && tier1_tvalid && tier1_tready) begin
      output_state_d = tier1_tlast ? OutNone : OutSwallow;
      if (tier1_tlast) tier1_head_d = tier1_head_q + 1'b1;
    end
    if (out_moves) begin
      out_beat_d = out_last ? '0 : out_beat_q + 1'b1;
      output_state_d = out_last ? OutNone : output_now;
      if (out_last) begin
        verdict_valid_d = 1'b1;
        for (int plane = 0; plane < 3; plane++) begin
          if (2'(plane) <= leaving.request.soft_planes) in_use_d[leaving.slots[plane]] = 1'b0;
        end
        if (output_now == OutFromTier1) tier1_head_d = tier1_head_q + 1'b1;
        else tier2_done_d = tier2_done_q + 1'b1;
      end
    end

    tier2_tail_d = arrives_for_tier2 || given_up ? tier2_tail_q + 1'b1 : tier2_tail_q;
    tier2_fed_d = tier2_fed_q;
    feed_plane_d = feed_plane_q;
    feed_beat_d = feed_beat_q;
    if (to_tier2_taken_i) begin
      feed_beat_d = to_tier2_tlast_o ? '0 : feed_beat_q + 1'b1;
      if (to_tier2_tlast_o) feed_plane_d = to_tier2_ends_o ? '0 : feed_plane_q + 1'b1;
      if (to_tier2_ends_o) tier2_fed_d = tier2_fed_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_use_q <= '0;
      in_plane_q <= '0;
      in_beat_q <= '0;
      tier1_head_q <= '0;
      tier1_tail_q <= '0;
      tier2_done_q <= '0;
      tier2_fed_q <= '0;
      tier2_tail_q <= '0;
      feed_plane_q <= '0;
      feed_beat_q <= '0;
      output_state_q <= OutNone;
      out_beat_q <= '0;
      verdict_valid_q <= 1'b0;
    end else begin
      in_use_q <= in_use_d;
      in_plane_q <= in_plane_d;
      in_beat_q <= in_beat_d;
      tier1_head_q <= tier1_head_d;
      tier1_tail_q <= tier1_tail_d;
      tier2_done_q <= tier2_done_d;
      tier2_fed_q <= tier2_fed_d;
      tier2_tail_q <= tier2_tail_d;
      feed_plane_q <= feed_plane_d;
      feed_beat_q <= feed_beat_d;
      output_state_q <= output_state_d;
      out_beat_q <= out_beat_d;
      verdict_valid_q <= verdict_valid_d;
    end
  end

  // No reset: slots and entries of the queues, read only where the registers above say that they are filled, and a sum
  // that begins anew with the first beat of a packet.
  always_ff @(posedge clk_i) begin
    if (takes) begin
      buffer[in_slot][in_beat_q] <= s_axis_tdata_i;
      incoming_q <= arrived;
      if (in_beat_q == '0 && to_tier1) in_tier1[tier1_tail_q[1:0]] <= arrived;
    end
    if (arrives_for_tier2 || given_up) for_tier2[tier2_tail_q[SlotBits-1:0]] <= given_up ? first1 : arrived;
    if (out_moves) begin
      corrected_q <= corrected_now;
      if (out_last) begin
        verdict_q <= out_result;
        verdict_corrected_q <= corrected_now;
      end
    end
  end

  assign verdict_valid_o = verdict_valid_q;
  assign verdict_o = verdict_q;
  assign verdict_corrected_o = verdict_corrected_q;

  axi_stream_register #(.PayloadBits(65 + $bits(cluster_result_t))) u_output_register (
      .clk_i, .rst_ni, .in_payload_i({out_result, out_last, out_data}), .in_valid_i(out_valid), .in_ready_o(out_ready),
      .out_payload_o({m_axis_tuser_o, m_axis_tlast_o, m_axis_tdata_o}), .out_valid_o(m_axis_tvalid_o),
      .out_ready_i(m_axis_tready_i));

  logic [SlotBits:0] in_tier2;
  logic [SlotBits:0] of_tier2;
  assign in_tier2 = tier2_fed_q - tier2_done_q;
  assign of_tier2 = tier2_tail_q - tier2_done_q;

  // Queues hold what they were made for, slots have one owner, and the state machine takes only the steps it has.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      soft_bits_are_for_tier2 :
      assert (!s_axis_tvalid_i || s_axis_tuser_i.path == PathTier2Only || s_axis_tuser_i.soft_planes == '0)
      else $error("LDPC channel: soft planes sent to tier 1");
      known_request :
      assert (!s_axis_tvalid_i || (s_axis_tuser_i.path != decode_path_e'(2'd3) && s_axis_tuser_i.soft_planes != 2'd3))
      else $error("LDPC channel: unknown path, or three soft planes");
      one_request_a_codeword :
      assert (!s_axis_tvalid_i || (in_plane_q == '0 && in_beat_q == '0) || s_axis_tuser_i == incoming_q.request)
      else $error("LDPC channel: tuser changes within a codeword");
      slot_is_free :
      assert (!takes || in_beat_q != '0 || !in_use_q[in_slot])
      else $error("LDPC channel: a plane overwrites a slot in use");
      tier1_queue_has_room :
      assert (tier1_tail_q - tier1_head_q <= 3'd4)
      else $error("LDPC channel: more codewords in tier 1 than it holds");
      tier1_queue_is_filled :
      assert (!tier1_tvalid || tier1_tail_q != tier1_head_q)
      else $error("LDPC channel: tier 1 returns what it was not given");
      tier2_queue_is_in_order :
      assert (in_tier2 <= of_tier2 && of_tier2 <= {1'b1, {SlotBits{1'b0}}})
      else $error("LDPC channel: queue of tier 2 overflows");
      tier2_returns_what_it_was_given :
      assert (!from_tier2_tvalid_i || (tier2_done_q != tier2_fed_q && from_tier2_tuser_i.tag == first2.request.tag))
      else $error("LDPC channel: tier 2 returns what it was not given");
      packets_are_whole :
      assert (output_state_q == OutNone || output_now == output_state_q)
      else $error("LDPC channel: the output changes its source within a packet");
      ends_agree :
      assert (!out_valid || out_last == (output_now == OutFromTier2 ? from_tier2_tlast_i : tier1_tlast))
      else $error("LDPC channel: beats of the output miscounted");
    end
  end

endmodule
