// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Checkers of the ports of the completion engine.
bind completion handshake_checker #(.PayloadBits(2 * QueueBits + 99)) u_command_checker (
    .clk_i, .rst_ni, .valid_i(command_valid_i), .ready_i(command_ready_o),
    .payload_i({command_op_i, command_queue_i, command_vector_i, command_base_i, command_value_i}));

bind completion handshake_checker #(.PayloadBits(QueueBits + 95)) u_post_checker (
    .clk_i, .rst_ni, .valid_i(post_valid_i), .ready_i(post_ready_o),
    .payload_i({post_queue_i, post_sq_i, post_sq_head_i, post_cid_i, post_status_i, post_result_i}));

bind completion memory_port_checker #(.PayloadBits(192), .UnderWay(UnderWay)) u_host_checker (
    .clk_i, .rst_ni, .valid_i(host_valid_o), .ready_i(host_ready_i), .payload_i({host_address_o, host_data_o}),
    .answer_i(host_written_i));

bind completion handshake_checker #(.PayloadBits(QueueBits)) u_message_checker (
    .clk_i, .rst_ni, .valid_i(message_valid_o), .ready_i(message_ready_i), .payload_i(message_vector_o));
