// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/slot_stream.h"

#include <fmt/format.h>

#include <string_view>

namespace wordline::rtl {
namespace {

std::optional<LoadedBlock::Handle> if_there(const LoadedBlock& block, const Slot& slot, std::string_view name) {
  for (const SlotPort& port : slot.ports) {
    if (name == port.name) return block.pin(port.name);
  }
  return std::nullopt;
}

/// Ports of the slot, then what the block reports of itself. The clock is drawn by the window.
std::vector<LoadedBlock::Handle> shown_of(const LoadedBlock& block, const Slot& slot) {
  std::vector<LoadedBlock::Handle> shown;
  for (const SlotPort& port : slot.ports) {
    if (std::string_view(port.name) != "clk_i") shown.push_back(block.pin(port.name));
  }
  for (std::uint32_t i = 0; i < block.description().status_count; ++i) {
    shown.push_back(block.description().status[i].pin);
  }
  return shown;
}

}  // namespace

SlotStream::SlotStream(const std::string& path, const Slot& slot, const StreamShape& shape)
    : block_(path, slot),
      handles_{block_.pin("rst_ni"),
               block_.pin("s_axis_tdata_i"),
               block_.pin("s_axis_tvalid_i"),
               block_.pin("s_axis_tlast_i"),
               block_.pin("s_axis_tready_o"),
               block_.pin("m_axis_tdata_o"),
               block_.pin("m_axis_tvalid_o"),
               block_.pin("m_axis_tlast_o"),
               block_.pin("m_axis_tready_i"),
               block_.pin("busy_o"),
               if_there(block_, slot, "s_axis_tuser_i"),
               if_there(block_, slot, "m_axis_tuser_o")},
      soft_(&slot == &slot_of(SlotId::kEccSoftDecoder)),
      shape_(shape),
      checker_(shape.beats_out),
      shown_(shown_of(block_, slot)),
      window_(window_pins(block_, shown_)),
      taken_(shape.beats_out) {}

void SlotStream::evaluate() {
  at_codeword_ = checker_.packets();
  at_beat_ = checker_.beat();
  const bool same = pins_.rst_n == evaluated_.rst_n && pins_.s_valid == evaluated_.s_valid &&
                    pins_.s_data == evaluated_.s_data && pins_.s_last == evaluated_.s_last &&
                    pins_.s_user == evaluated_.s_user && pins_.m_ready == evaluated_.m_ready;
  if (fresh_ && same) return;
  block_.set(handles_.rst_n, pins_.rst_n);
  block_.set(handles_.s_valid, pins_.s_valid);
  block_.set(handles_.s_data, pins_.s_data);
  block_.set(handles_.s_last, pins_.s_last);
  if (handles_.s_user) block_.set(*handles_.s_user, pins_.s_user);
  block_.set(handles_.m_ready, pins_.m_ready);
  try {
    block_.evaluate();
  } catch (const SlotError& error) {
    fail(error.what());
  }
  outputs();
  evaluated_ = pins_;
  fresh_ = true;
}

void SlotStream::set(const char* port, std::uint64_t value) {
  block_.set(block_.pin(port), value);
  fresh_ = false;
}

void SlotStream::fail(const std::string& what) const {
  throw SlotError(fmt::format("codeword {}, beat {}, clock {}: {}", at_codeword_, at_beat_, block_.clocks(), what));
}

void SlotStream::outputs() {
  pins_.s_ready = static_cast<std::uint8_t>(block_.get(handles_.s_ready));
  pins_.m_valid = static_cast<std::uint8_t>(block_.get(handles_.m_valid));
  pins_.m_last = static_cast<std::uint8_t>(block_.get(handles_.m_last));
  pins_.busy = static_cast<std::uint8_t>(block_.get(handles_.busy));
  pins_.m_data = block_.get(handles_.m_data);
  if (handles_.m_user) pins_.m_user = block_.get(*handles_.m_user);
}

void SlotStream::sample() {
  std::uint64_t* values = window_.next();
  for (const LoadedBlock::Handle pin : shown_) *values++ = block_.get(pin);
}

std::string SlotStream::problem() {
  const bool reset = pins_.rst_n == 0;
  const bool inside = !reset && codewords_in_ > checker_.packets();
  const bool begun = inside || (!shape_.whole && (beat_in_ > 0 || pins_.s_valid != 0));
  if (!reset && !begun && pins_.m_valid != 0) {
    return shape_.whole ? "m_axis_tvalid_o is high, and no whole codeword is inside"
                        : "m_axis_tvalid_o is high, and no codeword is inside";
  }
  if ((inside || (!reset && !shape_.whole && beat_in_ > 0)) && pins_.busy == 0) {
    return "busy_o is low with a codeword inside: the drive would stop the clock";
  }
  return checker_.clock({reset, pins_.m_valid != 0, pins_.m_ready != 0, pins_.m_last != 0, pins_.m_data, pins_.m_user});
}

void SlotStream::check() {
  const std::string found = problem();
  if (!found.empty()) fail(found);
  if (pins_.rst_n == 0) {
    beat_in_ = packets_in_ = 0;
    codewords_in_ = checker_.packets();
    return;
  }
  if (pins_.m_valid != 0 && pins_.m_ready != 0) taken_[at_beat_] = block_.clocks();
  if (pins_.s_valid == 0 || pins_.s_ready == 0) return;
  if (++beat_in_ < shape_.beats_in) return;
  beat_in_ = 0;
  const unsigned packets = soft_ ? 1 + static_cast<unsigned>(pins_.s_user & 3) : 1;
  if (++packets_in_ < packets) return;
  packets_in_ = 0;
  ++codewords_in_;
}

void SlotStream::tick() {
  evaluate();
  sample();
  check();
  try {
    fresh_ = false;
    block_.clock();
  } catch (const SlotError& error) {
    fail(error.what());
  }
  outputs();
}

void SlotStream::write_window(const std::string& path) const { window_.write(path, block_.description().top); }

void SlotStream::add_status(std::vector<StatusSignal>& signals) const { block_.add_status(signals); }

}  // namespace wordline::rtl
