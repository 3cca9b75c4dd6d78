// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A start for an L2P lookup of your own: one request at a time, one thing after the other. For each of the first 32
// logical pages of a read it takes the count of changes from the page's state into the answer, then it takes the map
// entries from DRAM; of a write it counts `opened` of all its pages. The shipped one asks for the entries of the next
// request while those of the last come, and passes over entries that nobody asked for.
//
// Ports, and what the drive checks at them: docs/own_rtl.md.
module my_l2p (
    input logic clk_i,
    input logic rst_ni,

    input logic [31:0] map_base_i,
    input logic [31:0] map_lpages_i,
    input logic        map_initial_i,
    input logic [31:0] lookups_i,
    input logic [31:0] lpage_states_i,

    input  logic        request_valid_i,
    output logic        request_ready_o,
    input  logic        request_write_i,
    input  logic [10:0] request_tag_i,
    input  logic [31:0] request_lpn_i,
    input  logic [16:0] request_lpages_i,

    output logic         mem_valid_o,
    input  logic         mem_ready_i,
    output logic         mem_write_o,
    output logic [ 31:0] mem_address_o,
    output logic [ 31:0] mem_wdata_o,
    input  logic         mem_answer_i,
    input  logic         mem_error_i,
    input  logic [127:0] mem_rdata_i,

    output logic        dram_valid_o,
    input  logic        dram_ready_i,
    output logic [31:0] dram_address_o,

    input  logic         beat_valid_i,
    output logic         beat_ready_o,
    input  logic         beat_error_i,
    input  logic [127:0] beat_i,

    output logic        value_valid_o,
    input  logic        value_ready_i,
    output logic [31:0] value_address_o,
    output logic [31:0] value_o,

    output logic        answer_valid_o,
    input  logic        answer_ready_i,
    output logic [10:0] answer_tag_o,
    output logic        answer_refused_o,
    output logic        answer_failed_o,
    output logic        answer_written_o,

    output logic        busy_o,
    output logic [31:0] looked_up_o,

    // What the block reports of itself: status_ is in its own waveform, count_ is in result.json, too.
    output logic [ 3:0] status_state_o,
    output logic [31:0] count_reads_o,
    output logic [31:0] count_stalls_o
);
  localparam logic [31:0] MapPpa0 = 32'd3, MapDeallocated = 32'd1;  // entries of zero: the sequential fill, or nothing

  typedef enum logic [3:0] {Idle, AskState, GetState, AskPut, GetPut, AskBurst, Beat, Value, Answer} state_e;
  state_e state_q;

  logic write_q, refused_q, failed_q, written_q;
  logic [10:0] tag_q;
  logic [31:0] lpn_q, opened_q, changes_q, looked_up_q;
  logic [16:0] page_q, pages_q;  // which logical page, of how many
  logic [1:0] burst_q, beat_q, word_q;
  logic [127:0] beat_data_q;

  // ---- the request ----

  logic legal;
  assign legal = request_lpages_i != '0 && 33'(request_lpn_i) + 33'(request_lpages_i) <= 33'(map_lpages_i);
  assign request_ready_o = state_q == Idle;
  assign busy_o = state_q != Idle;

  // ---- tightly coupled memory: a state of 16 bytes, the word of the answer that has its changes ----

  logic [31:0] state_address;
  logic [9:0] state_number;
  assign state_number = lpn_q[9:0] + page_q[9:0];
  assign state_address = lpage_states_i + 32'({state_number, 4'b0});
  assign mem_valid_o = state_q == AskState || state_q == AskPut;
  assign mem_write_o = state_q == AskPut;
  assign mem_address_o = mem_write_o && !write_q ? lookups_i + 32'({tag_q, 1'b1, page_q[4:0], 2'b00}) : state_address;
  assign mem_wdata_o = write_q ? opened_q + 32'd1 : changes_q;

  // ---- DRAM: bursts of 16 map entries, four a beat; entry 0 is the first one of the first burst ----

  logic [5:0] entry, first, last;
  logic wanted;
  assign first = 6'(lpn_q[3:0]);
  assign last = first + pages_q[5:0] - 6'd1;
  assign entry = {burst_q, beat_q, word_q};
  assign wanted = entry >= first && entry <= last && !failed_q;
  assign dram_valid_o = state_q == AskBurst;
  assign dram_address_o = map_base_i + {lpn_q[29:4], 6'b0} + 32'({burst_q, 6'b0});
  assign beat_ready_o = state_q == Beat;

  // ---- values ----

  logic [31:0] word;
  logic [4:0] value_page;
  assign word = beat_data_q[32*word_q+:32];
  assign value_page = 5'(entry - first);
  assign value_valid_o = state_q == Value && wanted;
  assign value_address_o = lookups_i + 32'({tag_q, 1'b0, value_page, 2'b00});
  assign value_o = word != '0 ? word : map_initial_i ? lpn_q + 32'(value_page) + MapPpa0 : MapDeallocated;

  // ---- the answer ----

  assign answer_valid_o = state_q == Answer;
  assign answer_tag_o = tag_q;
  assign answer_refused_o = refused_q;
  assign answer_failed_o = failed_q;
  assign answer_written_o = written_q;
  assign looked_up_o = looked_up_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      looked_up_q <= '0;
    end else begin
      if (mem_answer_i && mem_error_i) failed_q <= 1'b1;
      unique case (state_q)
        Idle: begin
          write_q <= request_write_i;
          tag_q <= request_tag_i;
          lpn_q <= request_lpn_i;
          pages_q <= request_write_i || request_lpages_i < 17'd32 ? request_lpages_i : 17'd32;
          page_q <= '0;
          burst_q <= '0;
          refused_q <= !legal;
          failed_q <= 1'b0;
          written_q <= 1'b0;
          if (request_valid_i) state_q <= legal ? AskState : Answer;
        end
        AskState: if (mem_ready_i) state_q <= GetState;
        GetState: begin
          if (mem_answer_i) begin
            opened_q <= mem_rdata_i[31:0];
            changes_q <= mem_rdata_i[95:64];
            if (!write_q && mem_rdata_i[31:0] != mem_rdata_i[63:32]) written_q <= 1'b1;
            state_q <= mem_error_i ? Answer : AskPut;
          end
        end
        AskPut: if (mem_ready_i) state_q <= GetPut;
        GetPut: begin
          if (mem_answer_i) begin
            page_q <= page_q + 17'd1;
            if (mem_error_i) state_q <= Answer;
            else if (page_q + 17'd1 != pages_q) state_q <= AskState;
            else state_q <= write_q ? Answer : AskBurst;
          end
        end
        AskBurst: begin
          beat_q <= '0;
          if (dram_ready_i) state_q <= Beat;
        end
        Beat: begin
          word_q <= '0;
          if (beat_valid_i) begin
            beat_data_q <= beat_i;
            if (beat_error_i) failed_q <= 1'b1;
            state_q <= Value;
          end
        end
        Value: begin
          if (!wanted || value_ready_i) begin
            word_q <= word_q + 2'd1;
            if (word_q == '1) begin
              beat_q <= beat_q + 2'd1;
              state_q <= Beat;
              if (beat_q == '1) begin
                burst_q <= burst_q + 2'd1;
                state_q <= burst_q == last[5:4] ? Answer : AskBurst;
              end
            end
          end
        end
        Answer: begin
          if (answer_ready_i) begin
            state_q <= Idle;
            if (!write_q && !refused_q) looked_up_q <= looked_up_q + 32'(pages_q);
          end
        end
        default: state_q <= Idle;
      endcase
    end
  end

  logic unused_rdata;  // the fourth word of a state is reserved
  assign unused_rdata = ^mem_rdata_i[127:96];

  // ---- what it reports of itself ----

  logic stalls;
  assign stalls = (mem_valid_o && !mem_ready_i) || (dram_valid_o && !dram_ready_i) || (beat_ready_o && !beat_valid_i) ||
      (value_valid_o && !value_ready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_reads_o <= '0;
      count_stalls_o <= '0;
    end else begin
      if (request_valid_i && request_ready_o && !request_write_i) count_reads_o <= count_reads_o + 32'd1;
      if (stalls) count_stalls_o <= count_stalls_o + 32'd1;
    end
  end
  assign status_state_o = state_q;

endmodule
