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
// Limits: one codeword is decoded at a time; phases of different layers do not overlap. Nothing was synthesised for a
// library.
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
    output logic busy
);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);
  localparam logic [8:0] LastStep = 9'(Circulants - 1);

  // The shortened bits are the last of the information columns: known zeros, as sure as can be.
  localparam logic [6:0] ShortenedColumn = 7'(InformationBits / Lifting);
  localparam logic [Lifting-1:0] ShortenedMask = {{ShortenedBits{1'b1}}, {(Lifting - ShortenedBits) {1'b0}}};

  typedef enum logic [1:0] {
    LOAD,
    // Phase A: Q = L - R, minima, parity. Its first clock is the verdict's when the last layer ended the decoding.
    GATHER,
    UPDATE   // phase B: R, L = Q + R
  } state_t;

  state_t state;

  // One codeword.
  min_sum_request_t request;
  logic [LayerBits-1:0] layers;
  logic [2:0] quiet;  // layers before the last one, without a pause
  logic aborting;

  // One layer.
  logic [8:0] step;
  logic [8:0] row_start;
  step_t circulant;

  // Loading.
  logic [1:0] load_plane;
  logic [8:0] load_beat;
  min_sum_request_t loading;
  logic loads;
  logic load_last_plane;

  // Unloading.
  logic unloading;
  logic [8:0] unload_beat;
  min_sum_result_t result;

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

  assign s_axis_tready = state == LOAD && (!unloading || load_beat[8:2] < unload_beat[8:2]);
  assign loads = s_axis_tvalid && s_axis_tready;
  assign loading = load_plane == '0 && load_beat == '0 ? s_axis_tuser : request;
  assign load_last_plane = load_plane == loading.soft_planes;

  assign busy = state != LOAD || unloading || load_plane != '0 || load_beat != '0 || m_axis_tvalid;
  // Looked at in the first clock of a layer, about the one before: it was disturbed; with it, the last eight were not.
  logic layer_begins;
  word_t disturbed;
  logic success;
  logic verdict;
  assign layer_begins = state == GATHER && step == row_start;
  always_comb begin
    disturbed = '0;
    if (layer_begins) begin
      for (int w = 0; w < 4; w++) disturbed |= parity[w] | changed[w];
    end
  end
  assign success = layers != '0 && disturbed == '0 && quiet == '1;
  assign verdict = layer_begins && (success || aborting || layers == {max_iterations, 3'b0});

  assign circulant = step_table[step];

  // The columns read and written; how far what is read must be turned.
  logic [6:0] column;
  logic [6:0] sign_column;
  logic [7:0] by;
  assign column = state == LOAD ? load_beat[8:2] : circulant.column;
  assign sign_column = state == LOAD ? unload_beat[8:2] : circulant.column;
  assign by = (state == LOAD ? '0 : circulant.shift) - turn[sign_column];

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
    if (state == GATHER) begin
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
    min_sum_lanes lanes (
        .clk,
        .load(loads && load_beat[1:0] == 2'(w)),
        .gather(state == GATHER && !verdict),
        .update(state == UPDATE),
        .column,
        .sign_column,
        .load_data(s_axis_tdata),
        .load_plane,
        .load_last_plane,
        .llr(llr_table[loading.profile]),
        .known(column == ShortenedColumn ? Shortened : '0),
        .first(step == row_start),
        .last(circulant.last),
        .first_iteration(layers[LayerBits-1:3] == '0),
        .step,
        .row(layers[2:0]),
        .sign(turned_sign[w]),
        .m4(turned4[w]),
        .m3(turned3[w]),
        .m2(turned2[w]),
        .m1(turned1[w]),
        .m0(turned0[w]),
        .sign_out(sign[w]),
        .value4_out(value4[w]),
        .value3_out(value3[w]),
        .value2_out(value2[w]),
        .value1_out(value1[w]),
        .value0_out(value0[w]),
        .parity(parity[w]),
        .changed(changed[w]));
  end

  always_ff @(posedge clk) begin
    if (give_up && (state != LOAD || load_plane != '0 || load_beat != '0)) aborting <= 1'b1;

    if (loads) begin
      request <= loading;
      turn[column] <= '0;
      if (load_beat == LastBeat) begin
        load_beat <= '0;
        if (load_last_plane) begin
          load_plane <= '0;
          state <= GATHER;
        end else begin
          load_plane <= load_plane + 1'b1;
        end
      end else begin
        load_beat <= load_beat + 1'b1;
      end
    end

    if (state == GATHER && !verdict) begin
      turn[column] <= circulant.shift;
      if (layer_begins) begin
        quiet <= layers != '0 && disturbed == '0 ? quiet + 1'b1 : '0;
      end
      if (circulant.last) begin
        step <= row_start;
        state <= UPDATE;
      end else begin
        step <= step + 1'b1;
      end
    end

    if (state == UPDATE) begin
      step <= step == LastStep ? '0 : step + 1'b1;
      if (circulant.last) begin
        row_start <= step == LastStep ? '0 : step + 1'b1;
        layers <= layers + 1'b1;
        state <= GATHER;
      end
    end

    // Unload through one register.
    if (!m_axis_tvalid || m_axis_tready) begin
      m_axis_tvalid <= unloading;
      if (unloading) begin
        automatic logic [1:0] low = unload_beat[1:0] + by[7:6];
        automatic logic [1:0] high = low + 2'd1;
        m_axis_tdata <= funnel_right(sign[high], sign[low], by[5:0]);
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

    if (verdict) begin
      result <= '{tag: request.tag, aborted: aborting && !success, success: success, layers: layers};
      unloading <= 1'b1;
      state <= LOAD;
      step <= '0;
      row_start <= '0;
      layers <= '0;
      quiet <= '0;
      aborting <= 1'b0;
    end

    if (!rst_n) begin
      state <= LOAD;
      step <= '0;
      row_start <= '0;
      layers <= '0;
      quiet <= '0;
      aborting <= 1'b0;
      load_plane <= '0;
      load_beat <= '0;
      unloading <= 1'b0;
      unload_beat <= '0;
      m_axis_tvalid <= 1'b0;
    end
  end

  axi_stream_checker #(.PayloadBits(76), .Beats(StreamBeats)) input_checker (
      .clk, .rst_n, .tvalid(s_axis_tvalid), .tready(s_axis_tready), .tlast(s_axis_tlast),
      .payload({s_axis_tuser, s_axis_tdata}));

  axi_stream_checker #(.PayloadBits(82), .Beats(StreamBeats)) output_checker (
      .clk, .rst_n, .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tlast(m_axis_tlast),
      .payload({m_axis_tuser, m_axis_tdata}));

  always_ff @(posedge clk) begin
    if (rst_n && s_axis_tvalid) begin
      one_request_a_codeword :
      assert (s_axis_tuser == loading)
      else $error("min-sum decoder: tuser changes within a codeword");
      two_soft_planes_at_most :
      assert (s_axis_tuser.soft_planes != 2'd3)
      else $error("min-sum decoder: three soft planes announced, two at most are known");
    end
    if (rst_n && layer_begins) begin
      layers_are_bounded :
      assert (layers <= {max_iterations, 3'b0})
      else $error("min-sum decoder: more layers than allowed");
      unloads_what_was_decoded :
      assert (!unloading)
      else $error("min-sum decoder: decoding while the last codeword still leaves");
    end
  end

endmodule
