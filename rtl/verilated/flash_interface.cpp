// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/flash_interface.h"

#include <array>

#include "Vflash_interface.h"
#include "Vflash_interface___024root.h"
#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {

struct FlashInterface::Impl : VerilatedTop<Vflash_interface> {};

FlashInterface::FlashInterface() : impl_(std::make_unique<Impl>()) { reset(); }
FlashInterface::~FlashInterface() = default;

void FlashInterface::clock() {
  Impl::clock(&impl_->top);
  ++clocks_;
}

void FlashInterface::settle() { impl_->top.eval(); }

void FlashInterface::reset() {
  Vflash_interface& top = impl_->top;
  nothing_offered();
  no_byte();
  set_die(0, false);
  top.psel_i = 0;
  top.penable_i = 0;
  top.rb_ni = 0xff;
  top.rst_ni = 0;
  for (int i = 0; i < 4; ++i) clock();
  top.rst_ni = 1;
}

std::uint32_t FlashInterface::register_value(const config::ChannelClocks& t, unsigned index) {
  const std::array<std::uint32_t, 1 + kTimes> values = {t.sdr ? 1U : 0U,
                                                        t.setup,
                                                        t.write_cycle,
                                                        t.write_low,
                                                        t.read_cycle,
                                                        t.read_low,
                                                        t.adl,
                                                        t.ccs,
                                                        t.whr,
                                                        t.rhw,
                                                        t.wb,
                                                        t.rr,
                                                        t.write_preamble,
                                                        t.write_postamble,
                                                        t.read_preamble,
                                                        t.read_latency,
                                                        t.read_postamble,
                                                        t.warm_up,
                                                        t.chip_high};
  return values.at(index);
}

void FlashInterface::set_times(const config::ChannelClocks& times) {
  for (unsigned i = 0; i <= kTimes; ++i) apb({true, 4 * i, register_value(times, i)});
}

void FlashInterface::offer(const onfi::InterfaceSegment& segment) {
  Vflash_interface& top = impl_->top;
  top.segment_valid_i = 1;
  top.segment_chip_i = segment.chip;
  top.segment_die_i = segment.die;
  top.segment_kind_i = static_cast<CData>(segment.kind);
  top.segment_opcode_i = segment.cycles.opcode;
  top.segment_confirm_i = segment.cycles.confirm;
  top.segment_addresses_i = segment.cycles.address_count;
  QData address = 0;
  for (unsigned i = onfi::kMaxAddressCycles; i-- > 0;) address = address << 8 | segment.cycles.address.at(i);
  top.segment_address_i = address;
  top.segment_bytes_i = segment.bytes;
  IData parameters = 0;
  for (unsigned i = 4; i-- > 0;) parameters = parameters << 8 | segment.parameters.at(i);
  top.segment_parameters_i = parameters;
  settle();  // assertions see what follows from inputs as it was before the edge
}

void FlashInterface::nothing_offered() { impl_->top.segment_valid_i = 0; }
bool FlashInterface::ready() const { return impl_->top.segment_ready_o != 0; }

void FlashInterface::offer_byte(std::uint8_t byte) {
  impl_->top.s_axis_tvalid_i = 1;
  impl_->top.s_axis_tdata_i = byte;
}
void FlashInterface::no_byte() { impl_->top.s_axis_tvalid_i = 0; }
bool FlashInterface::byte_taken() const { return impl_->top.s_axis_tready_o != 0 && impl_->top.s_axis_tvalid_i != 0; }
bool FlashInterface::byte_out() const { return impl_->top.m_axis_tvalid_o != 0; }
std::uint8_t FlashInterface::out() const { return impl_->top.m_axis_tdata_o; }
bool FlashInterface::out_last() const { return impl_->top.m_axis_tlast_o != 0; }

bool FlashInterface::done() const { return impl_->top.done_o != 0; }
std::uint32_t FlashInterface::done_data() const { return impl_->top.done_data_o; }
bool FlashInterface::done_short() const { return impl_->top.done_short_o != 0; }
bool FlashInterface::quiet() const { return impl_->top.quiet_o != 0; }

onfi::ChannelPins FlashInterface::pins() const {
  const Vflash_interface& top = impl_->top;
  onfi::ChannelPins pins;
  pins.ce_n = top.ce_no;
  pins.cle = top.cle_o != 0;
  pins.ale = top.ale_o != 0;
  pins.we_n = top.we_no != 0;
  pins.re_n = top.re_no != 0;
  pins.dq_driven = top.dq_oe_o != 0;
  pins.dqs_driven = top.dqs_oe_o != 0;
  pins.dqs = top.dqs_o != 0;
  pins.dq = top.dq_o;
  return pins;
}

void FlashInterface::set_die(std::uint8_t dq, bool dqs) {
  impl_->top.dq_i = dq;
  impl_->top.dqs_i = dqs ? 1 : 0;
}

void FlashInterface::set_ready_busy(unsigned die, bool ready) {
  const unsigned bit = 1U << die;
  impl_->top.rb_ni = static_cast<CData>(ready ? impl_->top.rb_ni | bit : impl_->top.rb_ni & ~bit);
}

FlashInterface::ApbAnswer FlashInterface::apb(const ApbTransfer& transfer) {
  Vflash_interface& top = impl_->top;
  top.psel_i = 1;
  top.penable_i = 0;
  top.pwrite_i = transfer.write ? 1 : 0;
  top.paddr_i = static_cast<CData>(transfer.address);
  top.pwdata_i = transfer.data;
  top.pstrb_i = transfer.write ? transfer.strobes : 0;
  clock();
  top.penable_i = 1;
  top.eval();
  const ApbAnswer answer{top.pslverr_o != 0, top.prdata_o};
  clock();
  top.psel_i = 0;
  top.penable_i = 0;
  settle();
  return answer;
}

}  // namespace wordline::rtl
