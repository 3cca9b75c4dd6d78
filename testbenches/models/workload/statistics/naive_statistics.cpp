// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/models/workload/statistics/naive_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <list>
#include <set>
#include <tuple>

namespace wordline::workload {
namespace {

using Numbers = std::map<std::string, double>;
using Page = std::pair<std::uint16_t, std::uint64_t>;  // device and number
using Direction = std::tuple<std::string, std::function<bool(const Request&)>>;

std::uint64_t start_of(const Request& r) { return r.lba.value() * 512; }
std::uint64_t end_of(const Request& r) { return start_of(r) + r.nlb * std::uint64_t{512}; }
bool is_write(const Request& r) { return r.op == Op::kWrite; }

const std::vector<Direction>& directions() {
  static const std::vector<Direction> kAll{{"", [](const Request&) { return true; }},
                                           {"_read", [](const Request& r) { return !is_write(r); }},
                                           {"_write", [](const Request& r) { return is_write(r); }}};
  return kAll;
}

std::vector<Page> pages_of(const Request& r, std::uint64_t bytes) {
  std::vector<Page> pages;
  for (std::uint64_t page = start_of(r) / bytes; page <= (end_of(r) - 1) / bytes; ++page) {
    pages.emplace_back(r.device, page);
  }
  return pages;
}

template <class Key>
double lru_misses(const std::vector<Key>& accesses, std::size_t entries) {
  std::list<Key> cache;
  double misses = 0;
  for (const Key& key : accesses) {
    const auto at = std::find(cache.begin(), cache.end(), key);
    if (at == cache.end()) {
      ++misses;
    } else {
      cache.erase(at);
    }
    cache.push_front(key);
    if (cache.size() > entries) cache.pop_back();
  }
  return misses / static_cast<double>(accesses.size());
}

void updates(const std::vector<Request>& requests, unsigned kib, Numbers& numbers) {
  std::set<Page> written, touched;
  double all = 0, before = 0, mapped = 0, partly = 0, modified = 0;
  for (const Request& r : requests) {
    const auto pages = pages_of(r, kib * 1024);
    if (is_write(r)) {
      for (const Page& page : pages) {
        const bool part = start_of(r) > page.second * kib * 1024 || end_of(r) < (page.second + 1) * kib * 1024;
        ++all;
        before += static_cast<double>(written.count(page));
        mapped += static_cast<double>(touched.count(page));
        partly += part ? 1 : 0;
        modified += part ? static_cast<double>(written.count(page)) : 0;
      }
      written.insert(pages.begin(), pages.end());
    }
    touched.insert(pages.begin(), pages.end());
  }
  const std::string end = "_" + std::to_string(kib) + "KiB";
  numbers["p_w" + end] = all;
  numbers["R_u" + end] = before / all;
  numbers["R_u_mapped" + end] = mapped / all;
  numbers["R_RnM" + end] = modified / all;
  numbers["partial_share" + end] = partly / all;
}

/// Share of `chosen` requests that start far from `address` of each of the 32 requests of `history` before them.
double far_share(const std::vector<Request>& requests, const std::function<bool(const Request&)>& chosen,
                 const std::function<bool(const Request&)>& history,
                 const std::function<std::uint64_t(const Request&)>& address) {
  double all = 0, far = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!chosen(requests[i])) continue;
    bool is_far = true;
    int looked = 0;
    for (std::size_t j = i; j-- > 0 && looked < 32;) {
      if (!history(requests[j])) continue;
      ++looked;
      const auto distance = static_cast<std::int64_t>(start_of(requests[i]) - address(requests[j]));
      if (requests[j].device == requests[i].device && std::abs(distance) <= 131072) is_far = false;
    }
    ++all;
    far += is_far ? 1 : 0;
  }
  return far / all;
}

void sequences(const std::vector<Request>& requests, Numbers& numbers) {
  const auto any = [](const Request&) { return true; };
  for (const auto& [suffix, chosen] : directions()) {
    numbers["random_share" + suffix] = far_share(requests, chosen, any, end_of);
    double all = 0, following = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!chosen(requests[i])) continue;
      ++all;
      for (std::size_t j = i; j-- > 0 && i - j <= 32;) {
        if (requests[j].device != requests[i].device || requests[j].op != requests[i].op) continue;
        if (end_of(requests[j]) != start_of(requests[i])) continue;
        ++following;
        break;
      }
    }
    numbers["sequential_32_share" + suffix] = following / all;

    std::vector<std::vector<Request>> runs;
    for (const Request& r : requests) {
      if (!chosen(r)) continue;
      const bool goes_on = !runs.empty() && runs.back().back().device == r.device && runs.back().back().op == r.op &&
                           end_of(runs.back().back()) == start_of(r);
      if (!goes_on) runs.emplace_back();
      runs.back().push_back(r);
    }
    double bytes = 0, bytes_in_long = 0;
    for (const auto& run : runs) {
      double length = 0;
      for (const Request& r : run) length += static_cast<double>(end_of(r) - start_of(r));
      bytes += length;
      bytes_in_long += length >= 65536 ? length : 0;
    }
    const auto number = static_cast<double>(runs.size());
    numbers["sequential_next_share" + suffix] = (all - number) / all;
    numbers["run_requests_mean" + suffix] = all / number;
    numbers["run_KiB_mean" + suffix] = bytes / number / 1024;
    numbers["bytes_in_runs_ge_64KiB" + suffix] = bytes_in_long / bytes;
  }
  numbers["random_share_startstart"] = far_share(requests, any, any, start_of);
  numbers["random_share_write_ownhistory"] = far_share(requests, is_write, is_write, end_of);
}

struct Uses {
  double reads = 0;
  double writes = 0;
};

/// One more than the number of pages with less, and half of those with as much: the mean rank.
double rank(const std::map<Page, Uses>& pages, double value, double Uses::*member) {
  double less = 0, same = 0;
  for (const auto& [page, uses] : pages) {
    less += uses.*member < value ? 1 : 0;
    same += uses.*member == value ? 1 : 0;
  }
  return less + (same + 1) / 2;
}

void page_use(const std::vector<Request>& requests, Numbers& numbers) {
  std::map<Page, Uses> pages;
  std::vector<Page> accesses;
  for (const Request& r : requests) {
    for (const Page& page : pages_of(r, 4096)) {
      (is_write(r) ? pages[page].writes : pages[page].reads) += 1;
      accesses.push_back(page);
    }
  }
  double reads = 0, writes = 0, read_pages = 0, written_pages = 0, only_read = 0, only_written = 0;
  double reads_only = 0, writes_only = 0, reads_mostly = 0, writes_mostly = 0;
  std::map<std::string, std::vector<double>> counts;
  for (const auto& [page, uses] : pages) {
    const double share = uses.reads / (uses.reads + uses.writes);
    reads += uses.reads;
    writes += uses.writes;
    read_pages += uses.reads != 0 ? 1 : 0;
    written_pages += uses.writes != 0 ? 1 : 0;
    only_read += uses.writes == 0 ? 1 : 0;
    only_written += uses.reads == 0 ? 1 : 0;
    reads_only += uses.writes == 0 ? uses.reads : 0;
    writes_only += uses.reads == 0 ? uses.writes : 0;
    reads_mostly += share > 0.95 ? uses.reads : 0;
    writes_mostly += share < 0.05 ? uses.writes : 0;
    counts[""].push_back(uses.reads + uses.writes);
    if (uses.reads != 0) counts["_read"].push_back(uses.reads);
    if (uses.writes != 0) counts["_write"].push_back(uses.writes);
  }
  const auto n = static_cast<double>(pages.size());
  numbers["footprint_pages"] = n;
  numbers["footprint_read_pages"] = read_pages;
  numbers["footprint_written_pages"] = written_pages;
  numbers["overwrite_factor"] = writes / written_pages;
  numbers["write_share_pages"] = writes / (reads + writes);
  numbers["read_only_pages_share"] = only_read / n;
  numbers["write_only_pages_share"] = only_written / n;
  numbers["reads_to_read_only"] = reads_only / reads;
  numbers["writes_to_write_only"] = writes_only / writes;
  numbers["reads_to_read_mostly95"] = reads_mostly / reads;
  numbers["writes_to_write_mostly95"] = writes_mostly / writes;
  numbers["lru_miss_10pct"] = lru_misses(accesses, pages.size() / 10);
  numbers["lru_miss_1pct"] = lru_misses(accesses, pages.size() / 100);
  numbers["lru_miss_inf"] = n / static_cast<double>(accesses.size());

  double xx = 0, yy = 0, xy = 0;
  for (const auto& [page, uses] : pages) {
    const double x = rank(pages, uses.reads, &Uses::reads) - (n + 1) / 2;
    const double y = rank(pages, uses.writes, &Uses::writes) - (n + 1) / 2;
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  numbers["spearman_read_write"] = xy / std::sqrt(xx * yy);

  for (auto& [suffix, values] : counts) {
    std::sort(values.rbegin(), values.rend());
    double all = 0;
    for (const double value : values) all += value;
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += values[i];
      for (const std::size_t percent : {1, 10, 20}) {
        if (i + 1 != values.size() * percent / 100) continue;
        numbers["top" + std::to_string(percent) + "_share" + suffix] = sum / all;
      }
    }
    numbers["top_page_share" + suffix] = values.front() / all;
  }
}

void times(const std::vector<Request>& requests, Numbers& numbers) {
  std::vector<double> between, rewrites;
  std::map<Page, double> last;
  const auto seconds = [](const Request& r) { return static_cast<double>(r.arrival.count()) * 1e-12; };
  const auto window = [&](const Request& r) {
    return static_cast<std::size_t>((r.arrival - requests.front().arrival).count() / 10'000'000'000);
  };
  std::vector<double> windows(window(requests.back()) + 1, 0);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& r = requests[i];
    if (i != 0) between.push_back(seconds(r) - seconds(requests[i - 1]));
    windows[window(r)] += 1;
    if (!is_write(r)) continue;
    for (const Page& page : pages_of(r, 4096)) {
      if (last.count(page) != 0) rewrites.push_back(seconds(r) - last[page]);
      last[page] = seconds(r);
    }
  }
  const auto mean_of = [](const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) sum += x;
    return sum / static_cast<double>(v.size());
  };
  const auto variance_of = [&](const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) sum += (x - mean_of(v)) * (x - mean_of(v));
    return sum / static_cast<double>(v.size());
  };
  const auto percentile = [](std::vector<double> v, double p) {
    std::sort(v.begin(), v.end());
    return v[static_cast<std::size_t>(std::ceil(p * static_cast<double>(v.size()))) - 1];
  };
  numbers["iops_mean"] = static_cast<double>(between.size()) / (seconds(requests.back()) - seconds(requests.front()));
  numbers["interarrival_cv"] = std::sqrt(variance_of(between)) / mean_of(between);
  numbers["interarrival_p50_ms"] = percentile(between, 0.5) * 1000;
  numbers["interarrival_p99_ms"] = percentile(between, 0.99) * 1000;
  numbers["idc_10ms"] = variance_of(windows) / mean_of(windows);
  numbers["peak_to_mean_10ms"] = *std::max_element(windows.begin(), windows.end()) / mean_of(windows);
  numbers["rewrite_interval_mean"] = mean_of(rewrites);
  numbers["rewrite_interval_p50"] = percentile(rewrites, 0.5);
  numbers["rewrite_interval_p90"] = percentile(rewrites, 0.9);
}

}  // namespace

std::map<std::string, double> naive_statistics(const std::vector<Request>& requests) {
  Numbers numbers;
  page_use(requests, numbers);
  sequences(requests, numbers);
  times(requests, numbers);
  for (const unsigned kib : {2, 4, 8, 16, 32, 64}) updates(requests, kib, numbers);
  std::vector<Page> starts;
  for (const Request& r : requests) starts.emplace_back(r.device, start_of(r));
  const std::size_t distinct = std::set<Page>(starts.begin(), starts.end()).size();
  numbers["distinct_starts"] = static_cast<double>(distinct);
  numbers["lru_miss_10pct_startkey"] = lru_misses(starts, distinct / 10);
  return numbers;
}

}  // namespace wordline::workload
