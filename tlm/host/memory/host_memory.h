// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "models/data/stamp.h"
#include "tlm/protocol/host_memory_if.h"

namespace wordline::host {

/// Host memory in 4 KiB pages: for the drive a HostMemoryIf, for the host an allocator and references to stamps. A page
/// has two faces: real bytes (queues, PRP lists, Identify data, DSM ranges), which exist only once they are written,
/// and eight LBA stamps, one for each 512 bytes of user data.
///
/// Accuracy: content only; time is the link's. Known gap: user data are stamps, so a page that the host reads from the
/// drive does not show those data as bytes. Bytes written by the host are no user data: when the drive is to take a
/// LBA whose bytes are newer than its stamp, read_stamps() reports it.
class HostMemory final : public HostMemoryIf {
 public:
  static constexpr std::uint32_t kPageBytes = 4096;

  /// Is told of bytes that are written to pages that it watches, when they are there: for a host that polls.
  class WatcherIf {
   public:
    virtual void written() = 0;

   protected:
    ~WatcherIf() = default;
  };

  HostMemory();

  /// Address of `pages` consecutive pages, page aligned, never 0. Bytes and stamps are zero on first use; a page that
  /// is allocated again holds what it held. O(1) after warm-up.
  [[nodiscard]] std::uint64_t allocate(std::uint32_t pages = 1);
  /// Gives back what allocate() returned, with the same number of pages.
  void free(std::uint64_t address, std::uint32_t pages = 1);

  /// `pages` pages from `address` on, which stay allocated as long as `watcher`: one watcher for a page.
  void watch(std::uint64_t address, std::uint32_t pages, WatcherIf& watcher);

  // HostMemoryIf. Outside allocated pages: a warning, and false.
  bool read(std::uint64_t address, void* to, std::size_t bytes) override;
  bool write(std::uint64_t address, const void* from, std::size_t bytes) override;
  bool read_stamps(std::uint64_t address, data::LbaStamp* to, std::uint32_t nlb) override;
  bool write_stamps(std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb) override;

  /// The host's own access. Stamp of the 512-byte block at `address` (a multiple of 512), valid as long as this object;
  /// from now on the LBA holds user data, whatever bytes were written to it.
  [[nodiscard]] data::LbaStamp& stamp(std::uint64_t address);
  /// The host's own access to the eight stamps of the page at `address` (a multiple of 4096).
  [[nodiscard]] data::HostPageStamps& page(std::uint64_t address);

  /// `bytes` bytes from `address` on lie in allocated pages.
  [[nodiscard]] bool allocated(std::uint64_t address, std::size_t bytes = 1) const;
  /// LBAs from `address` on, within one page, that hold bytes newer than their stamp: bit i for LBA i.
  [[nodiscard]] unsigned without_stamp(std::uint64_t address, std::uint32_t nlb) const;
  [[nodiscard]] std::size_t pages_in_use() const { return in_use_; }

 private:
  static constexpr std::size_t kChunkPages = 256;
  using PageBytes = std::array<std::byte, kPageBytes>;
  struct Page {
    data::HostPageStamps stamps{};
    std::unique_ptr<PageBytes> bytes;
    WatcherIf* watcher = nullptr;
    bool used = false;
    std::uint8_t bytes_newer = 0;  // bit i: the bytes of LBA i were written after its stamp
  };

  using Chunk = std::array<Page, kChunkPages>;

  [[nodiscard]] Page& slot(std::uint64_t page) const { return (*chunks_[page / kChunkPages])[page % kChunkPages]; }
  [[nodiscard]] Page* find(std::uint64_t address) const {
    const std::uint64_t page = address / kPageBytes;
    if (page >= next_page_ || page / kChunkPages >= chunks_.size()) return nullptr;
    Page& found = slot(page);
    return found.used ? &found : nullptr;
  }
  [[nodiscard]] Page* find_lbas(const char* what, std::uint64_t address, std::uint32_t nlb) const;

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> free_;  // by number of pages
  std::uint64_t next_page_ = 1;                               // page 0 stays unused: address 0 is no address
  std::size_t in_use_ = 0;
  data::HostPageStamps nowhere_;  // takes accesses outside allocated pages, after the error
};

}  // namespace wordline::host
