// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The base matrix by block columns, from the generated package: up to four circulants in each, at most one in a row.
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

  // The circulant of a column in one row, for what has hardware of its own for each row.
  typedef struct packed {
    logic       valid;
    logic [1:0] words;
    logic [5:0] lanes;
  } of_row_t;

  function automatic of_row_t of_row(input column_t column, input logic [2:0] row);
    of_row = '0;
    for (int i = 0; i < 4; i++) begin
      if (column[i].valid && column[i].row == row) of_row = {1'b1, column[i].words, column[i].lanes};
    end
  endfunction

endpackage
