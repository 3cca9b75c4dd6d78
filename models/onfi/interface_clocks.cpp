// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/interface_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::onfi {
namespace {

bool has_output(SegmentKind kind) {
  return kind == SegmentKind::kDataOut || kind == SegmentKind::kFeatureOut || kind == SegmentKind::kStatus;
}

bool is_data(SegmentKind kind) {
  return kind == SegmentKind::kDataIn || kind == SegmentKind::kDataOut || kind == SegmentKind::kFeatureOut;
}

enum class After : std::uint8_t { kNothing, kBusy, kAddress, kColumn, kReturn };

After after(const InterfaceSegment& segment) {
  if (is_data(segment.kind) || segment.kind == SegmentKind::kStatus) return After::kNothing;
  switch (segment.cycles.last_command()) {
    case kReadConfirm:
    case kReadNextPlane:
    case kReadCopyback:
    case kReadCache:
    case kReadCacheEnd:
    case kProgramConfirm:
    case kProgramNextPlane:
    case kProgramNextPage:
    case kProgramCache:
    case kEraseConfirm:
    case kEraseNextPlane:
    case kSetFeatures:
    case kGetFeatures:
    case kLunSetFeatures:
    case kLunGetFeatures:
    case kReset:
    case kResetSync:
    case kResetLun:
      return After::kBusy;
    case kProgram:
      return After::kAddress;
    case kCopybackProgram:  // and CHANGE WRITE COLUMN
      return segment.cycles.address_count > kUsualColumnCycles ? After::kAddress : After::kColumn;
    case kChangeColumnConfirm:
    case kSelectSoftPlane:
      return After::kColumn;
    case kRead:
      return After::kReturn;
    default:
      return After::kNothing;
  }
}

}  // namespace

InterfaceClocks::InterfaceClocks(const config::Channels& channels, unsigned dies, unsigned chips)
    : times_(config::clocks_of(channels)),
      timing_(config::in_whole_clocks(channels)),
      dies_(dies),
      turnaround_(chips) {}

void InterfaceClocks::ready_busy(unsigned die, bool ready, std::int64_t clock) {
  dies_.at(die).edges.push_back({clock, ready});
}

/// The state of R/B_n for a segment that starts in `clock`.
void InterfaceClocks::see(Die& die, std::int64_t clock) const {
  while (!die.edges.empty() && die.edges.front().clock + kSyncStages <= clock) {
    const Edge edge = die.edges.front();
    die.edges.pop_front();
    // Low for less than from one clock to the next: not seen.
    if (!edge.ready && !die.edges.empty() && die.edges.front().clock == edge.clock) {
      die.edges.pop_front();
      continue;
    }
    if (edge.ready == die.ready) continue;
    die.ready = edge.ready;
    if (!edge.ready) continue;
    const std::int64_t seen = edge.clock + kSyncStages;
    const bool for_all = die.all > seen + 1;
    die.rise_seen = seen;
    die.wait = std::max(die.wait, seen + times_.rr);
    if (for_all) die.all = die.wait;
  }
}

InterfaceClocks::Span InterfaceClocks::segment(const InterfaceSegment& segment, std::int64_t offered) {
  Die& die = dies_.at(segment.die);
  std::int64_t start = std::max(offered, free_);
  const bool data = is_data(segment.kind);
  const bool output_only = data && segment.kind != SegmentKind::kDataIn;
  const bool needs_ready = segment.kind != SegmentKind::kStatus && segment.kind != SegmentKind::kReset;
  if (!output_only) start = std::max(start, turnaround_.at(segment.chip));
  while (true) {
    see(die, start);
    if (needs_ready && !die.ready) {
      if (die.edges.empty()) {
        throw std::logic_error(fmt::format("flash interface: R/B_n of die {} never rises", segment.die));
      }
      start = std::max(start, die.edges.front().clock + kSyncStages);
    } else if (start < (data ? die.wait : die.all)) {
      start = data ? die.wait : die.all;
    } else if (data && start == die.rise_seen) {
      ++start;
    } else {
      break;
    }
  }
  const Span span{start, start + timing_.segment(segment.kind, segment.cycles, segment.bytes) / times_.period};
  see(die, span.end);
  end(segment, span.end);
  return span;
}

void InterfaceClocks::end(const InterfaceSegment& segment, std::int64_t clock) {
  Die& die = dies_[segment.die];
  free_ = clock + std::max<std::int64_t>(times_.chip_high, 1);
  if (has_output(segment.kind)) turnaround_[segment.chip] = clock + times_.rhw;
  switch (after(segment)) {
    case After::kNothing:
      break;
    case After::kBusy:
      die.wait = die.all = std::max(die.wait, clock + times_.wb + kSyncStages);
      break;
    case After::kAddress:
      die.wait = std::max(die.wait, clock + times_.adl);
      break;
    case After::kColumn:
      die.wait = std::max(die.wait, clock + times_.ccs);
      break;
    case After::kReturn:
      die.wait = std::max(die.wait, clock + times_.whr);
      break;
  }
}

}  // namespace wordline::onfi
