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
    input logic clk,
    input logic rst_n,

    input  logic [15:0] a_group,
    input  logic [15:0] a_layer,
    input  logic        a_write,
    input  ort_entry_t  a_new,
    output ort_entry_t  a_entry,

    input  logic [15:0] b_group,
    input  logic [15:0] b_layer,
    output logic        b_exists,
    output ort_entry_t  b_entry,
    input  logic        b_write,
    input  ort_entry_t  b_new,
    input  logic        b_clear,        // all layers of b_clear_group
    input  logic [15:0] b_clear_group,
    output logic        b_ready
);
  localparam int unsigned Entries = Groups * Layers;
  localparam int unsigned IndexBits = Entries == 1 ? 1 : $clog2(Entries);
  localparam int unsigned GroupBits = Groups == 1 ? 1 : $clog2(Groups);

  typedef struct packed {
    step_t step;
    logic [1:0] level;
  } content_t;

  content_t memory[Entries];
  logic [Layers-1:0] valid[Groups];

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

  assign b_ready = !a_write;
  assign b_exists = exists(b_group, b_layer);

  always_comb begin
    a_entry = '0;
    if (exists(a_group, a_layer) && valid[GroupBits'(a_group)][a_layer[$clog2(Layers)-1:0]]) begin
      a_entry = entry_of(1'b1, memory[index(a_group, a_layer)]);
    end
    b_entry = '0;
    if (b_exists && valid[GroupBits'(b_group)][b_layer[$clog2(Layers)-1:0]]) begin
      b_entry = entry_of(1'b1, memory[index(b_group, b_layer)]);
    end
  end

  always_ff @(posedge clk) begin
    if (a_write) begin
      if (exists(a_group, a_layer)) begin
        memory[index(a_group, a_layer)] <= '{step: a_new.step, level: a_new.level};
        valid[GroupBits'(a_group)][a_layer[$clog2(Layers)-1:0]] <= a_new.valid;
      end
    end else if (b_write) begin
      if (b_exists) begin
        memory[index(b_group, b_layer)] <= '{step: b_new.step, level: b_new.level};
        valid[GroupBits'(b_group)][b_layer[$clog2(Layers)-1:0]] <= b_new.valid;
      end
    end else if (b_clear) begin
      if (32'(b_clear_group) < Groups) valid[GroupBits'(b_clear_group)] <= '0;
    end
    if (!rst_n) begin
      for (int group = 0; group < int'(Groups); group++) valid[group] <= '0;
    end
  end
endmodule
