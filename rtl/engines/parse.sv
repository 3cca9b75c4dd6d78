// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Command parser (engines.parse): checks and splits the submission queue entry of an I/O command. A command is refused
// for the first reason in the order of tlm/device/nvme/hardware_parser.cpp: opcode; FUSE and PSDT; namespace; fields of
// a Copy; MDTS; range of LBAs; PRPs. What a good one is: the operation for firmware and engines, its blocks of 512
// bytes of the drive, its logical pages, how many host pages its data have, whether a PRP list or an SGL is to be read
// before it is handed on.
//
// Memory port: the table of namespaces of models/firmware/contract/host_ring.h (its head, and a record a namespace) in
// doublewords of 64 bits, one answer each, in order. From the offer of an entry to its answer 8 clocks at a memory that
// answers in the next clock; 2 for what is refused, or is a flush of all namespaces, before the table is read. One
// entry at a time.
//
// Limits: without metadata and placement handles. Lists, SGLs, and ranges of Dataset Management and Copy are for others
// to read.
module parse
  import nvme_pkg::*;
#(
    parameter int unsigned TagBits = 11
) (
    input logic clk_i,
    input logic rst_ni,

    // Settings, which do not change while there is a command.
    input logic [31:0] namespace_table_i,
    input logic [19:0] max_blocks_i,  // of 512 bytes, in a command that moves data (MDTS)
    input logic [ 2:0] lpage_shift_i,  // a logical page is 512 bytes << this
    input logic        cmb_i,  // there is a controller memory buffer, in these host pages: no data there
    input logic [51:0] cmb_first_i,
    input logic [19:0] cmb_pages_i,

    input  logic                 entry_valid_i,
    output logic                 entry_ready_o,
    input  logic   [TagBits-1:0] entry_tag_i,
    input  entry_t               entry_i,

    output logic        mem_valid_o,
    input  logic        mem_ready_i,
    output logic [31:0] mem_address_o,
    input  logic        mem_answer_i,
    input  logic        mem_error_i,
    input  logic [63:0] mem_rdata_i,

    output logic                  answer_valid_o,
    input  logic                  answer_ready_i,
    output logic    [TagBits-1:0] answer_tag_o,
    output status_t               answer_status_o,  // the rest says something only with Success
    output logic            [7:0] answer_op_o,  // flush, write, read, write zeroes, Dataset Management, Copy
    output way_e                  answer_way_o,
    output logic                  answer_fua_o,
    output logic           [63:0] answer_first_o,  // block of 512 bytes of the drive
    output logic           [19:0] answer_blocks_o,
    output logic           [31:0] answer_lpn_o,  // first logical page
    output logic           [17:0] answer_lpages_o,
    output logic            [8:0] answer_ranges_o,  // of 16 bytes
    output logic           [17:0] answer_pages_o,  // host pages of the data; more than two: PRP2 is a list
    output logic                  answer_sgl_o,  // instead of PRPs
    output logic                  answer_hints_o,  // Dataset Management that deallocates nothing

    output logic busy_o
);
  typedef enum logic [2:0] {
    StIdle,
    StEntry,
    StTable,
    StBlocks,
    StPages,
    StAnswer
  } state_e;

  state_e state_d, state_q;
  entry_t entry_q;
  logic [TagBits-1:0] tag_q;
  logic [1:0] asked_d, asked_q;  // of the table's doublewords
  logic [1:0] came_d, came_q;
  logic error_d, error_q;
  logic [1:0] shift_q;  // a logical block is 512 bytes << this
  logic [31:0] namespaces_q;
  logic [63:0] own_first_q, own_blocks_q;
  status_t status_d, status_q;
  logic [63:0] first_d, first_q;
  logic [19:0] blocks_d, blocks_q;
  logic [31:0] lpn_d, lpn_q;
  logic [17:0] lpages_d, lpages_q;
  logic [17:0] pages_d, pages_q;

  // ---- what the entry says by itself ----

  logic known, is_flush, is_ranges, is_copy, is_extent, moves_data, has_data, sgl;
  logic [7:0] op;
  way_e way;
  logic [16:0] nlb;  // logical blocks
  logic [63:0] slba;
  logic [8:0] copy_ranges, ranges;

  always_comb begin
    known = 1'b1;
    op = entry_q.opcode;
    way = WayHost;
    unique case (entry_q.opcode)
      OpFlush, OpWrite, OpRead, OpDatasetManagement, OpCopy: ;
      OpWriteUncorrectable: begin
        op = OpWrite;
        way = WayUncorrectable;
      end
      OpCompare: begin
        op = OpRead;
        way = WayCompare;
      end
      OpVerify: begin
        op = OpRead;
        way = WayVerify;
      end
      OpWriteZeroes: way = WayZeroes;
      default: known = 1'b0;
    endcase
  end
  assign is_flush = entry_q.opcode == OpFlush;
  assign is_copy = entry_q.opcode == OpCopy;
  assign is_ranges = is_copy || entry_q.opcode == OpDatasetManagement;
  assign is_extent = !is_flush && !is_ranges;
  assign moves_data = op == OpRead || op == OpWrite;
  assign has_data = is_ranges || (moves_data && (way == WayHost || way == WayCompare));
  assign sgl = entry_q.psdt != '0;
  assign nlb = 17'(entry_q.cdw12[15:0]) + 17'd1;
  assign slba = {entry_q.cdw11, entry_q.cdw10};
  assign copy_ranges = 9'(entry_q.cdw12[7:0]) + 9'd1;
  assign ranges = is_copy ? {copy_ranges[7:0], 1'b0} : 9'(entry_q.cdw10[7:0]) + 9'd1;

  logic fields_bad, all_namespaces, has_record;
  logic [31:0] record;
  assign fields_bad = entry_q.fuse != '0 || entry_q.psdt == 2'b11;
  assign all_namespaces = is_flush && entry_q.nsid == AllNamespaces;
  assign record = entry_q.nsid - 32'd1;
  assign has_record = record < Namespaces;

  // ---- against its namespace ----

  logic [63:0] own_nlb;
  logic in_range;
  assign own_nlb = own_blocks_q >> shift_q;
  assign in_range = slba <= own_nlb && 64'(nlb) <= own_nlb - slba;
  assign first_d = own_first_q + (slba << shift_q);
  assign blocks_d = is_extent ? 20'(nlb) << shift_q : '0;

  // ---- its pages ----

  logic [63:0] lpage_first, lpage_end;
  logic [31:0] bytes;
  logic [11:0] offset;
  logic cmb_first, cmb_second;
  assign lpage_first = first_q >> lpage_shift_i;
  assign lpage_end = (first_q + 64'(blocks_q) + (64'd1 << lpage_shift_i) - 64'd1) >> lpage_shift_i;
  assign lpn_d = is_extent ? lpage_first[31:0] : '0;
  assign lpages_d = is_extent ? 18'(lpage_end - lpage_first) : '0;
  assign bytes = is_ranges ? 32'({ranges, 4'b0}) : 32'({blocks_q, 9'b0});
  assign offset = entry_q.prp1[11:0];
  assign pages_d = has_data && !sgl ? 18'((33'(offset) + 33'(bytes) + 33'd4095) >> 12) : '0;
  assign cmb_first = cmb_i && entry_q.prp1[63:12] - cmb_first_i < 52'(cmb_pages_i);
  assign cmb_second = cmb_i && entry_q.prp2[63:12] - cmb_first_i < 52'(cmb_pages_i);

  // ---- why it is refused ----

  always_comb begin
    status_d = status_q;
    unique case (state_q)
      StEntry: begin
        if (!known) status_d = InvalidOpcode;
        else if (fields_bad) status_d = InvalidField;
        else if (!all_namespaces && !has_record) status_d = InvalidNamespace;
        else status_d = Success;
      end
      StBlocks: begin
        if (error_q) status_d = InternalError;
        else if (record >= namespaces_q) status_d = InvalidNamespace;
        else if (own_blocks_q == '0) status_d = InvalidField;
        else if (is_copy && entry_q.cdw12[11:8] != '0) status_d = InvalidField;
        else if (is_copy && copy_ranges > CopyRanges) status_d = CommandSizeLimitExceeded;
        else if (is_extent && moves_data && blocks_d > max_blocks_i) status_d = InvalidField;
        else if (is_extent && !in_range) status_d = LbaOutOfRange;
      end
      StPages: begin
        if (status_q != Success || !has_data || sgl) status_d = status_q;
        else if (is_ranges ? offset[1:0] != '0 : offset[8:0] != '0) status_d = PrpOffsetInvalid;
        else if (pages_d == 18'd2 && entry_q.prp2[11:0] != '0) status_d = PrpOffsetInvalid;
        else if (pages_d > 18'd2 && entry_q.prp2[2:0] != '0) status_d = PrpOffsetInvalid;
        else if (pages_d > 18'd2 && entry_q.prp2 == '0) status_d = InvalidField;
        else if (cmb_first || (pages_d == 18'd2 && cmb_second)) status_d = InvalidUseOfCmb;
      end
      default: ;
    endcase
  end

  // ---- the way of an entry ----

  always_comb begin
    state_d = state_q;
    asked_d = asked_q;
    came_d = came_q;
    error_d = error_q;
    unique case (state_q)
      StIdle: begin
        asked_d = '0;
        came_d = '0;
        error_d = 1'b0;
        if (entry_valid_i) state_d = StEntry;
      end
      StEntry: state_d = status_d != Success || all_namespaces ? StAnswer : StTable;
      StTable: begin
        if (mem_valid_o && mem_ready_i) asked_d = asked_q + 2'd1;
        if (mem_answer_i) begin
          came_d = came_q + 2'd1;
          error_d = error_q || mem_error_i;
          if (came_q == 2'd2) state_d = StBlocks;
        end
      end
      StBlocks: state_d = StPages;
      StPages: state_d = StAnswer;
      StAnswer: if (answer_ready_i) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  // Head of the table, first and blocks of the namespace.
  assign mem_valid_o = state_q == StTable && asked_q != 2'd3;
  assign mem_address_o = namespace_table_i + (asked_q == 2'd0 ? 32'd0 : 32'({record[4:0], asked_q[1], 3'b0}) + 32'd8);
  assign entry_ready_o = state_q == StIdle;
  assign busy_o = state_q != StIdle;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  // No reset: an entry sets them before they are read.
  always_ff @(posedge clk_i) begin
    if (entry_valid_i && entry_ready_o) begin
      entry_q <= entry_i;
      tag_q <= entry_tag_i;
    end
    asked_q <= asked_d;
    came_q <= came_d;
    error_q <= error_d;
    if (mem_answer_i && came_q == 2'd0) {shift_q, namespaces_q} <= mem_rdata_i[33:0];
    if (mem_answer_i && came_q == 2'd1) own_first_q <= mem_rdata_i;
    if (mem_answer_i && came_q == 2'd2) own_blocks_q <= mem_rdata_i;
    status_q <= status_d;
    if (state_q == StBlocks) begin
      first_q <= first_d;
      blocks_q <= blocks_d;
    end
    if (state_q == StPages) begin
      lpn_q <= lpn_d;
      lpages_q <= lpages_d;
      pages_q <= pages_d;
    end
  end

  // A flush of all namespaces has met no table: its fields are those of a flush.
  assign answer_valid_o = state_q == StAnswer;
  assign answer_tag_o = tag_q;
  assign answer_status_o = status_q == Success ? Success : status_q | DoNotRetry;
  assign answer_op_o = op;
  assign answer_way_o = way;
  assign answer_fua_o = (is_extent || is_copy) && way != WayUncorrectable && entry_q.cdw12[30];
  assign answer_first_o = is_extent ? first_q : '0;
  assign answer_blocks_o = is_extent ? blocks_q : '0;
  assign answer_lpn_o = is_extent ? lpn_q : '0;
  assign answer_lpages_o = is_extent ? lpages_q : '0;
  assign answer_ranges_o = is_ranges ? ranges : '0;
  assign answer_pages_o = has_data && !sgl ? pages_q : '0;
  assign answer_sgl_o = has_data && sgl;
  assign answer_hints_o = entry_q.opcode == OpDatasetManagement && !entry_q.cdw11[2];

  logic unused;  // of the entry, of the head, and of logical pages beyond what a number of them can have
  assign unused = ^{entry_q.cdw15, entry_q.cdw14, entry_q.cdw13, entry_q.cdw12[31], entry_q.cdw12[29:16], entry_q.mptr,
                    entry_q.cdw3, entry_q.cdw2, entry_q.cid, entry_q.reserved, lpage_first[63:32], copy_ranges[8]};

endmodule
