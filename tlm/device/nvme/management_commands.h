// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "models/firmware/contract/contract.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/completion_path.h"
#include "tlm/device/nvme/data_placement.h"
#include "tlm/device/nvme/firmware_admin.h"
#include "tlm/device/nvme/io_commands.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// I/O Management Receive and Send (Base 2.1, 7.3 and 7.4): the status of reclaim unit handles, and new reclaim units
/// for them. One after the other; they go to the firmware as admin commands do.
///
/// Known gap: data over more than two pages of host memory; a list of placement identifiers has 128 at most.
class ManagementCommands final : public IoCommands::ManagementIf,
                                 private Agenda::Client,
                                 private DmaAccess::Client,
                                 private FirmwareAdmin::AnswerIf {
 public:
  ManagementCommands(DataPlacement& placement, const Namespaces& namespaces, HostDataMover& mover, Agenda& agenda,
                     CompletionPath& completions, FirmwareAdmin& firmware, IoCommands& commands)
      : placement_(placement),
        namespaces_(namespaces),
        mover_(mover),
        agenda_(agenda),
        completions_(completions),
        firmware_(firmware),
        commands_(commands) {}

  [[nodiscard]] bool takes(const SubmissionEntry& sqe) const override;
  void begin(std::uint32_t tag) override;

 private:
  static constexpr std::size_t kIdentifiers = 128;
  enum class Kind : std::uint32_t { kList };  // value: whether host memory had it
  enum class Access : std::uint32_t {
    kList,
    kPage,  // index: queue << 16 | identifier of the command
  };
  void act(const Agenda::Action& action) override;
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override;
  void answered(Status status, std::uint32_t dw0, const std::byte* data, std::size_t bytes) override;
  void next();
  void read_list();
  void end(Status status, Picoseconds ready);
  [[nodiscard]] Status check(const SubmissionEntry& sqe) const;
  [[nodiscard]] const SubmissionEntry& sqe() { return commands_.entry(waiting_.front()); }
  [[nodiscard]] bool lost() const { return mover_.commands().lost(mover_.commands()[waiting_.front()]); }
  Picoseconds send_status(const std::byte* data);

  DataPlacement& placement_;
  const Namespaces& namespaces_;
  HostDataMover& mover_;
  Agenda& agenda_;
  CompletionPath& completions_;
  FirmwareAdmin& firmware_;
  IoCommands& commands_;
  std::deque<std::uint32_t> waiting_;  // tags; the first is being carried out
  std::array<std::uint16_t, kIdentifiers> list_{};
  std::array<std::byte, kPageBytes> page_{};
};

}  // namespace wordline::host::nvme
