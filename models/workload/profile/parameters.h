// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::workload {

constexpr double kLargestRequest = 1 << 30;  // bytes, of a profile

/// The page of all statistics of workloads, whatever the page of the drive.
inline constexpr std::uint32_t kPageLbas = 8;
/// Applications place their data by extents; what is hot is hot as a part of one.
inline constexpr std::uint64_t kExtentPages = 16;

/// The parameters of a generator. Shares are of requests, 0 to 1; sizes in bytes, times in seconds; numbers that count
/// are whole. All are doubles, so that one table (parameter_keys) names, reads, checks and varies them.

struct SizeMode {
  double bytes = 0;
  double share = 0;
};

/// The lengths of one direction: modes, and a lognormal for the rest, cut at `min` and `max` and shifted so that all
/// lengths together have the mean.
struct SizeParameters {
  std::vector<SizeMode> modes;
  double mean = 0;  // 0: modes only
  double sigma = 1;
  double granularity = 4096;
  double min = 4096;
  double max = 1 << 20;
};

/// Where the requests of one direction go. A stream is one direction in one region of pages; its draws are what its
/// sweep leaves.
struct PlaceParameters {
  double own = 1;          // share of the requests to the pages that only this direction uses
  double hottest = 0;      // share of the draws of `own` pages for the one hottest place
  double head = 0;         // share of a stream's draws spread over 1 % of the extents, beside what the tail gives these
  double theta = 0;        // Zipf exponent of the tail, over extents; below 1 it means the same at any footprint
  double warm = 1;         // share of the extents that the tail reaches; only sweeps go to the others
  double run = 1;          // mean number of requests in a sequential run
  double sweeps = 1;       // how often all pages are gone through, stretch by stretch, in one edition of the workload
  double stretch = 256;    // pages that a sweep takes one after the other
  double drawn_below = 0;  // bytes; shorter requests take no part in sweeps, as metadata between files
};

struct DirectionParameters {
  SizeParameters size;
  PlaceParameters place;
};

/// Pages of 4 KiB by who uses them.
struct PageParameters {
  double read_only = 0;
  double write_only = 0;
  double both = 0;
  double used = 16;        // pages used of the 16 of an extent of 64 KiB
  double correlation = 0;  // share of the reads of pages of both kinds that rank the extents as the writes do
};

struct ArrivalParameters {
  double interarrival = 0;  // mean, s; 0: closed loop
  double burst = 1;         // requests: open loop the mean number of a burst, closed loop how many between two pauses
  double burst_gap = 0;     // open loop: mean time between the requests of a burst, s
  double queue_depth = 1;   // closed loop
  double think = 0;         // closed loop: pause after a burst, s
  double flush_every = 0;   // writes between two FLUSH; 0: none
};

struct GeneratorParameters {
  double requests = 0;  // one edition of the workload: what the statistics are of
  double write_share = 0;
  double misaligned = 0;        // share of the requests that begin inside of a page
  double misaligned_by = 3584;  // bytes from the page's begin; 0: any block of the page
  PageParameters pages;
  DirectionParameters reads;
  DirectionParameters writes;
  ArrivalParameters arrival;
};

/// How far one can rely on a target.
enum class Confidence : std::uint8_t { kRead, kDerived, kAssumed };
inline constexpr std::array<const char*, 3> kConfidenceNames = {"read", "derived", "assumed"};

/// A published statistic, by its name in `wordline workload stats`.
struct Target {
  std::string statistic;
  double value = 0;
  Confidence confidence = Confidence::kAssumed;
  double tolerance =
      0;  // tolerance as a share of the value, where the source gives a range; 0: that of the statistic's kind
  std::string note;  // why it is assumed, or which contradiction it stands for
};

/// A parameter that is varied until a target is met.
struct Fit {
  std::string parameter;
  std::string statistic;
};

/// A workload by its published statistics.
struct Profile {
  std::string name;
  std::string papers;
  GeneratorParameters generator;
  std::vector<Target> targets;
  std::vector<Fit> fits;
};

}  // namespace wordline::workload
