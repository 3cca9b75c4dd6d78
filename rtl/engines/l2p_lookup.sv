// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// L2P lookup (engines.l2p), with the tables of models/firmware/contract/engines.h. For a read it takes the count of
// changes of each of the first 32 logical pages into the command's answer, then their map entries from DRAM, the
// initial value resolved: so each value is at least as new as its count says. For a write that the firmware is to get
// it counts `opened` of all its logical pages. One answer a request, in order.
//
// Front: states, one after the other, then the bursts of the map; it takes the next request when the last burst is
// asked for. Back: beats that come, values into the answer. Up to Depth requests lie between them.
//
// Ports to memory: `mem_` is tightly coupled memory, a state (128 bits) or a word to write a request, one answer each,
// in order; `value_` writes words of the answer there, too; `dram_` asks for bursts of 64 bytes, which come in order as
// four beats of 128 bits. A request of N logical pages in B bursts takes the front 2 + 3 N + B clocks, when nothing
// waits, and the back 4 B + 1 + N from the first beat to the answer.
//
// Limits: MAP_BASE is a multiple of 64. A request of no logical page, or one that ends beyond the map,
// is refused. After an error of a memory what lies in the command's answer means nothing.
module l2p_lookup #(
    parameter int unsigned TagBits = 11,
    parameter int unsigned Depth = 16
) (
    input logic clk_i,
    input logic rst_ni,

    // Registers ENGINES, which the firmware writes before.
    input logic [31:0] map_base_i,
    input logic [31:0] map_lpages_i,
    input logic        map_initial_i,  // entries of zero are the sequential fill
    input logic [31:0] lookups_i,
    input logic [31:0] lpage_states_i,

    input  logic               request_valid_i,
    output logic               request_ready_o,
    input  logic               request_write_i,
    input  logic [TagBits-1:0] request_tag_i,
    input  logic        [31:0] request_lpn_i,
    input  logic        [16:0] request_lpages_i,

    output logic         mem_valid_o,
    input  logic         mem_ready_i,
    output logic         mem_write_o,
    output logic  [31:0] mem_address_o,
    output logic  [31:0] mem_wdata_o,
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

    output logic               answer_valid_o,
    input  logic               answer_ready_i,
    output logic [TagBits-1:0] answer_tag_o,
    output logic               answer_refused_o,
    output logic               answer_failed_o,   // a memory answered with an error
    output logic               answer_written_o,  // of a read: a write of one of the logical pages is under way

    output logic        busy_o,
    output logic [31:0] looked_up_o  // ENGINES.LOOKED_UP
);
  localparam logic [31:0] MapPpa0 = 32'd3;  // WL_MAP_PPA0
  localparam logic [31:0] MapDeallocated = 32'd1;  // WL_MAP_DEALLOCATED
  localparam int unsigned StateBits = 10;  // of a number below WL_LPAGE_STATES
  localparam int unsigned PlaceBits = $clog2(Depth);
  localparam int unsigned HeldBits = $clog2(Depth + 1);

  typedef struct packed {
    logic [TagBits-1:0] tag;
    logic [31:0] lpn;
    logic [5:0] count;  // map entries that are to come; 0: none
    logic refused;
    logic failed;
    logic written;
  } lookup_t;

  typedef enum logic [2:0] {
    FrontIdle,
    FrontAsk,
    FrontState,
    FrontPut,
    FrontSettle,
    FrontBurst,
    FrontPush
  } front_e;
  typedef enum logic [1:0] {
    BackBeat,
    BackValue,
    BackAnswer
  } back_e;

  // ---- front: the state of each logical page, then the bursts ----

  front_e front_d, front_q;
  lookup_t request_d, request_q;
  logic write_d, write_q;
  logic [16:0] page_d, page_q;  // which of the request's logical pages
  logic [16:0] pages_d, pages_q;  // of these the states are looked at
  logic [1:0] burst_d, burst_q, last_burst;
  logic put_open_d, put_open_q;  // a write without its answer
  logic [31:0] opened_q, changes_q;
  logic full, push, taken, burst_taken, legal, state_comes;
  logic [StateBits-1:0] state_number;
  logic [31:0] state_address;

  assign legal = request_lpages_i != '0 && 33'(request_lpn_i) + 33'(request_lpages_i) <= 33'(map_lpages_i);
  assign taken = mem_valid_o && mem_ready_i;
  assign burst_taken = dram_valid_o && dram_ready_i;
  assign state_comes = front_q == FrontState && mem_answer_i && !put_open_q;
  assign last_burst = 2'((6'(request_q.lpn[3:0]) + request_q.count - 6'd1) >> 4);
  assign state_number = request_q.lpn[StateBits-1:0] + page_q[StateBits-1:0];
  assign state_address = lpage_states_i + 32'({state_number, 4'b0});

  always_comb begin
    front_d = front_q;
    request_d = request_q;
    write_d = write_q;
    page_d = page_q;
    pages_d = pages_q;
    burst_d = burst_q;
    put_open_d = put_open_q && !mem_answer_i;
    push = 1'b0;
    if (mem_answer_i && mem_error_i) request_d.failed = 1'b1;
    unique case (front_q)
      FrontIdle: begin
        write_d = request_write_i;
        page_d = '0;
        pages_d = request_write_i || request_lpages_i < 17'd32 ? request_lpages_i : 17'd32;
        burst_d = '0;
        request_d.tag = request_tag_i;
        request_d.lpn = request_lpn_i;
        request_d.count = request_write_i || !legal ? '0 : pages_d[5:0];
        request_d.refused = !legal;
        request_d.failed = 1'b0;
        request_d.written = 1'b0;
        if (request_valid_i) front_d = legal ? FrontAsk : FrontPush;
      end
      FrontAsk: if (taken) front_d = FrontState;
      FrontState: begin
        if (state_comes) begin
          front_d = mem_error_i ? FrontSettle : FrontPut;
          if (!write_q && mem_rdata_i[31:0] != mem_rdata_i[63:32]) request_d.written = 1'b1;
        end
      end
      FrontPut: begin
        if (taken) begin
          put_open_d = 1'b1;
          page_d = page_q + 17'd1;
          front_d = page_d == pages_q || request_q.failed ? FrontSettle : FrontAsk;
        end
      end
      FrontSettle: begin
        if (!put_open_d) begin
          if (request_d.failed) request_d.count = '0;
          front_d = request_d.count == '0 ? FrontPush : FrontBurst;
        end
      end
      FrontBurst: begin
        if (burst_taken) begin
          burst_d = burst_q + 2'd1;
          if (burst_q == last_burst) begin
            push = 1'b1;
            front_d = FrontIdle;
          end
        end
      end
      FrontPush: begin
        if (!full) begin
          push = 1'b1;
          front_d = FrontIdle;
        end
      end
      default: front_d = FrontIdle;
    endcase
  end

  assign request_ready_o = front_q == FrontIdle;
  assign mem_valid_o = front_q == FrontAsk || front_q == FrontPut;
  assign mem_write_o = front_q == FrontPut;
  // The place of `changes` in the answer, or that of `opened` in the state.
  assign mem_address_o = front_q == FrontPut && !write_q ?
      lookups_i + 32'({request_q.tag, 1'b1, page_q[4:0], 2'b00}) : state_address;
  assign mem_wdata_o = write_q ? opened_q + 32'd1 : changes_q;
  assign dram_valid_o = front_q == FrontBurst && !full;
  assign dram_address_o = map_base_i + {request_q.lpn[29:4], 6'b0} + 32'({burst_q, 6'b0});

  // ---- requests whose map entries are on their way ----

  lookup_t lookups_q[Depth];
  logic [PlaceBits-1:0] in_d, in_q, out_d, out_q;
  logic [HeldBits-1:0] held_d, held_q;
  logic pop;
  lookup_t head;
  assign full = held_q == HeldBits'(Depth);
  assign head = lookups_q[out_q];
  assign in_d = push ? (in_q == PlaceBits'(Depth - 1) ? '0 : in_q + 1'b1) : in_q;
  assign out_d = pop ? (out_q == PlaceBits'(Depth - 1) ? '0 : out_q + 1'b1) : out_q;
  assign held_d = held_q + HeldBits'(push) - HeldBits'(pop);

  // ---- back: the map entries that come ----

  back_e back_d, back_q;
  logic [3:0] beat_d, beat_q;  // beats of the request that came
  logic [5:0] entry_d, entry_q;  // map entries that were seen or passed over, from the beginning of the first burst on
  logic back_failed_d, back_failed_q;
  logic [127:0] words_q;
  logic [5:0] first, last, beat_first, beat_last;
  logic beat_comes, wanted, last_beat;
  logic [31:0] word, value_lpn;
  logic [4:0] value_page;  // which of the request's logical pages

  assign first = 6'(head.lpn[3:0]);
  assign last = first + head.count - 6'd1;
  assign beat_first = {beat_q, 2'b00};
  assign beat_last = {beat_q, 2'b11};
  assign wanted = !beat_error_i && beat_last >= first && beat_first <= last;
  assign last_beat = beat_q == {last[5:4], 2'b11};
  assign beat_comes = beat_valid_i && beat_ready_o;
  assign pop = answer_valid_o && answer_ready_i;

  always_comb begin
    back_d = back_q;
    beat_d = beat_q;
    entry_d = entry_q;
    back_failed_d = back_failed_q;
    unique case (back_q)
      BackBeat: begin
        if (held_q != '0 && head.count == '0) back_d = BackAnswer;
        if (beat_comes) begin
          if (beat_error_i) back_failed_d = 1'b1;
          entry_d = beat_first >= first ? beat_first : first;
          if (wanted) back_d = BackValue;
          else begin
            beat_d = beat_q + 4'd1;
            if (last_beat) back_d = BackAnswer;
          end
        end
      end
      BackValue: begin
        if (value_ready_i) begin
          entry_d = entry_q + 6'd1;
          if (entry_q == beat_last || entry_q == last) begin
            beat_d = beat_q + 4'd1;
            back_d = last_beat ? BackAnswer : BackBeat;
          end
        end
      end
      BackAnswer: begin
        if (answer_ready_i) begin
          back_d = BackBeat;
          beat_d = '0;
          back_failed_d = 1'b0;
        end
      end
      default: back_d = BackBeat;
    endcase
  end

  assign beat_ready_o = back_q == BackBeat && held_q != '0 && head.count != '0;
  assign word = words_q[32*entry_q[1:0]+:32];
  assign value_page = 5'(entry_q - first);
  assign value_lpn = head.lpn + 32'(value_page);
  assign value_valid_o = back_q == BackValue;
  assign value_address_o = lookups_i + 32'({head.tag, 1'b0, value_page, 2'b00});
  assign value_o = word != '0 ? word : map_initial_i ? value_lpn + MapPpa0 : MapDeallocated;

  assign answer_valid_o = back_q == BackAnswer;
  assign answer_tag_o = head.tag;
  assign answer_refused_o = head.refused;
  assign answer_failed_o = head.failed || back_failed_q;
  assign answer_written_o = head.written;

  logic [31:0] looked_up_d, looked_up_q;
  assign looked_up_d = push ? looked_up_q + 32'(request_q.count) : looked_up_q;
  assign looked_up_o = looked_up_q;
  assign busy_o = front_q != FrontIdle || held_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      front_q <= FrontIdle;
      back_q <= BackBeat;
      put_open_q <= 1'b0;
      in_q <= '0;
      out_q <= '0;
      held_q <= '0;
      beat_q <= '0;
      back_failed_q <= 1'b0;
      looked_up_q <= '0;
    end else begin
      front_q <= front_d;
      back_q <= back_d;
      put_open_q <= put_open_d;
      in_q <= in_d;
      out_q <= out_d;
      held_q <= held_d;
      beat_q <= beat_d;
      back_failed_q <= back_failed_d;
      looked_up_q <= looked_up_d;
    end
  end

  // No reset: a request sets them before they are read.
  always_ff @(posedge clk_i) begin
    request_q <= request_d;
    write_q <= write_d;
    page_q <= page_d;
    pages_q <= pages_d;
    burst_q <= burst_d;
    if (state_comes) begin
      opened_q <= mem_rdata_i[31:0];
      changes_q <= mem_rdata_i[95:64];
    end
    if (push) lookups_q[in_q] <= request_q;
    entry_q <= entry_d;
    if (beat_comes) words_q <= beat_i;
  end

  logic unused_rdata;  // the fourth word of a state is reserved
  assign unused_rdata = ^mem_rdata_i[127:96];

endmodule
