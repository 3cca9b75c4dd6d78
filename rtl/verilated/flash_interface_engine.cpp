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
constexpr std::uint8_t kFiller = 0xa5;        // of warm-up cycles and of an odd byte
constexpr std::int64_t kPatience = 2 * 4096;  // clocks beyond what the reference expects

bool is_output(SegmentKind kind) {
  return kind == SegmentKind::kDataOut || kind == SegmentKind::kFeatureOut || kind == SegmentKind::kStatus;
}

}  // namespace

FlashInterfaceEngine::FlashInterfaceEngine(const config::Channels& channels, const config::ChannelClocks& programmed)
    : model_(channels, FlashInterface::kDies, FlashInterface::kChips), reader_(model_.times()) {
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
    if (block_.pins().ce_n != kNoChip) throw std::logic_error("flash interface: a chip enable without a segment");
  }
}

FlashInterfaceEngine::Span FlashInterfaceEngine::expect(const onfi::InterfaceSegment& segment, Picoseconds offered) {
  offered_ = std::max(model_.clock_at(offered), clock_);
  expected_ = model_.segment(segment, offered_);
  return {model_.time_of(expected_.start), model_.time_of(expected_.end)};
}

const FlashInterfaceEngine::Carried& FlashInterfaceEngine::carry(const onfi::InterfaceSegment& segment,
                                                                 const std::vector<std::uint8_t>& bytes) {
  advance(offered_);
  carried_.out.clear();
  carried_.difference.clear();
  carried_.number = ++segments_;
  asked_ = 0;
  drive(segment, bytes);
  carried_.read = reader_.segment();
  carried_.span = {model_.time_of(carried_.read.start), model_.time_of(carried_.read.end)};
  carried_.data = block_.done_data();
  compare(segment, bytes);
  return carried_;
}

void FlashInterfaceEngine::drive(const onfi::InterfaceSegment& segment, const std::vector<std::uint8_t>& bytes) {
  const config::ChannelClocks& times = model_.times();
  const bool page = segment.kind == SegmentKind::kDataIn || segment.kind == SegmentKind::kDataOut;
  const std::uint32_t repeat = times.sdr || page ? 1 : 2;
  const std::uint32_t warm_up = page ? times.warm_up : 0;
  std::size_t next = 0;
  die_ = {kFiller, is_output(segment.kind) ? times.read_preamble != 0 : true};  // not driven yet: as if high
  strobes_.clear();
  block_.set_die(die_.dq, die_.dqs);
  block_.offer(segment);
  if (segment.kind == SegmentKind::kDataIn) block_.offer_byte(bytes.at(next++));
  block_.settle();
  const std::int64_t limit = expected_.end + kPatience;
  while (true) {
    if (clock_ > limit) {
      throw std::logic_error(fmt::format("flash interface: segment {}, expected in clocks {} to {}, does not end",
                                         segments_, expected_.start, expected_.end));
    }
    const bool accepted = block_.ready();
    const bool taken = block_.byte_taken();
    edge();
    if (accepted) block_.nothing_offered();
    if (taken && next < bytes.size()) {
      block_.offer_byte(bytes[next++]);
    } else if (taken) {
      block_.no_byte();
    }
    const onfi::ChannelPins pins = block_.pins();
    const bool over = reader_.clock(clock_ - 1, pins);
    if (observer_) observer_(clock_ - 1, pins, die_);
    if (block_.byte_out()) {
      carried_.out.push_back(block_.out());
      if (block_.out_last() != (carried_.out.size() == bytes.size())) {
        carried_.difference =
            fmt::format("segment {}: tlast with byte {} of {}", segments_, carried_.out.size(), bytes.size());
      }
    }
    if (over) return;
    if (!pins.re_n && asked_ == 0 && !reader_.asks()) {  // the preamble
      die_.dqs = false;
      block_.set_die(die_.dq, die_.dqs);
    }
    if (!reader_.asks()) continue;
    const std::uint32_t index = asked_ < warm_up ? ~0U : (asked_ - warm_up) / repeat;
    ++asked_;
    strobes_.emplace(clock_ + (times.sdr ? 0 : times.read_latency), index < bytes.size() ? bytes[index] : kFiller);
  }
}

void FlashInterfaceEngine::compare(const onfi::InterfaceSegment& segment, const std::vector<std::uint8_t>& bytes) {
  const onfi::PinReader::Segment& read = carried_.read;
  const auto differs = [this, &read](std::string what) {
    if (carried_.difference.empty()) {
      carried_.difference = fmt::format("segment {}, clock {}: {}", segments_, read.start, std::move(what));
    }
  };
  if (read.start != expected_.start)
    differs(fmt::format("starts in clock {}, expected {}", read.start, expected_.start));
  if (read.end != expected_.end) differs(fmt::format("ends in clock {}, expected {}", read.end, expected_.end));
  if (read.chip != segment.chip) differs(fmt::format("chip enable {}, asked for {}", read.chip, segment.chip));
  const std::string at_pins = onfi::difference(read, segment.kind, segment.cycles, segment.bytes, model_.times());
  if (!at_pins.empty()) differs(at_pins);
  if (!block_.done()) differs("no answer with its end");
  if (block_.done_short()) differs("strobes are missing");

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
      differs(fmt::format("byte {} is {:02x}h, expected {:02x}h", found.first - bytes.begin(), *found.second,
                          *found.first));
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
      differs(fmt::format("answers {:08x}h, the die drove {:08x}h", carried_.data, expected));
  }
}

}  // namespace wordline::rtl
