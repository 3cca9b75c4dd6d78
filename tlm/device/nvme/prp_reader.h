// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/data_pointer.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// Host pages of commands from PRP1, PRP2 and PRP lists (Base 4.1.1). The pages are put into the mover's HostCommand.
///
/// Time: a PRP list is read over the link, one request for the entries in a page; lists that continue are read one
/// after the other. Known gap: data begin at a multiple of 512 bytes, ranges at a multiple of 4; another offset is PRP
/// Offset Invalid.
class PrpReader final : private Agenda::Client, private DmaAccess::Client {
 public:
  PrpReader(HostDataMover& mover, Agenda& agenda, DataPointerUserIf& user)
      : mover_(mover), agenda_(agenda), user_(user), lists_(mover.commands().size()) {}

  /// Pages of the command from its entry; `ranges` and `nlb` of the command are set. has_list(): the rest is in a
  /// list.
  Status start(std::uint32_t tag, const SubmissionEntry& sqe);
  /// What can be said of the PRPs of an entry with such data, some of it. A list may be no good yet.
  [[nodiscard]] Status check(const SubmissionEntry& sqe, const PointedData& data) const;
  [[nodiscard]] bool has_list(std::uint32_t tag) const { return lists_[tag].address != 0; }
  /// The command has no list, until start() finds one.
  void forget(std::uint32_t tag) { lists_[tag].address = 0; }
  /// Reads the list; DataPointerUserIf::list_ended() follows.
  void read_list(std::uint32_t tag);

 private:
  enum class Kind : std::uint32_t { kList };  // index: tag, value: whether host memory had the entries
  struct List {
    std::uint64_t address = 0;           // address of the entries to be read next; 0: there is no list
    std::uint32_t pages = 0;             // pages that the command has in all
    std::vector<std::uint64_t> entries;  // read last
  };
  void act(const Agenda::Action& action) override { take_entries(action.index, action.value != 0); }
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override {
    agenda_.schedule(at, *this, Kind::kList, access.index, good ? 1 : 0);
  }
  void take_entries(std::uint32_t tag, bool good);
  [[nodiscard]] std::uint32_t entries_in_page(std::uint32_t tag) const;

  HostDataMover& mover_;
  Agenda& agenda_;
  DataPointerUserIf& user_;
  std::vector<List> lists_;  // lists by tag
};

}  // namespace wordline::host::nvme
