// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/data/power_promises.h"
#include "models/units/index.h"
#include "models/workload/source.h"
#include "tlm/host/driver/host_metadata.h"
#include "tlm/host/driver/oracle.h"
#include "tlm/host/driver/request_client_if.h"
#include "tlm/host/memory/host_memory.h"

namespace wordline::host {

/// Data buffers of the driver's commands: what a write puts into them, what a read has to find, and the oracle,
/// which records both. Buffers are page aligned and used again. It does not submit a command.
class CheckedData {
 public:
  /// What the reads of the workload met, in blocks of 512 bytes; of a logical page that is read whole its first LBA
  /// counts for all of them.
  struct ReadContent {
    std::uint64_t nlb = 0;
    std::uint64_t empty = 0;  // never written, or deallocated
    [[nodiscard]] double without_data() const {
      return nlb == 0 ? 0.0 : static_cast<double>(empty) / static_cast<double>(nlb);
    }
  };
  /// LBAs and buffers of one command.
  struct Extent {
    std::uint64_t slba = 0;
    std::uint32_t nlb = 0;
    std::vector<std::uint64_t> pages;
    std::uint64_t metadata = 0;     // buffer of them, where the host has some apart from its blocks
    bool forced = false;            // a write with FUA
    std::uint64_t flush_began = 0;  // of a FLUSH
    std::uint64_t tag = 0;          // of the request
    Oracle::Read read;
  };

  /// Who hears of commands; null: nobody does. `promises`: of all writes, and of what a FLUSH or FUA promises.
  /// `client`: which stamps the blocks have.
  struct Listeners {
    data::PowerPromises* promises = nullptr;
    RequestClientIf* client = nullptr;
  };
  /// `contiguous`: the pages of a command lie one behind the other.
  CheckedData(Oracle& oracle, HostMemory& memory, LpageSize size, HostMetadata metadata, Listeners listeners,
              bool contiguous)
      : oracle_(oracle),
        size_(size),
        memory_(memory),
        metadata_(std::move(metadata)),
        promises_(listeners.promises),
        client_(listeners.client),
        contiguous_(contiguous) {}

  /// Buffers for the command, filled; the oracle has it in flight. `request`: its number in messages. `version`: of the
  /// request's writes, made at the first of its commands.
  void begin(workload::Op op, Extent& extent, std::uint64_t request, std::uint32_t& version);
  /// The command has succeeded. `counted`: with it its request is checked. False: a read found wrong data.
  [[nodiscard]] bool end(workload::Op op, Extent& extent, std::uint32_t version, bool counted);
  /// The command has failed: a read says nothing, a write may have happened or not.
  void fail(workload::Op op, Extent& extent, std::uint32_t version);
  /// Gives the buffers back.
  void release(Extent& extent);
  /// end() of a command from `slba` on comes soon.
  void prefetch(std::uint64_t slba) const { oracle_.prefetch(Lba(slba)); }
  [[nodiscard]] const ReadContent& read_content() const { return read_content_; }
  /// The drive was shut down: what has completed is there when power comes back.
  void shut_down() {
    if (promises_ != nullptr) promises_->flushed(++events_);
  }
  /// The reads that come now are not the workload's.
  void workload_over() { counts_content_ = false; }
  /// The oracle's first message, or that of metadata, or `otherwise`.
  [[nodiscard]] std::string message(const std::string& otherwise) const {
    if (!oracle_.messages().empty()) return oracle_.messages().front();
    return metadata_message_.empty() ? otherwise : metadata_message_;
  }

 private:
  void acquire(Extent& extent, std::uint32_t pages);
  [[nodiscard]] bool check(const Extent& extent);
  void tell_begin(workload::Op op, const Extent& extent, std::uint32_t version) const;
  void tell_end(workload::Op op, const Extent& extent, std::uint32_t version, bool succeeded) const;
  [[nodiscard]] const data::LbaStamp* stamps_at(const Extent& extent, std::uint32_t block);
  [[nodiscard]] bool check_metadata(const Extent& extent);
  [[nodiscard]] bool completed_is_safe() const { return promises_ != nullptr && promises_->completed_is_safe(); }
  void promise_begins(std::uint64_t slba, std::uint64_t nlb, std::uint32_t version, bool zero);
  void promise_ends(std::uint64_t slba, std::uint64_t nlb, std::uint32_t version, bool forced);
  void promise_fails(std::uint64_t slba, std::uint64_t nlb, std::uint32_t version);

  Oracle& oracle_;
  const LpageSize size_;
  HostMemory& memory_;
  HostMetadata metadata_;
  std::string metadata_message_;  // of the first block whose metadata are wrong
  data::PowerPromises* const promises_;
  RequestClientIf* const client_;
  const bool contiguous_;
  std::uint64_t events_ = 0;  // of writes and FLUSH: the time of promises
  std::vector<std::uint64_t> free_pages_;
  ReadContent read_content_;
  bool counts_content_ = true;
};

}  // namespace wordline::host
