// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/slot_flash_interface.h"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>
#include <utility>

namespace wordline::rtl {
namespace {

template <unsigned bits>
using Kept = std::remove_reference_t<PinOf<bits>>;

std::vector<LoadedBlock::Handle> all_pins(const LoadedBlock& block) {
  std::vector<LoadedBlock::Handle> pins;
  for (const SlotPort& port : slot_of(SlotId::kFlashSequencer).ports) {
    if (std::string_view(port.name) != "clk_i") pins.push_back(block.pin(port.name));
  }
  return pins;
}

std::vector<LoadedBlock::Handle> with_status(const LoadedBlock& block, std::vector<LoadedBlock::Handle> pins) {
  for (std::uint32_t i = 0; i < block.description().status_count; ++i) {
    pins.push_back(block.description().status[i].pin);
  }
  return pins;
}

/// Whether the output means something in this clock; when it may stand still is a block's own affair.
bool counts(std::string_view port, const FlashInterfacePins& pins) {
  if (port == "quiet_o") return false;
  if (port == "segment_ready_o") return pins.segment_valid_i != 0;
  if (port == "s_axis_tready_o") return pins.s_axis_tvalid_i != 0;
  if (port == "m_axis_tdata_o" || port == "m_axis_tlast_o") return pins.m_axis_tvalid_o != 0;
  if (port == "done_data_o" || port == "done_short_o") return pins.done_o != 0;
  if (port == "dq_o") return pins.dq_oe_o != 0;
  if (port == "dqs_o") return pins.dqs_oe_o != 0;
  const bool access = pins.psel_i != 0 && pins.penable_i != 0;
  if (port == "prdata_o") return access && pins.pwrite_i == 0 && pins.pready_o != 0;
  if (port == "pready_o" || port == "pslverr_o") return access;
  return true;
}

}  // namespace

struct SlotFlashInterface::Store {
#define WORDLINE_PORT(name, bits, direction) Kept<bits> name{};
#include "rtl/verilated/flash_interface_ports.def"
#undef WORDLINE_PORT
  [[nodiscard]] FlashInterfacePins pins() {
    return {
#define WORDLINE_PORT(name, bits, direction) name,
#include "rtl/verilated/flash_interface_ports.def"
#undef WORDLINE_PORT
    };
  }
};

SlotFlashInterface::SlotFlashInterface(const std::string& path, std::unique_ptr<FlashInterfaceDoor> reference)
    : SlotFlashInterface(path, std::make_unique<Store>(), std::move(reference)) {}

SlotFlashInterface::SlotFlashInterface(const std::string& path, std::unique_ptr<Store> store,
                                       std::unique_ptr<FlashInterfaceDoor> reference)
    : FlashInterfaceDoor(store->pins()),
      store_(std::move(store)),
      block_(path, slot_of(SlotId::kFlashSequencer)),
      reference_(std::move(reference)),
      pins_(all_pins(block_)),
      shown_(with_status(block_, pins_)),
      window_(window_pins(block_, shown_)) {}

SlotFlashInterface::~SlotFlashInterface() = default;

template <class Step>
void SlotFlashInterface::guarded(Step step) {
  try {
    step();
  } catch (const SlotError& error) {
    fail(error.what());
  }
}

void SlotFlashInterface::evaluate() {
  std::size_t i = 0;
#define WORDLINE_PUT_IN(name) block_.set(pins_[i], store_->name);
#define WORDLINE_PUT_OUT(name)
#define WORDLINE_PORT(name, bits, direction) \
  WORDLINE_PUT_##direction(name);            \
  ++i;
#include "rtl/verilated/flash_interface_ports.def"
#undef WORDLINE_PORT
  guarded([this] { block_.evaluate(); });
  outputs();
  if (reference_ == nullptr) return;
  follow();
  reference_->evaluate();
}

/// The reference has the same inputs.
void SlotFlashInterface::follow() {
#define WORDLINE_FOLLOW_IN(name) reference_->pins.name = store_->name;
#define WORDLINE_FOLLOW_OUT(name)
#define WORDLINE_PORT(name, bits, direction) WORDLINE_FOLLOW_##direction(name)
#include "rtl/verilated/flash_interface_ports.def"
#undef WORDLINE_PORT
}

void SlotFlashInterface::outputs() {
  std::size_t i = 0;
#define WORDLINE_TAKE_IN(name)
#define WORDLINE_TAKE_OUT(name) store_->name = static_cast<decltype(store_->name)>(block_.get(pins_[i]));
#define WORDLINE_PORT(name, bits, direction) \
  WORDLINE_TAKE_##direction(name);           \
  ++i;
#include "rtl/verilated/flash_interface_ports.def"
#undef WORDLINE_PORT
}

void SlotFlashInterface::compare() const {
#define WORDLINE_COMPARE_IN(name)
#define WORDLINE_COMPARE_OUT(name)                                           \
  if (pins.name != reference_->pins.name && counts(#name, reference_->pins)) \
    fail(fmt::format("{} is {:x}h, expected {:x}h", #name, pins.name, reference_->pins.name));
#define WORDLINE_PORT(name, bits, direction) WORDLINE_COMPARE_##direction(name)
#include "rtl/verilated/flash_interface_ports.def"
#undef WORDLINE_PORT
}

void SlotFlashInterface::clock() {
  evaluate();
  std::uint64_t* values = window_.next();
  for (const LoadedBlock::Handle pin : shown_) *values++ = block_.get(pin);
  if (pins.pslverr_o != 0 && (pins.psel_i == 0 || pins.penable_i == 0 || pins.pready_o == 0)) {
    fail("pslverr_o is high, and no transfer ends");
  }
  const std::string found = checker_.clock(pins);
  if (!found.empty()) fail(found);
  // In the first clock of a reset registers hold what they held before.
  if (reference_ != nullptr && (pins.rst_ni != 0 || block_.clocks() != 0)) compare();
  guarded([this] { block_.clock(); });
  outputs();
  if (reference_ == nullptr) return;
  reference_->clock();
  // The block need not stand still where the reference may, but the other way round something would be left out.
  if (pins.quiet_o != 0 && reference_->pins.quiet_o == 0) fail("quiet_o is 1h, expected 0h");
}

std::string SlotFlashInterface::place() const {
  return fmt::format("segment {}, clock {}", checker_.segments(), block_.clocks());
}

void SlotFlashInterface::fail(const std::string& what) const { throw SlotError(place() + ": " + what); }

void SlotFlashInterface::add_status(std::vector<StatusSignal>& signals) const { block_.add_status(signals); }

}  // namespace wordline::rtl
