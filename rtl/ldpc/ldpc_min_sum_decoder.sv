// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Tier 2: layered normalised min-sum, one circulant of 256 lanes a clock in two phases, hard or soft input.
// models/ecc/decoders/min_sum_decoder.h is the specification; bits, success, layers and clocks are the same.
//
// A codeword comes in as one packet of 292 beats with its hard bits, and one more packet for each plane of reliability
// (rel0, then rel1) that s_axis_tuser announces; bits of planes that are not sent are zero. Bit i is in bit i % 64 of
// beat i / 64; shortened bits are sent, as anything, and ignored. It leaves as one packet of hard bits. From the clock
// after the last beat in, decoding takes 2 clocks for each circulant of each layer and one for the verdict; the first
// beat leaves one clock later. The next codeword is loaded behind the columns as they leave, so a stream of codewords
// costs the loading plus the decoding plus about six clocks each.
//
// Memories (min_sum_lanes; read in the clock of their address, as register files are; one read and one write a clock):
//   value     7 planes x 256 lanes x 73 columns: 128 kbit
//   message   2 planes x 256 lanes x 291 circulants, and 6 planes x 256 lanes x 8 rows: 158 kbit
// A column is turned once in a layer, by the difference to the circulant before, and when it leaves.
//
// Abort: the codeword being decoded or loaded is given up at the end of its layer (at once when none has begun after
// loading) and leaves, as all do, marked as aborted. One that has its verdict is left alone.
//
// Limits: one codeword is decoded at a time; phases of different layers do not overlap. Not synthesised for a clock.
module ldpc_min_sum_decoder
  import bit_plane_pkg::*;
  import ldpc_base_pkg::*;
  import min_sum_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    // Iterations of eight layers before a codeword is given up. May change only while nothing is inside.
    input logic [4:0] max_iterations_i,
    // Channel magnitudes by profile: element 0 is profile 0. Read while the last plane of a codeword is loaded.
    input llr_table_t [3:0] llr_table_i,
    input logic give_up_i,

    input  word_t            s_axis_tdata_i,
    input  logic             s_axis_tvalid_i,
    input  logic             s_axis_tlast_i,
    input  min_sum_request_t s_axis_tuser_i,
    output logic             s_axis_tready_o,

    output word_t           m_axis_tdata_o,
    output logic            m_axis_tvalid_o,
    output logic            m_axis_tlast_o,
    output min_sum_result_t m_axis_tuser_o,
    input  logic            m_axis_tready_i,

    // Something is inside: the clock may be stopped while this is low and nothing is offered.
    output logic busy_o
);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);
  localparam logic [8:0] LastStep = 9'(Circulants - 1);

  // The shortened bits are the last of the information columns: known zeros, as sure as can be.
  localparam logic [6:0] ShortenedColumn = 7'(InformationBits / Lifting);
  localparam logic [Lifting-1:0] ShortenedMask = {{ShortenedBits{1'b1}}, {(Lifting - ShortenedBits) {1'b0}}};

  typedef enum logic [1:0] {
    StLoad,
    // Phase A: Q = L - R, minima, parity. Its first clock is the verdict's when the last layer ended the decoding.
    StGather,
    StUpdate   // phase B: R, L = Q + R
  } state_e;

  state_e state_q;

  // State of one codeword.
  min_sum_request_t request_q;
  logic [LayerBits-1:0] layers_q;
  logic [2:0] quiet_q;  // layers before the last one, without a pause
  logic aborting_q;

  // State of one layer.
  logic [8:0] step_q;
  logic [8:0] row_start_q;
  step_t circulant;

  // Loading.
  logic [1:0] load_plane_q;
  logic [8:0] load_beat_q;
  min_sum_request_t loading;
  logic loads;
  logic load_last_plane;

  // Unloading.
  logic unloading_q;
  logic [8:0] unload_beat_q;
  min_sum_result_t result_q;
  word_t m_axis_tdata_q;
  logic m_axis_tvalid_q;
  logic m_axis_tlast_q;
  min_sum_result_t m_axis_tuser_q;

  // Lane j of a column in the memory is bit j + turn.
  logic [7:0] turn[BlockColumns];

  // Constants: a read-only memory of the base matrix.
  step_t step_table[Circulants];
  for (genvar k = 0; k < int'(Circulants); k++) begin : gen_step_table
    localparam step_t Step = step_of(k);
    assign step_table[k] = Step;
  end

  word_t sign[4];
  word_t value4[4];
  word_t value3[4];
  word_t value2[4];
  word_t value1[4];
  word_t value0[4];
  word_t parity[4];
  word_t changed[4];

  assign s_axis_tready_o = state_q == StLoad && (!unloading_q || load_beat_q[8:2] < unload_beat_q[8:2]);
  assign loads = s_axis_tvalid_i && s_axis_tready_o;
  assign loading = load_plane_q == '0 && load_beat_q == '0 ? s_axis_tuser_i : request_q;
  assign load_last_plane = load_plane_q == loading.soft_planes;

  assign busy_o = state_q != StLoad || unloading_q || load_plane_q != '0 || load_beat_q != '0 || m_axis_tvalid_q;
  // In the first clock of a layer, of the one before: it was disturbed; with it, the last eight were not.
  logic layer_begins;
  word_t disturbed;
  logic success;
  logic verdict;
  logic unloads;  // a beat into the output register
  assign layer_begins = state_q == StGather && step_q == row_start_q;
  always_comb begin
    disturbed = '0;
    if (layer_begins) begin
      for (int w = 0; w < 4; w++) disturbed |= parity[w] | changed[w];
    end
  end
  assign success = layers_q != '0 && disturbed == '0 && quiet_q == '1;
  assign verdict = layer_begins && (success || aborting_q || layers_q == {max_iterations_i, 3'b0});

  assign unloads = unloading_q && (!m_axis_tvalid_q || m_axis_tready_i);

  assign circulant = step_table[step_q];

  // The columns read and written; how far what is read must be turned.
  logic [6:0] column;
  logic [6:0] sign_column;
  logic [7:0] by;
  assign column = state_q == StLoad ? load_beat_q[8:2] : circulant.column;
  assign sign_column = state_q == StLoad ? unload_beat_q[8:2] : circulant.column;
  assign by = (state_q == StLoad ? '0 : circulant.shift) - turn[sign_column];

  // The one network that turns columns; between the phases of a layer they stay as they are.
  word_t turned_sign[4];
  word_t turned4[4];
  word_t turned3[4];
  word_t turned2[4];
  word_t turned1[4];
  word_t turned0[4];
  always_comb begin
    for (int w = 0; w < 4; w++) begin
      turned_sign[w] = sign[w];
      turned4[w] = value4[w];
      turned3[w] = value3[w];
      turned2[w] = value2[w];
      turned1[w] = value1[w];
      turned0[w] = value0[w];
    end
    if (state_q == StGather) begin
      for (int w = 0; w < 4; w++) begin
        turned_sign[w] = funnel_right(sign[2'(w)+by[7:6]+2'd1], sign[2'(w)+by[7:6]], by[5:0]);
        turned4[w] = funnel_right(value4[2'(w)+by[7:6]+2'd1], value4[2'(w)+by[7:6]], by[5:0]);
        turned3[w] = funnel_right(value3[2'(w)+by[7:6]+2'd1], value3[2'(w)+by[7:6]], by[5:0]);
        turned2[w] = funnel_right(value2[2'(w)+by[7:6]+2'd1], value2[2'(w)+by[7:6]], by[5:0]);
        turned1[w] = funnel_right(value1[2'(w)+by[7:6]+2'd1], value1[2'(w)+by[7:6]], by[5:0]);
        turned0[w] = funnel_right(value0[2'(w)+by[7:6]+2'd1], value0[2'(w)+by[7:6]], by[5:0]);
      end
    end
  end

  for (genvar w = 0; w < 4; w++) begin : gen_lanes
    localparam word_t Shortened = ShortenedMask[64*w+:64];
    min_sum_lanes u_lanes (
        .clk_i,
        .load_i(loads && load_beat_q[1:0] == 2'(w)),
        .gather_i(state_q == StGather && !verdict),
        .update_i(state_q == StUpdate),
        .column_i(column),
        .sign_column_i(sign_column),
        .load_data_i(s_axis_tdata_i),
        .load_plane_i(load_plane_q),
        .load_last_plane_i(load_last_plane),
        .llr_i(llr_table_i[loading.profile]),
        .known_i(column == ShortenedColumn ? Shortened : '0),
        .first_i(step_q == row_start_q),
        .last_i(circulant.last),
        .first_iteration_i(layers_q[LayerBits-1:3] == '0),
        .step_i(step_q),
        .row_i(layers_q[2:0]),
        .sign_i(turned_sign[w]),
        .m4_i(turned4[w]),
        .m3_i(turned3[w]),
        .m2_i(turned2[w]),
        .m1_i(turned1[w]),
        .m0_i(turned0[w]),
        .sign_o(sign[w]),
        .value4_o(value4[w]),
        .value3_o(value3[w]),
        .value2_o(value2[w]),
        .value1_o(value1[w]),
        .value0_o(value0[w]),
        .parity_o(parity[w]),
        .changed_o(changed[w]));
  end

  // State and counters. One process, not next state and registers: next state would go through memory in every clock
  // that Verilator simulates, and what depends on an input would be worked out twice. That took 7 % more time.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StLoad;
      step_q <= '0;
      row_start_q <= '0;
      layers_q <= '0;
      quiet_q <= '0;
      aborting_q <= 1'b0;
      load_plane_q <= '0;
      load_beat_q <= '0;
      unloading_q <= 1'b0;
      unload_beat_q <= '0;
      m_axis_tvalid_q <= 1'b0;
    end else begin
      if (give_up_i && (state_q != StLoad || load_plane_q != '0 || load_beat_q != '0)) aborting_q <= 1'b1;

      if (!m_axis_tvalid_q || m_axis_tready_i) begin
        m_axis_tvalid_q <= unloading_q;
        if (unloading_q) begin
          unload_beat_q <= unload_beat_q == LastBeat ? '0 : unload_beat_q + 1'b1;
          if (unload_beat_q == LastBeat) unloading_q <= 1'b0;
        end
      end

      unique case (state_q)
        StLoad:
        if (loads) begin
          load_beat_q <= load_beat_q == LastBeat ? '0 : load_beat_q + 1'b1;
          if (load_beat_q == LastBeat) begin
            load_plane_q <= load_last_plane ? '0 : load_plane_q + 1'b1;
            if (load_last_plane) state_q <= StGather;
          end
        end

        StGather:
        if (verdict) begin
          unloading_q <= 1'b1;
          state_q <= StLoad;
          step_q <= '0;
          row_start_q <= '0;
          layers_q <= '0;
          quiet_q <= '0;
          aborting_q <= 1'b0;
        end else begin
          if (layer_begins) quiet_q <= layers_q != '0 && disturbed == '0 ? quiet_q + 1'b1 : '0;
          if (circulant.last) begin
            step_q <= row_start_q;
            state_q <= StUpdate;
          end else begin
            step_q <= step_q + 1'b1;
          end
        end

        StUpdate: begin
          step_q <= step_q == LastStep ? '0 : step_q + 1'b1;
          if (circulant.last) begin
            row_start_q <= step_q == LastStep ? '0 : step_q + 1'b1;
            layers_q <= layers_q + 1'b1;
            state_q <= StGather;
          end
        end

        default: state_q <= StLoad;
      endcase
    end
  end

  // No reset: written with the codeword they describe, and read only while one is inside or at the output.
  always_ff @(posedge clk_i) begin
    if (loads) begin
      request_q <= loading;
      turn[column] <= '0;
    end
    if (state_q == StGather && !verdict) turn[column] <= circulant.shift;
    if (verdict) begin
      result_q <= '{tag: request_q.tag, aborted: aborting_q && !success, success: success, layers: layers_q};
    end
    if (unloads) begin
      automatic logic [1:0] low = unload_beat_q[1:0] + by[7:6];
      automatic logic [1:0] high = low + 2'd1;
      m_axis_tdata_q <= funnel_right(sign[high], sign[low], by[5:0]);
      m_axis_tlast_q <= unload_beat_q == LastBeat;
      m_axis_tuser_q <= result_q;
    end
  end

  assign m_axis_tdata_o = m_axis_tdata_q;
  assign m_axis_tvalid_o = m_axis_tvalid_q;
  assign m_axis_tlast_o = m_axis_tlast_q;
  assign m_axis_tuser_o = m_axis_tuser_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni && s_axis_tvalid_i) begin
      one_request_a_codeword :
      assert (s_axis_tuser_i == loading)
      else $error("min-sum decoder: tuser changes within a codeword");
      two_soft_planes_at_most :
      assert (s_axis_tuser_i.soft_planes != 2'd3)
      else $error("min-sum decoder: three soft planes announced, two at most are known");
    end
    if (rst_ni && layer_begins) begin
      layers_are_bounded :
      assert (layers_q <= {max_iterations_i, 3'b0})
      else $error("min-sum decoder: more layers than allowed");
      unloads_what_was_decoded :
      assert (!unloading_q)
      else $error("min-sum decoder: decoding while the last codeword still leaves");
    end
  end

endmodule
