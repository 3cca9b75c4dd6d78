// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "tlm/device/nvme/io_commands.h"

namespace wordline::host::nvme {

/// engines.parse = off: I/O commands go to the firmware as they were fetched, into a table in tightly coupled memory,
/// and the firmware checks them (models/firmware/contract/host_ring.h). PRPs, and the lists and ranges that the
/// firmware asks for, are still read here. Admin commands are no part of it.
///
/// An SGL is the controller's own: it is read before the firmware sees the entry, which then says PRP (PSDT 00b) and
/// one that is good; lists are answered at once. When the SGL is no good, the entry has a PRP1 that the firmware
/// refuses after all other fields, and the host gets the status of the SGL in its place. So it is with PRPs that name
/// the controller memory buffer.
///
/// Time: an entry, or ranges, are written to the table word by word, a clock of the cores each (assumed), one after the
/// other; the read of an SGL delays no other entry.
class FirmwareParser final : public IoCommands {
 public:
  FirmwareParser(QueueSet& queues, const Namespaces& namespaces, HostDataMover& mover, Agenda& agenda,
                 const Reports& reports, Hertz clock)
      : IoCommands(queues, namespaces, mover, agenda, reports),
        clock_(clock),
        pointer_status_(mover.commands().size()) {}

  /// Finds the tables that the firmware has set up. False: one is not in tightly coupled memory, which has reported it.
  bool firmware_ready() override;
  bool take_job(const wl_host_job& job) override;
  void namespaces_changed() override;
  [[nodiscard]] Status status_for_host(std::uint32_t tag, Status status) const override;

 private:
  Picoseconds entry_taken(std::uint32_t tag, Picoseconds at) override;
  void entry_arrived(std::uint32_t tag) override;
  Picoseconds ranges_taken(Picoseconds at, std::uint64_t bytes) override { return write_table(at, bytes); }
  void ranges_arrived(std::uint32_t tag, const RangeList& ranges) override;
  void ranges_failed(std::uint32_t tag, Status status) override { answer(tag, WL_EVENT_RANGES, status); }
  void list_ended(std::uint32_t tag, Status status) override;

  Picoseconds write_table(Picoseconds from, std::size_t bytes);
  bool take_extent(std::uint32_t tag);
  void start_list(std::uint32_t tag);
  Status start_sgl(std::uint32_t tag);
  [[nodiscard]] HostCommand as_named(const SubmissionEntry& sqe) const;
  [[nodiscard]] bool names_own_memory(const SubmissionEntry& sqe) const;
  void pointer_ended(std::uint32_t tag, Status status);
  void hand_over(std::uint32_t tag, const SubmissionEntry& sqe);
  void start_ranges(const wl_host_job& job);
  void begin_copy(const wl_host_job& job);
  void answer(std::uint32_t tag, std::uint8_t type, Status status);

  const Hertz clock_;
  wl_sqe* table_ = nullptr;  // by tag, as extents_
  std::uint32_t* extents_ = nullptr;
  std::byte* range_table_ = nullptr;
  wl_namespace_table* namespace_table_ = nullptr;
  Picoseconds table_free_{};            // the port is busy until then
  std::vector<Status> pointer_status_;  // by tag, of commands with an SGL, or whose PRPs name own memory
};

}  // namespace wordline::host::nvme
