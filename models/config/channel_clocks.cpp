// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/channel_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace wordline::config {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000'000;  // ps
constexpr std::int64_t kCycleClocks = 4;             // cycle clocks of a byte of SDR, at least
constexpr std::int64_t kFastest = 400;               // ps
constexpr std::int64_t kLongestBurst = 131'072;      // transfers; a page of 64 KiB with its spare area is less

/// The rate at which n transfers take n periods, to the picosecond, for every burst; 0: there is none.
std::uint64_t rate_of(std::int64_t period) {
  const std::int64_t rate = (kSecond + period - 1) / period;
  // n / rate is rounded up: it is n periods while it falls short by less than one picosecond.
  const auto short_of = static_cast<__int128>(rate * period - kSecond) * kLongestBurst;
  return short_of < rate ? static_cast<std::uint64_t>(rate) : 0;
}

/// The shortest clock that is not faster than the bus and has such a rate.
std::int64_t strobe_period(const Channels& c) {
  const auto rate = static_cast<std::int64_t>(c.rate.count());
  std::int64_t period = (kSecond + rate - 1) / rate;
  while (rate_of(period) == 0) ++period;
  return period;
}

/// 0: there is none above kFastest.
std::int64_t sdr_period(const Channels& c) {
  const std::int64_t common = std::gcd(c.t_wc.count(), c.t_rc.count());
  const std::int64_t most = std::min(c.t_wc.count(), c.t_rc.count()) / kCycleClocks;
  for (std::int64_t parts = 1; common / parts >= kFastest; ++parts) {
    if (common % parts == 0 && common / parts <= most) return common / parts;
  }
  return 0;
}

std::int64_t period_of(const Channels& c) {
  return c.mode.interface == BusInterface::kSdr ? sdr_period(c) : strobe_period(c);
}

struct Time {
  const char* key;
  Picoseconds Channels::*time;
  std::int64_t least;  // clocks
};
constexpr Time kTimes[] = {
    {"t_cs", &Channels::t_cs, 0},     {"t_cals", &Channels::t_cals, 0},   {"t_wc", &Channels::t_wc, 2},
    {"t_adl", &Channels::t_adl, 0},   {"t_ccs", &Channels::t_ccs, 0},     {"t_whr", &Channels::t_whr, 0},
    {"t_rhw", &Channels::t_rhw, 0},   {"t_wb", &Channels::t_wb, 1},       {"t_rr", &Channels::t_rr, 0},
    {"t_rpre", &Channels::t_rpre, 0}, {"t_dqsre", &Channels::t_dqsre, 0}, {"t_rpst", &Channels::t_rpst, 0},
    {"t_wpre", &Channels::t_wpre, 0}, {"t_wpst", &Channels::t_wpst, 0},   {"t_wpsth", &Channels::t_wpsth, 0},
};
// Two of them share a register or a counter: half for each, and what R/B_n takes to come through.
constexpr std::int64_t kMostForOne = kMostChannelClocks / 2;

std::int64_t clocks(Picoseconds time, std::int64_t period, std::int64_t least) {
  return std::max(least, (time.count() + period - 1) / period);
}

}  // namespace

std::string clocks_fault(const Channels& c) {
  const std::int64_t period = period_of(c);
  if (period == 0) {
    return fmt::format(
        "channels.t_wc = {} ps and channels.t_rc = {} ps have no common clock of at least {} ps that is at most a "
        "fourth of both",
        c.t_wc.count(), c.t_rc.count(), kFastest);
  }
  for (const Time& time : kTimes) {
    const std::int64_t n = clocks(c.*time.time, period, time.least);
    if (n > kMostForOne) {
      return fmt::format("channels.{} = {} ps is {} clocks of {} ps, expected at most {}", time.key,
                         (c.*time.time).count(), n, period, kMostForOne);
    }
  }
  return {};
}

Channels in_whole_clocks(const Channels& channels) {
  const std::int64_t period = period_of(channels);
  if (period == 0) throw std::invalid_argument(clocks_fault(channels));
  Channels rounded = channels;
  for (const Time& time : kTimes) {
    rounded.*time.time = Picoseconds(clocks(channels.*time.time, period, time.least) * period);
  }
  if (channels.mode.interface != BusInterface::kSdr) rounded.rate = TransfersPerSecond(rate_of(period));
  return rounded;
}

ChannelClocks clocks_of(const Channels& channels) {
  const Channels c = in_whole_clocks(channels);
  const std::int64_t period = period_of(channels);
  const auto count = [period](Picoseconds time) { return static_cast<std::uint32_t>(time.count() / period); };
  ChannelClocks n;
  n.period = Picoseconds(period);
  n.sdr = c.mode.interface == BusInterface::kSdr;
  n.setup = count(std::max(c.t_cs, c.t_cals));
  n.write_cycle = count(c.t_wc);
  n.write_low = n.write_cycle / 2;
  n.read_cycle = n.sdr ? count(c.t_rc) : 1;
  n.read_low = n.sdr ? n.read_cycle / 2 : 1;
  n.adl = count(c.t_adl);
  n.ccs = count(c.t_ccs);
  n.whr = count(c.t_whr);
  n.rhw = count(c.t_rhw);
  n.wb = count(c.t_wb);
  n.rr = count(c.t_rr);
  n.write_preamble = count(c.t_wpre);
  n.write_postamble = count(c.t_wpst + c.t_wpsth);
  n.read_preamble = count(c.t_rpre);
  n.read_latency = count(c.t_dqsre);
  n.read_postamble = count(c.t_rpst);
  n.warm_up = n.sdr ? 0 : 2 * c.warmup_cycles;
  n.chip_high = 1;
  return n;
}

}  // namespace wordline::config
