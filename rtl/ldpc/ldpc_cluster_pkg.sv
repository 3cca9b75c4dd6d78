// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// What goes in and out of the decoder cluster beside the bits.
package ldpc_cluster_pkg;

  typedef enum logic [1:0] {
    PathTier1Only,   // fails when bit flipping fails
    PathEscalate,     // bit flipping, and when that fails min-sum on the same bits
    PathTier2Only    // min-sum; codewords with soft planes must take it
  } decode_path_e;

  // With every beat of a codeword's planes.
  typedef struct packed {
    logic [7:0]   tag;
    decode_path_e path;
    logic [1:0]   profile;      // table of channel magnitudes for min-sum
    logic [1:0]   soft_planes;  // packets after the hard bits: 0, 1 or 2
  } cluster_request_t;

  // With every beat of a decoded codeword, and in its verdict.
  typedef struct packed {
    logic [7:0] tag;
    logic       success;
    logic       aborted;
    logic       tier2;
    logic [7:0] iterations;  // iterations of the tier that gave the verdict
  } cluster_result_t;

endpackage
