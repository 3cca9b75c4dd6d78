// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/flash/bus/gate_wires.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <utility>

#include "models/units/keyed_random.h"
#include "rtl/verilated/flash_interface_engine.h"

namespace wordline::flash {

namespace {

using onfi::SegmentKind;

constexpr const char* kGatesReport = "/wordline/flash/gates";
constexpr std::size_t kWord = 8;  // bytes

onfi::InterfaceSegment as_asked(const OnfiTransaction& t, std::uint32_t packages) {
  onfi::InterfaceSegment segment;
  segment.kind = t.kind;
  segment.chip = static_cast<std::uint8_t>(t.die % packages);
  segment.die = static_cast<std::uint8_t>(t.die);
  segment.cycles = t.cycles;
  segment.bytes = t.bytes;
  segment.parameters = t.parameters;
  return segment;
}

/// What the pins have shown of the segment `t`. Which die of a package it is, and what data without cycles are, pins
/// alone do not say.
void read_back(const onfi::PinReader::Segment& read, const config::ChannelClocks& times, OnfiTransaction& t) {
  t.cycles = {};
  if (!read.cycles.empty()) {
    t.cycles.opcode = read.cycles.front().byte;
    const bool confirm = read.cycles.size() > 1 && read.cycles.back().command;
    if (confirm) t.cycles.confirm = read.cycles.back().byte;
    const std::size_t addresses = read.cycles.size() - (confirm ? 2 : 1);
    t.cycles.address_count = static_cast<std::uint8_t>(std::min<std::size_t>(addresses, onfi::kMaxAddressCycles));
    for (std::size_t i = 0; i < t.cycles.address_count; ++i) t.cycles.address.at(i) = read.cycles.at(i + 1).byte;
    t.kind = !read.in.empty() ? SegmentKind::kSetFeatures : read.out != 0 ? SegmentKind::kStatus : t.kind;
    if (t.kind == SegmentKind::kSetFeatures) {
      const std::size_t apart = times.sdr ? 1 : 2;
      for (std::size_t i = 0; i < t.parameters.size() && i * apart < read.in.size(); ++i) {
        t.parameters.at(i) = read.in.at(i * apart);
      }
    }
  } else if (t.kind != SegmentKind::kFeatureOut) {
    t.kind = !read.in.empty() ? SegmentKind::kDataIn : SegmentKind::kDataOut;
    const std::uint32_t transfers = read.out + static_cast<std::uint32_t>(read.in.size());
    const std::uint32_t bytes = transfers - std::min(transfers, times.warm_up);
    if (bytes != t.bytes + t.bytes % 2 || times.sdr) t.bytes = bytes;  // an odd byte is sent as two
  }
}

}  // namespace

struct GateWires::Gates {
  Gates(const config::Channels& channels, const config::ChannelClocks& programmed) : engine(channels, programmed) {}

  rtl::FlashInterfaceEngine engine;
  std::vector<std::vector<Picoseconds>> expected_rises;  // by die, that are not announced yet
  // Waveform: signals of the pins, and what they last were.
  std::array<tlm_if::RecorderIf::Signal, 9> signals{};
  std::array<std::uint64_t, 9> shown{};
};

GateWires::GateWires(std::string name, const config::Channels& channels, std::uint32_t sector_bytes,
                     BusSnoopIf& checker, tlm_if::RecorderIf* recorder, const std::string& scope,
                     const config::ChannelClocks* programmed)
    : name_(std::move(name)),
      packages_(channels.packages),
      sector_bytes_(sector_bytes),
      checker_(checker),
      recorder_(recorder),
      gates_(std::make_unique<Gates>(channels, programmed != nullptr ? *programmed : config::clocks_of(channels))) {
  gates_->expected_rises.resize(std::size_t{channels.packages} * channels.dies_per_package);
  if (recorder_ == nullptr) return;
  auto& signals = gates_->signals;
  signals[0] = recorder_->add_vector(scope, "ce_n", channels.packages);
  std::size_t next = 1;
  for (const char* bit : {"cle", "ale", "we_n", "re_n", "dq_driven", "dqs_driven", "dqs"}) {
    signals.at(next++) = recorder_->add_bit(scope, bit);
  }
  signals.at(next) = recorder_->add_vector(scope, "dq", 8);
  gates_->shown.fill(~std::uint64_t{0});
}

GateWires::~GateWires() = default;

void GateWires::report(const std::string& what) {
  ++differences_;
  SC_REPORT_ERROR(kGatesReport, fmt::format("{}: {}", name_, what).c_str());
}

// ---- R/B_n ----------------------------------------------------------------------------------------------------------

void GateWires::rise_expected(unsigned die, Picoseconds at) {
  gates_->engine.ready_busy(die, true, at);
  gates_->expected_rises.at(die).push_back(at);
}

void GateWires::ready_busy(unsigned die, bool ready, Picoseconds at) {
  checker_.ready_busy(die, ready, at);
  auto& expected = gates_->expected_rises.at(die);
  if (ready && !expected.empty()) {
    // The gates know it since it was expected.
    if (expected.front() != at)
      report(
          fmt::format("R/B_n of die {} rises at {} ps, expected at {} ps", die, at.count(), expected.front().count()));
    expected.erase(expected.begin());
    return;
  }
  gates_->engine.ready_busy(die, ready, at);
}

// ---- segments -------------------------------------------------------------------------------------------------------

void GateWires::expect(OnfiTransaction& t, Picoseconds offered) {
  const Picoseconds wanted = t.start;
  const rtl::FlashInterfaceEngine::Span span = gates_->engine.expect(as_asked(t, packages_), offered);
  t.start = span.start;
  t.end = span.end;
  const Picoseconds period = gates_->engine.times().period;
  if (t.start < wanted || wanted + period * kLatest < t.start) {
    report(fmt::format("a segment of die {} starts at {} ps, the sequence has calculated {} ps", t.die, t.start.count(),
                       wanted.count()));
  }
}

/// What crosses the wires in place of tokens: the token and the owner of each sector, then bytes that follow from them.
void GateWires::fill(const OnfiTransaction& t) {
  bytes_.clear();
  switch (t.kind) {
    case SegmentKind::kStatus:
      bytes_.push_back(t.status);
      return;
    case SegmentKind::kFeatureOut:
      bytes_.assign(t.parameters.begin(), t.parameters.end());
      return;
    case SegmentKind::kDataIn:
    case SegmentKind::kDataOut:
      break;
    default:
      return;
  }
  if (t.sector_count == 0) {
    bytes_.assign(t.bytes, t.status);
    return;
  }
  bytes_.resize(t.bytes);
  for (std::uint32_t i = 0; i < t.sector_count; ++i) {
    const nand::StoredSector& sector = t.sectors[i];
    std::uint64_t word = sector.token.bits();
    for (std::size_t at = 0; at < sector_bytes_; at += kWord) {
      const std::size_t count = std::min<std::size_t>(kWord, sector_bytes_ - at);
      std::memcpy(&bytes_[i * std::size_t{sector_bytes_} + at], &word, count);
      word = at == 0 ? sector.lpn : mix64(word + sector.token.bits());
    }
  }
}

void GateWires::carry(OnfiTransaction& t) {
  fill(t);
  seen_ = t;
  if (tlm_if::listens(recorder_) && recorder_->active()) show();
  const onfi::InterfaceSegment asked = as_asked(t, packages_);
  try {
    const rtl::FlashInterfaceEngine::Carried& carried = gates_->engine.carry(asked, bytes_);
    t.start = carried.span.start;
    t.end = carried.span.end;
    seen_ = t;
    read_back(carried.read, gates_->engine.times(), seen_);
    if (!carried.difference.empty()) report(carried.difference);
  } catch (const std::exception& e) {
    report(e.what());
  }
  gates_->engine.on_pins(nullptr);
  segments_ = gates_->engine.segments();
  clocks_ = gates_->engine.clocked();
}

void GateWires::register_statistics(results::Registry& registry) const {
  registry.add(
      "flash.rtl.segments", "segments",
      "Segments of the channel in gates (channels.model = rtl). Each was compared with its reference, and with "
      "what a die reads from the pins; a difference ends the run.",
      [this] { return segments_; });
  registry.add("flash.rtl.clocks", "clocks",
               "Clocks of the channel in gates that were simulated; those in which nothing changes are left out.",
               [this] { return clocks_; });
}

/// The pins of the segment that follows.
void GateWires::show() {
  const Picoseconds period = gates_->engine.times().period;
  gates_->engine.on_pins([this, period](std::int64_t clock, const onfi::ChannelPins& pins, const onfi::DiePins& die) {
    const std::array<std::uint64_t, 9> values = {std::uint64_t{pins.ce_n} & ((std::uint64_t{1} << packages_) - 1),
                                                 pins.cle ? 1U : 0U,
                                                 pins.ale ? 1U : 0U,
                                                 pins.we_n ? 1U : 0U,
                                                 pins.re_n ? 1U : 0U,
                                                 pins.dq_driven ? 1U : 0U,
                                                 pins.dqs_driven ? 1U : 0U,
                                                 (pins.dqs_driven ? pins.dqs : die.dqs) ? 1U : 0U,
                                                 pins.dq_driven ? pins.dq : die.dq};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values.at(i) == gates_->shown.at(i)) continue;
      gates_->shown.at(i) = values.at(i);
      recorder_->set(gates_->signals.at(i), period * clock, values.at(i));
    }
  });
}

}  // namespace wordline::flash
