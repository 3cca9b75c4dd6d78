// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Tier 2: layered normalised min-sum, one circulant of 256 lanes a clock in two phases, hard or soft input.
// models/ecc/min_sum_decoder.h is the specification; bits, success, layers and clocks are the same.
//
// A codeword comes in as one packet of 292 beats with its hard bits, and one more packet for each plane of reliability
// (rel0, then rel1) that s_axis_tuser announces; bits of planes that are not sent are zero. Bit i is in bit i % 64 of beat
// i / 64; shortened bits are sent, as anything, and ignored. It leaves as one packet of hard bits. From the clock
// after the last beat in, decoding takes 2 clocks for each circulant of each layer and one for the verdict; the first beat
// leaves one clock later. The next codeword is loaded behind the columns as they leave, so a stream of codewords costs
// the loading plus the decoding plus about six clocks each.
//
// Memories (all read in the clock of their address, as register files are; one read and one write a clock):
//   value     7 planes x 256 lanes x 73: a posteriori values L, in phase B's turn Q, and the sign of L before the layer.
//             A column stays in the order of the circulant that used it last; the next one turns it by the difference.
//   message   2 planes x 256 lanes x 291: sign, and whether the magnitude is that of the smallest or the second smallest.
//             The magnitudes themselves are 2 x 3 planes for each of the 8 rows.
//
// Abort: the codeword being decoded or loaded is given up at the end of its layer (at once when none has begun after
// loading) and leaves, as all do, marked as aborted. One that has its verdict is left alone.
//
// Limits: one codeword is decoded at a time; phases of different layers do not overlap. Nothing was synthesised for a library.
module ldpc_min_sum_decoder
  import bit_plane_pkg::*;
  import ldpc_base_pkg::*;
  import min_sum_pkg::*;
(
    input logic clk,
    input logic rst_n,

    // Iterations of eight layers before a codeword is given up. May change only while nothing is inside.
    input logic [4:0] max_iterations,
    // Channel magnitudes by profile: element 0 is profile 0. Read while the last plane of a codeword is loaded.
    input llr_table_t [3:0] llr_table,
    input logic give_up,

    input  word_t            s_axis_tdata,
    input  logic             s_axis_tvalid,
    input  logic             s_axis_tlast,
    input  min_sum_request_t s_axis_tuser,
    output logic             s_axis_tready,

    output word_t           m_axis_tdata,
    output logic            m_axis_tvalid,
    output logic            m_axis_tlast,
    output min_sum_result_t m_axis_tuser,
    input  logic            m_axis_tready,

    // Something is inside: the clock may be stopped while this is low and nothing is offered.
    output logic busy,

    // To look at: state, layers taken, unsatisfied checks found by the last layer.
    output logic [1:0]           status_state,
    output logic [LayerBits-1:0] status_layers,
    output logic [8:0]           status_unsatisfied
);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);
  localparam logic [8:0] LastStep = 9'(Circulants - 1);

  // The shortened bits are the last of the information columns: known zeros, as sure as can be.
  localparam logic [6:0] ShortenedColumn = 7'(InformationBits / Lifting);
  localparam logic [Lifting-1:0] ShortenedMask = {{ShortenedBits{1'b1}}, {(Lifting - ShortenedBits) {1'b0}}};
  localparam word_t ShortenedLanes[4] = '{
      ShortenedMask[63:0], ShortenedMask[127:64], ShortenedMask[191:128], ShortenedMask[255:192]};

  typedef enum logic [1:0] {
    LOAD,
    GATHER,  // phase A: Q = L - R, minima, parity
    UPDATE,  // phase B: R, L = Q + R
    VERDICT
  } state_t;

  state_t state;

  // [word of the block column][column]
  word_t value_sign[4][BlockColumns];
  word_t value4[4][BlockColumns];
  word_t value3[4][BlockColumns];
  word_t value2[4][BlockColumns];
  word_t value1[4][BlockColumns];
  word_t value0[4][BlockColumns];
  word_t sign_before[4][BlockColumns];
  logic [7:0] turn[BlockColumns];  // lane j of the memory is bit j + turn of the column

  word_t message_sign[4][Circulants];
  word_t message_second[4][Circulants];  // its magnitude is the row's second smallest
  word_t smallest2[4][BlockRows];
  word_t smallest1[4][BlockRows];
  word_t smallest0[4][BlockRows];
  word_t second2[4][BlockRows];
  word_t second1[4][BlockRows];
  word_t second0[4][BlockRows];

  // One layer.
  logic [8:0] step;
  logic [8:0] row_start;
  logic [2:0] row;
  logic first_iteration;  // there are no messages yet
  word_t sign_product[4];
  word_t parity[4];
  word_t changed[4];
  word_t low5[4];  // levels of the smallest scaled magnitude so far
  word_t low4[4];
  word_t low3[4];
  word_t low2[4];
  word_t low1[4];
  word_t next5[4];  // and of the second smallest
  word_t next4[4];
  word_t next3[4];
  word_t next2[4];
  word_t next1[4];

  // One codeword.
  min_sum_request_t request;
  logic [LayerBits-1:0] layers;
  logic [3:0] quiet;
  logic success;
  logic aborting;

  // Loading.
  logic [1:0] load_plane;
  logic [8:0] load_beat;
  min_sum_request_t loading;
  assign loading = load_plane == '0 && load_beat == '0 ? s_axis_tuser : request;

  // Unloading.
  logic unloading;
  logic [8:0] unload_beat;
  min_sum_result_t result;

  // Constants: a read-only memory of the base matrix.
  step_t step_table[Circulants];
  for (genvar k = 0; k < int'(Circulants); k++) begin : gen_step_table
    localparam step_t Step = step_of(k);
    assign step_table[k] = Step;
  end

  assign s_axis_tready = state == LOAD && (!unloading || load_beat[8:2] < unload_beat[8:2]);
  assign busy = state != LOAD || unloading || load_plane != '0 || load_beat != '0 || m_axis_tvalid;
  assign status_state = state;
  assign status_layers = layers;

  // Bits of the hard plane that leave in this clock, turned back.
  function automatic logic [7:0] minus(input logic [7:0] a, input logic [7:0] b);
    minus = a - b;
  endfunction

  always_ff @(posedge clk) begin
    if (give_up && (state == GATHER || state == UPDATE || (state == LOAD && (load_plane != '0 || load_beat != '0)))) begin
      aborting <= 1'b1;
    end

    if (state == LOAD && s_axis_tvalid && s_axis_tready) begin
      automatic logic [6:0] c = load_beat[8:2];
      automatic logic [1:0] w = load_beat[1:0];
      automatic logic last_plane = load_plane == loading.soft_planes;
      request <= loading;
      if (!last_plane) begin
        if (load_plane == '0) value_sign[w][c] <= s_axis_tdata;
        else value0[w][c] <= s_axis_tdata;
      end else begin
        automatic word_t hard = load_plane == '0 ? s_axis_tdata : value_sign[w][c];
        automatic word_t rel0 = load_plane == '0 ? '0 : load_plane == 2'd1 ? s_axis_tdata : value0[w][c];
        automatic word_t rel1 = load_plane == 2'd2 ? s_axis_tdata : '0;
        automatic llr_table_t llr = llr_table[loading.profile];
        automatic word_t known = c == ShortenedColumn ? ShortenedLanes[w] : '0;
        automatic word_t m2 = '0;
        automatic word_t m1 = '0;
        automatic word_t m0 = '0;
        for (int symbol = 0; symbol < 4; symbol++) begin
          automatic word_t is_it = (rel1 ^ {64{!symbol[1]}}) & (rel0 ^ {64{!symbol[0]}});
          m2 |= is_it & {64{llr[symbol][2]}};
          m1 |= is_it & {64{llr[symbol][1]}};
          m0 |= is_it & {64{llr[symbol][0]}};
        end
        value_sign[w][c] <= hard & (m2 | m1 | m0) & ~known;
        value4[w][c] <= known;
        value3[w][c] <= known;
        value2[w][c] <= m2 | known;
        value1[w][c] <= m1 | known;
        value0[w][c] <= m0 | known;
        turn[c] <= '0;
      end
      if (load_beat == LastBeat) begin
        load_beat <= '0;
        if (last_plane) begin
          load_plane <= '0;
          state <= max_iterations == '0 || aborting || give_up ? VERDICT : GATHER;
        end else begin
          load_plane <= load_plane + 1'b1;
        end
      end else begin
        load_beat <= load_beat + 1'b1;
      end
    end

    if (state == GATHER || state == UPDATE) begin
      automatic logic gather = state == GATHER;
      automatic step_t k = step_table[step];
      automatic logic [6:0] c = k.column;
      automatic logic [7:0] by = minus(k.shift, turn[c]);
      automatic word_t disturbed = '0;
      automatic logic [8:0] unsatisfied = '0;

      for (int w = 0; w < 4; w++) begin
        automatic word_t sign;
        automatic word_t m4;
        automatic word_t m3;
        automatic word_t m2;
        automatic word_t m1;
        automatic word_t m0;
        automatic word_t differ;
        automatic word_t r2;
        automatic word_t r1;
        automatic word_t r0;
        automatic word_t t5;
        automatic word_t t4;
        automatic word_t t3;
        automatic word_t t2;
        automatic word_t t1;
        automatic word_t second;
        automatic word_t old_sign = '0;
        automatic word_t out_sign;
        automatic word_t o4;
        automatic word_t o3;
        automatic word_t o2;
        automatic word_t o1;
        automatic word_t o0;

        // The operands of the one adder.
        if (gather) begin
          automatic logic [1:0] low = 2'(w) + by[7:6];
          automatic logic [1:0] high = low + 2'd1;
          sign = funnel_right(value_sign[high][c], value_sign[low][c], by[5:0]);
          m4 = funnel_right(value4[high][c], value4[low][c], by[5:0]);
          m3 = funnel_right(value3[high][c], value3[low][c], by[5:0]);
          m2 = funnel_right(value2[high][c], value2[low][c], by[5:0]);
          m1 = funnel_right(value1[high][c], value1[low][c], by[5:0]);
          m0 = funnel_right(value0[high][c], value0[low][c], by[5:0]);
          differ = ~(sign ^ message_sign[w][step]);
          second = message_second[w][step];
        end else begin
          sign = value_sign[w][c];
          m4 = value4[w][c];
          m3 = value3[w][c];
          m2 = value2[w][c];
          m1 = value1[w][c];
          m0 = value0[w][c];
          differ = sign_product[w];
          old_sign = sign_before[w][c];
          scaled_levels(m4, m3, m2, m1, m0, t5, t4, t3, t2, t1);
          second = ~((t5 ^ low5[w]) | (t4 ^ low4[w]) | (t3 ^ low3[w]) | (t2 ^ low2[w]) | (t1 ^ low1[w]));
        end
        r2 = smallest2[w][row] ^ (second & (smallest2[w][row] ^ second2[w][row]));
        r1 = smallest1[w][row] ^ (second & (smallest1[w][row] ^ second1[w][row]));
        r0 = smallest0[w][row] ^ (second & (smallest0[w][row] ^ second0[w][row]));
        if (gather && first_iteration) begin
          r2 = '0;
          r1 = '0;
          r0 = '0;
        end

        add_clipped(sign, m4, m3, m2, m1, m0, differ, r2, r1, r0, out_sign, o4, o3, o2, o1, o0);
        value_sign[w][c] <= out_sign;
        value4[w][c] <= o4;
        value3[w][c] <= o3;
        value2[w][c] <= o2;
        value1[w][c] <= o1;
        value0[w][c] <= o0;

        if (gather) begin
          automatic word_t n5;
          automatic word_t n4;
          automatic word_t n3;
          automatic word_t n2;
          automatic word_t n1;
          sign_before[w][c] <= sign;
          scaled_levels(o4, o3, o2, o1, o0, t5, t4, t3, t2, t1);
          // The second smallest reaches a level when at most one magnitude so far does not.
          n5 = next5[w] & (low5[w] | t5);
          n4 = next4[w] & (low4[w] | t4);
          n3 = next3[w] & (low3[w] | t3);
          n2 = next2[w] & (low2[w] | t2);
          n1 = next1[w] & (low1[w] | t1);
          t5 &= low5[w];
          t4 &= low4[w];
          t3 &= low3[w];
          t2 &= low2[w];
          t1 &= low1[w];
          next5[w] <= n5;
          next4[w] <= n4;
          next3[w] <= n3;
          next2[w] <= n2;
          next1[w] <= n1;
          low5[w] <= t5;
          low4[w] <= t4;
          low3[w] <= t3;
          low2[w] <= t2;
          low1[w] <= t1;
          sign_product[w] <= sign_product[w] ^ out_sign;
          parity[w] <= parity[w] ^ sign;
          if (k.last) begin
            smallest2[w][row] <= t4;
            smallest1[w][row] <= t2 & ~t4;
            smallest0[w][row] <= (t1 & ~t2) | (t3 & ~t4) | t5;
            second2[w][row] <= n4;
            second1[w][row] <= n2 & ~n4;
            second0[w][row] <= (n1 & ~n2) | (n3 & ~n4) | n5;
          end
        end else begin
          message_sign[w][step] <= sign_product[w] ^ sign;
          message_second[w][step] <= second;
          changed[w] <= changed[w] | (old_sign ^ out_sign);
          disturbed |= parity[w] | changed[w] | (old_sign ^ out_sign);
          if (k.last) begin
            unsatisfied += 9'($countones(parity[w]));
            sign_product[w] <= '0;
            parity[w] <= '0;
            changed[w] <= '0;
            low5[w] <= '1;
            low4[w] <= '1;
            low3[w] <= '1;
            low2[w] <= '1;
            low1[w] <= '1;
            next5[w] <= '1;
            next4[w] <= '1;
            next3[w] <= '1;
            next2[w] <= '1;
            next1[w] <= '1;
          end
        end
      end

      if (gather) begin
        turn[c] <= k.shift;
        if (k.last) begin
          step <= row_start;
          state <= UPDATE;
        end else begin
          step <= step + 1'b1;
        end
      end else if (!k.last) begin
        step <= step + 1'b1;
      end else begin
        automatic logic now_quiet = disturbed == '0;
        automatic logic done = now_quiet && quiet == 4'd7;
        step <= step == LastStep ? '0 : step + 1'b1;
        row_start <= step == LastStep ? '0 : step + 1'b1;
        row <= row + 1'b1;
        if (row == '1) first_iteration <= 1'b0;
        layers <= layers + 1'b1;
        quiet <= now_quiet ? quiet + 1'b1 : '0;
        success <= done;
        status_unsatisfied <= unsatisfied;
        state <= done || give_up || aborting || layers == {max_iterations, 3'b0} - 1'b1 ? VERDICT : GATHER;
      end
    end

    // Unload through one register.
    if (!m_axis_tvalid || m_axis_tready) begin
      m_axis_tvalid <= unloading;
      if (unloading) begin
        automatic logic [6:0] c = unload_beat[8:2];
        automatic logic [7:0] by = minus('0, turn[c]);
        automatic logic [1:0] low = unload_beat[1:0] + by[7:6];
        automatic logic [1:0] high = low + 2'd1;
        m_axis_tdata <= funnel_right(value_sign[high][c], value_sign[low][c], by[5:0]);
        m_axis_tlast <= unload_beat == LastBeat;
        m_axis_tuser <= result;
        if (unload_beat == LastBeat) begin
          unloading <= 1'b0;
          unload_beat <= '0;
        end else begin
          unload_beat <= unload_beat + 1'b1;
        end
      end
    end

    if (state == VERDICT) begin
      result <= '{tag: request.tag, aborted: aborting && !success, success: success, layers: layers};
      unloading <= 1'b1;
      state <= LOAD;
      step <= '0;
      row_start <= '0;
      row <= '0;
      first_iteration <= 1'b1;
      layers <= '0;
      quiet <= '0;
      success <= 1'b0;
      aborting <= 1'b0;
    end

    if (!rst_n) begin
      state <= LOAD;
      step <= '0;
      row_start <= '0;
      row <= '0;
      first_iteration <= 1'b1;
      layers <= '0;
      quiet <= '0;
      success <= 1'b0;
      aborting <= 1'b0;
      load_plane <= '0;
      load_beat <= '0;
      unloading <= 1'b0;
      unload_beat <= '0;
      m_axis_tvalid <= 1'b0;
      status_unsatisfied <= '0;
      for (int w = 0; w < 4; w++) begin
        sign_product[w] <= '0;
        parity[w] <= '0;
        changed[w] <= '0;
        low5[w] <= '1;
        low4[w] <= '1;
        low3[w] <= '1;
        low2[w] <= '1;
        low1[w] <= '1;
        next5[w] <= '1;
        next4[w] <= '1;
        next3[w] <= '1;
        next2[w] <= '1;
        next1[w] <= '1;
      end
    end
  end

  axi_stream_checker #(.PayloadBits(76), .Beats(StreamBeats)) input_checker (
      .clk, .rst_n, .tvalid(s_axis_tvalid), .tready(s_axis_tready), .tlast(s_axis_tlast),
      .payload({s_axis_tuser, s_axis_tdata}));

  axi_stream_checker #(.PayloadBits(82), .Beats(StreamBeats)) output_checker (
      .clk, .rst_n, .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tlast(m_axis_tlast),
      .payload({m_axis_tuser, m_axis_tdata}));

  one_request_a_codeword :
  assert property (@(posedge clk) disable iff (!rst_n)
      s_axis_tvalid && (load_plane != '0 || load_beat != '0) |-> s_axis_tuser == request)
  else $error("min-sum decoder: tuser changes within a codeword");

  two_soft_planes_at_most :
  assert property (@(posedge clk) disable iff (!rst_n) s_axis_tvalid |-> s_axis_tuser.soft_planes != 2'd3)
  else $error("min-sum decoder: three soft planes announced, two at most are known");

  layers_are_bounded :
  assert property (@(posedge clk) disable iff (!rst_n) layers <= {max_iterations, 3'b0})
  else $error("min-sum decoder: more layers than allowed");

  unloads_what_was_decoded :
  assert property (@(posedge clk) disable iff (!rst_n) state == VERDICT |-> !unloading)
  else $error("min-sum decoder: a verdict while the last codeword still leaves");

endmodule
