// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/profile/profile.h"

namespace wordline::workload {
namespace {

using config::Kind;

constexpr double kMany = 1e12;
constexpr double kLargest = kLargestRequest;
constexpr double kYear = 3.2e7;  // s

#define WORDLINE_FIELD(member) [](GeneratorParameters& p) -> double& { return p.member; }

/// The same keys for reads and for writes.
#define WORDLINE_DIRECTION(direction)                                                                  \
  {#direction ".mean",                                                                                 \
   Kind::kBytes,                                                                                       \
   0,                                                                                                  \
   kLargest,                                                                                           \
   WORDLINE_FIELD(direction.size.mean),                                                                \
   "mean length; needed when the modes leave a rest"},                                                 \
      {#direction ".sigma",                                                                            \
       Kind::kReal,                                                                                    \
       0,                                                                                              \
       4,                                                                                              \
       WORDLINE_FIELD(direction.size.sigma),                                                           \
       "spread of the lengths other than modes: deviation of their logarithm"},                        \
      {#direction ".granularity",                                                                      \
       Kind::kBytes,                                                                                   \
       512,                                                                                            \
       kLargest,                                                                                       \
       WORDLINE_FIELD(direction.size.granularity),                                                     \
       "lengths other than modes are multiples of this"},                                              \
      {#direction ".min",                                                                              \
       Kind::kBytes,                                                                                   \
       512,                                                                                            \
       kLargest,                                                                                       \
       WORDLINE_FIELD(direction.size.min),                                                             \
       "shortest length other than modes"},                                                            \
      {#direction ".max",                                                                              \
       Kind::kBytes,                                                                                   \
       512,                                                                                            \
       kLargest,                                                                                       \
       WORDLINE_FIELD(direction.size.max),                                                             \
       "longest length other than modes"},                                                             \
      {#direction ".own",                                                                              \
       Kind::kReal,                                                                                    \
       0,                                                                                              \
       1,                                                                                              \
       WORDLINE_FIELD(direction.place.own),                                                            \
       "share of the requests to the pages that only this direction uses"},                            \
      {#direction ".hottest",                                                                          \
       Kind::kReal,                                                                                    \
       0,                                                                                              \
       1,                                                                                              \
       WORDLINE_FIELD(direction.place.hottest),                                                        \
       "share of the draws of these requests for the one hottest place"},                              \
      {#direction ".head",                                                                             \
       Kind::kReal,                                                                                    \
       0,                                                                                              \
       1,                                                                                              \
       WORDLINE_FIELD(direction.place.head),                                                           \
       "share of a region's draws spread over 1 % of its extents, beside the tail's"},                 \
      {#direction ".theta",                                                                            \
       Kind::kReal,                                                                                    \
       0,                                                                                              \
       4,                                                                                              \
       WORDLINE_FIELD(direction.place.theta),                                                          \
       "Zipf exponent of the tail, over extents of 64 KiB"},                                           \
      {#direction ".warm",                                                                             \
       Kind::kReal,                                                                                    \
       0,                                                                                              \
       1,                                                                                              \
       WORDLINE_FIELD(direction.place.warm),                                                           \
       "share of the extents that the tail reaches; only sweeps go to the others"},                    \
      {#direction ".run",                                                                              \
       Kind::kReal,                                                                                    \
       1,                                                                                              \
       1e6,                                                                                            \
       WORDLINE_FIELD(direction.place.run),                                                            \
       "mean number of requests of a sequential run"},                                                 \
      {#direction ".sweeps",                                                                           \
       Kind::kReal,                                                                                    \
       0,                                                                                              \
       1e6,                                                                                            \
       WORDLINE_FIELD(direction.place.sweeps),                                                         \
       "how often all pages are gone through in one edition"},                                         \
      {#direction ".stretch",                                                                          \
       Kind::kInteger,                                                                                 \
       1,                                                                                              \
       1e9,                                                                                            \
       WORDLINE_FIELD(direction.place.stretch),                                                        \
       "pages that a sweep takes one after the other"},                                                \
  {                                                                                                    \
#direction ".drawn_below", Kind::kBytes, 0, kLargest, WORDLINE_FIELD(direction.place.drawn_below), \
        "requests shorter than this take no part in sweeps"                                            \
  }

std::vector<ParameterKey> make_keys() {
  return {
      {"requests", Kind::kInteger, 1, kMany, WORDLINE_FIELD(requests), "of one edition: what the statistics are of"},
      {"write_share", Kind::kReal, 0, 1, WORDLINE_FIELD(write_share), "share of the requests that write"},
      {"misaligned", Kind::kReal, 0, 1, WORDLINE_FIELD(misaligned),
       "share of the requests that do not begin at a multiple of 4 KiB"},
      {"misaligned_by", Kind::kBytes, 0, 3584, WORDLINE_FIELD(misaligned_by),
       "their offset within the page; 0: at any block of the page"},
      {"pages.read_only", Kind::kInteger, 0, kMany, WORDLINE_FIELD(pages.read_only),
       "pages of 4 KiB that are only read"},
      {"pages.write_only", Kind::kInteger, 0, kMany, WORDLINE_FIELD(pages.write_only), "pages that are only written"},
      {"pages.both", Kind::kInteger, 0, kMany, WORDLINE_FIELD(pages.both), "pages that are read and written"},
      {"pages.used", Kind::kInteger, 1, 16, WORDLINE_FIELD(pages.used),
       "pages in use of the 16 of an extent: their density"},
      {"pages.correlation", Kind::kReal, 0, 1, WORDLINE_FIELD(pages.correlation),
       "share of the reads of pages of both kinds that rank the extents as the writes do"},
      WORDLINE_DIRECTION(reads),
      WORDLINE_DIRECTION(writes),
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
}

#undef WORDLINE_DIRECTION
#undef WORDLINE_FIELD

}  // namespace

const std::vector<ParameterKey>& parameter_keys() {
  static const std::vector<ParameterKey> kKeys = make_keys();
  return kKeys;
}

}  // namespace wordline::workload
