// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The next step of the retry table: step 0 when `default_first` and it was not tried; else the untried step nearest
// to `from`, the higher one of two. Combinational.
module retry_step_picker
  import read_retry_pkg::*;
(
    input logic [Steps-1:0] tried_i,
    input step_t last_step_i,
    input step_t from_i,
    input logic default_first_i,
    output logic any_o,
    output step_t step_o
);
  always_comb begin
    any_o = 1'b0;
    step_o = '0;
    for (int distance = int'(Steps) - 1; distance >= 0; distance--) begin
      automatic int up = int'({1'b0, from_i}) + distance;
      automatic int down = int'({1'b0, from_i}) - distance;
      if (down >= 0 && down <= int'({1'b0, last_step_i}) && !tried_i[step_t'(down)]) begin
        any_o = 1'b1;
        step_o = step_t'(down);
      end
      if (up <= int'({1'b0, last_step_i}) && !tried_i[step_t'(up)]) begin
        any_o = 1'b1;
        step_o = step_t'(up);
      end
    end
    if (default_first_i && !tried_i[0]) begin
      any_o = 1'b1;
      step_o = '0;
    end
  end
endmodule
