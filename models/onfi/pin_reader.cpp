// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/pin_reader.h"

#include <fmt/format.h>

#include "models/onfi/timing.h"

namespace wordline::onfi {
namespace {

constexpr std::uint8_t kNoChip = 0xff;

}  // namespace

bool PinReader::clock(std::int64_t clock, const ChannelPins& pins) {
  asks_ = false;
  if (pins.ce_n == kNoChip) {
    const bool ended = active_;
    if (ended) {
      if (!before_.we_n) segment_.fault = "WE_n low at the end";
      segment_.end = clock;
      active_ = false;
    }
    before_ = pins;
    return ended;
  }
  if (!active_) begin(clock, pins);
  if (pins.ce_n != before_.ce_n) segment_.fault = "chip enable changes";
  if (pins.cle && pins.ale) segment_.fault = "CLE and ALE";
  if (!pins.we_n && !pins.re_n) segment_.fault = "WE_n and RE_n";
  if ((before_.cle || before_.ale) && !pins.cle && !pins.ale) segment_.cycles_end = clock;
  write(clock, pins);
  read(clock, pins);
  before_ = pins;
  return false;
}

void PinReader::begin(std::int64_t clock, const ChannelPins& pins) {
  active_ = true;
  preamble_ = false;
  segment_ = {};
  segment_.start = clock;
  const unsigned low = static_cast<std::uint8_t>(~pins.ce_n);
  while ((low >> segment_.chip & 1U) == 0) ++segment_.chip;
  if (low >> segment_.chip != 1) segment_.fault = "two chip enables";
  before_ = {};
  before_.ce_n = pins.ce_n;
}

void PinReader::byte(std::int64_t clock, std::int64_t apart) {
  if (segment_.first < 0) {
    segment_.first = clock;
  } else if (clock - segment_.last != apart) {
    segment_.uneven = true;
  }
  segment_.last = clock;
}

void PinReader::write(std::int64_t clock, const ChannelPins& pins) {
  if (before_.we_n && !pins.we_n && segment_.data < 0 && !pins.cle && !pins.ale) segment_.data = clock;
  if (!before_.we_n && pins.we_n) {
    if (!pins.dq_driven) segment_.fault = "a cycle without DQ";
    if (pins.cle || pins.ale) {
      segment_.cycles.push_back({pins.cle, pins.dq});
    } else {
      segment_.in.push_back(pins.dq);
      byte(clock, times_.write_cycle);
    }
  }
  if (!before_.dqs_driven && pins.dqs_driven && segment_.data < 0) segment_.data = clock;
  if (pins.dqs_driven && before_.dqs != pins.dqs) {
    if (!pins.dq_driven) segment_.fault = "a strobe without DQ";
    segment_.in.push_back(pins.dq);
    byte(clock, 1);
  }
}

void PinReader::read(std::int64_t clock, const ChannelPins& pins) {
  if (before_.re_n == pins.re_n) return;
  if (pins.dq_driven) segment_.fault = "DQ driven while the die drives it";
  if (segment_.data < 0) segment_.data = clock;
  if (times_.sdr) {
    if (pins.re_n) return;
    ++segment_.out;
    asks_ = true;
    byte(clock, times_.read_cycle);
    return;
  }
  if (!preamble_ && times_.read_preamble != 0) {
    preamble_ = true;
    return;
  }
  ++segment_.out;
  asks_ = true;
  byte(clock, 1);
}

std::string difference(const PinReader::Segment& read, SegmentKind kind, const Cycles& cycles, std::uint32_t bytes,
                       const config::ChannelClocks& times) {
  if (!read.fault.empty()) return read.fault;
  const bool data_only =
      kind == SegmentKind::kDataIn || kind == SegmentKind::kDataOut || kind == SegmentKind::kFeatureOut;
  const unsigned count = data_only ? 0 : cycles.count();
  if (read.cycles.size() != count) return fmt::format("{} cycles, asked for {}", read.cycles.size(), count);
  for (unsigned i = 0; i < count; ++i) {
    const bool confirm = cycles.confirm != kNoConfirm && i + 1 == count;
    const bool command = i == 0 || confirm;
    const std::uint8_t byte = i == 0 ? cycles.opcode : confirm ? cycles.confirm : cycles.address.at(i - 1);
    if (read.cycles[i].command != command || read.cycles[i].byte != byte) {
      return fmt::format("cycle {} is {} {:02x}h, asked for {} {:02x}h", i,
                         read.cycles[i].command ? "command" : "address", read.cycles[i].byte,
                         command ? "command" : "address", byte);
    }
  }
  // Of the data: how many transfers, and where they lie.
  const bool page = kind == SegmentKind::kDataIn || kind == SegmentKind::kDataOut;
  const bool in = kind == SegmentKind::kDataIn || kind == SegmentKind::kSetFeatures;
  const bool out = kind == SegmentKind::kDataOut || kind == SegmentKind::kFeatureOut || kind == SegmentKind::kStatus;
  const std::uint32_t own = kind == SegmentKind::kStatus ? 1 : static_cast<std::uint32_t>(kFeatureBytes);
  const std::uint32_t transfers = times.sdr ? (page ? bytes : own)
                                  : page    ? times.warm_up + (bytes + 1) / 2 * 2
                                            : 2 * own;
  if (read.in.size() != (in ? transfers : 0)) {
    return fmt::format("{} bytes in, asked for {}", read.in.size(), in ? transfers : 0);
  }
  if (read.out != (out ? transfers : 0))
    return fmt::format("{} bytes out, asked for {}", read.out, out ? transfers : 0);
  if (count != 0) {
    const std::int64_t cycles_end = read.start + times.setup + std::int64_t{times.write_cycle} * count;
    const std::int64_t is = in || out ? read.cycles_end : read.end;
    if (is != cycles_end)
      return fmt::format("the cycles end {} clocks from their start, expected {}", is - read.start,
                         cycles_end - read.start);
  }
  if (!in && !out) return {};
  if (read.uneven) return "bytes are not one cycle apart";
  const std::int64_t turn = kind == SegmentKind::kStatus        ? times.whr
                            : kind == SegmentKind::kSetFeatures ? times.adl
                            : times.sdr                         ? times.setup
                                                                : 0;
  const std::int64_t from = count != 0 ? read.cycles_end : read.start;
  if (read.data - from != turn) return fmt::format("data begin after {} clocks, expected {}", read.data - from, turn);
  if (times.sdr) return {};
  const std::int64_t preamble = in ? times.write_preamble : times.read_preamble;
  if (read.first - read.data != preamble) {
    return fmt::format("a preamble of {} clocks, expected {}", read.first - read.data, preamble);
  }
  return {};
}

}  // namespace wordline::onfi
