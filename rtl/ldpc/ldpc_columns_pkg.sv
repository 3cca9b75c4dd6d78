// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The base matrix by block columns: up to four circulants in each, worked out from the generated package when the
// design is elaborated. (A function of one column: Verilator 5.006 computes no constant array of arrays.)
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
    automatic int found = 0;
    column_of = '0;
    for (int r = 0; r < int'(BlockRows); r++) begin
      for (int unsigned k = RowStart[r]; k < RowStart[r+1]; k++) begin
        if (CirculantColumn[k] == 32'(c)) begin
          column_of[found[1:0]] = {1'b1, r[2:0], CirculantShift[k][7:0]};
          found++;
        end
      end
    end
  endfunction

endpackage
