// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/bus/gate_wires.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "models/checks/load.h"
#include "models/units/keyed_random.h"
#include "rtl/slot/slot_flash_interface.h"
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

namespace {

/// A block that was loaded and fits.
std::unique_ptr<rtl::SlotFlashInterface> loaded(const config::ChannelRtl& own) {
  try {
    return std::make_unique<rtl::SlotFlashInterface>(
        own.flash_sequencer, own.flash_sequencer_exact ? rtl::shipped_flash_interface() : nullptr);
  } catch (const rtl::SlotError& error) {
    throw config::ConfigError(fmt::format("channels.rtl.flash_sequencer: error: {}", error.what()));
  }
}

void add_counter(results::Registry& registry, const char* name, results::Statistic::Read read) {
  registry.add(
      results::Name("flash.rtl.count.NAME", {name}), "as the block says",
      "The counter NAME of the block of channels.rtl.flash_sequencer, the port count_NAME_o, at the end of the "
      "run.",
      std::move(read));
}

constexpr const char* kPins[] = {"ce_n", "cle", "ale", "we_n", "re_n", "dq_driven", "dqs_driven", "dqs", "dq"};

}  // namespace

struct GateWires::Gates {
  Gates(const config::Channels& channels, const config::ChannelClocks& programmed)
      : made(channels.rtl.flash_sequencer.empty() ? nullptr : loaded(channels.rtl)),
        own(made.get()),
        own_clocks(own != nullptr && !channels.rtl.flash_sequencer_exact),
        engine(start(channels, programmed)) {}

  /// The block is reset, and its registers are written: it may fail already.
  rtl::FlashInterfaceEngine start(const config::Channels& channels, const config::ChannelClocks& programmed) {
    if (own == nullptr) return rtl::FlashInterfaceEngine(channels, programmed);
    try {
      return {channels, programmed, std::move(made), own_clocks ? onfi::Lengths::kAtLeast : onfi::Lengths::kExact};
    } catch (const std::runtime_error& error) {
      throw config::ConfigError(fmt::format("channels.rtl.flash_sequencer: error: {}: before the first segment: {}",
                                            channels.rtl.flash_sequencer, error.what()));
    }
  }

  std::unique_ptr<rtl::SlotFlashInterface> made;  // made until the engine has it
  rtl::SlotFlashInterface* const own;             // null: the shipped one
  const bool own_clocks;                          // it may take other ones than the shipped one
  rtl::FlashInterfaceEngine engine;
  std::vector<std::vector<Picoseconds>> expected_rises;  // expected rises by die, that are not announced yet
  bool failed = false;                                   // a block of the user's own, which is not clocked on
  // Waveform: the pins and what the block reports of itself, and what they last were.
  std::vector<tlm_if::RecorderIf::Signal> signals;
  std::vector<std::uint64_t> shown;
  std::vector<rtl::StatusSignal> status;
};

GateWires::GateWires(std::string name, const config::Channels& channels, std::uint32_t lpage_bytes, BusSnoopIf& checker,
                     tlm_if::RecorderIf* recorder, const std::string& scope, const config::ChannelClocks* programmed)
    : name_(std::move(name)),
      scope_(scope + ".flash_sequencer"),
      file_(channels.rtl.flash_sequencer),
      packages_(channels.packages),
      lpage_bytes_(lpage_bytes),
      checker_(checker),
      recorder_(recorder),
      gates_(std::make_unique<Gates>(channels, programmed != nullptr ? *programmed : config::clocks_of(channels))) {
  Gates& gates = *gates_;
  gates.expected_rises.resize(std::size_t{channels.packages} * channels.dies_per_package);
  if (recorder_ == nullptr) return;
  const auto add = [&](const std::string& in, const std::string& what, unsigned bits) {
    gates.signals.push_back(bits == 1 ? recorder_->add_bit(in, what) : recorder_->add_vector(in, what, bits));
  };
  gates.signals.push_back(recorder_->add_vector(scope + ".pins", kPins[0], channels.packages));
  for (std::size_t i = 1; i + 1 < std::size(kPins); ++i) add(scope + ".pins", kPins[i], 1);
  add(scope + ".pins", kPins[std::size(kPins) - 1], 8);
  if (gates.own != nullptr) {
    gates.own->add_status(gates.status);
    for (const rtl::StatusSignal& signal : gates.status) add(scope_, signal.name, signal.bits);
    if (!recorder_->folder().empty()) gates.own->trace(fmt::format("{}/{}.fst", recorder_->folder(), scope_));
  }
  gates.shown.assign(gates.signals.size(), ~std::uint64_t{0});
}

GateWires::~GateWires() = default;

void GateWires::report(const std::string& what) {
  ++differences_;
  const std::string text = gates_->own == nullptr
                               ? fmt::format("{}: {}", name_, what)
                               : fmt::format("channels.rtl.flash_sequencer = {}: {} ({})", file_, what, scope_);
  SC_REPORT_ERROR(kGatesReport, text.c_str());
}

/// A step of the gates, which says or throws what is wrong.
template <class Step>
void GateWires::guarded(Step step) {
  if (gates_->failed) return;
  std::string wrong;
  try {
    wrong = step();
  } catch (const std::exception& e) {
    wrong = e.what();
  }
  if (wrong.empty()) return;
  gates_->failed = gates_->own != nullptr;
  report(wrong);  // out of the try: it may throw
}

// ---- R/B_n ----------------------------------------------------------------------------------------------------------

void GateWires::rise_expected(unsigned die, Picoseconds at) {
  guarded([&] {
    gates_->engine.ready_busy(die, true, at);
    return std::string();
  });
  gates_->expected_rises.at(die).push_back(at);
}

void GateWires::ready_busy(unsigned die, bool ready, Picoseconds at) {
  checker_.ready_busy(die, ready, at);
  auto& expected = gates_->expected_rises.at(die);
  if (ready && !expected.empty()) {
    // The gates got it when it was expected.
    if (expected.front() != at)
      report(
          fmt::format("R/B_n of die {} rises at {} ps, expected at {} ps", die, at.count(), expected.front().count()));
    expected.erase(expected.begin());
    return;
  }
  guarded([&] {
    gates_->engine.ready_busy(die, ready, at);
    return std::string();
  });
}

// ---- segments -------------------------------------------------------------------------------------------------------

void GateWires::expect(OnfiTransaction& t, Picoseconds offered) {
  const bool own_clocks = gates_->own_clocks;
  const Picoseconds wanted = t.start;
  if (own_clocks) {
    bytes_.clear();
    if (t.kind == SegmentKind::kDataIn) fill(t);
    show_if_recorded();
  }
  guarded([&] {
    const rtl::FlashInterfaceEngine::Span span = gates_->engine.expect(as_asked(t, packages_), offered, bytes_);
    t.start = span.start;
    t.end = span.end;
    return std::string();
  });
  if (own_clocks) return;
  const Picoseconds period = gates_->engine.times().period;
  if (t.start < wanted || wanted + period * kLatest < t.start) {
    report(fmt::format("a segment of die {} starts at {} ps, the sequence has calculated {} ps", t.die, t.start.count(),
                       wanted.count()));
  }
}

/// What crosses the wires in place of tokens: the token and the owner of each logical page, then bytes that follow from
/// them.
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
  if (t.lpage_count == 0) {
    bytes_.assign(t.bytes, t.status);
    return;
  }
  bytes_.resize(t.bytes);
  for (std::uint32_t i = 0; i < t.lpage_count; ++i) {
    const nand::StoredLpage& lpage = t.lpages[i];
    std::uint64_t word = lpage.token.bits();
    for (std::size_t at = 0; at < lpage_bytes_; at += kWord) {
      const std::size_t count = std::min<std::size_t>(kWord, lpage_bytes_ - at);
      std::memcpy(&bytes_[i * std::size_t{lpage_bytes_} + at], &word, count);
      word = at == 0 ? lpage.lpn : mix64(word + lpage.token.bits());
    }
  }
}

void GateWires::carry(OnfiTransaction& t) {
  fill(t);
  seen_ = t;
  if (!gates_->own_clocks) show_if_recorded();
  guarded([&] {
    const rtl::FlashInterfaceEngine::Carried& carried = gates_->engine.carry(as_asked(t, packages_), bytes_);
    t.start = carried.span.start;
    t.end = carried.span.end;
    seen_ = t;
    read_back(carried.read, gates_->engine.times(), seen_);
    segments_ = gates_->engine.segments();
    clocks_ = gates_->engine.clocked();
    if (recording_ != nullptr && carried.difference.empty()) keep(as_asked(t, packages_), carried.read);
    return carried.difference;
  });
}

/// The segment, what crosses the wires beside its cycles, and what is right: cycles as the pins have shown them, a
/// command as 1xxh, an address as 2xxh.
void GateWires::keep(const onfi::InterfaceSegment& segment, const onfi::PinReader::Segment& read) const {
  std::vector<std::uint64_t> registers, cycles;
  for (unsigned i = 0; i <= rtl::FlashInterface::kTimes; ++i)
    registers.push_back(rtl::FlashInterface::register_value(gates_->engine.times(), i));
  for (const onfi::PinReader::Cycle& cycle : read.cycles)
    cycles.push_back((cycle.command ? 0x100U : 0x200U) | cycle.byte);
  std::uint64_t address = 0;
  for (std::size_t i = 0; i < segment.cycles.address_count; ++i)
    address |= std::uint64_t{segment.cycles.address.at(i)} << 8 * i;
  recording_->add(rtl::RecordedLine()
                      .number("kind", static_cast<std::uint64_t>(segment.kind))
                      .number("chip", segment.chip)
                      .number("die", segment.die)
                      .number("opcode", segment.cycles.opcode)
                      .number("confirm", segment.cycles.confirm)
                      .number("addresses", segment.cycles.address_count)
                      .number("address", address)
                      .number("bytes", segment.bytes)
                      .bytes("parameters", {segment.parameters.begin(), segment.parameters.end()})
                      .numbers("registers", registers)
                      .bytes("data", bytes_)
                      .numbers("cycles", cycles));
}

std::vector<std::string> GateWires::leave_evidence(const std::string& folder, bool suspected) const {
  if (gates_->own == nullptr || !(gates_->failed || suspected)) return {};
  const std::string file = fmt::format("{}/{}.vcd", folder, scope_);
  gates_->own->write_window(file);
  return {file};
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
  if (gates_->own == nullptr) return;
  const rtl::LoadedBlock& block = gates_->own->block();
  for (std::uint32_t i = 0; i < block.description().status_count; ++i) {
    const wordline_rtl_status& status = block.description().status[i];
    if (status.kind != WORDLINE_RTL_COUNTED) continue;
    add_counter(registry, status.name, [&block, pin = status.pin] { return block.get(pin); });
  }
}

void explain_sequencer_counters(results::Registry& registry) {
  add_counter(registry, "NAME", [] { return std::uint64_t{0}; });
}

std::string describe_block(const config::Channels& channels) {
  if (channels.rtl.flash_sequencer.empty()) return {};
  return fmt::format("channels.rtl.flash_sequencer: module {} of {}, for the slot flash_sequencer\n",
                     loaded(channels.rtl)->block().description().top, channels.rtl.flash_sequencer);
}

void GateWires::show_if_recorded() {
  gates_->engine.on_pins(nullptr);
  if (tlm_if::listens(recorder_) && recorder_->active()) show();
}

/// The pins of the segment that follows.
void GateWires::show() {
  const Picoseconds period = gates_->engine.times().period;
  gates_->engine.on_pins([this, period](std::int64_t clock, const onfi::ChannelPins& pins, const onfi::DiePins& die) {
    Gates& gates = *gates_;
    std::size_t next = 0;
    const auto set = [&](std::uint64_t value) {
      const std::size_t i = next++;
      if (value == gates.shown[i]) return;
      gates.shown[i] = value;
      recorder_->set(gates.signals[i], period * clock, value);
    };
    set(std::uint64_t{pins.ce_n} & ((std::uint64_t{1} << packages_) - 1));
    for (const bool pin : {pins.cle, pins.ale, pins.we_n, pins.re_n, pins.dq_driven, pins.dqs_driven}) set(pin ? 1 : 0);
    set((pins.dqs_driven ? pins.dqs : die.dqs) ? 1 : 0);
    set(pins.dq_driven ? pins.dq : die.dq);
    if (gates.own == nullptr) return;
    gates.status.clear();
    gates.own->add_status(gates.status);
    for (const rtl::StatusSignal& signal : gates.status) set(signal.value);
  });
}

}  // namespace wordline::flash
