// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/flash_interface.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "Vflash_interface.h"
#include "Vflash_interface___024root.h"
#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {

namespace {

constexpr unsigned kLongestWait = 1000;  // clocks of a transfer

struct Model : VerilatedTop<Vflash_interface> {};

class ShippedDoor final : public FlashInterfaceDoor {
 public:
  explicit ShippedDoor(std::unique_ptr<Model> model)
      : FlashInterfaceDoor(pins_of(model->top)), model_(std::move(model)) {}

 private:
  static FlashInterfacePins pins_of(Vflash_interface& top) {
    return {
#define WORDLINE_PORT(name, bits, direction) top.name,
#include "rtl/verilated/flash_interface_ports.def"
#undef WORDLINE_PORT
    };
  }
  void evaluate() override { model_->top.eval(); }
  void clock() override { Model::clock(&model_->top); }

  std::unique_ptr<Model> model_;
};

}  // namespace

std::unique_ptr<FlashInterfaceDoor> shipped_flash_interface() {
  return std::make_unique<ShippedDoor>(std::make_unique<Model>());
}

FlashInterface::FlashInterface(std::unique_ptr<FlashInterfaceDoor> door) : door_(std::move(door)) { reset(); }
FlashInterface::~FlashInterface() = default;

void FlashInterface::clock() {
  door_->clock();
  ++clocks_;
}

void FlashInterface::settle() { door_->evaluate(); }

void FlashInterface::reset() {
  const FlashInterfacePins& top = door_->pins;
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
  const FlashInterfacePins& top = door_->pins;
  top.segment_valid_i = 1;
  top.segment_chip_i = segment.chip;
  top.segment_die_i = segment.die;
  top.segment_kind_i = static_cast<std::uint8_t>(segment.kind);
  top.segment_opcode_i = segment.cycles.opcode;
  top.segment_confirm_i = segment.cycles.confirm;
  top.segment_addresses_i = segment.cycles.address_count;
  std::uint64_t address = 0;
  for (unsigned i = onfi::kMaxAddressCycles; i-- > 0;) address = address << 8 | segment.cycles.address.at(i);
  top.segment_address_i = address;
  top.segment_bytes_i = segment.bytes;
  std::uint32_t parameters = 0;
  for (unsigned i = 4; i-- > 0;) parameters = parameters << 8 | segment.parameters.at(i);
  top.segment_parameters_i = parameters;
  settle();  // assertions see what follows from inputs as it was before the edge
}

void FlashInterface::nothing_offered() { door_->pins.segment_valid_i = 0; }
bool FlashInterface::ready() const { return door_->pins.segment_ready_o != 0; }

void FlashInterface::offer_byte(std::uint8_t byte) {
  door_->pins.s_axis_tvalid_i = 1;
  door_->pins.s_axis_tdata_i = byte;
}
void FlashInterface::no_byte() { door_->pins.s_axis_tvalid_i = 0; }
bool FlashInterface::byte_taken() const { return door_->pins.s_axis_tready_o != 0 && door_->pins.s_axis_tvalid_i != 0; }
bool FlashInterface::byte_out() const { return door_->pins.m_axis_tvalid_o != 0; }
std::uint8_t FlashInterface::out() const { return door_->pins.m_axis_tdata_o; }
bool FlashInterface::out_last() const { return door_->pins.m_axis_tlast_o != 0; }

bool FlashInterface::done() const { return door_->pins.done_o != 0; }
std::uint32_t FlashInterface::done_data() const { return door_->pins.done_data_o; }
bool FlashInterface::done_short() const { return door_->pins.done_short_o != 0; }
bool FlashInterface::quiet() const { return door_->pins.quiet_o != 0; }

onfi::ChannelPins FlashInterface::pins() const {
  const FlashInterfacePins& top = door_->pins;
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
  door_->pins.dq_i = dq;
  door_->pins.dqs_i = dqs ? 1 : 0;
}

void FlashInterface::set_ready_busy(unsigned die, bool ready) {
  const unsigned bit = 1U << die;
  door_->pins.rb_ni = static_cast<std::uint8_t>(ready ? door_->pins.rb_ni | bit : door_->pins.rb_ni & ~bit);
}

FlashInterface::ApbAnswer FlashInterface::apb(const ApbTransfer& transfer) {
  const FlashInterfacePins& top = door_->pins;
  top.psel_i = 1;
  top.penable_i = 0;
  top.pwrite_i = transfer.write ? 1 : 0;
  top.paddr_i = static_cast<std::uint8_t>(transfer.address);
  top.pwdata_i = transfer.data;
  top.pstrb_i = transfer.write ? transfer.strobes : 0;
  clock();
  top.penable_i = 1;
  settle();
  for (unsigned waited = 0; top.pready_o == 0; ++waited) {
    if (waited == kLongestWait) throw std::runtime_error("pready_o stays low");
    clock();
    settle();
  }
  const ApbAnswer answer{top.pslverr_o != 0, top.prdata_o};
  clock();
  top.psel_i = 0;
  top.penable_i = 0;
  settle();
  return answer;
}

}  // namespace wordline::rtl
