// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/partial_pages.h"

#include <fmt/core.h>

#include <bitset>

namespace wordline::workload {
namespace {

constexpr std::uint64_t kLbasPerBit = 2048 / kLbaBytes;
constexpr std::uint64_t kBitsPerExtent = 32;

/// Lowest bit of every group of 2^size bits.
constexpr std::uint32_t kLowest[] = {0xFFFFFFFF, 0x55555555, 0x11111111, 0x01010101, 0x00010001, 0x00000001};

/// One bit, the lowest, for every group of 2^size bits that has a bit set in `bits`.
std::uint32_t groups(std::uint32_t bits, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bits |= bits >> (1U << i);
  return bits & kLowest[size];
}

std::uint64_t ones(std::uint32_t bits) { return std::bitset<32>(bits).count(); }

/// Bits first..last, both of the same 32.
std::uint32_t range(std::uint64_t first, std::uint64_t last) {
  return (UINT32_MAX << first) & (UINT32_MAX >> (kBitsPerExtent - 1 - last));
}

}  // namespace

void PartialPages::take(const Access& access) {
  if (access.write) count_partly_written(access);
  const std::uint64_t first = access.start / kLbasPerBit;
  const std::uint64_t last = (access.end() - 1) / kLbasPerBit;
  for (std::uint64_t number = first / kBitsPerExtent; number <= last / kBitsPerExtent; ++number) {
    const std::uint64_t from = number == first / kBitsPerExtent ? first % kBitsPerExtent : 0;
    const std::uint64_t to = number == last / kBitsPerExtent ? last % kBitsPerExtent : kBitsPerExtent - 1;
    const std::uint32_t bits = range(from, to);
    Extent& extent = extents_[number];
    if (access.write) {
      count_extent(extent, bits);
      extent.written |= bits;
    }
    extent.touched |= bits;
  }
}

void PartialPages::count_extent(Extent extent, std::uint32_t bits) {
  for (std::size_t size = 0; size < kSizes; ++size) {
    Counts& counts = counts_[size];
    const std::uint32_t pages = groups(bits, size);
    counts.written += ones(pages);
    counts.written_before += ones(pages & groups(extent.written, size));
    counts.touched_before += ones(pages & groups(extent.touched, size));
  }
}

void PartialPages::count_partly_written(const Access& access) {
  // Only the first and the last page of a request can be written in part.
  for (std::size_t size = 0; size < kSizes; ++size) {
    const std::uint64_t nlb = kLbasPerBit << size;
    const std::uint64_t first = access.start / nlb;
    const std::uint64_t last = (access.end() - 1) / nlb;
    const bool starts_inside = access.start % nlb != 0;
    const bool ends_inside = access.end() % nlb != 0;
    const auto count = [&](std::uint64_t page) {
      ++counts_[size].partly;
      counts_[size].partly_and_before += written_before(page, size) ? 1 : 0;
    };
    if (starts_inside || (first == last && ends_inside)) count(first);
    if (ends_inside && first != last) count(last);
  }
}

bool PartialPages::written_before(std::uint64_t page, std::size_t size) const {
  const std::uint64_t first_bit = page << size;
  const auto extent = extents_.find(first_bit / kBitsPerExtent);
  if (extent == extents_.end()) return false;
  const std::uint64_t bit = first_bit % kBitsPerExtent;
  return (extent->second.written & range(bit, bit + (std::uint64_t{1} << size) - 1)) != 0;
}

void PartialPages::report(StatisticList& list) const {
  if (extents_.empty()) return;
  report_density(list);
  for (std::size_t size = 0; size < kSizes; ++size) {
    const Counts& counts = counts_[size];
    if (counts.written == 0) continue;
    const unsigned kib = 2U << size;
    const auto written = static_cast<double>(counts.written);
    list.add(fmt::format("p_w_{}KiB", kib), written, "pages", fmt::format("pages of {} KiB that writes touch", kib));
    list.add(fmt::format("R_u_{}KiB", kib), static_cast<double>(counts.written_before) / written, "share",
             "of these, pages that were written before: updates");
    list.add(fmt::format("R_u_mapped_{}KiB", kib), static_cast<double>(counts.touched_before) / written, "share",
             "of these, pages that were written or read before");
    list.add(fmt::format("R_RnM_{}KiB", kib), static_cast<double>(counts.partly_and_before) / written, "share",
             "of these, pages written in part and before: read and modify");
    list.add(fmt::format("partial_share_{}KiB", kib), static_cast<double>(counts.partly) / written, "share",
             "of these, pages written in part: so on a full drive");
  }
}

void PartialPages::report_density(StatisticList& list) const {
  constexpr std::size_t kPage = 1;  // 4 KiB
  constexpr double kPagesPerExtent = 16;
  double touched = 0, written = 0, extents_written = 0;
  for (const auto& [number, extent] : extents_) {
    touched += static_cast<double>(ones(groups(extent.touched, kPage)));
    written += static_cast<double>(ones(groups(extent.written, kPage)));
    extents_written += extent.written != 0 ? 1 : 0;
  }
  list.add("density_64KiB", touched / (kPagesPerExtent * static_cast<double>(extents_.size())), "share",
           "touched pages of 4 KiB, of all in touched extents of 64 KiB");
  list.add_ratio("density_64KiB_written", written, kPagesPerExtent * extents_written, "share",
                 "the same for pages and extents that are written");
}

}  // namespace wordline::workload
