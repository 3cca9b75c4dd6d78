// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertion on settings that a block reads while it works: they stay from the first busy clock to the last. A
// simulation stops at the first violation. Bound to a block, never a part of it.
module settings_checker #(
    parameter int unsigned PayloadBits = 32
) (
    input logic clk_i,
    input logic rst_ni,
    input logic busy_i,
    input logic [PayloadBits-1:0] settings_i
);
  bit was_busy_q;
  logic [PayloadBits-1:0] settings_q;

  always_ff @(posedge clk_i) begin
    was_busy_q <= rst_ni && busy_i;
    settings_q <= settings_i;
    settings_stay :
    assert (!rst_ni || !was_busy_q || !busy_i || settings_i == settings_q)
    else $error("settings changed while the block works");
  end

endmodule
