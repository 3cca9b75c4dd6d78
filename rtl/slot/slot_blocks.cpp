// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/slot_blocks.h"

namespace wordline::rtl {
namespace {

constexpr std::uint32_t kSeed = 1;  // seed of the waits: the same in every run

template <class Pins>
Pins pins_of(SlotStream& stream) {
  SlotStream::Pins& pins = stream.pins();
  return {&pins.rst_n,        &pins.s_data,  &pins.s_valid,      &pins.s_last,  &pins.s_ready,
          &pins.m_data,       &pins.m_valid, &pins.m_last,       &pins.m_ready, &pins.busy,
          &SlotStream::clock, &stream,       &SlotStream::settle};
}

}  // namespace

SlotTier1::SlotTier1(const std::string& path) : stream_(path, slot_of(SlotId::kEccDecoder), {kBeats, kBeats, true}) {
  connect(pins_of<Pins>(stream_));
  set_max_iterations(20);
  reset();
  wait_at_times(kSeed);
}

void SlotTier1::set_max_iterations(std::uint8_t iterations) { stream_.set("max_iterations_i", iterations); }

SlotTier2::SlotTier2(const std::string& path)
    : stream_(path, slot_of(SlotId::kEccSoftDecoder), {kBeats, kBeats, true}) {
  connect(pins_of<Pins>(stream_));
  set_defaults();
  reset();
  wait_at_times(kSeed);
}

void SlotTier2::drive(Pin pin, std::uint64_t value) {
  switch (pin) {
    case Pin::kMaxIterations:
      stream_.set("max_iterations_i", value);
      break;
    case Pin::kLlrTable:
      stream_.set("llr_table_i", value);
      break;
    case Pin::kGiveUp:
      stream_.set("give_up_i", value);
      break;
    case Pin::kRequest:
      stream_.set_user(value);
      break;
  }
}

SlotEncoder::SlotEncoder(const std::string& path)
    : stream_(path, slot_of(SlotId::kEccEncoder), {kInformationBeats, kBeats, false}) {
  connect(pins_of<Pins>(stream_));
  reset();
  wait_at_times(kSeed);
}

SlotTap::SlotTap(const std::string& path) : stream_(path, slot_of(SlotId::kStreamTap), {kBeats, kBeats, false}) {
  connect(pins_of<Pins>(stream_));
  reset();
  wait_at_times(kSeed);
}

void SlotTap::set_request(const Request& request) {
  stream_.set_user(std::uint64_t{request.write ? 1U : 0U} << 33 | std::uint64_t{request.half} << 32 | request.page);
}

}  // namespace wordline::rtl
