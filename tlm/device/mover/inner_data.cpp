// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/inner_data.h"

#include <algorithm>

namespace wordline::host {
namespace {

/// Of the command's LBAs in its logical page `lpage`: whether `a` and `b` are the same.
bool same(const HostCommand& command, std::uint32_t lpage, const data::LpageStamps& a, const data::LpageStamps& b) {
  const LbaRun run = command.lbas_of(lpage);
  const std::uint32_t first = command.lpage_size.lba_offset(run.first);
  return std::equal(a.begin() + first, a.begin() + first + run.count(), b.begin() + first);
}

}  // namespace

DataPath::Times InnerData::reserve(const wl_host_job& job, const HostCommand& command, Picoseconds from) {
  Picoseconds end = from, alone = from;
  const bool passes = command.way != DataWay::kVerify && job.op != WL_JOB_ZERO_OUT;
  for (std::uint32_t k = job.lpage; k < job.lpage + job.count && passes; ++k) {
    const std::uint64_t bytes = command.lbas_of(k).bytes() + command.tuple_bytes(k);
    end = std::max(end, dram_->reserve(from, bytes));
    alone += dram_->occupancy(bytes);
  }
  if (passes) alone += dram_->latency();
  return {std::max(end - alone, Picoseconds(0)), {}, {}, end};
}

bool InnerData::marked(const wl_host_job& job, const HostCommand& command) const {
  const data::TokenPool& pool = buffer_->pool();
  if (!pool.has_marks() || job.op != WL_JOB_DMA_OUT) return false;
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const LbaRun run = command.lbas_of(job.lpage + i);
    if (pool.marked(buffer_->slot(job.slot + i), command.lpage_size.lba_offset(run.first), run.count())) return true;
  }
  return false;
}

bool InnerData::unwritten(const wl_host_job& job, const HostCommand& command) const {
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const data::LpageStamps content = buffer_->pool().expand(token(job, i));
    const LbaRun run = command.lbas_of(job.lpage + i);
    const auto* const first = content.begin() + command.lpage_size.lba_offset(run.first);
    const bool zeros = std::any_of(first, first + run.count(), [](const data::LbaStamp& s) { return s.is_zero(); });
    if (zeros && !has_written_zeros(command, run, token(job, i))) return true;
  }
  return false;
}

// Zeros with a tuple have been written: all blocks without data that the command wants of the logical page have one.
bool InnerData::has_written_zeros(const HostCommand& command, const LbaRun& run, data::LpageToken token) const {
  const data::LpageTuples* const tuples = buffer_->pool().tuples(token);
  if (!command.metadata.on() || tuples == nullptr) return false;
  const data::LpageStamps stamps = buffer_->pool().expand(token);
  for (std::uint64_t lba = run.first; lba != run.last; lba += std::uint64_t{1} << command.metadata.shift) {
    const std::uint32_t at = command.lpage_size.lba_offset(lba);
    if (stamps[at].is_zero() && (*tuples)[at] == data::kNoTuple) return false;
  }
  return true;
}

CommandStatus InnerData::out(const wl_host_job& job, const HostCommand& command) {
  if (marked(job, command)) return kMarkedUncorrectable;
  if (command.way == DataWay::kCompare) return compare_now(job, command);
  if (command.way != DataWay::kCopyOut) return 0;
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const data::LpageStamps content = buffer_->pool().expand(token(job, i));
    const LbaRun run = command.lbas_of(job.lpage + i);
    std::copy_n(content.begin() + command.lpage_size.lba_offset(run.first), run.count(),
                copied_.begin() + static_cast<std::ptrdiff_t>(run.first - command.slba));
  }
  return 0;
}

CommandStatus InnerData::compare_now(const wl_host_job& job, const HostCommand& command) const {
  bool equal = true, complete = true;
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const data::LpageStamps held = buffer_->pool().expand(token(job, i));
    for_each_piece(command, command.lbas_of(job.lpage + i),
                   [&](std::uint64_t address, std::uint32_t first, std::uint32_t nlb) {
                     bool same_piece = false;
                     complete &= host_memory_->compare_data(address, &held[first], nlb, same_piece);
                     equal = equal && same_piece;
                   });
  }
  return !complete ? kTransferFailed : equal ? 0 : kCompareFailed;
}

void InnerData::in(const wl_host_job& job, const HostCommand& command) {
  data::TokenPool& pool = buffer_->pool();
  for (std::uint32_t i = 0; i < job.count; ++i) {
    data::LpageToken& slot = buffer_->slot(job.slot + i);
    const LbaRun run = command.lbas_of(job.lpage + i);
    const bool keep = !command.covers(job.lpage + i) && (job.flags & WL_JOB_ZERO_REST) == 0;
    data::LpageStamps content = keep ? pool.expand(slot) : data::LpageStamps{};
    const auto at = content.begin() + command.lpage_size.lba_offset(run.first);
    if (command.way == DataWay::kUncorrectable) {
      std::fill_n(at, run.count(), data::kMarked);
    } else if (command.way == DataWay::kZeroes) {
      std::fill_n(at, run.count(), data::LbaStamp{});
    } else {
      std::copy_n(copied_.begin() + static_cast<std::ptrdiff_t>(run.first - command.slba), run.count(), at);
      host_memory_->copies(job.tag, run.first, &*at, run.count());
    }
    slot = pool.intern(content);
  }
}

void InnerData::expect(std::uint32_t transfer, const wl_host_job& job) {
  if (expected_.size() <= transfer) expected_.resize(transfer + 1U);
  expected_[transfer].clear();
  for (std::uint32_t i = 0; i < job.count; ++i) expected_[transfer].push_back(buffer_->pool().expand(token(job, i)));
}

CommandStatus InnerData::compare(std::uint32_t transfer, const wl_host_job& job, const HostCommand& command,
                                 const IncomingData& incoming) const {
  bool equal = true, complete = true;
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const data::LpageStamps& expected = expected_[transfer][i];
    const LbaRun run = command.lbas_of(job.lpage + i);
    const auto* const first = expected.begin() + command.lpage_size.lba_offset(run.first);
    if (std::find(first, first + run.count(), data::kMarked) != first + run.count()) return kMarkedUncorrectable;
    const data::LpageStamps* given = incoming.content(transfer, i);
    complete = complete && given != nullptr;
    equal = equal && (given == nullptr || same(command, job.lpage + i, *given, expected));
  }
  return !complete ? kTransferFailed : equal ? 0 : kCompareFailed;
}

}  // namespace wordline::host
