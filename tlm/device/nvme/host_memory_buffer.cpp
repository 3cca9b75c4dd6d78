// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/host_memory_buffer.h"

#include <algorithm>
#include <cstring>

#include "models/ecc/code/crc32c.h"

namespace wordline::host::nvme {
namespace {

constexpr std::uint32_t kEnable = 1U << 0, kReturned = 1U << 1;  // EHM, MR: of dword 11

/// Of the list (Base 5.27.1.10, figure of the descriptor entry).
struct ListEntry {
  std::uint64_t address;
  std::uint32_t pages;  // of 4 KiB
  std::uint32_t reserved;
};
static_assert(sizeof(ListEntry) == HostMemoryBuffer::kListEntryBytes);

std::size_t entry_bytes(const wl_host_job& job) { return std::size_t{job.count} * sizeof(wl_map_value_t); }

}  // namespace

HostMemoryBuffer::HostMemoryBuffer(const config::Config& config, HostDataMover& mover, Agenda& agenda)
    : mover_(mover),
      agenda_(agenda),
      asked_for_(config.nvme.hmb.count() != 0),
      page_bytes_(config::lpage_size_of(config).bytes()) {}

Status HostMemoryBuffer::check(const SubmissionEntry& sqe, std::size_t& bytes) const {
  bytes = 0;
  if (!asked_for_) return kInvalidField;
  if ((sqe.cdw10 & 1U << 31) != 0) return kFeatureNotSaveable;
  if ((sqe.cdw11 & kEnable) == 0) return kSuccess;
  if (enabled()) return kCommandSequenceError;
  const std::uint32_t entries = sqe.cdw15;
  if (sqe.cdw12 == 0 || entries == 0 || entries > kMostStretches || (sqe.cdw13 & 0xfU) != 0) return kInvalidField;
  bytes = entries * kListEntryBytes;
  return kSuccess;
}

Status HostMemoryBuffer::lend(const SubmissionEntry& sqe, const std::byte* list) {
  std::vector<Stretch> stretches;
  std::uint64_t host_pages = 0;
  const std::uint64_t pages_each = kPageBytes / page_bytes_;
  for (std::uint32_t i = 0; i < sqe.cdw15 && host_pages < sqe.cdw12; ++i) {
    ListEntry entry{};
    std::memcpy(&entry, list + i * sizeof entry, sizeof entry);
    if (entry.address % kPageBytes != 0) return kInvalidField;
    if (entry.pages == 0) continue;
    if (mover_.dma().has_own(entry.address)) return kInvalidUseOfCmb;
    stretches.push_back({host_pages * pages_each, entry.address});
    host_pages += entry.pages;
  }
  if (host_pages < sqe.cdw12) return kInvalidField;  // HSIZE is more than the list has
  pages_ = sqe.cdw12 * pages_each;
  stretches_ = std::move(stretches);
  checksums_.assign(pages_, 0);
  lent_ = sqe;
  return kSuccess;
}

void HostMemoryBuffer::answered(const SubmissionEntry& sqe) {
  if ((sqe.cdw11 & kEnable) == 0) give_back();
}

std::uint32_t HostMemoryBuffer::attributes(std::byte* page) const {
  if (!enabled()) return 0;
  const std::uint32_t words[] = {lent_.cdw12, lent_.cdw13, lent_.cdw14, lent_.cdw15};
  std::memcpy(page, words, sizeof words);
  return kEnable | (lent_.cdw11 & kReturned);
}

std::uint64_t HostMemoryBuffer::address_of(std::uint32_t page) const {
  if (!enabled() || page >= pages_) return 0;
  const auto behind = std::upper_bound(stretches_.begin(), stretches_.end(), page,
                                       [](std::uint32_t at, const Stretch& stretch) { return at < stretch.first; });
  const Stretch& stretch = *(behind - 1);
  return stretch.address + (page - stretch.first) * page_bytes_;
}

std::byte* HostMemoryBuffer::dram_at(std::uint32_t bus_address) {
  return mover_.dram->data() + (bus_address - WL_DRAM_BASE);
}

bool HostMemoryBuffer::take_job(const wl_host_job& job) {
  if (job.op != WL_JOB_STORE_COPY && job.op != WL_JOB_FETCH_COPY) return false;
  const std::uint32_t index = moves_.acquire({job});
  const std::uint64_t address = address_of(job.slot);
  if (data_.size() <= index) data_.resize(index + 1U);
  data_[index].assign(page_bytes_, std::byte{0});
  if (address == 0) {  // a reset of the controller has ended the loan
    answer(index, WL_EVENT_FAILED, agenda_.now());
    return true;
  }
  if (job.op == WL_JOB_STORE_COPY) {
    store(index, address);
    return true;
  }
  const HostDma::Piece piece{address, data_[index].data(), page_bytes_};
  mover_.dma().read(agenda_.now(), &piece, 1, {this, static_cast<std::uint32_t>(Access::kFetched), index});
  return true;
}

void HostMemoryBuffer::store(std::uint32_t move, std::uint64_t address) {
  const wl_host_job& job = moves_[move].job;
  std::vector<std::byte>& data = data_[move];
  std::memcpy(data.data(), dram_at(job.lpage), entry_bytes(job));
  checksums_[job.slot] = ecc::crc32c(data.data(), page_bytes_);
  const Picoseconds read = mover_.dram->reserve(agenda_.now(), page_bytes_);
  const HostDma::Source piece{address, data.data(), page_bytes_};
  mover_.dma().write_apart(mover_.link->write(read, page_bytes_), piece,
                           {this, static_cast<std::uint32_t>(Access::kStored), move});
}

void HostMemoryBuffer::dma_ended(const DmaAccess& access, bool good, Picoseconds at) {
  if (static_cast<Access>(access.kind) == Access::kFetched) {
    fetched(access.index, good, at);
  } else {
    answer(access.index, good ? 0U : std::uint32_t{WL_EVENT_FAILED}, at);
  }
}

/// The map's own table has what the map page says, so what has come is compared with it and not written.
void HostMemoryBuffer::fetched(std::uint32_t move, bool good, Picoseconds at) {
  const wl_host_job& job = moves_[move].job;
  const std::vector<std::byte>& data = data_[move];
  good = good && enabled() && job.slot < pages_ && ecc::crc32c(data.data(), page_bytes_) == checksums_[job.slot];
  if (!good) {
    answer(move, WL_EVENT_FAILED, at);
    return;
  }
  const bool differs = std::memcmp(data.data(), dram_at(job.lpage), entry_bytes(job)) != 0;
  answer(move, differs ? std::uint32_t{WL_EVENT_DIFFERS} : 0U, mover_.dram->reserve(at, page_bytes_));
}

void HostMemoryBuffer::answer(std::uint32_t move, std::uint32_t flags, Picoseconds at) {
  agenda_.schedule(at, *this, Kind::kMoved, move, flags);
}

void HostMemoryBuffer::act(const Agenda::Action& action) {
  wl_host_event event{};
  event.type = WL_EVENT_COPY;
  event.flags = static_cast<std::uint8_t>(action.value);
  event.tag = WL_NO_TAG;
  event.slot = moves_[action.index].job.slot;
  moves_.release(action.index);
  mover_.push_event(event, true);
}

}  // namespace wordline::host::nvme
