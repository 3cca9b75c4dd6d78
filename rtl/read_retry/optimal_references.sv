// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Table of optimal references: the step that worked last, by group and h-layer. Port a belongs to the state machine,
// port b to the registers, which have to wait while port a writes (b_ready). Reads are in the clock of their address,
// as of a register file. A group is forgotten in one clock: valid bits are flip-flops.
module optimal_references
  import read_retry_pkg::*;
#(
    parameter int unsigned Groups = 4,
    parameter int unsigned Layers = 64
) (
    input logic clk_i,
    input logic rst_ni,

    input  logic [15:0] a_group_i,
    input  logic [15:0] a_layer_i,
    input  logic        a_write_i,
    input  ort_entry_t  a_new_i,
    output ort_entry_t  a_entry_o,

    input  logic [15:0] b_group_i,
    input  logic [15:0] b_layer_i,
    output logic        b_exists_o,
    output ort_entry_t  b_entry_o,
    input  logic        b_write_i,
    input  ort_entry_t  b_new_i,
    input  logic        b_clear_i,        // all layers of b_clear_group
    input  logic [15:0] b_clear_group_i,
    output logic        b_ready_o
);
  localparam int unsigned Entries = Groups * Layers;
  localparam int unsigned IndexBits = Entries == 1 ? 1 : $clog2(Entries);
  localparam int unsigned GroupBits = Groups == 1 ? 1 : $clog2(Groups);

  typedef struct packed {
    step_t step;
    logic [1:0] level;
  } content_t;

  content_t memory[Entries];
  logic [Layers-1:0] valid_q[Groups];

  function automatic logic [IndexBits-1:0] index(input logic [15:0] group, input logic [15:0] layer);
    index = IndexBits'(32'(group) * Layers + 32'(layer));
  endfunction

  function automatic logic exists(input logic [15:0] group, input logic [15:0] layer);
    exists = 32'(group) < Groups && 32'(layer) < Layers;
  endfunction

  function automatic ort_entry_t entry_of(input logic present, input content_t content);
    entry_of.valid = present;
    entry_of.step = content.step;
    entry_of.level = content.level;
  endfunction

  assign b_ready_o = !a_write_i;
  assign b_exists_o = exists(b_group_i, b_layer_i);

  always_comb begin
    a_entry_o = '0;
    if (exists(a_group_i, a_layer_i) && valid_q[GroupBits'(a_group_i)][a_layer_i[$clog2(Layers)-1:0]]) begin
      a_entry_o = entry_of(1'b1, memory[index(a_group_i, a_layer_i)]);
    end
    b_entry_o = '0;
    if (b_exists_o && valid_q[GroupBits'(b_group_i)][b_layer_i[$clog2(Layers)-1:0]]) begin
      b_entry_o = entry_of(1'b1, memory[index(b_group_i, b_layer_i)]);
    end
  end

  logic write;
  logic [15:0] write_group, write_layer;
  ort_entry_t write_entry;
  always_comb begin
    write_group = a_write_i ? a_group_i : b_group_i;
    write_layer = a_write_i ? a_layer_i : b_layer_i;
    write_entry = a_write_i ? a_new_i : b_new_i;
    write = (a_write_i || b_write_i) && exists(write_group, write_layer);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int group = 0; group < int'(Groups); group++) valid_q[group] <= '0;
    end else if (write) begin
      valid_q[GroupBits'(write_group)][write_layer[$clog2(Layers)-1:0]] <= write_entry.valid;
    end else if (b_clear_i && b_ready_o) begin
      if (32'(b_clear_group_i) < Groups) valid_q[GroupBits'(b_clear_group_i)] <= '0;
    end
  end

  // No reset: a memory, whose words are read only where the valid bit is set.
  always_ff @(posedge clk_i) begin
    if (write) memory[index(write_group, write_layer)] <= '{step: write_entry.step, level: write_entry.level};
  end

endmodule
