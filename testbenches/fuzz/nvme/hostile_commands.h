// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "testbenches/fuzz/draws.h"
#include "testbenches/fuzz/nvme/checked_commands.h"
#include "testbenches/fuzz/nvme/hostile_host.h"
#include "testbenches/fuzz/nvme/inner_commands.h"
#include "testbenches/fuzz/nvme/protection.h"

namespace wordline::fuzz {

/// Makes commands of every class of hostility, each with the statuses that NVM Express allows for it, and those whose
/// data are checked (CheckedCommands). Commands that are to be refused may name guarded blocks: they must change
/// nothing. Other commands that may write keep away from these.
class HostileCommands {
 public:
  HostileCommands(HostileHost& host, std::uint64_t seed, const config::Config& config);

  [[nodiscard]] Draws& draws() { return draws_; }
  /// For an I/O queue.
  [[nodiscard]] HostileCommand io();
  /// A read of guarded blocks, checked.
  [[nodiscard]] HostileCommand checked_read();
  /// Commands that are under way when a Format comes would meet another LBA format than that they were made for.
  [[nodiscard]] bool format_needs_quiet() const { return protection_.offered(); }
  /// Format NVM; I/O commands that are outstanding may be refused for it.
  [[nodiscard]] HostileCommand format();
  /// From now on, or no more, blocks without data may be errors of the commands that read them.
  void unwritten_are_errors(bool on) { unwritten_errors_ = on; }
  /// Any bits, for a queue whose completions are only counted.
  [[nodiscard]] host::nvme::SubmissionEntry any_bits();
  /// An admin command that changes no queue.
  [[nodiscard]] HostileCommand admin();
  /// A command for a queue to be created or deleted, which is refused.
  [[nodiscard]] HostileCommand refused_queue();
  /// Namespace commands that leave namespace 1 as it was, or another of its size without data; in this order. I/O
  /// commands that are outstanding may be refused for it.
  [[nodiscard]] std::vector<HostileCommand> namespaces();

 private:
  using Entry = host::nvme::SubmissionEntry;
  static constexpr std::uint64_t kHostilePages = 64, kLists = 8;
  static constexpr std::uint64_t kFirstControllerList = 6;  // pages before it are of queues

  HostileCommand any_io();
  HostileCommand refused_format();
  HostileCommand abort();
  /// Outstanding I/O commands that may end as the model likes: these may end with `status`, too.
  void may_end_with(host::nvme::Status status);
  HostileCommand well_formed();
  HostileCommand refused_fields();
  HostileCommand refused_range();
  HostileCommand refused_pointer();
  HostileCommand own_memory();
  /// Of a PRP list or an SGL, in memory of the host or the controller.
  std::uint64_t list_page();
  HostileCommand outside_of_memory();
  HostileCommand list_that_loops();
  HostileCommand hostile_sgl();
  HostileCommand hostile_deallocation();
  HostileCommand random_fields();

  /// A read of any blocks, or a write that keeps away from the guarded ones.
  Entry data_entry(std::uint32_t blocks);
  std::uint64_t hostile_page() { return hostile_pages_ + draws_.below(kHostilePages) * 4096; }

  HostileHost& host_;
  Draws draws_;
  CheckedCommands checked_;
  InnerCommands inner_;
  Protection protection_;
  bool unwritten_errors_ = false;
  std::uint64_t hostile_pages_, lists_, ranges_, pages_of_information_, namespace_page_;
  const bool lends_memory_;
  std::uint64_t lent_;
};

}  // namespace wordline::fuzz
