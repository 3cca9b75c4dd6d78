// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/workload/profile/parameters.h"
#include "models/workload/profile/stratified.h"
#include "models/workload/profile/zipf_rank.h"

namespace wordline::workload {

/// Pages of one kind, consecutive in the order of their addresses.
struct Region {
  std::uint64_t pages = 0;
  std::uint64_t used = kExtentPages;  // pages of an extent that belong to the region; the rest of it stays untouched

  /// Length of the range of addresses.
  [[nodiscard]] std::uint64_t span_pages() const { return (pages + used - 1) / used * kExtentPages; }
};

/// The places of the requests of one direction in one region.
///
/// Two things happen by turns. A sweep goes once over all pages in one edition of the workload, by stretches in keyed
/// order: so the number of distinct pages is met by construction, and sequential requests are there. All other requests
/// are drawn: the hottest place, the head, the tail; each begins a run that goes on with a given chance.
///
/// Every place is a function of the key and the request's number in the stream, but for the ends of the sweep and of
/// the run: constant memory and time.
class PageStream {
 public:
  struct Parameters {
    Region region;
    PlaceParameters place;
    double requests = 1;            // requests of this stream in one edition
    double sweeping = 1;            // share of them that is long enough to sweep
    std::uint64_t key = 0;          // key of all its draws
    std::uint64_t ranks = 0;        // key of the order of the extents by heat
    std::uint64_t other_ranks = 0;  // key of another stream's order,
    double other_share = 0;         // and the share of the draws that follow it
  };

  PageStream() = default;
  explicit PageStream(const Parameters& parameters);

  /// First 512-byte block, from the begin of the region, of the next request. It begins `offset` blocks inside of a
  /// page; it ends inside of the region if it fits.
  std::uint64_t place(std::uint32_t offset, std::uint32_t nlb);
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  [[nodiscard]] bool sweeps(std::uint32_t nlb) const;
  std::uint64_t swept(std::uint32_t offset, std::uint64_t nlb);
  std::uint64_t drawn(std::uint32_t offset, std::uint64_t nlb);
  [[nodiscard]] std::uint64_t extent();
  [[nodiscard]] std::uint64_t inside(std::uint64_t block, std::uint64_t nlb) const;
  [[nodiscard]] std::uint64_t address(std::uint64_t block) const;
  [[nodiscard]] double draw(std::uint64_t purpose) const;
  void begin_stretch();

  Parameters parameters_;
  std::uint64_t extents_ = 0;
  std::uint64_t head_extents_ = 0;
  std::uint64_t edition_ = 1;      // requests after which the sweeps begin anew
  std::uint64_t sweep_pages_ = 0;  // sweep pages to go through in one edition
  Stratified kind_;
  ZipfRank tail_;
  Permutation ranks_, other_ranks_, stretches_;

  std::uint64_t count_ = 0;
  std::uint64_t swept_pages_ = 0;     // swept pages in this edition
  std::uint64_t sweep_requests_ = 0;  // sweep requests in this edition
  std::uint64_t stretch_ = 0;         // stretch of all sweeps
  std::uint64_t sweep_end_ = 0;       // block behind the last request of the sweep
  std::uint64_t sweep_page_ = 0;      // first page of the stretch that the sweep has not reached
  std::uint64_t stretch_end_ = 0;     // page
  std::uint64_t run_end_ = 0;         // block behind the last request of the run; 0: no run
};

}  // namespace wordline::workload
