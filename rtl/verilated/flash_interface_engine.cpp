// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/flash_interface_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::rtl {
namespace {

using onfi::SegmentKind;

constexpr std::uint8_t kNoChip = 0xff;
constexpr std::uint8_t kFiller = 0xa5;        // filler of warm-up cycles and of an odd byte
constexpr std::int64_t kPatience = 2 * 4096;  // clocks beyond what the reference expects
constexpr std::int64_t kLimit = 100'000;      // the same of a block with clocks of its own

bool is_output(SegmentKind kind) {
  return kind == SegmentKind::kDataOut || kind == SegmentKind::kFeatureOut || kind == SegmentKind::kStatus;
}

}  // namespace

FlashInterfaceEngine::FlashInterfaceEngine(const config::Channels& channels, const config::ChannelClocks& programmed)
    : FlashInterfaceEngine(channels, programmed, shipped_flash_interface(), onfi::Lengths::kExact) {}

FlashInterfaceEngine::FlashInterfaceEngine(const config::Channels& channels, const config::ChannelClocks& programmed,
                                           std::unique_ptr<FlashInterfaceDoor> door, onfi::Lengths lengths)
    : model_(channels, FlashInterface::kDies, FlashInterface::kChips),
      block_(std::move(door)),
      lengths_(lengths),
      reader_(model_.times()) {
  block_.set_times(programmed);  // before clock 0
}

void FlashInterfaceEngine::ready_busy(unsigned die, bool ready, Picoseconds at) {
  const std::int64_t clock = std::max<std::int64_t>(model_.clock_at(at), 0);
  if (clock < clock_) {
    throw std::logic_error(fmt::format("flash interface: an edge of R/B_n in clock {}, which is over", clock));
  }
  model_.ready_busy(die, ready, clock);
  edges_.emplace(clock, std::make_pair(die, ready));
}

void FlashInterfaceEngine::edge() {
  while (!edges_.empty() && edges_.begin()->first <= clock_) {
    block_.set_ready_busy(edges_.begin()->second.first, edges_.begin()->second.second);
    edges_.erase(edges_.begin());
  }
  while (!strobes_.empty() && strobes_.begin()->first <= clock_) {
    if (!model_.times().sdr) die_.dqs = !die_.dqs;
    die_.dq = strobes_.begin()->second;
    block_.set_die(die_.dq, die_.dqs);
    strobes_.erase(strobes_.begin());
  }
  block_.clock();
  ++clock_;
}

/// Until `clock` is the next edge.
void FlashInterfaceEngine::advance(std::int64_t clock) {
  while (clock_ < clock) {
    const bool edge_due = !edges_.empty() && edges_.begin()->first <= clock_;
    if (block_.quiet() && !edge_due) {
      clock_ = edges_.empty() ? clock : std::min(clock, edges_.begin()->first);
      continue;
    }
    edge();
    if (exact() && block_.pins().ce_n != kNoChip)
      throw std::logic_error("flash interface: a chip enable without a segment");
  }
}

FlashInterfaceEngine::Span FlashInterfaceEngine::expect(const onfi::InterfaceSegment& segment, Picoseconds offered,
                                                        const std::vector<std::uint8_t>& bytes) {
  offered_ = std::max(model_.clock_at(offered), clock_);
  expected_ = model_.segment(segment, offered_);
  if (!exact()) {
    // The reference stays with its own clocks: it says no more than how long a segment takes at least.
    offer(segment, bytes);
    while (!reader_.active()) step(bytes);
    const std::int64_t start = reader_.segment().start;
    expected_ = {start, start + expected_.end - expected_.start};
  }
  return {model_.time_of(expected_.start), model_.time_of(expected_.end)};
}

const FlashInterfaceEngine::Carried& FlashInterfaceEngine::carry(const onfi::InterfaceSegment& segment,
                                                                 const std::vector<std::uint8_t>& bytes) {
  if (exact()) offer(segment, bytes);
  do {
    answer(segment, bytes);
  } while (!step(bytes));
  carried_.read = reader_.segment();
  carried_.span = {model_.time_of(carried_.read.start), model_.time_of(carried_.read.end)};
  if (!exact()) await_done(bytes);
  carried_.data = block_.done_data();
  compare(segment, bytes);
  return carried_;
}

void FlashInterfaceEngine::offer(const onfi::InterfaceSegment& segment, const std::vector<std::uint8_t>& bytes) {
  advance(offered_);
  carried_.out.clear();
  carried_.difference.clear();
  carried_.number = ++segments_;
  asked_ = 0;
  offered_bytes_ = 0;
  die_ = {kFiller, is_output(segment.kind) ? model_.times().read_preamble != 0 : true};  // not driven yet: as if high
  strobes_.clear();
  block_.set_die(die_.dq, die_.dqs);
  block_.offer(segment);
  if (segment.kind == SegmentKind::kDataIn) block_.offer_byte(bytes.at(offered_bytes_++));
  block_.settle();
}

/// A clock of a segment that is offered or under way. True: it is over.
bool FlashInterfaceEngine::step(const std::vector<std::uint8_t>& bytes) {
  if (exact() && clock_ > expected_.end + kPatience) {
    throw std::logic_error(fmt::format("flash interface: segment {}, expected in clocks {} to {}, does not end",
                                       segments_, expected_.start, expected_.end));
  }
  if (!exact() && clock_ > expected_.end + kLimit) {
    throw std::runtime_error(fmt::format("segment {}, clock {}: {} for {} clocks", segments_, block_.clocks(),
                                         block_.offered()   ? "segment_ready_o stays low"
                                         : reader_.active() ? "chip enable stays low after the segment should be over"
                                                            : "the segment was taken, and no chip enable falls",
                                         kLimit));
  }
  const bool accepted = block_.ready();
  const bool taken = block_.byte_taken();
  edge();
  if (accepted) block_.nothing_offered();
  if (taken && offered_bytes_ < bytes.size()) {
    block_.offer_byte(bytes[offered_bytes_++]);
  } else if (taken) {
    block_.no_byte();
  }
  const onfi::ChannelPins pins = block_.pins();
  const bool over = reader_.clock(clock_ - 1, pins);
  if (observer_) observer_(clock_ - 1, pins, die_);
  take_out(bytes);
  return over;
}

void FlashInterfaceEngine::take_out(const std::vector<std::uint8_t>& bytes) {
  if (!block_.byte_out()) return;
  carried_.out.push_back(block_.out());
  if (block_.out_last() != (carried_.out.size() == bytes.size())) {
    carried_.difference =
        fmt::format("segment {}: tlast with byte {} of {}", segments_, carried_.out.size(), bytes.size());
  }
}

/// What the die does after the last clock.
void FlashInterfaceEngine::answer(const onfi::InterfaceSegment& segment, const std::vector<std::uint8_t>& bytes) {
  const config::ChannelClocks& times = model_.times();
  const bool page = segment.kind == SegmentKind::kDataIn || segment.kind == SegmentKind::kDataOut;
  const std::uint32_t repeat = times.sdr || page ? 1 : 2;
  const std::uint32_t warm_up = page ? times.warm_up : 0;
  if (!reader_.active()) return;
  if (!block_.pins().re_n && asked_ == 0 && !reader_.asks()) {  // the preamble
    die_.dqs = false;
    block_.set_die(die_.dq, die_.dqs);
  }
  if (!reader_.asks()) return;
  const std::uint32_t index = asked_ < warm_up ? ~0U : (asked_ - warm_up) / repeat;
  ++asked_;
  strobes_.emplace(clock_ + (times.sdr ? 0 : times.read_latency), index < bytes.size() ? bytes[index] : kFiller);
}

/// R/B_n falls tWB after the segment at the earliest: until then the answer has to be there, as it is unknown before.
void FlashInterfaceEngine::await_done(const std::vector<std::uint8_t>& bytes) {
  const std::int64_t latest = carried_.read.end + std::max<std::int64_t>(model_.times().wb, 1);
  while (!block_.done()) {
    if (clock_ >= latest) {
      throw std::runtime_error(
          fmt::format("segment {}, clock {}: done_o stays low for {} clocks after chip enable has "
                      "risen (tWB)",
                      segments_, block_.clocks(), latest - carried_.read.end));
    }
    edge();
    take_out(bytes);
  }
}

void FlashInterfaceEngine::compare(const onfi::InterfaceSegment& segment, const std::vector<std::uint8_t>& bytes) {
  const onfi::PinReader::Segment& read = carried_.read;
  // The clock of a block with clocks of its own is that of its window, which counts the reset and leaves out what was
  // left out.
  const auto differs = [this, &read](std::string what) {
    if (carried_.difference.empty()) {
      const auto clock = exact() ? read.start : static_cast<std::int64_t>(block_.clocks()) - (clock_ - read.start);
      carried_.difference = fmt::format("segment {}, clock {}: {}", segments_, clock, std::move(what));
    }
  };
  if (exact() && read.start != expected_.start)
    differs(fmt::format("starts in clock {}, expected {}", read.start, expected_.start));
  if (exact() && read.end != expected_.end)
    differs(fmt::format("ends in clock {}, expected {}", read.end, expected_.end));
  if (read.chip != segment.chip) differs(fmt::format("chip enable {}, asked for {}", read.chip, segment.chip));
  const std::string at_pins =
      onfi::difference(read, segment.kind, segment.cycles, segment.bytes, model_.times(), lengths_);
  if (!at_pins.empty()) differs(at_pins);
  if (!block_.done()) differs("no answer with its end");
  if (block_.done_short()) differs("done_short_o is high: strobes are missing");

  const config::ChannelClocks& times = model_.times();
  const std::vector<std::uint8_t>* seen = nullptr;
  std::size_t skip = 0;
  if (segment.kind == SegmentKind::kDataIn) {
    seen = &read.in;
    skip = times.warm_up;
  } else if (segment.kind == SegmentKind::kDataOut) {
    seen = &carried_.out;
    if (seen->size() != bytes.size())
      differs(fmt::format("{} bytes came out, expected {}", seen->size(), bytes.size()));
  }
  if (seen != nullptr && carried_.difference.empty()) {
    const auto found = std::mismatch(bytes.begin(), bytes.end(), seen->begin() + static_cast<std::ptrdiff_t>(skip));
    if (found.first != bytes.end()) {
      differs(fmt::format("byte {} of {} is {:02x}h, expected {:02x}h", found.first - bytes.begin(),
                          seen == &read.in ? "dq_o" : "m_axis_tdata_o", *found.second, *found.first));
    }
  }
  if (segment.kind == SegmentKind::kSetFeatures) {
    for (std::size_t i = 0; i < read.in.size(); ++i) {
      const std::uint8_t asked = segment.parameters.at(times.sdr ? i : i / 2);
      if (read.in[i] != asked) differs(fmt::format("P{} is {:02x}h, asked for {:02x}h", i, read.in[i], asked));
    }
  }
  if (is_output(segment.kind) && segment.kind != SegmentKind::kDataOut) {
    std::uint32_t expected = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) expected = expected << 8 | bytes[i];
    if (carried_.data != expected)
      differs(fmt::format("done_data_o is {:08x}h, the die drove {:08x}h", carried_.data, expected));
  }
}

}  // namespace wordline::rtl
