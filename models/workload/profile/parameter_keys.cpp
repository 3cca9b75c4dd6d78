// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/profile/profile.h"

namespace wordline::workload {
namespace {

using config::Kind;

constexpr double kMany = 1e12;
constexpr double kLargest = 1 << 30;  // bytes of a request
constexpr double kYear = 3.2e7;       // s

void add_direction(std::vector<ParameterKey>& keys, const std::array<std::string_view, 14>& names,
                   const std::array<double& (*)(GeneratorParameters&), 14>& at) {
  const std::array<ParameterKey, 14> rows = {{
      {"", Kind::kBytes, 0, kLargest, nullptr, "mean length; needed when the modes leave a rest"},
      {"", Kind::kReal, 0, 4, nullptr, "spread of the lengths that are no mode: deviation of their logarithm"},
      {"", Kind::kBytes, 512, kLargest, nullptr, "lengths that are no mode are multiples of this"},
      {"", Kind::kBytes, 512, kLargest, nullptr, "shortest length that is no mode"},
      {"", Kind::kBytes, 512, kLargest, nullptr, "longest length that is no mode"},
      {"", Kind::kReal, 0, 1, nullptr, "share of the requests to the pages that only this direction uses"},
      {"", Kind::kReal, 0, 1, nullptr, "share of the draws of these requests for the one hottest place"},
      {"", Kind::kReal, 0, 1, nullptr, "share of a region's draws spread over 1 % of its extents, beside the tail's"},
      {"", Kind::kReal, 0, 4, nullptr, "Zipf exponent of the tail, over extents of 64 KiB"},
      {"", Kind::kReal, 0, 1, nullptr, "share of the extents that the tail reaches; only sweeps go to the others"},
      {"", Kind::kReal, 1, 1e6, nullptr, "mean number of requests of a sequential run"},
      {"", Kind::kReal, 0, 1e6, nullptr, "how often all pages are gone through in one edition"},
      {"", Kind::kInteger, 1, 1e9, nullptr, "pages that a sweep takes one after the other"},
      {"", Kind::kBytes, 0, kLargest, nullptr, "requests shorter than this take no part in sweeps"},
  }};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    keys.push_back(rows[i]);
    keys.back().name = names[i];
    keys.back().at = at[i];
  }
}

template <DirectionParameters GeneratorParameters::*Direction>
constexpr std::array<double& (*)(GeneratorParameters&), 14> direction_fields() {
  return {[](GeneratorParameters& p) -> double& { return (p.*Direction).size.mean; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).size.sigma; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).size.granularity; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).size.min; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).size.max; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).place.own; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).place.hottest; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).place.head; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).place.theta; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).place.warm; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).place.run; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).place.sweeps; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).place.stretch; },
          [](GeneratorParameters& p) -> double& { return (p.*Direction).place.drawn_below; }};
}

#define WORDLINE_FIELD(member) [](GeneratorParameters& p) -> double& { return p.member; }

std::vector<ParameterKey> make_keys() {
  std::vector<ParameterKey> keys = {
      {"requests", Kind::kInteger, 1, kMany, WORDLINE_FIELD(requests), "of one edition: what the statistics are of"},
      {"write_share", Kind::kReal, 0, 1, WORDLINE_FIELD(write_share), "share of the requests that write"},
      {"misaligned", Kind::kReal, 0, 1, WORDLINE_FIELD(misaligned), "share of the requests that begin inside of 4 KiB"},
      {"misaligned_by", Kind::kBytes, 0, 3584, WORDLINE_FIELD(misaligned_by),
       "how far inside; 0: at any block of the page"},
      {"pages.read_only", Kind::kInteger, 0, kMany, WORDLINE_FIELD(pages.read_only), "pages of 4 KiB that are only read"},
      {"pages.write_only", Kind::kInteger, 0, kMany, WORDLINE_FIELD(pages.write_only), "pages that are only written"},
      {"pages.both", Kind::kInteger, 0, kMany, WORDLINE_FIELD(pages.both), "pages that are read and written"},
      {"pages.used", Kind::kInteger, 1, 16, WORDLINE_FIELD(pages.used),
       "pages in use of the 16 of an extent: their density"},
      {"pages.correlation", Kind::kReal, 0, 1, WORDLINE_FIELD(pages.correlation),
       "share of the reads of pages of both kinds that rank the extents as the writes do"},
  };
  add_direction(keys,
                {"reads.mean", "reads.sigma", "reads.granularity", "reads.min", "reads.max", "reads.own", "reads.hottest",
                 "reads.head", "reads.theta", "reads.warm", "reads.run", "reads.sweeps", "reads.stretch", "reads.drawn_below"},
                direction_fields<&GeneratorParameters::reads>());
  add_direction(keys,
                {"writes.mean", "writes.sigma", "writes.granularity", "writes.min", "writes.max", "writes.own", "writes.hottest",
                 "writes.head", "writes.theta", "writes.warm", "writes.run", "writes.sweeps", "writes.stretch", "writes.drawn_below"},
                direction_fields<&GeneratorParameters::writes>());
  const std::vector<ParameterKey> arrival = {
      {"arrival.interarrival", Kind::kTime, 0, kYear, WORDLINE_FIELD(arrival.interarrival),
       "open loop: mean time between two requests; without it a closed loop"},
      {"arrival.burst", Kind::kReal, 1, kMany, WORDLINE_FIELD(arrival.burst),
       "open loop: mean number of requests of a burst; closed loop: requests between two pauses"},
      {"arrival.burst_gap", Kind::kTime, 0, kYear, WORDLINE_FIELD(arrival.burst_gap),
       "open loop: mean time between the requests of a burst"},
      {"arrival.queue_depth", Kind::kInteger, 1, 65535, WORDLINE_FIELD(arrival.queue_depth),
       "closed loop: requests in flight"},
      {"arrival.think", Kind::kTime, 0, kYear, WORDLINE_FIELD(arrival.think), "closed loop: pause after a burst"},
      {"arrival.flush_every", Kind::kInteger, 0, kMany, WORDLINE_FIELD(arrival.flush_every),
       "a FLUSH after so many writes; 0: none"},
  };
  keys.insert(keys.end(), arrival.begin(), arrival.end());
  return keys;
}

#undef WORDLINE_FIELD

}  // namespace

const std::vector<ParameterKey>& parameter_keys() {
  static const std::vector<ParameterKey> kKeys = make_keys();
  return kKeys;
}

}  // namespace wordline::workload
