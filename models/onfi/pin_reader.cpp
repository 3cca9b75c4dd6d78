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
  if (segment_.setup < 0 && (!pins.we_n || !pins.re_n || pins.dqs_driven)) segment_.setup = clock - segment_.start;
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
  fell_ = -1;
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
    segment_.early = segment_.early || clock - segment_.last < apart;
  }
  segment_.last = clock;
}

void PinReader::write(std::int64_t clock, const ChannelPins& pins) {
  if (before_.we_n && !pins.we_n && segment_.data < 0 && !pins.cle && !pins.ale) segment_.data = clock;
  if (before_.we_n && !pins.we_n && (pins.cle || pins.ale)) {
    const std::int64_t cycle = clock - fell_;
    const bool shorter = segment_.shortest_cycle < 0 || cycle < segment_.shortest_cycle;
    if (fell_ >= 0 && shorter) segment_.shortest_cycle = cycle;
    fell_ = clock;
  }
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
                       const config::ChannelClocks& times, Lengths lengths) {
  const bool exact = lengths == Lengths::kExact;
  const char* const wanted = exact ? "expected" : "expected at least";
  const auto wrong = [exact](std::int64_t is, std::int64_t asked) { return exact ? is != asked : is < asked; };
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
  // How many transfers of data there are, and where they lie.
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
    const std::int64_t all = times.setup + std::int64_t{times.write_cycle} * count;
    const std::int64_t is = (in || out ? read.cycles_end : read.end) - read.start;
    if (wrong(is, all)) return fmt::format("the cycles end {} clocks from their start, {} {}", is, wanted, all);
    if (!exact && read.setup < times.setup) {
      return fmt::format("the first cycle begins after {} clocks, {} {}", read.setup, wanted, times.setup);
    }
    if (!exact && count > 1 && read.shortest_cycle < times.write_cycle) {
      return fmt::format("a cycle of {} clocks, {} {}", read.shortest_cycle, wanted, times.write_cycle);
    }
  }
  if (!in && !out) return {};
  if (exact ? read.uneven : read.early) {
    return exact ? "bytes are not one cycle apart" : "bytes are less than one cycle apart";
  }
  const std::int64_t turn = kind == SegmentKind::kStatus        ? times.whr
                            : kind == SegmentKind::kSetFeatures ? times.adl
                            : times.sdr                         ? times.setup
                                                                : 0;
  const std::int64_t from = count != 0 ? read.cycles_end : read.start;
  if (wrong(read.data - from, turn)) {
    const char* const rule = kind == SegmentKind::kStatus        ? " (tWHR)"
                             : kind == SegmentKind::kSetFeatures ? " (tADL)"
                                                                 : "";
    return fmt::format("data begin after {} clocks, {} {}{}", read.data - from, wanted, turn, rule);
  }
  const std::int64_t preamble = in ? times.write_preamble : times.read_preamble;
  if (!times.sdr && wrong(read.first - read.data, preamble)) {
    return fmt::format("a preamble of {} clocks, {} {}", read.first - read.data, wanted, preamble);
  }
  if (exact) return {};  // its end is compared by others
  const std::int64_t rest = times.sdr ? (in ? times.write_cycle - times.write_low : times.read_cycle)
                            : in      ? 1 + times.write_postamble
                                      : 1 + times.read_latency + times.read_postamble;
  if (read.end - read.last < rest) {
    return fmt::format("it ends {} clocks after its last byte, expected at least {}", read.end - read.last, rest);
  }
  return {};
}

}  // namespace wordline::onfi
