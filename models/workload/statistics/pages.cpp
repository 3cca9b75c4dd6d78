// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/pages.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>

#include "models/workload/distribution.h"

namespace wordline::workload {
namespace {

constexpr double kPagesPerMib = 256;

/// Share of the accesses that the `top` most popular of `n` pages get when their popularity falls with rank^-theta.
double zipf_share(std::uint64_t top, std::uint64_t n, double theta) {
  return generalized_harmonic(top, theta) / generalized_harmonic(n, theta);
}

/// The exponent, 0..3, at which the `top` most popular of `n` pages get `share` of the accesses.
double fitted_theta(std::uint64_t top, std::uint64_t n, double share) {
  double low = 0, high = 3;
  if (zipf_share(top, n, low) >= share) return low;
  if (zipf_share(top, n, high) <= share) return high;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (zipf_share(top, n, middle) < share ? low : high) = middle;
  }
  return low;
}

/// Rank of each value, 1 for the smallest; equal values share the mean of their ranks.
std::vector<double> ranks(const std::vector<std::uint32_t>& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&values](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
    for (std::size_t k = i; k < j; ++k) result[order[k]] = static_cast<double>(i + 1 + j) / 2;
    i = j;
  }
  return result;
}

}  // namespace

std::uint32_t KeyNumbers::of(std::uint64_t key) {
  const auto [at, is_new] = numbers_.try_emplace(key, size());
  if (is_new && numbers_.size() > UINT32_MAX) throw std::length_error("workload statistics: more than 2^32 pages");
  return at->second;
}

void Pages::take(const Access& access) {
  ++requests_[access.direction()];
  start_distances_.access(start_numbers_.of(access.start));
  const std::uint64_t first = access.start / kBlocks;
  const std::uint64_t last = (access.end() - 1) / kBlocks;
  first_page_ = std::min(first_page_, first);
  last_page_ = std::max(last_page_, last);
  for (std::uint64_t address = first; address <= last; ++address) {
    const std::uint32_t number = page_numbers_.of(address);
    page_distances_.access(number);
    if (number == pages_.size()) pages_.emplace_back();
    Page& page = pages_[number];
    if (!access.write) {
      ++page.reads;
      continue;
    }
    if (page.writes != 0) {
      const Picoseconds between = access.arrival - page.last_write;
      rewrites_.add(static_cast<std::uint64_t>(between.count()));
      rewrite_seconds_ += static_cast<double>(between.count()) * 1e-12;
    }
    ++page.writes;
    page.last_write = access.arrival;
  }
}

std::uint64_t Pages::footprint(Part part) const {
  return static_cast<std::uint64_t>(
      std::count_if(pages_.begin(), pages_.end(), [part](const Page& page) { return page.accesses(part) != 0; }));
}

std::uint64_t Pages::accesses(Part part) const {
  return std::accumulate(pages_.begin(), pages_.end(), std::uint64_t{0},
                         [part](std::uint64_t sum, const Page& page) { return sum + page.accesses(part); });
}

void Pages::report(StatisticList& list, bool with_times) const {
  if (pages_.empty()) return;
  report_footprint(list);
  report_classes(list);
  for (const Part part : kParts) report_skew(list, part);
  report_reuse(list);
  if (!with_times || rewrites_.count() == 0) return;
  list.add("rewrite_interval_mean", rewrite_seconds_ / static_cast<double>(rewrites_.count()), "s",
           "mean time between two writes of a page");
  for (const unsigned p : {50U, 90U, 99U}) {
    list.add(fmt::format("rewrite_interval_p{}", p), static_cast<double>(rewrites_.at(p / 100.0)) * 1e-12, "s",
             fmt::format("time that {} % of these do not exceed", p));
  }
}

void Pages::report_footprint(StatisticList& list) const {
  constexpr const char* kTouched[] = {"touched", "read", "written"};
  constexpr const char* kPrefix[] = {"footprint", "footprint_read", "footprint_written"};
  constexpr const char* kAccesses[] = {"page_accesses", "page_accesses_read", "page_accesses_write"};
  constexpr const char* kFactor[] = {"", "reread_factor", "overwrite_factor"};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const auto pages = static_cast<double>(footprint(kParts[i]));
    const auto uses = static_cast<double>(accesses(kParts[i]));
    list.add(fmt::format("{}_pages", kPrefix[i]), pages, "pages",
             fmt::format("different pages of 4 KiB that are {}", kTouched[i]));
    list.add(fmt::format("{}_MiB", kPrefix[i]), pages / kPagesPerMib, "MiB", "the same in MiB");
    list.add(kAccesses[i], uses, "pages", fmt::format("pages {}, each as often as it is", kTouched[i]));
    if (i == 0) continue;
    constexpr const char* kSizes[] = {"", "mean_read_size_pages", "mean_write_size_pages"};
    list.add_ratio(kSizes[i], uses / kPagesPerMib * 1024, static_cast<double>(requests_[kParts[i]]), "KiB",
                   "mean size of such a request in whole pages touched");
    list.add_ratio(kFactor[i], uses, pages, "x", fmt::format("how often such a page is {}, on average", kTouched[i]));
  }
  const auto rewritten = std::count_if(pages_.begin(), pages_.end(), [](const Page& page) { return page.writes > 1; });
  list.add_ratio("rewritten_pages_share", static_cast<double>(rewritten), static_cast<double>(footprint(Part::kWrites)),
                 "share", "pages written more than once, of those written");
  list.add_ratio("write_share_pages", static_cast<double>(accesses(Part::kWrites)),
                 static_cast<double>(accesses(Part::kAll)), "share", "writes of all page accesses");
  // A workload on several devices has no span.
  if ((first_page_ * kBlocks) >> kDeviceShift != (last_page_ * kBlocks) >> kDeviceShift) return;
  list.add("address_span_GiB", static_cast<double>(last_page_ - first_page_ + 1) / kPagesPerMib / 1024, "GiB",
           "from the lowest page to the end of the highest");
}

void Pages::report_classes(StatisticList& list) const {
  // Pages more than 95 % of whose accesses are of one kind.
  constexpr std::uint64_t kMostly = 95;
  double only_read = 0, only_written = 0, reads_only = 0, writes_only = 0, reads_mostly = 0, writes_mostly = 0;
  for (const Page& page : pages_) {
    const std::uint64_t all = std::uint64_t{page.reads} + page.writes;
    if (page.writes == 0) {
      ++only_read;
      reads_only += page.reads;
    }
    if (page.reads == 0) {
      ++only_written;
      writes_only += page.writes;
    }
    if (page.reads * std::uint64_t{100} > kMostly * all) reads_mostly += page.reads;
    if (page.writes * std::uint64_t{100} > kMostly * all) writes_mostly += page.writes;
  }
  const auto pages = static_cast<double>(pages_.size());
  const auto reads = static_cast<double>(accesses(Part::kReads));
  const auto writes = static_cast<double>(accesses(Part::kWrites));
  list.add("read_only_pages_share", only_read / pages, "share", "pages that are read and never written");
  list.add("write_only_pages_share", only_written / pages, "share", "pages that are written and never read");
  list.add("both_pages_share", 1 - (only_read + only_written) / pages, "share", "pages that are read and written");
  list.add_ratio("reads_to_read_only", reads_only, reads, "share", "page reads to pages that are never written");
  list.add_ratio("reads_to_read_mostly95", reads_mostly, reads, "share",
                 "page reads to pages with more than 95 % reads");
  list.add_ratio("writes_to_write_only", writes_only, writes, "share", "page writes to pages that are never read");
  list.add_ratio("writes_to_write_mostly95", writes_mostly, writes, "share",
                 "page writes to pages with more than 95 % writes");
  const double correlation = rank_correlation();
  if (!std::isnan(correlation)) {
    list.add("spearman_read_write", correlation, "", "rank correlation of the pages' read and write counts");
  }
}

double Pages::rank_correlation() const {
  std::vector<std::uint32_t> reads, writes;
  for (const Page& page : pages_) {
    reads.push_back(page.reads);
    writes.push_back(page.writes);
  }
  const std::vector<double> x = ranks(reads);
  const std::vector<double> y = ranks(writes);
  const double mean = (static_cast<double>(pages_.size()) + 1) / 2;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
  }
  return xx == 0 || yy == 0 ? std::nan("") : xy / std::sqrt(xx * yy);
}

void Pages::report_skew(StatisticList& list, Part part) const {
  std::vector<std::uint32_t> counts;
  for (const Page& page : pages_) {
    if (page.accesses(part) != 0) counts.push_back(page.accesses(part));
  }
  if (counts.empty()) return;
  std::sort(counts.begin(), counts.end(), std::greater<>());
  const std::uint64_t n = counts.size();
  const auto all = static_cast<double>(accesses(part));
  const auto top_pages = [n](unsigned percent) { return n * percent / 100; };
  const auto top_share = [&](std::uint64_t top) {
    const auto end = counts.begin() + static_cast<std::ptrdiff_t>(top);
    return static_cast<double>(std::accumulate(counts.begin(), end, std::uint64_t{0})) / all;
  };
  const auto name = [part](const std::string& front) { return front + suffix(part); };
  for (const unsigned percent : {1U, 10U, 20U}) {
    if (top_pages(percent) == 0) continue;
    list.add(name(fmt::format("top{}_share", percent)), top_share(top_pages(percent)), "share",
             fmt::format("accesses to the most popular {} % of the pages", percent));
  }
  for (const unsigned percent : {10U, 1U}) {
    const std::uint64_t top = top_pages(percent);
    if (top == 0) continue;
    list.add(name(percent == 10 ? "zipf_theta" : "zipf_theta1"), fitted_theta(top, n, top_share(top)), "",
             fmt::format("Zipf exponent at which the top {} % get that share", percent));
  }
  list.add(name("top_page_share"), top_share(1), "share", "accesses to the most popular page");
}

void Pages::report_reuse(StatisticList& list) const {
  const auto misses = [](const StackDistances& distances, std::uint64_t entries) {
    return static_cast<double>(distances.misses(entries)) / static_cast<double>(distances.accesses());
  };
  for (const unsigned percent : {10U, 1U}) {
    const std::uint64_t entries = page_distances_.keys() * percent / 100;
    if (entries == 0) continue;
    list.add(fmt::format("lru_miss_{}pct", percent), misses(page_distances_, entries), "share",
             fmt::format("page accesses that miss an LRU of {} % of the footprint", percent));
  }
  list.add("lru_miss_inf", misses(page_distances_, page_distances_.keys()), "share",
           "page accesses that are the first to their page");
  list.add("distinct_starts", static_cast<double>(start_distances_.keys()), "",
           "different addresses that requests start at");
  const std::uint64_t entries = start_distances_.keys() / 10;
  if (entries != 0) {
    list.add("lru_miss_10pct_startkey", misses(start_distances_, entries), "share",
             "one access a request, by start; 10 % of the starts");
  }
}

}  // namespace wordline::workload
