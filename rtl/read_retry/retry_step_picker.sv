// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The next step of the retry table: step 0 when `default_first` and it was not tried; else the untried step nearest
// to `from`, the higher one of two. Combinational.
module retry_step_picker
  import read_retry_pkg::*;
(
    input logic [Steps-1:0] tried,
    input step_t last_step,
    input step_t from,
    input logic default_first,
    output logic any,
    output step_t step
);
  always_comb begin
    any = 1'b0;
    step = '0;
    for (int distance = int'(Steps) - 1; distance >= 0; distance--) begin
      automatic int up = int'({1'b0, from}) + distance;
      automatic int down = int'({1'b0, from}) - distance;
      if (down >= 0 && down <= int'({1'b0, last_step}) && !tried[step_t'(down)]) begin
        any = 1'b1;
        step = step_t'(down);
      end
      if (up <= int'({1'b0, last_step}) && !tried[step_t'(up)]) begin
        any = 1'b1;
        step = step_t'(up);
      end
    end
    if (default_first && !tried[0]) begin
      any = 1'b1;
      step = '0;
    end
  end
endmodule
