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

namespace wordline::host {

/// Host memory as the drive sees it, in 4 KiB pages. A page has two faces: real bytes (queues, PRP lists, Identify
/// data, DSM ranges), which exist only once they are written, and eight block stamps, one for each 512 bytes of user
/// data.
///
/// Accuracy: content only; time is the link's. Known gap: user data are stamps, so a page that the host reads from the
/// drive does not show those data as bytes, and bytes written by the host do not reach the drive as user data.
class HostMemory {
 public:
  static constexpr std::uint32_t kPageBytes = 4096;

  HostMemory();

  /// Address of `pages` consecutive pages, page aligned, never 0. Bytes and stamps are zero on first use; a page that
  /// is allocated again holds what it held. O(1) after warm-up.
  [[nodiscard]] std::uint64_t allocate(std::uint32_t pages = 1);
  /// Gives back what allocate() returned, with the same number of pages.
  void free(std::uint64_t address, std::uint32_t pages = 1);

  /// Bytes, over page borders. Outside allocated pages: SC_ERROR, and zeros are read.
  void write(std::uint64_t address, const void* from, std::size_t bytes);
  void read(std::uint64_t address, void* to, std::size_t bytes) const;

  /// Stamp of the 512-byte block at `address` (a multiple of 512), valid as long as this object.
  [[nodiscard]] data::BlockStamp& block(std::uint64_t address);
  /// The eight stamps of the page at `address` (a multiple of 4096).
  [[nodiscard]] data::SectorBlocks& page(std::uint64_t address);

  [[nodiscard]] bool allocated(std::uint64_t address) const;
  [[nodiscard]] std::size_t pages_in_use() const { return in_use_; }

 private:
  static constexpr std::size_t kChunkPages = 256;
  using PageBytes = std::array<std::byte, kPageBytes>;
  struct Page {
    data::SectorBlocks blocks{};
    std::unique_ptr<PageBytes> bytes;
    bool used = false;
  };

  using Chunk = std::array<Page, kChunkPages>;

  [[nodiscard]] Page& slot(std::uint64_t page) const;
  [[nodiscard]] Page* find(std::uint64_t address) const;

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> free_;  // by number of pages
  std::uint64_t next_page_ = 1;                               // page 0 stays unused: address 0 is no address
  std::size_t in_use_ = 0;
  data::SectorBlocks nowhere_;  // takes accesses outside allocated pages, after the error
};

}  // namespace wordline::host
