// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/rtl/flash_interface/interface_bench.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace wordline::testing {

using onfi::SegmentKind;

config::Channels channels_in(std::string_view mode) {
  config::Config config{};
  for (const config::Key& key : config::schema()) {
    if (config::table_of(key.name) == "channels") key.set(config, config::default_value(key));
  }
  for (const config::BusModeName& known : config::bus_modes()) {
    if (known.name == mode) return config::switched_to(config.channels, known.mode);
  }
  throw std::invalid_argument(fmt::format("no mode {}", mode));
}

InterfaceBench::InterfaceBench(const config::Channels& channels, const config::ChannelClocks& programmed)
    : engine(channels, programmed) {}

void InterfaceBench::busy(unsigned die, Picoseconds fall, Picoseconds rise) {
  engine.ready_busy(die, false, fall);
  engine.ready_busy(die, true, rise);
}

const rtl::FlashInterfaceEngine::Carried& InterfaceBench::carry(const onfi::InterfaceSegment& segment, Picoseconds at) {
  const bool page = segment.kind == SegmentKind::kDataIn || segment.kind == SegmentKind::kDataOut;
  const std::size_t count = page                                       ? segment.bytes
                            : segment.kind == SegmentKind::kStatus     ? 1
                            : segment.kind == SegmentKind::kFeatureOut ? 4
                                                                       : 0;
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());

  const std::vector<onfi::ChannelPins> expected = expected_pins(segment, engine.times(), bytes);
  std::size_t clocks = 0;
  std::string pins;
  engine.on_pins([&](std::int64_t, const onfi::ChannelPins& seen, const onfi::DiePins&) {
    if (clocks == 0 && seen.ce_n == 0xff) return;
    const onfi::ChannelPins idle;
    const onfi::ChannelPins& wanted = clocks < expected.size() ? expected[clocks] : idle;
    if (seen != wanted && pins.empty()) {
      pins = fmt::format(
          "pins differ in clock {} of a segment of kind {}, opcode {:02x}h: CE_n {:02x}/{:02x} CLE {}/{} ALE {}/{} "
          "WE_n {}/{} RE_n {}/{} DQ {}{:02x}/{}{:02x} DQS {}{}/{}{}",
          clocks, static_cast<int>(segment.kind), segment.cycles.opcode, seen.ce_n, wanted.ce_n, seen.cle, wanted.cle,
          seen.ale, wanted.ale, seen.we_n, wanted.we_n, seen.re_n, wanted.re_n, seen.dq_driven ? "" : "z", seen.dq,
          wanted.dq_driven ? "" : "z", wanted.dq, seen.dqs_driven ? "" : "z", seen.dqs, wanted.dqs_driven ? "" : "z",
          wanted.dqs);
    }
    ++clocks;
  });
  engine.expect(segment, at);
  const rtl::FlashInterfaceEngine::Carried& carried = engine.carry(segment, bytes);
  engine.on_pins(nullptr);
  if (difference_.empty()) difference_ = carried.difference.empty() ? std::move(pins) : carried.difference;
  return carried;
}

onfi::InterfaceSegment command(std::uint8_t die, std::uint8_t opcode, unsigned addresses, std::uint8_t confirm) {
  onfi::InterfaceSegment segment;
  segment.die = die;
  segment.chip = die;
  segment.cycles.opcode = opcode;
  segment.cycles.confirm = confirm;
  segment.cycles.address_count = static_cast<std::uint8_t>(addresses);
  for (unsigned i = 0; i < addresses; ++i) {
    segment.cycles.address.at(i) = static_cast<std::uint8_t>(opcode * 7 + die * 31 + 85 * i);
  }
  switch (opcode) {
    case onfi::kReadStatus:
    case onfi::kReadStatusEnhanced:
      segment.kind = SegmentKind::kStatus;
      break;
    case onfi::kSetFeatures:
    case onfi::kLunSetFeatures:
      segment.kind = SegmentKind::kSetFeatures;
      segment.parameters = {0x12, 0xfe, static_cast<std::uint8_t>(die), 0x80};
      break;
    case onfi::kGetFeatures:
    case onfi::kLunGetFeatures:
      segment.kind = SegmentKind::kGetFeatures;
      break;
    case onfi::kReset:
    case onfi::kResetSync:
    case onfi::kResetLun:
      segment.kind = SegmentKind::kReset;
      break;
    default:
      segment.kind = SegmentKind::kCommand;
      break;
  }
  return segment;
}

onfi::InterfaceSegment data(std::uint8_t die, SegmentKind kind, std::uint32_t bytes) {
  onfi::InterfaceSegment segment;
  segment.die = die;
  segment.chip = die;
  segment.kind = kind;
  segment.bytes = bytes;
  return segment;
}

}  // namespace wordline::testing
