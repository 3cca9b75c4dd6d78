// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The base matrix by block columns: up to four circulants in each, from the generated package.
package ldpc_columns_pkg;
  import ldpc_base_pkg::*;

  typedef struct packed {
    logic       valid;
    logic [2:0] row;
    logic [1:0] words;  // the shift is 64 * words + lanes
    logic [5:0] lanes;
  } circulant_t;

  typedef circulant_t [3:0] column_t;

  function automatic column_t column_of(input logic [6:0] c);
    column_of = ColumnCirculants[c];
  endfunction

endpackage
