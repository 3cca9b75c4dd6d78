// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/steady/steady_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "models/results/steady/stretch.h"

namespace wordline::results {
namespace {

/// The write buffer is as full as it gets when it was so full, as a share of its highest level, ...
constexpr double kFull = 0.95;
/// ... and changes of less than this share of its size are none.
constexpr std::uint64_t kBufferSteps = 64;
/// A write buffer that has taken in no more than this share of what was written since the warm-up wanders, and the rate
/// is off by no more; or half of the interval that is asked for.
constexpr double kTakenIn = 0.02;
/// Write amplification that differs less from that of the state is of the same writes.
constexpr double kSameWaf = 0.1;
/// Superblocks collected in a measurement. GC has phases that are some of them long.
constexpr std::uint64_t kMeasured = 16;
/// Smaller changes from one half to the other are none, or those of less than half of the interval that is asked for.
constexpr double kSmallChange = 0.01;
/// Requests in flight that must have come and gone: a queue with arrivals of its own forgets more slowly.
constexpr double kClosedLoop = 200, kOpenLoop = 500;
constexpr std::uint64_t kFewestRequests = 2048;
/// Batches at which a run is judged, of 32 to 64.
constexpr std::array<std::size_t, 4> kJudgedAt{32, 40, 48, 56};
/// Standard deviations between the halves of a series that has no trend.
constexpr double kNoTrend = 2.2;
/// One-sided 90 % bound of the correlation of neighbours that are independent, times sqrt(batches).
constexpr double kIndependent = 1.28;
/// By which an interval is too narrow where neighbours pull each other along.
constexpr double kTooNarrow = 3;
/// Share of all requests below which an operation need not be as well known as asked.
constexpr double kRare = 0.01;
/// Served less than offered by this share: more is asked for than the drive can do.
constexpr double kOverload = 0.02;
/// Part of the interval that reads may take which still find references: each costs later reads a retry less.
constexpr double kLearning = 0.2;
/// SNIA Solid State Storage Performance Test Specification 2.0.2, 2.1.24: five rounds, the range of their means within
/// 20 % of the average, the slope of the regression line within 10 % over the window.
constexpr std::size_t kSniaRounds = 5;
constexpr double kSniaRange = 0.20, kSniaSlope = 0.10;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

bool snia_steady(const Ratio& rate) {
  const std::vector<double> rounds = rate.parts(kSniaRounds);
  const double average = rate.value();
  const auto [least, most] = std::minmax_element(rounds.begin(), rounds.end());
  if (*most - *least > kSniaRange * average) return false;
  double slope = 0, square = 0;
  for (std::size_t i = 0; i < kSniaRounds; ++i) {
    const double x = static_cast<double>(i) - static_cast<double>(kSniaRounds - 1) / 2;
    slope += x * rounds[i];
    square += x * x;
  }
  return std::abs(slope / square) * static_cast<double>(kSniaRounds - 1) <= kSniaSlope * average;
}

/// The operations whose numbers must be as good as asked.
std::vector<Op> main_operations(const Stretch& stretch) {
  std::vector<Op> ops;
  const auto all = static_cast<double>(stretch.requests());
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (static_cast<double>(stretch.count(op)) > kRare * all) ops.push_back(op);
  }
  return ops;
}

/// What still changes from half to half; empty: nothing.
std::string trend_of(const Stretch& stretch, bool writes, double small) {
  const auto trend = [small](const Ratio& ratio, const std::string& what) -> std::string {
    if (std::abs(ratio.halves_differ()) <= kNoTrend || std::abs(ratio.change()) <= small) return {};
    return fmt::format("{} changed by {} from one half to the other", what, percent(ratio.change()));
  };
  std::string found = trend(stretch.rate(), "the rate");
  for (const Op op : main_operations(stretch)) {
    if (!found.empty()) return found;
    found = trend(stretch.mean_latency(op), fmt::format("the mean latency of a {}", workload::op_name(op)));
  }
  if (found.empty() && writes) found = trend(stretch.waf(), "write amplification");
  return found;
}

/// Of the numbers that are asked for, the widest interval; infinite where one is not known.
double widest(const SteadyAnswer& answer, const Stretch& stretch, double percentile) {
  const auto width = [](const Interval& interval) {
    return interval.known ? interval.width() : std::numeric_limits<double>::infinity();
  };
  double most = width(answer.iops);
  const std::vector<Op> ops = main_operations(stretch);
  for (const Op op : ops) most = std::max(most, width(answer.ops[static_cast<std::size_t>(op)].mean));
  if (percentile > 0 && !ops.empty()) most = std::max(most, width(stretch.percentile(ops.front(), percentile)));
  return most;
}

/// Neighbours pull each other along, so that the interval may be too narrow by some factor, and it is not so narrow
/// that this would not matter.
bool red(const Stretch& stretch, double goal) {
  const auto is_red = [goal](const Ratio& ratio) {
    return ratio.lag_one() > kIndependent / std::sqrt(static_cast<double>(ratio.batches())) &&
           kTooNarrow * ratio.half_width() > goal * ratio.value();
  };
  if (is_red(stretch.rate())) return true;
  for (const Op op : main_operations(stretch)) {
    if (is_red(stretch.mean_latency(op))) return true;
  }
  return false;
}

}  // namespace

const char* name_of(SteadyClass steady) {
  switch (steady) {
    case SteadyClass::kSteady:
      return "steady";
    case SteadyClass::kBeforeGc:
      return "before_gc";
    case SteadyClass::kNotSteady:
      return "not_steady";
    case SteadyClass::kOverload:
      return "overload";
    case SteadyClass::kTooShort:
      break;
  }
  return "too_short";
}

void SteadyMeter::begin(Picoseconds at) {
  at_begin_ = at_since_ = at_last_ = drive_.counts();
  level_ = at_begin_.buffered;
  collected_before_ = 0;
  batches_.begin(at);
  seen_ = since_ = 0;
  fuller_ = good_before_ = over_ = rewritten_ = false;
}

/// Superblocks that must be collected before the warm-up is over. Of fewer than those that are always needed write
/// amplification tells nothing.
std::uint64_t SteadyMeter::warm_up() const {
  const std::uint64_t least = drive_.superblocks_warm_up;
  if (drive_.waf_of_state > 0 && !drive_.other_writes) {
    if (at_last_.collected - at_begin_.collected < std::max(least, kMeasured / 2)) return least;
    if (std::abs(waf_since_begin() / drive_.waf_of_state - 1) <= kSameWaf) return least;
  }
  return std::max(least, drive_.superblocks_otherwise);
}

/// Of what has left the write buffer: that fills up at first.
double SteadyMeter::waf_since_begin() const {
  const double written = static_cast<double>(at_last_.written - at_begin_.written) -
                         (static_cast<double>(at_last_.buffered) - static_cast<double>(at_begin_.buffered));
  return written > 0 ? static_cast<double>(at_last_.programmed - at_begin_.programmed) / written : 1;
}

/// The write buffer has become so much fuller than it was in the stretch so far that it is no chance.
bool SteadyMeter::fills(const DriveCounts& counts) {
  const std::uint64_t step = std::max<std::uint64_t>(1, drive_.buffer_pages / kBufferSteps);
  const bool fuller =
      counts.buffered >= level_ + step && kFull * static_cast<double>(counts.buffered) > static_cast<double>(level_);
  // Once is chance.
  const bool twice = fuller && fuller_;
  fuller_ = fuller && !twice;
  if (!twice) return false;
  const auto taken_in = static_cast<double>(counts.buffered) - static_cast<double>(at_since_.buffered);
  const double allowed = goal_.width > 0 ? goal_.width / 2 : kTakenIn;
  if (taken_in <= allowed * static_cast<double>(counts.written - at_since_.written)) return false;
  level_ = counts.buffered;
  return true;
}

/// Whether the warm-up went on until now.
bool SteadyMeter::still_warming(const DriveCounts& counts) {
  if (counts.written == at_begin_.written) return false;
  const bool fills = this->fills(counts);
  const std::uint64_t collected = counts.collected - at_begin_.collected;
  const std::uint64_t needed = warm_up();
  const bool enough = collected_before_ < needed && collected >= needed;
  if (enough) collected_before_ = needed;
  const bool rewritten =
      !rewritten_ && drive_.pages_otherwise != 0 && counts.written - at_begin_.written >= drive_.pages_otherwise;
  if (rewritten) rewritten_ = true;
  return fills || enough || rewritten;
}

/// Reads have found so many references since the begin of the stretch that it is of another drive. Looked at when the
/// run is twice as long, so that the stretch is half of it in the end.
bool SteadyMeter::still_learning() {
  if (seen_ < kFewestRequests || seen_ < 2 * since_ + kFewestRequests) return false;
  const std::uint64_t requests = batches_.requests();
  return requests != 0 &&
         static_cast<double>(at_last_.learned - at_since_.learned) > learning_allowed() * static_cast<double>(requests);
}

double SteadyMeter::small_change() const { return goal_.width > 0 ? goal_.width / 2 : kSmallChange; }
double SteadyMeter::learning_allowed() const { return kLearning * std::max(goal_.width, kSmallChange); }

SteadyMeter::Step SteadyMeter::end_batch(Picoseconds at) {
  at_last_ = drive_.counts();
  const bool asked = goal_.rule != SteadyGoal::Rule::kNone;
  if (still_warming(at_last_) || still_learning()) {
    at_since_ = at_last_;
    since_ = seen_;
    good_before_ = false;
    batches_.begin(at);
    return asked ? Step::kAnew : Step::kGoOn;
  }
  batches_.end_batch(at_last_);
  return asked ? check(at) : Step::kGoOn;
}

SteadyMeter::Step SteadyMeter::check(Picoseconds at) {
  if (goal_.most_requests != 0 && seen_ >= goal_.most_requests) {
    over_ = true;
    return Step::kEnough;
  }
  const std::size_t batches = batches_.all().size();
  if (std::find(kJudgedAt.begin(), kJudgedAt.end(), batches) == kJudgedAt.end()) return Step::kGoOn;
  const SteadyAnswer found = answer(Picoseconds(INT64_MIN), at);
  const Stretch stretch = this->stretch(Picoseconds(INT64_MIN), at);
  bool good =
      found.steady == SteadyClass::kOverload || (cannot_be_reached(found) && widest(found, stretch, 0) <= goal_.width);
  if (found.steady == SteadyClass::kSteady || found.steady == SteadyClass::kBeforeGc) {
    good = goal_.rule == SteadyGoal::Rule::kSnia ||
           (widest(found, stretch, goal_.percentile) <= goal_.width && !red(stretch, goal_.width));
  }
  over_ = good && good_before_;
  good_before_ = good;
  return over_ ? Step::kEnough : Step::kGoOn;
}

/// GC would have to empty, or the host to write, so much that the run gives up before: it can as well end now.
bool SteadyMeter::cannot_be_reached(const SteadyAnswer& answer) const {
  if (goal_.most_requests == 0 || answer.steady != SteadyClass::kNotSteady) return false;
  const std::uint64_t written = at_last_.written - at_begin_.written;
  if (answer.superblocks_collected == 0 || written == 0) return false;
  const double turns =
      static_cast<double>(answer.superblocks_needed) / static_cast<double>(answer.superblocks_collected);
  const double capacities = static_cast<double>(drive_.pages_otherwise) / static_cast<double>(written);
  const double missing = std::max(turns, capacities);
  return missing > 1 && static_cast<double>(seen_) * missing > static_cast<double>(goal_.most_requests);
}

Stretch SteadyMeter::stretch(Picoseconds from, Picoseconds to) const {
  const Stretch all(batches_.all(), from, to, at_since_, batches_.longest_pause());
  return all.has_spectrum() ? all.without_transient() : all;
}

/// What the drive's counts say against it; empty: nothing.
std::string SteadyMeter::not_warm(const SteadyAnswer& answer) const {
  if (at_last_.written == at_begin_.written) return {};
  if (answer.steady != SteadyClass::kBeforeGc) {
    const std::uint64_t since = at_last_.collected - at_since_.collected;
    const std::uint64_t before = answer.superblocks_needed - kMeasured;
    if (answer.superblocks_collected < before) {
      const bool other = before > drive_.superblocks_warm_up;
      return fmt::format("{} of {} superblocks collected{}", answer.superblocks_collected, answer.superblocks_needed,
                         other ? ", as many as make the state that these writes lead to" : "");
    }
    const std::uint64_t written = at_last_.written - at_begin_.written;
    if (written < drive_.pages_otherwise) {
      return fmt::format("{} of {} pages written, so many that nothing lies as other writes had it", written,
                         drive_.pages_otherwise);
    }
    if (since < kMeasured) {
      return fmt::format("{} of {} superblocks collected since the warm-up", since, kMeasured);
    }
  }
  if (since_ > 0 && seen_ < 2 * since_) {
    return fmt::format("the warm-up went on until request {} of {}", since_, seen_);
  }
  return {};
}

SteadyAnswer SteadyMeter::answer(Picoseconds from, Picoseconds to) const {
  const Stretch stretch = this->stretch(from, to);
  SteadyAnswer found;
  found.reason.clear();
  found.since = since_;
  found.since_time = stretch.begin();
  found.requests = stretch.requests();
  found.in_flight = stretch.in_flight();
  found.least =
      std::max(kFewestRequests,
               static_cast<std::uint64_t>(std::ceil((drive_.open_loop ? kOpenLoop : kClosedLoop) * found.in_flight)));
  found.superblocks_needed = warm_up() + kMeasured;
  found.superblocks_collected = at_last_.collected - at_begin_.collected;
  if (drive_.superblock_pages != 0) {
    found.superblocks_written =
        static_cast<double>(at_last_.programmed - at_begin_.programmed) / static_cast<double>(drive_.superblock_pages);
  }
  found.iops = stretch.interval(stretch.rate(), true);
  for (std::size_t op = 0; op < kOpCount; ++op) found.ops[op] = stretch.intervals(static_cast<Op>(op));
  const bool writes = at_last_.written != at_begin_.written;
  found.waf_of_state = drive_.waf_of_state;
  if (writes) found.waf = stretch.interval(stretch.waf(), false);
  if (from < to) {
    judge(stretch, writes, found);
  } else {
    found.reason = "the jobs do not all run at the same time";
  }
  return found;
}

/// Class and reason, the first that holds.
void SteadyMeter::judge(const Stretch& stretch, bool writes, SteadyAnswer& found) const {
  const double served = found.iops.value;
  found.offered = drive_.offered;
  if (drive_.open_loop) found.offered = served / std::max(1 - stretch.latency_growth(), 1e-3);
  const bool some = found.requests >= kFewestRequests && stretch.has_spectrum();
  if (some && found.offered > 0 && served < (1 - kOverload) * found.offered) {
    found.steady = SteadyClass::kOverload;
    found.reason = fmt::format("{:.0f} requests/s are offered and {:.0f} served", found.offered, served);
    return;
  }
  if (found.requests < found.least || !stretch.has_spectrum()) {
    found.reason = since_ > 0 ? fmt::format("the warm-up went on until request {} of {}", since_, seen_)
                              : fmt::format("{} requests, {} are the fewest to judge by", seen_, found.least);
    return;
  }
  found.steady = SteadyClass::kSteady;
  const bool gc = at_last_.collected != at_begin_.collected;
  if (writes && !gc && at_last_.superblocks > drive_.gc_start) {
    found.steady = SteadyClass::kBeforeGc;
    const double left =
        static_cast<double>(at_last_.superblocks - drive_.gc_start) * static_cast<double>(drive_.superblock_pages);
    const double waf = std::max(found.waf.value, 1.0);
    found.writes_until_gc = static_cast<std::uint64_t>(left / waf);
  }
  std::string against = not_warm(found);
  const bool snia = goal_.rule == SteadyGoal::Rule::kSnia;
  const std::uint64_t since = at_last_.collected - at_since_.collected;
  if (against.empty() && snia && gc && since < kSniaRounds * kMeasured) {
    against = fmt::format("{} of the {} superblocks of SNIA's five rounds collected", since, kSniaRounds * kMeasured);
  }
  if (against.empty() && stretch.learning() > learning_allowed()) {
    against = fmt::format("{} of the reads still find read references for later ones", percent(stretch.learning()));
  }
  if (against.empty() && snia && !snia_steady(stretch.rate())) against = "SNIA's five rounds do not agree";
  if (against.empty() && !snia) {
    against = trend_of(stretch, writes, small_change());
  }
  if (!against.empty()) {
    found.steady = SteadyClass::kNotSteady;
    found.reason = std::move(against);
  } else if (found.steady == SteadyClass::kBeforeGc) {
    found.reason = fmt::format("GC begins after some {} more written pages", *found.writes_until_gc);
  }
}

}  // namespace wordline::results
