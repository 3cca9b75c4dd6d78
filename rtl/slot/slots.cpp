// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/slots.h"

namespace wordline::rtl {
namespace {

constexpr std::uint32_t kIn = WORDLINE_RTL_IN, kOut = WORDLINE_RTL_OUT;

/// In the order of SlotId.
#define WORDLINE_PORT(name, bits, direction) {#name, bits, WORDLINE_RTL_##direction},
const std::vector<Slot>& slots() {
  static const std::vector<Slot> rows{
      {"ecc_decoder",
       {{"clk_i", 1, kIn},
        {"rst_ni", 1, kIn},
        {"max_iterations_i", 8, kIn},
        {"s_axis_tdata_i", 64, kIn},
        {"s_axis_tvalid_i", 1, kIn},
        {"s_axis_tlast_i", 1, kIn},
        {"s_axis_tready_o", 1, kOut},
        {"m_axis_tdata_o", 64, kOut},
        {"m_axis_tvalid_o", 1, kOut},
        {"m_axis_tlast_o", 1, kOut},
        {"m_axis_tuser_o", 9, kOut},
        {"m_axis_tready_i", 1, kIn},
        {"busy_o", 1, kOut}}},
      {"ecc_soft_decoder",
       {{"clk_i", 1, kIn},
        {"rst_ni", 1, kIn},
        {"max_iterations_i", 5, kIn},
        {"llr_table_i", 48, kIn},
        {"give_up_i", 1, kIn},
        {"s_axis_tdata_i", 64, kIn},
        {"s_axis_tvalid_i", 1, kIn},
        {"s_axis_tlast_i", 1, kIn},
        {"s_axis_tuser_i", 12, kIn},
        {"s_axis_tready_o", 1, kOut},
        {"m_axis_tdata_o", 64, kOut},
        {"m_axis_tvalid_o", 1, kOut},
        {"m_axis_tlast_o", 1, kOut},
        {"m_axis_tuser_o", 18, kOut},
        {"m_axis_tready_i", 1, kIn},
        {"busy_o", 1, kOut}}},
      {"ecc_encoder",
       {{"clk_i", 1, kIn},
        {"rst_ni", 1, kIn},
        {"s_axis_tdata_i", 64, kIn},
        {"s_axis_tvalid_i", 1, kIn},
        {"s_axis_tlast_i", 1, kIn},
        {"s_axis_tready_o", 1, kOut},
        {"m_axis_tdata_o", 64, kOut},
        {"m_axis_tvalid_o", 1, kOut},
        {"m_axis_tlast_o", 1, kOut},
        {"m_axis_tready_i", 1, kIn},
        {"busy_o", 1, kOut}}},
      {"stream_tap",
       {{"clk_i", 1, kIn},
        {"rst_ni", 1, kIn},
        {"s_axis_tdata_i", 64, kIn},
        {"s_axis_tvalid_i", 1, kIn},
        {"s_axis_tlast_i", 1, kIn},
        {"s_axis_tuser_i", 34, kIn},
        {"s_axis_tready_o", 1, kOut},
        {"m_axis_tdata_o", 64, kOut},
        {"m_axis_tvalid_o", 1, kOut},
        {"m_axis_tlast_o", 1, kOut},
        {"m_axis_tready_i", 1, kIn},
        {"busy_o", 1, kOut}}},
      {"read_retry",
       {
           {"clk_i", 1, kIn},
#include "rtl/verilated/read_retry_ports.def"
       }},
      {"flash_sequencer",
       {
           {"clk_i", 1, kIn},
#include "rtl/verilated/flash_interface_ports.def"
       }},
      {"engine_parse",
       {
           {"clk_i", 1, kIn},
#include "rtl/verilated/parse_ports.def"
       }},
      {"engine_l2p",
       {
           {"clk_i", 1, kIn},
#include "rtl/verilated/l2p_lookup_ports.def"
       }},
      {"engine_victim",
       {
           {"clk_i", 1, kIn},
#include "rtl/verilated/victim_selector_ports.def"
       }},
      {"apb_block",
       {{"clk_i", 1, kIn},
        {"rst_ni", 1, kIn},
        {"psel_i", 1, kIn},
        {"penable_i", 1, kIn},
        {"pwrite_i", 1, kIn},
        {"paddr_i", 12, kIn},
        {"pwdata_i", 32, kIn},
        {"pstrb_i", 4, kIn},
        {"prdata_o", 32, kOut},
        {"pready_o", 1, kOut},
        {"pslverr_o", 1, kOut},
        {"irq_o", 1, kOut},
        {"busy_o", 1, kOut}}},
  };
  return rows;
}
#undef WORDLINE_PORT

}  // namespace

const Slot& slot_of(SlotId id) { return slots().at(static_cast<std::size_t>(id)); }

}  // namespace wordline::rtl
