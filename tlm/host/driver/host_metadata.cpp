// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/host_metadata.h"

#include <algorithm>

#include "models/config/namespaces.h"

namespace wordline::host {
namespace {

using data::BlockTuple;
using data::LbaStamp;

constexpr std::byte kUnread{0xa5};

config::BlockMetadata place_of(const config::Config& config) {
  const bool inserts = config.nvme.protection != data::ProtectionType::kNone &&
                       config.host.protection == config::HostProtection::kInsert;
  return inserts ? config::BlockMetadata::kNone : config.nvme.metadata;
}

std::uint32_t pages_of(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + HostMemory::kPageBytes - 1) / HostMemory::kPageBytes);
}

/// part(address, offset, bytes) of each page.
template <class Part>
void for_each_page(const std::vector<std::uint64_t>& pages, std::size_t bytes, Part&& part) {
  for (std::size_t i = 0, at = 0; at < bytes; ++i, at += HostMemory::kPageBytes) {
    part(pages.at(i), at, std::min<std::size_t>(bytes - at, HostMemory::kPageBytes));
  }
}

}  // namespace

HostMetadata::HostMetadata(const config::Config& config, std::uint64_t user_lbas, HostMemory& memory)
    : place_(place_of(config)), rule_(config::tuple_rule_of(config, user_lbas)), memory_(memory) {}

std::size_t HostMetadata::tuple_bytes(std::uint32_t nlb) const { return (nlb >> rule_.shift()) * BlockTuple::kBytes; }

std::uint32_t HostMetadata::pages(std::uint32_t nlb) const {
  return pages_of(std::size_t{nlb} * kLbaBytes + (interleaved() ? tuple_bytes(nlb) : 0));
}

std::uint64_t HostMetadata::acquire(std::uint32_t nlb) {
  return place_ == config::BlockMetadata::kSeparate ? memory_.allocate(pages_of(tuple_bytes(nlb))) : 0;
}

void HostMetadata::release(std::uint64_t buffer, std::uint32_t nlb) {
  if (buffer != 0) memory_.free(buffer, pages_of(tuple_bytes(nlb)));
}

void HostMetadata::put(std::uint64_t slba, std::uint32_t nlb, std::uint32_t version,
                       const std::vector<std::uint64_t>& pages, std::uint64_t buffer) {
  const std::uint32_t lbas = 1U << rule_.shift();
  bytes_.resize(tuple_bytes(nlb) + (interleaved() ? std::size_t{nlb} * kLbaBytes : 0));
  std::byte* to = bytes_.data();
  stamps_.resize(lbas);
  for (std::uint32_t first = 0; first < nlb; first += lbas) {
    for (std::uint32_t i = 0; i < lbas; ++i) stamps_[i] = LbaStamp(Lba(slba + first + i), version);
    for (std::uint32_t i = 0; i < lbas && interleaved(); ++i, to += kLbaBytes) expand(stamps_[i], to);
    rule_.of(stamps_.data()).to_bytes(to);
    to += BlockTuple::kBytes;
  }
  if (buffer != 0) {
    memory_.write(buffer, bytes_.data(), bytes_.size());
    return;
  }
  for_each_page(pages, bytes_.size(), [this](std::uint64_t address, std::size_t at, std::size_t bytes) {
    memory_.write(address, &bytes_[at], bytes);
  });
}

void HostMetadata::poison(std::uint32_t nlb, const std::vector<std::uint64_t>& pages, std::uint64_t buffer) {
  bytes_.assign(buffer != 0 ? tuple_bytes(nlb) : +HostMemory::kPageBytes, kUnread);
  if (buffer != 0) {
    memory_.write(buffer, bytes_.data(), bytes_.size());
  } else {
    for (const std::uint64_t page : pages) memory_.write(page, bytes_.data(), bytes_.size());
  }
}

bool HostMetadata::take(std::uint64_t slba, std::uint32_t nlb, const std::vector<std::uint64_t>& pages,
                        std::uint64_t buffer) {
  stamps_.resize(nlb);
  tuples_.clear();
  if (interleaved()) {
    read_blocks(nlb, pages);
  } else {
    read_stamps(nlb, pages, buffer);
  }
  const std::uint32_t lbas = 1U << rule_.shift();
  for (std::uint32_t first = 0; first < nlb; first += lbas) {
    if (tuples_[first / lbas] == rule_.of(&stamps_[first])) continue;
    wrong_ = slba + first;
    return false;
  }
  return true;
}

void HostMetadata::read_stamps(std::uint32_t nlb, const std::vector<std::uint64_t>& pages, std::uint64_t buffer) {
  for (std::uint32_t i = 0; i < nlb; ++i) {
    stamps_[i] = memory_.page(pages[i / kLbasPerHostPage])[i % kLbasPerHostPage];
  }
  bytes_.resize(tuple_bytes(nlb));
  (void)memory_.read(buffer, bytes_.data(), bytes_.size());  // its own buffer is there
  for (std::size_t at = 0; at < bytes_.size(); at += BlockTuple::kBytes) {
    tuples_.push_back(BlockTuple::from_bytes(&bytes_[at]));
  }
}

void HostMetadata::read_blocks(std::uint32_t nlb, const std::vector<std::uint64_t>& pages) {
  bytes_.resize(tuple_bytes(nlb) + std::size_t{nlb} * kLbaBytes);
  for_each_page(pages, bytes_.size(), [this](std::uint64_t address, std::size_t at, std::size_t bytes) {
    (void)memory_.read(address, &bytes_[at], bytes);
  });
  const std::uint32_t lbas = 1U << rule_.shift();
  const std::byte* from = bytes_.data();
  for (std::uint32_t i = 0; i < nlb; ++i) {
    if (!contract(from, stamps_[i])) stamps_[i] = data::kMarked;
    from += kLbaBytes;
    if ((i + 1) % lbas != 0) continue;
    tuples_.push_back(BlockTuple::from_bytes(from));
    from += BlockTuple::kBytes;
  }
}

}  // namespace wordline::host
