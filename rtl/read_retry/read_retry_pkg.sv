// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Types of the read-retry controller. Names and numbers are those of models/ecc/retry/read_retry.h and of the ECC
// registers.
package read_retry_pkg;

  localparam int unsigned Codewords = 128;  // codewords of one read
  localparam int unsigned CodewordBits = $clog2(Codewords);
  localparam int unsigned Steps = 16;  // steps of the retry table
  localparam int unsigned StepBits = $clog2(Steps);
  localparam int unsigned OffsetBits = 128;  // 16 references of 8 bits; reference 0 does not exist
  localparam int unsigned TagBits = 4;  // tag bits of commands
  localparam int unsigned WeightBits = 19;  // bits of a sum of weights: 12 bits for each of 128 codewords

  typedef logic [Codewords-1:0] mask_t;
  typedef logic [StepBits-1:0] step_t;
  typedef logic [TagBits-1:0] tag_t;
  typedef logic [11:0] llr_t;  // four magnitudes of three bits, symbol 0 in the lowest

  typedef enum logic [4:0] {
    StIdle,
    StLookupOrt,
    StIssueRead,
    StWaitData,
    StT1,
    StT2H,
    StCrc,
    StNextRetry,
    StSetFeature,
    StSoftSetup,
    StSoftRead,
    StLlrLoad,
    StT2S,
    StUpdateOrt,
    StRestoreFeature,
    StDone,
    StFail
  } state_e;

  typedef enum logic [1:0] {
    FlashOpRead,
    FlashOpSetVref,
    FlashOpSoftRead,
    FlashOpRestore
  } flash_op_e;

  typedef enum logic [1:0] {
    DecodeOpT1,
    DecodeOpT2H,
    DecodeOpT2S,
    DecodeOpLoadLlr
  } decode_op_e;

  typedef enum logic [2:0] {
    CodeOk,
    CodeUncorrectable,
    CodeAborted,
    CodeTimeout,
    CodeFlashError
  } code_e;

  // How a codeword was decoded: index of ECC.CODEWORDS.
  typedef enum logic [1:0] {
    WayT1,
    WayT2H,
    WayThreeReads,
    WaySevenReads
  } way_e;

  typedef struct packed {
    logic [15:0] tag;
    logic [15:0] die;
    logic [31:0] address;  // row
    logic [15:0] group;  // group of the ORT
    logic [15:0] layer;
    logic [7:0] page_type;
    logic sensed;  // read at step 0 already, and both hard tiers gave up
    mask_t codewords;
  } request_t;

  typedef struct packed {
    logic valid;
    step_t step;
    logic [1:0] level;
  } ort_entry_t;

  // What firmware sets and the state machine decides by.
  typedef struct packed {
    logic [7:0] max_retries;
    step_t last_step;
    logic [1:0] max_soft;
    logic ort_enable;
    logic ort_first;
    logic ort_update;
    logic [7:0] t1_iterations;
    logic [7:0] t2_iterations;
    logic [31:0] flash_timeout;
    logic [31:0] decode_timeout;
    logic [4:0] soft_delta_three;
    logic [4:0] soft_delta_seven;
    llr_t llr_hard;
    llr_t llr_three;
    llr_t llr_seven;
    logic force_t1_fail;
    logic force_t2h_fail;
    logic force_t2s_fail;
    logic corrupt_crc;
    logic [4:0] force_steps;
  } settings_t;

  // Syndrome weights of the codewords that tier 1 left, at one step.
  typedef struct packed {
    logic [WeightBits-1:0] weight;  // sum
    logic [7:0] codewords;
  } scale_t;

  // What happened to a read.
  typedef struct packed {
    logic [2:0] tiers;
    logic crc_corrupted;  // crc corrupted by injection, once
    logic restore_failed;
    logic miscorrected;
    logic ort_hit;
    logic ort_updated;
    logic injected;
  } history_t;

  // ECC.LAST_STATUS.
  typedef struct packed {
    logic [7:0] failed;
    logic [1:0] zero;
    logic injected;
    logic ort_updated;
    logic ort_hit;
    logic miscorrected;
    logic [2:0] tiers;
    logic [1:0] soft_level;
    step_t step;
    logic [4:0] retries;
    logic restore_failed;
    code_e code;
  } status_t;

  typedef struct packed {
    tag_t tag;
    logic [CodewordBits-1:0] codeword;
    logic ok;  // every check holds
    logic crc_ok;
    logic [7:0] iterations;
    logic [14:0] corrected;  // bits
    logic [11:0] weight;  // weight of the syndrome as the codeword came in
  } verdict_t;

  // What happened in a clock, for the counters and interrupts.
  typedef struct packed {
    logic decoded;  // a codeword, and its CRC fits
    way_e way;
    logic miscorrected;
    logic retry;
    logic result;
    logic stalled;
    logic [1:0] stale;  // answers dropped
  } event_t;

endpackage
