// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/memory/host_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace wordline::host {
namespace {

constexpr const char* kMemoryReport = "wordline/host/host_memory";

std::string access_text(const char* what, std::uint64_t address, const char* why) {
  return fmt::format("{} of host memory at 0x{:x}: {}", what, address, why);
}

/// The user of this object has made a mistake.
void report(const char* what, std::uint64_t address, const char* why) {
  SC_REPORT_ERROR(kMemoryReport, access_text(what, address, why).c_str());
}

/// An address that may come from a command: the drive has to answer for it.
void warn(const char* what, std::uint64_t address, const char* why) {
  SC_REPORT_WARNING(kMemoryReport, access_text(what, address, why).c_str());
}
void warn_not_allocated(const char* what, std::uint64_t address) {
  warn(what, address, "the page is not allocated (wrong queue base, PRP entry or list?)");
}

constexpr std::uint32_t lba_in_page(std::uint64_t address) {
  return static_cast<std::uint32_t>(address % HostMemory::kPageBytes / kLbaBytes);
}
// Bit for each of `nlb` LBAs from that at `address` on.
constexpr std::uint8_t lba_bits(std::uint64_t address, std::uint32_t nlb) {
  return static_cast<std::uint8_t>(((1U << nlb) - 1) << lba_in_page(address));
}

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

void HostMemory::watch(std::uint64_t address, std::uint32_t pages, WatcherIf& watcher) {
  for (std::uint32_t i = 0; i < pages; ++i) {
    Page* page = find(address + std::uint64_t{i} * kPageBytes);
    if (page == nullptr) {
      report("watch()", address, "the page is not allocated");
      return;
    }
    page->watcher = &watcher;
  }
}

bool HostMemory::allocated(std::uint64_t address, std::size_t bytes) const {
  const std::uint64_t behind_first = std::max<std::size_t>(bytes, 1) - 1;
  if (behind_first > UINT64_MAX - address) return false;  // past the end of all addresses
  const std::uint64_t first = address / kPageBytes, last = (address + behind_first) / kPageBytes;
  for (std::uint64_t page = first; page <= last; ++page) {
    if (find(page * kPageBytes) == nullptr) return false;
  }
  return true;
}

bool HostMemory::write(std::uint64_t address, const void* from, std::size_t bytes) {
  const auto* source = static_cast<const std::byte*>(from);
  while (bytes > 0) {
    const std::size_t offset = address % kPageBytes;
    const std::size_t part = std::min<std::size_t>(bytes, kPageBytes - offset);
    Page* page = find(address);
    if (page == nullptr) {
      warn_not_allocated("write", address);
      return false;
    }
    if (!page->bytes) page->bytes = std::make_unique<PageBytes>();
    std::memcpy(page->bytes->data() + offset, source, part);
    const std::uint64_t last = (address + part - 1) / kLbaBytes;
    page->bytes_newer |= lba_bits(address, static_cast<std::uint32_t>(last - address / kLbaBytes) + 1);
    source += part;
    address += part;
    bytes -= part;
    if (page->watcher != nullptr) page->watcher->written();
  }
  return true;
}

bool HostMemory::read(std::uint64_t address, void* to, std::size_t bytes) {
  auto* target = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const std::size_t offset = address % kPageBytes;
    const std::size_t part = std::min<std::size_t>(bytes, kPageBytes - offset);
    const Page* page = find(address);
    if (page == nullptr) {
      warn_not_allocated("read", address);
      std::memset(target, 0, bytes);
      return false;
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
  return true;
}

HostMemory::Page* HostMemory::find_lbas(const char* what, std::uint64_t address, std::uint32_t nlb) const {
  Page* page = find(address);
  if (page == nullptr) {
    warn_not_allocated(what, address);
  } else if (address % kLbaBytes != 0) {
    report(what, address, "not a multiple of 512");
  } else if (lba_in_page(address) + nlb > kLbasPerHostPage) {
    report(what, address, "the blocks reach into the next page");
  } else {
    return page;
  }
  return nullptr;
}

unsigned HostMemory::without_stamp(std::uint64_t address, std::uint32_t nlb) const {
  const Page* page = find(address);
  if (page == nullptr) return 0;
  return static_cast<unsigned>(page->bytes_newer & lba_bits(address, nlb)) >> lba_in_page(address);
}

bool HostMemory::read_stamps(std::uint64_t address, data::LbaStamp* to, std::uint32_t nlb) {
  const Page* page = find_lbas("block access", address, nlb);
  if (page == nullptr) {
    std::fill_n(to, nlb, data::LbaStamp{});
    return false;
  }
  if ((page->bytes_newer & lba_bits(address, nlb)) != 0) {
    warn("read of user data", address,
         "the host has written bytes there, user data in this model are stamps (models/data/stamp.h)");
    std::fill_n(to, nlb, data::LbaStamp{});
    return false;
  }
  std::copy_n(&page->stamps[lba_in_page(address)], nlb, to);
  return true;
}

bool HostMemory::write_stamps(std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb) {
  Page* page = find_lbas("block access", address, nlb);
  if (page == nullptr) return false;
  std::copy_n(from, nlb, &page->stamps[lba_in_page(address)]);
  page->bytes_newer &= static_cast<std::uint8_t>(~lba_bits(address, nlb));
  return true;
}

data::LbaStamp& HostMemory::stamp(std::uint64_t address) {
  Page* page = find(address) != nullptr ? find_lbas("block access", address, 1) : nullptr;
  if (page == nullptr) {
    if (find(address) == nullptr) report("block access", address, "the page is not allocated");
    nowhere_ = {};
    return nowhere_[0];
  }
  page->bytes_newer &= static_cast<std::uint8_t>(~lba_bits(address, 1));
  return page->stamps[lba_in_page(address)];
}

data::HostPageStamps& HostMemory::page(std::uint64_t address) {
  Page* page = find(address);
  if (page == nullptr || address % kPageBytes != 0) {
    report("page access", address, page == nullptr ? "the page is not allocated" : "not a multiple of 4096");
    nowhere_ = {};
    return nowhere_;
  }
  page->bytes_newer = 0;
  return page->stamps;
}

}  // namespace wordline::host
