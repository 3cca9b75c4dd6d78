// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/host_memory.h"

#include <cstring>
#include <sstream>
#include <string>
#include <systemc>

namespace wordline::host {
namespace {

void report(const char* what, std::uint64_t address, const char* why) {
  std::ostringstream text;
  text << what << " of host memory at 0x" << std::hex << address << ": " << why;
  SC_REPORT_ERROR("wordline/host/host_memory", text.str().c_str());
}

constexpr const char* kNotAllocated = "the page is not allocated (wrong queue base, PRP entry or list?)";

}  // namespace

HostMemory::HostMemory() = default;

std::uint64_t HostMemory::allocate(std::uint32_t pages) {
  if (pages == 0) {
    SC_REPORT_ERROR("wordline/host/host_memory", "allocate() of no pages");
    return 0;
  }
  std::uint64_t address = 0;
  auto& list = free_[pages];
  if (!list.empty()) {
    address = list.back();
    list.pop_back();
  } else {
    address = next_page_ * kPageBytes;
    next_page_ += pages;
    while (chunks_.size() * kChunkPages < next_page_) chunks_.push_back(std::make_unique<Chunk>());
  }
  for (std::uint32_t i = 0; i < pages; ++i) slot(address / kPageBytes + i).used = true;
  in_use_ += pages;
  return address;
}

void HostMemory::free(std::uint64_t address, std::uint32_t pages) {
  for (std::uint32_t i = 0; i < pages; ++i) {
    Page* page = find(address + std::uint64_t{i} * kPageBytes);
    if (page == nullptr || address % kPageBytes != 0) {
      report("free()", address, "not allocated, or not a page's address");
      return;
    }
    page->used = false;
  }
  in_use_ -= pages;
  free_[pages].push_back(address);
}

HostMemory::Page& HostMemory::slot(std::uint64_t page) const {
  return (*chunks_[page / kChunkPages])[page % kChunkPages];
}

HostMemory::Page* HostMemory::find(std::uint64_t address) const {
  const std::uint64_t page = address / kPageBytes;
  if (page >= next_page_ || page / kChunkPages >= chunks_.size()) return nullptr;
  Page& found = slot(page);
  return found.used ? &found : nullptr;
}

bool HostMemory::allocated(std::uint64_t address) const { return find(address) != nullptr; }

void HostMemory::write(std::uint64_t address, const void* from, std::size_t bytes) {
  const auto* source = static_cast<const std::byte*>(from);
  while (bytes > 0) {
    const std::size_t offset = address % kPageBytes;
    const std::size_t part = std::min<std::size_t>(bytes, kPageBytes - offset);
    Page* page = find(address);
    if (page == nullptr) {
      report("write", address, kNotAllocated);
      return;
    }
    if (!page->bytes) page->bytes = std::make_unique<PageBytes>();
    std::memcpy(page->bytes->data() + offset, source, part);
    source += part;
    address += part;
    bytes -= part;
  }
}

void HostMemory::read(std::uint64_t address, void* to, std::size_t bytes) const {
  auto* target = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const std::size_t offset = address % kPageBytes;
    const std::size_t part = std::min<std::size_t>(bytes, kPageBytes - offset);
    const Page* page = find(address);
    if (page == nullptr) {
      report("read", address, kNotAllocated);
      std::memset(target, 0, bytes);
      return;
    }
    if (page->bytes) {
      std::memcpy(target, page->bytes->data() + offset, part);
    } else {
      std::memset(target, 0, part);
    }
    target += part;
    address += part;
    bytes -= part;
  }
}

data::BlockStamp& HostMemory::block(std::uint64_t address) {
  Page* page = find(address);
  if (page == nullptr || address % kLbaBytes != 0) {
    report("block access", address, page == nullptr ? kNotAllocated : "not a multiple of 512");
    nowhere_ = {};
    return nowhere_[0];
  }
  return page->blocks[address % kPageBytes / kLbaBytes];
}

data::SectorBlocks& HostMemory::page(std::uint64_t address) {
  Page* page = find(address);
  if (page == nullptr || address % kPageBytes != 0) {
    report("page access", address, page == nullptr ? kNotAllocated : "not a multiple of 4096");
    nowhere_ = {};
    return nowhere_;
  }
  return page->blocks;
}

}  // namespace wordline::host
