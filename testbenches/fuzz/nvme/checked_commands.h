// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "testbenches/fuzz/draws.h"
#include "testbenches/fuzz/nvme/hostile_host.h"
#include "tlm/host/driver/oracle.h"

namespace wordline::fuzz {

/// A well-formed entry of a command with blocks.
[[nodiscard]] host::nvme::SubmissionEntry entry(std::uint8_t opcode, std::uint64_t lba, std::uint32_t blocks);
/// Puts anything into fields that these commands do not have.
void ignored_fields(host::nvme::SubmissionEntry& entry, Draws& draws);
/// An address between allocated memory and the end of all addresses.
[[nodiscard]] std::uint64_t nowhere(Draws& draws);

/// Commands for the guarded blocks at the begin of the drive, and what a read of them may return. Half of the commands
/// fall on a few blocks, so that they overlap with others in flight: the oracle judges each block of a read by all that
/// is in flight beside it. A command that a reset or the end of its queue has cut off leaves a block as it was or as it
/// was to become; so does a write for a part of whose data there is no memory, and the blocks of that part it leaves.
class CheckedCommands {
 public:
  static constexpr std::uint64_t kBlocks = 4096;

  /// `lpage`: of the drive, which takes whole ones of a deallocation.
  CheckedCommands(HostileHost& host, Draws& draws, LpageSize lpage);

  [[nodiscard]] HostileCommand read();
  [[nodiscard]] HostileCommand write();
  [[nodiscard]] HostileCommand zeroes();
  [[nodiscard]] HostileCommand deallocation();
  /// Format NVM, after which all blocks are zeros.
  [[nodiscard]] HostileCommand format();
  /// The deletion of namespace 1.
  [[nodiscard]] HostileCommand deletion();
  /// A write that ends with Data Transfer Error.
  [[nodiscard]] HostileCommand write_without_memory();

 private:
  static constexpr std::uint64_t kFirstControllerList = 16;  // pages before it are of queues and hostile lists
  std::uint64_t list_of(std::uint64_t buffer);
  static constexpr std::uint64_t kBuffers = 96, kPagesPerBuffer = 16, kHotBlocks = 48;

  struct Run {
    std::uint64_t lba = 0;
    std::uint32_t blocks = 0;
  };
  /// The change of a command, in the oracle from when it is made.
  struct Change {
    std::uint32_t version;
    bool zero;
    std::vector<Run> runs;
  };

  enum class Outcome { kHappened, kUnknown, kRefused };

  static Outcome outcome_of(HostileCommand::End how);
  Run draw_run(std::uint32_t most);
  [[nodiscard]] bool out_of_buffers() const { return buffers_.empty(); }
  std::uint64_t take_buffer();
  HostileCommand flush();
  /// Of the page behind `buffer`, where there are more pages than two.
  void set_pages(host::nvme::SubmissionEntry& entry, const std::vector<std::uint64_t>& pages, std::uint64_t buffer);
  std::vector<std::uint64_t> fill(std::uint64_t buffer, const Run& run, std::uint32_t version);
  Change begin(bool zero, std::vector<Run> runs, std::uint32_t version);
  void end(const Change& change, Outcome outcome);
  void check(const host::Oracle::Read& read, const Run& run, std::uint64_t at);

  HostileHost& host_;
  Draws& draws_;
  const std::uint64_t granule_;  // blocks that a deallocation takes whole
  host::Oracle oracle_;
  std::uint64_t reads_ = 0;
  std::uint64_t hot_ = 0;                                    // first of the blocks that most commands fall on
  std::map<std::uint64_t, std::uint64_t> controller_lists_;  // by buffer
  std::vector<std::uint64_t> buffers_;                       // free ones
};

}  // namespace wordline::fuzz
