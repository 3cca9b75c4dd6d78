// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/host_dma.h"

#include <algorithm>
#include <numeric>

namespace wordline::host {

void HostDma::read(Picoseconds earliest, const Piece* pieces, unsigned count, const DmaAccess& access) {
  if (has_own(pieces[0].address)) {
    bool good = true;
    for (unsigned i = 0; i < count && good; ++i)
      good = has_own(pieces[i].address) && own_->read(pieces[i].address, pieces[i].at, pieces[i].bytes);
    access.client->dma_ended(access, good, earliest + own_->latency());
    return;
  }
  const std::uint64_t bytes = std::accumulate(pieces, pieces + count, std::uint64_t{0},
                                              [](std::uint64_t sum, const Piece& piece) { return sum + piece.bytes; });
  HostDmaIf* const dma = slow();
  if (dma == nullptr) {
    const Picoseconds at = link_->read(earliest, bytes);
    bool good = true;
    for (unsigned i = 0; i < count && good; ++i) good = memory_->read(pieces[i].address, pieces[i].at, pieces[i].bytes);
    access.client->dma_ended(access, good, at);
    return;
  }
  const Picoseconds asked = link_->read_request(earliest);
  const std::uint32_t index = records_.acquire({access, bytes, count});
  for (unsigned i = 0; i < count; ++i) {
    dma->begin_read(asked, pieces[i].address, pieces[i].at, pieces[i].bytes,
                    {this, static_cast<std::uint32_t>(Kind::kRead), index});
  }
}

std::uint32_t HostDma::begin_writes(std::uint32_t command, Picoseconds arrives, std::uint32_t left,
                                    const DmaAccess& access) {
  Record record{access};
  record.left = left;
  record.command = command;
  record.last = arrives;
  return records_.acquire(record);
}

void HostDma::write(std::uint32_t command, Picoseconds arrives, const Source* pieces, unsigned count,
                    const DmaAccess& access) {
  HostDmaIf* const dma = slow();
  if (dma == nullptr) {
    bool good = true;
    for (unsigned i = 0; i < count && good; ++i)
      good = memory_->write(pieces[i].address, pieces[i].at, pieces[i].bytes);
    access.client->dma_ended(access, good, arrives);
    return;
  }
  const std::uint32_t index = begin_writes(command, arrives, count, access);
  posted_[command].writes.push_back(index);
  std::vector<std::byte>& copy = bytes_of(index);
  copy.clear();
  for (unsigned i = 0; i < count; ++i) {
    const auto* const from = static_cast<const std::byte*>(pieces[i].at);
    copy.insert(copy.end(), from, from + pieces[i].bytes);
  }
  const std::byte* from = copy.data();
  for (unsigned i = 0; i < count; ++i) {
    dma->begin_write(arrives, pieces[i].address, from, pieces[i].bytes,
                     {this, static_cast<std::uint32_t>(Kind::kWrite), index});
    from += pieces[i].bytes;
  }
}

void HostDma::write_apart(Picoseconds arrives, const Source& piece, const DmaAccess& access) {
  if (slow() == nullptr) {
    access.client->dma_ended(access, memory_->write(piece.address, piece.at, piece.bytes), arrives);
    return;
  }
  const std::uint32_t index = begin_writes(0, arrives, 1, access);
  const auto* const from = static_cast<const std::byte*>(piece.at);
  bytes_of(index).assign(from, from + piece.bytes);
  slow()->begin_write(arrives, piece.address, bytes_of(index).data(), piece.bytes,
                      {this, static_cast<std::uint32_t>(Kind::kApart), index});
}

void HostDma::write_stamps(std::uint32_t command, Picoseconds arrives, std::uint64_t address,
                           const data::LbaStamp* from, std::uint32_t nlb, const DmaAccess& access) {
  const std::uint32_t index = begin_writes(command, arrives, 1, access);
  posted_[command].writes.push_back(index);
  if (stamps_.size() <= index) stamps_.resize(index + 1U);
  std::copy_n(from, nlb, stamps_[index].begin());
  slow()->begin_write_stamps(arrives, address, stamps_[index].data(), nlb,
                             {this, static_cast<std::uint32_t>(Kind::kWrite), index});
}

void HostDma::write_behind(std::uint32_t command, std::uint64_t address, BehindIf& source, const DmaAccess& access) {
  if (slow() == nullptr) {
    const BehindBytes bytes = source.bytes_behind(access.index);
    access.client->dma_ended(access, memory_->write(address, bytes.data(), bytes.size()), agenda_.now());
    return;
  }
  posted_[command].behind.push_back({address, &source, access});
  go_on(command);
}

/// Begins what waits for data of the command, when all of these have ended, or will have by a time that is known.
void HostDma::go_on(std::uint32_t command) {
  Posted& posted = posted_[command];
  Picoseconds from = agenda_.now();
  for (const std::uint32_t index : posted.writes) {
    const Record& write = records_[index];
    if (!write.ended) return;
    from = std::max(from, write.last);
  }
  const std::deque<Behind> all = std::move(posted.behind);
  for (const std::uint32_t index : posted.writes) records_.release(index);
  posted_.erase(command);
  for (const Behind& behind : all) {
    const std::uint32_t index = begin_writes(command, from, 1, behind.access);
    const BehindBytes bytes = behind.source->bytes_behind(behind.access.index);
    std::vector<std::byte>& copy = bytes_of(index);
    copy.assign(bytes.begin(), bytes.end());
    slow()->begin_write(from, behind.address, copy.data(), copy.size(),
                        {this, static_cast<std::uint32_t>(Kind::kBehind), index});
  }
}

void HostDma::dma_ended(const DmaAccess& access, bool good, Picoseconds at) {
  Record& record = records_[access.index];
  record.good = record.good && good;
  record.last = std::max(record.last, at);
  if (--record.left != 0) return;
  const Record ended = record;
  switch (static_cast<Kind>(access.kind)) {
    case Kind::kRead:
      records_.release(access.index);
      ended.access.client->dma_ended(ended.access, ended.good, link_->read_data(ended.last, ended.bytes));
      break;
    case Kind::kBehind:
    case Kind::kApart:
      records_.release(access.index);
      ended.access.client->dma_ended(ended.access, ended.good, ended.last);
      break;
    case Kind::kWrite:
      record.ended = true;  // kept until the entry behind it begins
      ended.access.client->dma_ended(ended.access, ended.good, ended.last);
      if (const auto posted = posted_.find(ended.command); posted != posted_.end() && !posted->second.behind.empty()) {
        go_on(ended.command);
      }
      break;
  }
}

}  // namespace wordline::host
