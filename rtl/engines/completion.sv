// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Completion engine: the end of a command. It puts a completion entry with its phase tag at the tail of a completion
// queue in host memory, and when host memory has it decides on the interrupt: a message (MSI-X) for each entry, or with
// coalescing one for THR + 1 entries of a vector, or TIME ticks after the first of them. A message of a masked vector,
// of the first 32, is pending until it is unmasked. As tlm/device/nvme/completion_path.cpp and interrupts.cpp.
//
// One thing at a time, in this order: commands of the controller; entries that host memory has; a tick; pending
// messages that may be sent; entries to be posted. An entry with its message takes 7 clocks, when nothing waits; a tick
// takes 1 clock a vector and 1 more for each that has entries. What is for a full queue waits, and all behind it, for a
// head doorbell; what is for a queue that is not there is dropped (dropped_o). Up to UnderWay entries are on their way
// to host memory.
//
// Limits: TIME is kept to a tick of 100 us. Sizes are not checked; CmdHead is.
module completion
  import completion_pkg::*;
#(
    parameter int unsigned QueueBits = 6,  // queues, and vectors
    parameter int unsigned EntryBits = 16,  // of a queue
    parameter int unsigned UnderWay = 4
) (
    input logic clk_i,
    input logic rst_ni,

    input logic tick_i,  // for a clock every 100 us

    input  logic                     command_valid_i,
    output logic                     command_ready_o,
    input  command_e                 command_op_i,
    input  logic     [QueueBits-1:0] command_queue_i,
    input  logic     [QueueBits-1:0] command_vector_i,
    input  logic              [63:0] command_base_i,
    input  logic              [31:0] command_value_i,
    output logic                     refused_o,  // with the clock after: a head doorbell that no host may ring

    input  logic                 post_valid_i,
    output logic                 post_ready_o,
    input  logic [QueueBits-1:0] post_queue_i,
    input  logic          [15:0] post_sq_i,
    input  logic          [15:0] post_sq_head_i,
    input  logic          [15:0] post_cid_i,
    input  logic          [14:0] post_status_i,
    input  logic          [31:0] post_result_i,
    output logic                 dropped_o,  // with post_ready_o

    output logic         host_valid_o,
    input  logic         host_ready_i,
    output logic  [63:0] host_address_o,
    output logic [127:0] host_data_o,
    input  logic         host_written_i,
    input  logic         host_error_i,
    output logic         fatal_o,  // for good: host memory did not take an entry (CSTS.CFS)

    output logic                 message_valid_o,
    input  logic                 message_ready_i,
    output logic [QueueBits-1:0] message_vector_o,

    output logic busy_o  // an entry or a message is under way
);
  localparam int unsigned Queues = 2 ** QueueBits;
  localparam int unsigned HeldBits = $clog2(UnderWay + 1);
  localparam int unsigned PlaceBits = $clog2(UnderWay);
  typedef logic [QueueBits-1:0] number_t;
  typedef logic [EntryBits-1:0] place_t;
  typedef logic [EntryBits:0] distance_t;

  typedef struct packed {
    logic [63:0] base;
    place_t last;  // entries, less one
    place_t head;
    place_t tail;
    logic phase;
    logic interrupts;
    number_t irq;
  } queue_t;
  typedef struct packed {
    logic [8:0] entries;  // that no message has told of
    logic [8:0] ticks;  // left
  } waiting_t;
  typedef struct packed {
    logic interrupts;
    logic message;  // an own one
    number_t irq;
  } entry_t;

  typedef enum logic [3:0] {
    StIdle,
    StCommand,
    StWritten,
    StScan,
    StScanned,
    StPending,
    StPost,
    StEntry,
    StTaken,
    StMessage
  } state_e;

  state_e state_d, state_q;
  queue_t queues[Queues];  // memory
  waiting_t waitings[Queues];  // memory
  queue_t queue_q, queue_new;  // read in the clock before
  waiting_t waiting_q, waiting_new;
  logic queue_write, waiting_write;
  number_t queue_number, waiting_number;

  logic [Queues-1:0] exists_d, exists_q;
  logic [Queues-1:0] waits_d, waits_q;  // vectors with entries that no message has told of
  logic [Queues-1:0] alone_d, alone_q;  // vectors whose coalescing is off
  logic [31:0] masked_d, masked_q;
  logic [31:0] pending_d, pending_q;
  logic [7:0] threshold_d, threshold_q, time_d, time_q;
  logic full_d, full_q;  // what is offered is for a full queue
  logic dropped_d, dropped_q;
  logic refused_d, refused_q;
  logic fatal_d, fatal_q;
  logic tick_d, tick_q;
  logic flush_d, flush_q;  // the scan tells of all, and is not of a tick
  logic scanning_d, scanning_q;
  number_t scan_d, scan_q;
  number_t vector_d, vector_q;  // of the message

  // ---- entries under way to host memory, the oldest first ----

  entry_t entries_q[UnderWay];
  logic [PlaceBits-1:0] in_d, in_q, out_d, out_q;
  logic [HeldBits-1:0] under_way_d, under_way_q;
  logic [HeldBits-1:0] written_d, written_q;  // of these, in host memory
  entry_t oldest;
  logic push, pop;
  assign oldest = entries_q[out_q];
  assign push = state_q == StEntry && host_ready_i;
  assign pop = state_q == StWritten;
  assign in_d = push ? (in_q == PlaceBits'(UnderWay - 1) ? '0 : in_q + 1'b1) : in_q;
  assign out_d = pop ? (out_q == PlaceBits'(UnderWay - 1) ? '0 : out_q + 1'b1) : out_q;
  assign under_way_d = under_way_q + HeldBits'(push) - HeldBits'(pop);
  assign written_d = written_q + HeldBits'(host_written_i) - HeldBits'(pop);
  assign fatal_d = fatal_q || (host_written_i && host_error_i);

  // ---- of the queue that was read ----

  place_t rung, next_tail;
  distance_t to_value, to_tail;  // entries from the head
  logic head_legal, coalesces, masked;
  assign next_tail = queue_q.tail == queue_q.last ? '0 : queue_q.tail + 1'b1;
  assign rung = command_value_i[EntryBits-1:0];
  assign to_value = distance_t'(rung) - distance_t'(queue_q.head) +
      (rung < queue_q.head ? distance_t'(queue_q.last) + 1'b1 : '0);
  assign to_tail = distance_t'(queue_q.tail) - distance_t'(queue_q.head) +
      (queue_q.tail < queue_q.head ? distance_t'(queue_q.last) + 1'b1 : '0);
  assign head_legal = exists_q[command_queue_i] && rung <= queue_q.last && to_value <= to_tail;
  assign coalesces = threshold_q != '0 && time_q != '0 && queue_q.irq != '0 && !alone_q[queue_q.irq];
  assign masked = 32'(vector_q) < 32'd32 && masked_q[5'(vector_q)];

  // ---- the next thing to do ----

  logic [31:0] sendable;
  number_t first_sendable;
  assign sendable = pending_q & ~masked_q;
  always_comb begin
    first_sendable = '0;
    for (int unsigned i = 0; i < 32; i++) begin
      if (sendable[31-i]) first_sendable = number_t'(31 - i);
    end
  end

  always_comb begin
    state_d = state_q;
    queue_number = post_queue_i;
    queue_new = queue_q;
    queue_write = 1'b0;
    waiting_number = scan_q;
    waiting_new = waiting_q;
    waiting_write = 1'b0;
    exists_d = exists_q;
    waits_d = waits_q;
    alone_d = alone_q;
    masked_d = masked_q;
    pending_d = pending_q;
    threshold_d = threshold_q;
    time_d = time_q;
    full_d = full_q;
    dropped_d = 1'b0;
    refused_d = 1'b0;
    tick_d = tick_q || tick_i;
    flush_d = flush_q;
    scanning_d = scanning_q;
    scan_d = scan_q;
    vector_d = vector_q;
    unique case (state_q)
      StIdle: begin
        scan_d = '0;
        flush_d = 1'b0;
        if (command_valid_i) begin
          queue_number = command_queue_i;
          state_d = StCommand;
        end else if (written_q != '0) begin
          waiting_number = oldest.irq;
          state_d = StWritten;
        end else if (tick_q) begin
          tick_d = tick_i;
          scanning_d = 1'b1;
          state_d = StScan;
        end else if (sendable != '0) begin
          vector_d = first_sendable;
          state_d = StPending;
        end else if (post_valid_i && !full_q && under_way_q != HeldBits'(UnderWay)) begin
          state_d = StPost;
        end
      end
      StCommand: begin
        state_d = StIdle;
        full_d = 1'b0;
        queue_number = command_queue_i;
        unique case (command_op_i)
          CmdCreate: begin
            exists_d[command_queue_i] = 1'b1;
            queue_new = '{
                base: command_base_i,
                last: rung,
                head: '0,
                tail: '0,
                phase: 1'b1,
                interrupts: command_value_i[16],
                irq: command_vector_i
            };
            queue_write = 1'b1;
          end
          CmdDelete: exists_d[command_queue_i] = 1'b0;
          CmdHead: begin
            queue_new.head = rung;
            queue_write = head_legal;
            refused_d = !head_legal;
          end
          CmdCoalesce: begin
            {time_d, threshold_d} = command_value_i[15:0];
            flush_d = 1'b1;
            scanning_d = 1'b1;
            state_d = StScan;
          end
          CmdVector: begin
            alone_d[command_vector_i] = command_value_i == '0;
            if (alone_d[command_vector_i] && waits_q[command_vector_i]) begin
              waits_d[command_vector_i] = 1'b0;
              vector_d = command_vector_i;
              state_d = StMessage;
            end
          end
          CmdMask: masked_d = masked_q | command_value_i;
          CmdUnmask: masked_d = masked_q & ~command_value_i;
          default: ;
        endcase
      end
      StWritten: begin
        waiting_number = oldest.irq;
        vector_d = oldest.irq;
        waiting_new.entries = waits_q[oldest.irq] ? waiting_q.entries + 9'd1 : 9'd1;
        if (!waits_q[oldest.irq]) waiting_new.ticks = 9'(time_q) + 9'd1;
        if (!oldest.interrupts) begin
          state_d = StIdle;
        end else if (oldest.message) begin
          state_d = StMessage;
        end else if (waiting_new.entries > 9'(threshold_q)) begin
          waits_d[oldest.irq] = 1'b0;
          state_d = StMessage;
        end else begin
          waits_d[oldest.irq] = 1'b1;
          waiting_write = 1'b1;
          state_d = StIdle;
        end
      end
      StScan: begin
        if (waits_q[scan_q]) begin
          state_d = StScanned;
        end else begin
          scan_d = scan_q + 1'b1;
          if (scan_q == '1) begin
            scanning_d = 1'b0;
            state_d = StIdle;
          end
        end
      end
      StScanned: begin
        waiting_new.ticks = waiting_q.ticks - 9'd1;
        waiting_write = 1'b1;
        scan_d = scan_q + 1'b1;
        scanning_d = scan_q != '1;
        state_d = scan_q == '1 ? StIdle : StScan;
        if (flush_q || waiting_q.ticks == 9'd1) begin
          waits_d[scan_q] = 1'b0;
          vector_d = scan_q;
          state_d = StMessage;
        end
      end
      StPending: begin
        pending_d[5'(vector_q)] = 1'b0;
        state_d = StMessage;
      end
      StPost: begin
        if (!exists_q[post_queue_i]) begin
          dropped_d = 1'b1;
          state_d = StTaken;
        end else if (next_tail == queue_q.head) begin
          full_d = 1'b1;
          state_d = StIdle;
        end else begin
          state_d = StEntry;
        end
      end
      StEntry: begin
        if (host_ready_i) begin
          queue_new.tail = next_tail;
          queue_new.phase = queue_q.phase ^ (next_tail == '0);
          queue_write = 1'b1;
          state_d = StTaken;
        end
      end
      StTaken: state_d = StIdle;
      StMessage: begin
        if (masked) pending_d[5'(vector_q)] = 1'b1;
        if (masked || message_ready_i) state_d = scanning_q ? StScan : StIdle;
      end
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      exists_q <= '0;
      waits_q <= '0;
      alone_q <= '0;
      masked_q <= '0;
      pending_q <= '0;
      threshold_q <= '0;
      time_q <= '0;
      full_q <= 1'b0;
      dropped_q <= 1'b0;
      refused_q <= 1'b0;
      fatal_q <= 1'b0;
      tick_q <= 1'b0;
      scanning_q <= 1'b0;
      in_q <= '0;
      out_q <= '0;
      under_way_q <= '0;
      written_q <= '0;
    end else begin
      state_q <= state_d;
      exists_q <= exists_d;
      waits_q <= waits_d;
      alone_q <= alone_d;
      masked_q <= masked_d;
      pending_q <= pending_d;
      threshold_q <= threshold_d;
      time_q <= time_d;
      full_q <= full_d;
      dropped_q <= dropped_d;
      refused_q <= refused_d;
      fatal_q <= fatal_d;
      tick_q <= tick_d;
      scanning_q <= scanning_d;
      in_q <= in_d;
      out_q <= out_d;
      under_way_q <= under_way_d;
      written_q <= written_d;
    end
  end

  // No reset: they are read after they were written. What is read is of before a write in the same clock.
  always_ff @(posedge clk_i) begin
    if (queue_write) queues[queue_number] <= queue_new;
    else if (state_q == StIdle) queue_q <= queues[queue_number];
    if (waiting_write) waitings[waiting_number] <= waiting_new;
    else waiting_q <= waitings[waiting_number];
    flush_q <= flush_d;
    scan_q <= scan_d;
    vector_q <= vector_d;
    if (push) entries_q[in_q] <= '{interrupts: queue_q.interrupts, message: !coalesces, irq: queue_q.irq};
  end

  assign command_ready_o = state_q == StCommand;
  assign refused_o = refused_q;
  assign post_ready_o = state_q == StTaken;
  assign dropped_o = dropped_q;
  assign host_valid_o = state_q == StEntry;
  assign host_address_o = queue_q.base + 64'({queue_q.tail, 4'b0});
  assign host_data_o = {post_status_i, queue_q.phase, post_cid_i, post_sq_i, post_sq_head_i, 32'd0, post_result_i};
  assign fatal_o = fatal_q;
  assign message_valid_o = state_q == StMessage && !masked;
  assign message_vector_o = vector_q;
  assign busy_o = state_q != StIdle || under_way_q != '0 || tick_q || sendable != '0;

endmodule
