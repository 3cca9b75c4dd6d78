// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Proof of completion: each entry that is taken is put into host memory once or dropped; an entry of queue 0 lies at
// its tail with its phase tag, and on none that the host has not consumed; a head doorbell is refused if and only if it
// is not of an entry that the host may have consumed; no more messages than entries that host memory has; what is
// offered at a port stays until it is taken. Inputs are free, but: reset comes in the first clock and not again,
// commands and entries keep the handshake, commands create and delete queues and move heads, queues have interrupts and
// two to four entries at fixed addresses, coalescing and masks are never set, and host memory answers what it was
// given, once and without an error.
module completion_proof
  import completion_pkg::*;
#(
    parameter int unsigned UnderWay = 2
) (
    input logic clk_i,
    input logic rst_ni,
    input logic tick_i,
    input logic command_valid_i,
    input command_e command_op_i,
    input logic command_queue_i,
    input logic command_vector_i,
    input logic [1:0] command_value_i,
    input logic post_valid_i,
    input logic post_queue_i,
    input logic host_ready_i,
    input logic host_written_i,
    input logic message_ready_i
);
  bit started_q = 1'b0;
  logic command_ready, refused, post_ready, dropped, host_valid, fatal, message_valid, busy;
  logic message_vector;
  logic [63:0] host_address;
  logic [127:0] host_data;

  completion #(
      .QueueBits(1),
      .EntryBits(2),
      .UnderWay(UnderWay)
  ) u_completion (
      .clk_i,
      .rst_ni,
      .tick_i,
      .command_valid_i,
      .command_ready_o(command_ready),
      .command_op_i,
      .command_queue_i,
      .command_vector_i,
      .command_base_i({57'd0, command_queue_i, 6'd0}),
      .command_value_i({15'd0, 1'b1, 14'd0, command_value_i}),
      .refused_o(refused),
      .post_valid_i,
      .post_ready_o(post_ready),
      .post_queue_i,
      .post_sq_i('0),
      .post_sq_head_i('0),
      .post_cid_i('0),
      .post_status_i('0),
      .post_result_i('0),
      .dropped_o(dropped),
      .host_valid_o(host_valid),
      .host_ready_i,
      .host_address_o(host_address),
      .host_data_o(host_data),
      .host_written_i,
      .host_error_i(1'b0),
      .fatal_o(fatal),
      .message_valid_o(message_valid),
      .message_ready_i,
      .message_vector_o(message_vector),
      .busy_o(busy));

  handshake_checker #(.PayloadBits(4)) u_host_checker (
      .clk_i, .rst_ni, .valid_i(host_valid), .ready_i(host_ready_i),
      .payload_i({host_address[6:4], host_data[112]}));
  handshake_checker #(.PayloadBits(1)) u_message_checker (
      .clk_i, .rst_ni, .valid_i(message_valid), .ready_i(message_ready_i), .payload_i(message_vector));

  // Queue 0 as the host knows it.
  logic exists_q, phase_q;
  logic [1:0] last_q, head_q, tail_q, used_q;
  logic [2:0] consumed;  // by a head doorbell
  logic legal, rings, takes;
  assign consumed = 3'(command_value_i) - 3'(head_q) + (command_value_i < head_q ? 3'(last_q) + 3'd1 : 3'd0);
  assign legal = exists_q && command_value_i <= last_q && consumed <= 3'(used_q);
  assign rings = command_valid_i && command_ready && command_op_i == CmdHead && !command_queue_i;
  assign takes = host_valid && host_ready_i;

  logic put_q;  // what is offered was put into host memory
  logic refuses_q, rang_q;
  logic [1:0] under_way_q;
  logic [2:0] untold_q;  // entries given to host memory, whose messages were not sent
  logic held_command_q, held_post_q;
  logic [6:0] command_q;
  logic post_queue_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    held_command_q <= rst_ni && command_valid_i && !command_ready;
    held_post_q <= rst_ni && post_valid_i && !post_ready;
    command_q <= {command_op_i, command_queue_i, command_vector_i, command_value_i};
    post_queue_q <= post_queue_i;
    assume (rst_ni == started_q);
    assume (command_op_i == CmdCreate || command_op_i == CmdDelete || command_op_i == CmdHead);
    assume (command_op_i != CmdCreate || command_value_i != '0);
    assume (!held_command_q || (command_valid_i &&
        command_q == {command_op_i, command_queue_i, command_vector_i, command_value_i}));
    assume (!held_post_q || (post_valid_i && post_queue_q == post_queue_i));
    assume (!host_written_i || (rst_ni && under_way_q != '0));
    if (!rst_ni) begin
      exists_q <= 1'b0;
      put_q <= 1'b0;
      rang_q <= 1'b0;
      under_way_q <= '0;
      untold_q <= '0;
    end else begin
      rang_q <= rings;
      refuses_q <= rings && !legal;
      put_q <= (put_q || takes) && !post_ready;
      under_way_q <= under_way_q + 2'(takes) - 2'(host_written_i);
      untold_q <= untold_q + 3'(host_written_i) - 3'(message_valid && message_ready_i);
      if (command_valid_i && command_ready && !command_queue_i) begin
        if (command_op_i == CmdCreate) begin
          exists_q <= 1'b1;
          last_q <= command_value_i;
          head_q <= '0;
          tail_q <= '0;
          used_q <= '0;
          phase_q <= 1'b1;
        end
        if (command_op_i == CmdDelete) exists_q <= 1'b0;
        if (rings && legal) begin
          head_q <= command_value_i;
          used_q <= used_q - consumed[1:0];
        end
      end
      if (takes && !host_address[6]) begin
        tail_q <= tail_q == last_q ? '0 : tail_q + 2'd1;
        phase_q <= phase_q ^ (tail_q == last_q);
        used_q <= used_q + 2'd1;
      end

      put_or_dropped :
      assert (!post_ready || (put_q != dropped));
      put_once :
      assert (!host_valid || !put_q);
      of_the_queue_asked :
      assert (!host_valid || (post_valid_i && host_address[6] == post_queue_i));
      at_the_tail :
      assert (!host_valid || host_address[6] || (exists_q && host_address[5:0] == {tail_q, 4'd0}));
      with_its_phase :
      assert (!host_valid || host_address[6] || host_data[112] == phase_q);
      on_none_that_is_in_use :
      assert (!host_valid || host_address[6] || used_q != last_q);
      refused_when_not_legal :
      assert (!rang_q || refused == refuses_q);
      as_many_as_it_may :
      assert (under_way_q <= 2'(UnderWay));
      tells_of_what_is_there :
      assert (!message_valid || untold_q != '0);
      never_fatal :
      assert (!fatal);

      tells :
      cover (message_valid && message_ready_i && message_vector);
      drops :
      cover (post_ready && dropped);
    end
  end

endmodule
