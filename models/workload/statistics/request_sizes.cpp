// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/request_sizes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace wordline::workload {
namespace {

constexpr double kKib = 1024;

double kib(std::uint64_t nlb) { return static_cast<double>(nlb * kLbaBytes) / kKib; }

/// "mean_request_size", "mean_read_size", "mean_write_size"; "modal_size", "modal_read_size", "modal_write_size".
std::string infixed(const char* front, const char* all, Part part, const char* back) {
  constexpr const char* kDirection[] = {"", "read_", "write_"};
  return fmt::format("{}{}{}", front, part == Part::kAll ? all : kDirection[static_cast<std::size_t>(part)], back);
}

/// LBAs of the ceil(p n)-th smallest request.
std::uint64_t percentile(const std::map<std::uint64_t, std::uint64_t>& nlb_counts, std::uint64_t n, double p) {
  const double rank = std::ceil(p * static_cast<double>(n));
  std::uint64_t below = 0;
  for (const auto& [nlb, times] : nlb_counts) {
    below += times;
    if (static_cast<double>(below) >= rank) return nlb;
  }
  return 0;
}

/// Share of requests shorter than `nlb`.
double share_below(const std::map<std::uint64_t, std::uint64_t>& nlb_counts, std::uint64_t n, std::uint64_t nlb) {
  std::uint64_t below = 0;
  for (auto at = nlb_counts.begin(); at != nlb_counts.end() && at->first < nlb; ++at) below += at->second;
  return static_cast<double>(below) / static_cast<double>(n);
}

}  // namespace

void RequestSizes::count(Counts& counts, const Access& access) {
  ++counts.requests;
  counts.bytes += access.bytes();
  counts.misaligned_start += access.start % kLbasPerPage != 0 ? 1 : 0;
  counts.misaligned_any += (access.start | access.nlb) % kLbasPerPage != 0 ? 1 : 0;
  counts.several_pages += access.start / kLbasPerPage != (access.end() - 1) / kLbasPerPage ? 1 : 0;
  ++counts.nlb_counts[access.nlb];
}

void RequestSizes::take(const Access& access) {
  count(counts_[Part::kAll], access);
  count(counts_[access.direction()], access);
  ++starts_[access.start % kLbasPerPage];
}

std::vector<SizeShare> RequestSizes::modes(Part part, std::size_t most) const {
  const Counts& counts = counts_[part];
  std::vector<SizeShare> sizes;
  for (const auto& [nlb, times] : counts.nlb_counts) {
    sizes.push_back({nlb * kLbaBytes, static_cast<double>(times) / static_cast<double>(counts.requests)});
  }
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const SizeShare& a, const SizeShare& b) { return a.share > b.share; });
  if (sizes.size() > most) sizes.resize(most);
  return sizes;
}

void RequestSizes::report(StatisticList& list) const {
  const Counts& all = counts_[Part::kAll];
  if (all.requests == 0) return;
  const Counts& reads = counts_[Part::kReads];
  const Counts& writes = counts_[Part::kWrites];
  list.add("requests", static_cast<double>(all.requests), "requests", "reads and writes");
  list.add("reads", static_cast<double>(reads.requests), "requests", "reads");
  list.add("writes", static_cast<double>(writes.requests), "requests", "writes");
  list.add_ratio("write_share_requests", static_cast<double>(writes.requests), static_cast<double>(all.requests),
                 "share", "writes of all requests");
  list.add_ratio("write_share_bytes", static_cast<double>(writes.bytes), static_cast<double>(all.bytes), "share",
                 "bytes written of all bytes");
  list.add("bytes_total", static_cast<double>(all.bytes), "B", "bytes read and written");
  list.add("bytes_read", static_cast<double>(reads.bytes), "B", "bytes read");
  list.add("bytes_written", static_cast<double>(writes.bytes), "B", "bytes written");
  for (const Part part : kParts) report(list, part);
  const auto modal = std::max_element(starts_.begin(), starts_.end());
  list.add("modal_start_mod_4096", static_cast<double>((modal - starts_.begin()) * kLbaBytes), "B",
           "the most frequent place of a start in its page of 4 KiB");
  list.add("modal_start_mod_4096_share", static_cast<double>(*modal) / static_cast<double>(all.requests), "share",
           "requests that start there");
}

void RequestSizes::report(StatisticList& list, Part part) const {
  const Counts& counts = counts_[part];
  if (counts.requests == 0) return;
  const auto n = static_cast<double>(counts.requests);
  const SizeShare modal = modes(part, 1).front();
  list.add(infixed("mean_", "request_", part, "size"), static_cast<double>(counts.bytes) / n / kKib, "KiB",
           "mean size");
  list.add(infixed("modal_", "", part, "size"), static_cast<double>(modal.bytes) / kKib, "KiB",
           "the most frequent size");
  list.add(infixed("modal_", "", part, "share"), modal.share, "share", "requests of the most frequent size");
  for (const unsigned p : {50U, 75U, 90U, 99U}) {
    list.add(fmt::format("size_p{}{}", p, suffix(part)), kib(percentile(counts.nlb_counts, counts.requests, p / 100.0)),
             "KiB", fmt::format("size that {} % of the requests do not exceed", p));
  }
  list.add(fmt::format("share_le_4KiB{}", suffix(part)), share_below(counts.nlb_counts, counts.requests, 9), "share",
           "requests of at most 4 KiB");
  list.add(fmt::format("share_lt_8KiB{}", suffix(part)), share_below(counts.nlb_counts, counts.requests, 16), "share",
           "requests shorter than 8 KiB");
  list.add(fmt::format("misaligned_start{}", suffix(part)), static_cast<double>(counts.misaligned_start) / n, "share",
           "requests that do not start at a multiple of 4 KiB");
  list.add(fmt::format("misaligned_any{}", suffix(part)), static_cast<double>(counts.misaligned_any) / n, "share",
           "requests whose start or length is no multiple of 4 KiB");
  if (part == Part::kAll) {
    list.add("multi_page_share", static_cast<double>(counts.several_pages) / n, "share",
             "requests that touch more than one page of 4 KiB");
  }
}

}  // namespace wordline::workload
