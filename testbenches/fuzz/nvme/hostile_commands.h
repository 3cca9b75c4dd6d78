// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "testbenches/fuzz/draws.h"
#include "testbenches/fuzz/nvme/guarded_blocks.h"
#include "testbenches/fuzz/nvme/hostile_host.h"

namespace wordline::fuzz {

/// Makes commands of every class of hostility, each with the statuses that NVM Express allows for it, and well-formed
/// ones whose data are checked. Commands that are to be refused may name guarded blocks: they must change nothing.
/// Commands that may write keep away from these.
class HostileCommands {
 public:
  HostileCommands(HostileHost& host, std::uint64_t seed);

  [[nodiscard]] Draws& draws() { return draws_; }
  /// For an I/O queue.
  [[nodiscard]] HostileCommand io();
  /// A read of guarded blocks, checked.
  [[nodiscard]] HostileCommand checked_read();
  /// Any bits, for a queue whose completions are only counted.
  [[nodiscard]] host::nvme::SubmissionEntry any_bits();
  /// An admin command that changes no queue.
  [[nodiscard]] HostileCommand admin();
  /// A command for a queue to be created or deleted, which is refused.
  [[nodiscard]] HostileCommand refused_queue();

 private:
  using Entry = host::nvme::SubmissionEntry;
  static constexpr std::uint64_t kGuarded = 4096, kBuffers = 96, kPagesPerBuffer = 16, kHostilePages = 64;

  HostileCommand well_formed();
  HostileCommand checked_write(bool zeroes);
  HostileCommand checked_deallocation();
  HostileCommand refused_fields();
  HostileCommand refused_range();
  HostileCommand refused_pointer();
  HostileCommand outside_of_memory();
  HostileCommand list_that_loops();
  HostileCommand hostile_deallocation();
  HostileCommand random_fields();

  /// A place of up to `most` guarded blocks that no command is at work on; `blocks` 0: none was found.
  struct Run {
    std::uint64_t lba = 0;
    std::uint32_t blocks = 0;
  };
  Run idle_run(std::uint32_t most);
  Entry entry(std::uint8_t opcode, std::uint64_t lba, std::uint32_t blocks);
  /// A read of any blocks, or a write that keeps away from the guarded ones.
  Entry data_entry(std::uint32_t blocks);
  std::uint64_t hostile_page() { return hostile_pages_ + draws_.below(kHostilePages) * 4096; }
  std::uint64_t nowhere();
  void set_pages(Entry& e, const std::vector<std::uint64_t>& pages, std::uint64_t list);
  void ignored_fields(Entry& e);

  HostileHost& host_;
  Draws draws_;
  GuardedBlocks guarded_;
  std::uint32_t version_ = data::kVersionFirstWrite;
  std::vector<std::uint64_t> buffers_;  // free ones, of checked commands
  std::uint64_t hostile_pages_, lists_, ranges_, pages_of_information_;
};

}  // namespace wordline::fuzz
