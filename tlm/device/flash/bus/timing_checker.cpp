// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/bus/timing_checker.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/config/bus_modes.h"

namespace wordline::flash {

namespace {

using onfi::SegmentKind;

// The rules are written with bare command codes on purpose: a slip in the model's tables must not hide itself.
bool output(SegmentKind kind) {
  return kind == SegmentKind::kDataOut || kind == SegmentKind::kStatus || kind == SegmentKind::kFeatureOut;
}
bool has_cycles(SegmentKind kind) {
  return kind != SegmentKind::kDataIn && kind != SegmentKind::kDataOut && kind != SegmentKind::kFeatureOut;
}
unsigned cycles_of(const OnfiTransaction& t) {
  return (t.cycles.prefix == 0x00 ? 0U : 1U) + 1U + t.cycles.address_count + (t.cycles.confirm == 0x00 ? 0U : 1U);
}
std::uint8_t last_code(const OnfiTransaction& t) {
  return t.cycles.confirm == 0x00 ? t.cycles.opcode : t.cycles.confirm;
}

}  // namespace

TimingChecker::TimingChecker(const sc_core::sc_module_name& name, const config::Channels& channels, Lengths lengths)
    : sc_module(name),
      channels_(channels),
      lengths_(lengths),
      packages_(channels.packages),
      targets_(channels.packages, &channels_),
      rules_(&channels_),
      luns_(static_cast<std::size_t>(channels.packages) * channels.dies_per_package),
      output_end_(channels.packages, kNever) {}

void TimingChecker::violate(unsigned die, Picoseconds at, const char* rule, Picoseconds measured,
                            Picoseconds required) {
  ++count_;
  last_ = {rule, measured, required};
  const std::string needed = required == kNever ? "R/B_n high" : fmt::format("{} ps", required.count());
  SC_REPORT_ERROR("/wordline/flash/timing", fmt::format("{}: {} of die {} at {} ps: {} ps, required {}", name(), rule,
                                                        die, at.count(), measured.count(), needed)
                                                .c_str());
}

void TimingChecker::at_least(const OnfiTransaction& t, const char* rule, Picoseconds since, Picoseconds required) {
  if (since == kNever) return;
  const Picoseconds measured = t.start - since;
  if (measured < required) violate(t.die, t.start, rule, measured, required);
}

Picoseconds TimingChecker::burst(std::uint64_t bytes) const {
  // Pairs of bytes on the two edges of DQS, the sum rounded up: ceil(2 * pairs * 1e12 / rate).
  const unsigned __int128 work = static_cast<unsigned __int128>((bytes + 1) / 2) * 2'000'000'000'000ULL;
  const std::uint64_t rate = rules_->rate.count();
  std::uint64_t ps = static_cast<std::uint64_t>(work / rate);
  if (work % rate != 0) ++ps;
  return Picoseconds(static_cast<std::int64_t>(ps));
}

// A byte each tWC or tRC, no strobe.
Picoseconds TimingChecker::length_sdr(const OnfiTransaction& t) const {
  const Picoseconds select = std::max(rules_->t_cs, rules_->t_cals);
  const Picoseconds command = select + rules_->t_wc * static_cast<std::int64_t>(cycles_of(t));
  switch (t.kind) {
    case SegmentKind::kDataIn:
      return select + rules_->t_wc * static_cast<std::int64_t>(t.bytes);
    case SegmentKind::kDataOut:
      return select + rules_->t_rc * static_cast<std::int64_t>(t.bytes);
    case SegmentKind::kStatus:
      return command + rules_->t_whr + rules_->t_rc;
    case SegmentKind::kSetFeatures:
      return command + rules_->t_adl + rules_->t_wc * 4;
    case SegmentKind::kFeatureOut:
      return select + rules_->t_rc * 4;
    default:
      return command;
  }
}

Picoseconds TimingChecker::length(const OnfiTransaction& t) const {
  if (rules_->mode.interface == config::BusInterface::kSdr) return length_sdr(t);
  const Picoseconds command =
      std::max(rules_->t_cs, rules_->t_cals) + rules_->t_wc * static_cast<std::int64_t>(cycles_of(t));
  const auto in = [this](std::uint64_t bytes) {
    return rules_->t_wpre + burst(bytes) + rules_->t_wpst + rules_->t_wpsth;
  };
  const auto out = [this](std::uint64_t bytes) {
    return rules_->t_rpre + rules_->t_dqsre + burst(bytes) + rules_->t_rpst;
  };
  switch (t.kind) {
    case SegmentKind::kDataIn:
      return in(t.bytes + 2 * rules_->warmup_cycles);
    case SegmentKind::kDataOut:
      return out(t.bytes + 2 * rules_->warmup_cycles);
    case SegmentKind::kStatus:
      return command + rules_->t_whr + out(2);  // one byte, on both edges
    case SegmentKind::kSetFeatures:
      return command + rules_->t_adl + in(8);  // four bytes, each on both edges
    case SegmentKind::kFeatureOut:
      return out(8);
    default:
      return command;
  }
}

void TimingChecker::segment(const OnfiTransaction& t) {
  ++segments_;
  if (t.die >= luns_.size()) {
    violate(t.die, t.start, "chip enable", Picoseconds(t.die), Picoseconds(static_cast<std::int64_t>(luns_.size())));
    return;
  }
  rules_ = targets_[t.die % packages_];
  Lun& lun = luns_[t.die];
  Picoseconds& output_end = output_end_[t.die % packages_];
  const std::uint8_t code = last_code(t);

  // The wires.
  if (t.start < bus_end_) violate(t.die, t.start, "overlap", t.start - bus_end_, Picoseconds(0));
  const Picoseconds expected = length(t);
  const bool may_be_longer = lengths_ == Lengths::kAtLeast;
  if (may_be_longer ? t.end - t.start < expected : t.end - t.start != expected)
    violate(t.die, t.start, "length", t.end - t.start, expected);
  bus_end_ = std::max(bus_end_, t.end);

  // RE_n high to WE_n low: input after output, for the same target.
  if (!output(t.kind) || t.kind == SegmentKind::kStatus) at_least(t, "tRHW", output_end, rules_->t_rhw);

  // A busy LUN takes status commands, suspends and resets; before tWB has passed nothing at all.
  at_least(t, "tWB", lun.confirm_end, rules_->t_wb);
  const bool suspend = t.kind == SegmentKind::kCommand && (code == 0x84 || code == 0x61);
  if (t.kind != SegmentKind::kStatus && t.kind != SegmentKind::kReset && lun.confirm_end != kNever &&
      t.start >= lun.confirm_end + rules_->t_wb) {
    if (lun.dummy_rule != nullptr) {
      at_least(t, lun.dummy_rule, lun.confirm_end, rules_->t_wb + lun.dummy_busy);
    } else if (!suspend && (lun.array_busy || t.start < lun.ready_at)) {
      violate(t.die, t.start, lun.array_rule, t.start - lun.confirm_end,
              lun.array_busy ? kNever : lun.ready_at - lun.confirm_end);
    }
  }

  switch (t.kind) {
    case SegmentKind::kDataIn:
      at_least(t, "tADL", lun.address_end, rules_->t_adl);
      at_least(t, "tCCS", lun.write_column_end, rules_->t_ccs);
      break;
    case SegmentKind::kDataOut:
      if (!lun.array_busy) at_least(t, "tRR", lun.ready_at, rules_->t_rr);
      at_least(t, "tCCS", lun.column_end, rules_->t_ccs);
      at_least(t, "tWHR", lun.command_end, rules_->t_whr);
      break;
    case SegmentKind::kFeatureOut:
      at_least(t, "tRR", lun.ready_at, rules_->t_rr);
      break;
    default:
      break;
  }
  if (output(t.kind)) output_end = t.end;
  if (!has_cycles(t.kind)) return;

  // What the command asks of the segments that follow.
  const auto dummy = [&](const char* rule, Picoseconds busy) {
    lun.confirm_end = t.end;
    lun.dummy_rule = rule;
    lun.dummy_busy = busy;
    lun.array_busy = false;
  };
  const auto array = [&](const char* rule, Picoseconds least = {}) {
    lun.confirm_end = t.end;
    lun.least_busy = least;
    lun.dummy_rule = nullptr;
    lun.array_rule = rule;
    lun.array_busy = true;
  };
  switch (code) {
    case 0x30:
    case 0x35:
      array("tR");
      break;
    case 0x31:
    case 0x3f:
      array("tRCBSY", rules_->t_rcbsy);
      break;
    case 0x15:
      array("tPCBSY", rules_->t_pcbsy);
      break;
    case 0x10:
    case 0x13:
      array("tPROG");
      break;
    case 0xd0:
    case 0xd2:
      array("tBERS");
      break;
    case 0x84:
    case 0x61:
      // To a ready LUN it does nothing, or R/B_n falls.
      if (lun.array_busy) array("tSUSP");
      lun.suspend_end = t.end;
      break;
    case 0xff:
    case 0xfc:
    case 0xfa:
      array("tRST");
      if (code == 0xff) switch_mode(t);
      break;
    case 0x32:
    case 0x11:
    case 0x1a:
    case 0xd1:
      dummy("tDBSY", rules_->t_dbsy);
      break;
    case 0xef:
    case 0xee:
    case 0xd5:
    case 0xd4:
      dummy("tFEAT", rules_->t_feat);
      if (code == 0xef && t.cycles.address[0] == 0x01) switch_mode(t);
      break;
    case 0x80:
      lun.address_end = t.end;
      break;
    case 0x85:
      (t.cycles.address_count > 2 ? lun.address_end : lun.write_column_end) = t.end;
      break;
    case 0xc0:
    case 0xe0:
      lun.column_end = t.end;
      break;
    case 0x00:
      lun.command_end = t.end;
      break;
    default:
      break;
  }
}

// SET FEATURES 01h, and FFh, which goes back to the interface after power-on.
void TimingChecker::switch_mode(const OnfiTransaction& t) {
  using config::BusInterface;
  config::BusMode mode = rules_->mode;
  if (t.kind == SegmentKind::kReset) {
    if (mode.interface != BusInterface::kSdr) mode.number = 0;
    if (mode.interface == BusInterface::kNvDdr2) mode.interface = BusInterface::kSdr;
  } else {
    const unsigned p1 = t.parameters[0];
    const unsigned interface = p1 >> 4 & 3U;
    const bool ddr2 = channels_.mode.interface == BusInterface::kNvDdr2;
    mode.number = (p1 & 15U) + ((p1 & 64U) != 0 ? 16U : 0U);
    mode.interface = interface == 0   ? BusInterface::kSdr
                     : interface == 3 ? BusInterface::kNvLpddr4
                     : ddr2           ? BusInterface::kNvDdr2
                                      : BusInterface::kNvDdr3;
    if (interface == 1 || config::find_bus_mode(mode) == nullptr) return;  // the die refuses it
  }
  if (mode != rules_->mode) targets_[t.die % packages_] = &rules_of(mode);
}

const config::Channels& TimingChecker::rules_of(config::BusMode mode) {
  for (const config::Channels& known : switched_) {
    if (known.mode == mode) return known;
  }
  return switched_.emplace_back(config::switched_to(channels_, mode));
}

void TimingChecker::ready_busy(unsigned die, bool ready, Picoseconds at) {
  if (die >= luns_.size()) return;  // reported with the segment
  rules_ = targets_[die % packages_];
  Lun& lun = luns_[die];
  if (ready) {
    if (lun.least_busy > Picoseconds(0) && at - lun.confirm_end < rules_->t_wb + lun.least_busy) {
      violate(die, at, lun.array_rule, at - lun.confirm_end, rules_->t_wb + lun.least_busy);
    }
    lun.least_busy = Picoseconds(0);
    lun.ready_at = at;
    lun.array_busy = false;
    return;
  }
  if (!lun.array_busy && lun.suspend_end != kNever && at >= lun.suspend_end && at <= lun.suspend_end + rules_->t_wb) {
    lun.confirm_end = lun.suspend_end;
    lun.dummy_rule = nullptr;
    lun.array_rule = "tSUSP";
    lun.array_busy = true;
    return;
  }
  // tWB is a maximum: SR[6] and R/B_n may not fall later.
  if (lun.confirm_end == kNever || at > lun.confirm_end + rules_->t_wb || at < lun.confirm_end) {
    violate(die, at, "tWB", lun.confirm_end == kNever ? kNever : at - lun.confirm_end, rules_->t_wb);
  }
}

}  // namespace wordline::flash
