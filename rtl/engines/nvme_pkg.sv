// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// What the engines in gates know of NVM Express: Base Specification 2.0, NVM Command Set Specification 1.0. Numbers as
// in tlm/device/nvme/nvme.h, which names the clauses.
package nvme_pkg;

  // I/O opcodes.
  localparam logic [7:0] OpFlush = 8'h00;
  localparam logic [7:0] OpWrite = 8'h01;
  localparam logic [7:0] OpRead = 8'h02;
  localparam logic [7:0] OpWriteUncorrectable = 8'h04;
  localparam logic [7:0] OpCompare = 8'h05;
  localparam logic [7:0] OpWriteZeroes = 8'h08;
  localparam logic [7:0] OpDatasetManagement = 8'h09;
  localparam logic [7:0] OpVerify = 8'h0c;
  localparam logic [7:0] OpCopy = 8'h19;

  // Status: type 10:8, code 7:0, do not retry 14.
  typedef logic [14:0] status_t;
  localparam status_t DoNotRetry = 15'h4000;
  localparam status_t Success = 15'h0000;
  localparam status_t InvalidOpcode = 15'h0001;
  localparam status_t InvalidField = 15'h0002;
  localparam status_t InternalError = 15'h0006;
  localparam status_t InvalidNamespace = 15'h000b;
  localparam status_t InvalidUseOfCmb = 15'h0012;
  localparam status_t PrpOffsetInvalid = 15'h0013;
  localparam status_t LbaOutOfRange = 15'h0080;
  localparam status_t CommandSizeLimitExceeded = 15'h0183;

  // Submission queue entry, dword 0 last.
  typedef struct packed {
    logic [31:0] cdw15, cdw14, cdw13, cdw12, cdw11, cdw10;
    logic [63:0] prp2, prp1, mptr;
    logic [31:0] cdw3, cdw2, nsid;
    logic [15:0] cid;
    logic [1:0] psdt;
    logic [3:0] reserved;
    logic [1:0] fuse;
    logic [7:0] opcode;
  } entry_t;

  // What becomes of the data of a command that is a read or a write for the firmware and the engines; as host::DataWay.
  typedef enum logic [2:0] {
    WayHost = 3'd0,
    WayVerify = 3'd1,
    WayCompare = 3'd2,
    WayUncorrectable = 3'd5,
    WayZeroes = 3'd6
  } way_e;

  localparam int unsigned Namespaces = 32;  // WL_NAMESPACES
  localparam logic [31:0] AllNamespaces = 32'hffff_ffff;
  localparam logic [8:0] CopyRanges = 9'd128;  // WL_COPY_RANGES

endpackage
