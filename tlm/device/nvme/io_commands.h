// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "rtl/slot/block_recording.h"
#include "tlm/device/engines/own_engine.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/error_log.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/device/nvme/prp_reader.h"
#include "tlm/device/nvme/queues.h"
#include "tlm/device/nvme/sgl_reader.h"

namespace wordline::host::nvme {

/// I/O commands from the fetched entry to the firmware: their entries by tag, PRP lists, SGLs and ranges. Who checks an
/// entry is a matter of the two classes that derive from it: HardwareParser (engines.parse = on) and FirmwareParser.
///
/// Accuracy: an entry's bytes are taken when its read is issued, not when it arrives.
class IoCommands : private Agenda::Client, private DmaAccess::Client, private DataPointerUserIf {
 public:
  /// Commands that go another way.
  class ManagementIf {
   public:
    [[nodiscard]] virtual bool takes(const SubmissionEntry& sqe) const = 0;
    /// It completes the command.
    virtual void begin(std::uint32_t tag) = 0;

   protected:
    ~ManagementIf() = default;
  };

  IoCommands(QueueSet& queues, const Namespaces& namespaces, HostDataMover& mover, Agenda& agenda,
             const Reports& reports);
  virtual ~IoCommands() = default;

  /// Entry of `tag`, to be filled in before take().
  [[nodiscard]] SubmissionEntry& entry(std::uint32_t tag) { return entries_[tag]; }
  [[nodiscard]] const SubmissionEntry& entry(std::uint32_t tag) const { return entries_[tag]; }
  [[nodiscard]] ErrorLog::Place place_of(std::uint32_t tag) const;
  /// An entry is on its way from host memory.
  void coming() { ++active_; }
  /// The entry of `tag`, which was coming(), arrives at `at`.
  void take(std::uint32_t tag, Picoseconds at);
  /// Commands that were coming and have not ended.
  [[nodiscard]] std::uint32_t active() const { return active_; }
  void ended() { --active_; }
  /// From now on commands end with `status` as they arrive; kSuccess: no more.
  void refuse_all(Status status) { refused_with_ = status; }
  /// Reads of blocks without data are errors in these namespaces, a bit each.
  void report_unwritten(std::uint32_t namespaces) { unwritten_errors_ = namespaces; }
  void divert(ManagementIf& management) { management_ = &management; }
  /// The turn of this deallocation has come: reads its ranges.
  void bring_ranges(std::uint32_t tag);

  /// As HostFrontEndIf.
  virtual bool firmware_ready() = 0;
  virtual bool take_job(const wl_host_job& job) = 0;
  /// Another LBA format, or other namespaces. No command is under way that they concern.
  virtual void namespaces_changed() {}
  /// What goes into the parser, as far as somebody wants it; null: no more.
  virtual void record(rtl::BlockRecording* /*to*/) {}
  /// A parser of the user's own; null: none.
  [[nodiscard]] virtual const engines::OwnEngine* own_engine() const { return nullptr; }
  /// The status in the completion entry of a command that has ended with the error `status`.
  [[nodiscard]] virtual Status status_for_host(std::uint32_t /*tag*/, Status status) const { return status; }

 protected:
  /// When the entry of `tag`, which arrives at `at`, has been taken.
  virtual Picoseconds entry_taken(std::uint32_t tag, Picoseconds at) = 0;
  virtual void entry_arrived(std::uint32_t tag) = 0;
  /// When ranges that arrive at `at` have been taken.
  virtual Picoseconds ranges_taken(Picoseconds at, std::uint64_t bytes) = 0;
  virtual void ranges_arrived(std::uint32_t tag, const RangeList& ranges) = 0;
  /// The ranges could not be read, or (kAbortedQueueDeleted) the command was lost in a reset before they arrived.
  virtual void ranges_failed(std::uint32_t tag, Status status) = 0;

  /// The command as the mover has it: what its opcode asks for, and nothing else of the entry.
  static void name(HostCommand& command, std::uint8_t opcode);
  [[nodiscard]] HostCommand& command(std::uint32_t tag) { return mover_.commands()[tag]; }
  [[nodiscard]] bool lost(std::uint32_t tag) const { return mover_.commands().lost(mover_.commands()[tag]); }

  const Namespaces& namespaces_;
  HostDataMover& mover_;
  const Reports& reports_;
  PrpReader prps_;
  SglReader sgls_;

 private:
  enum class Kind : std::uint32_t {
    kEntry,   // index: tag
    kRanges,  // index: tag, value: whether host memory had them
  };
  void act(const Agenda::Action& action) final;
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override;
  void refuse(std::uint32_t tag);
  void take_ranges(std::uint32_t tag, bool good);

  QueueSet& queues_;
  Agenda& agenda_;
  std::vector<SubmissionEntry> entries_;  // entries by tag
  std::uint32_t active_ = 0;
  Status refused_with_ = kSuccess;
  std::uint32_t unwritten_errors_ = 0;
  ManagementIf* management_ = nullptr;
  RangeList ranges_;  // ranges of the one deallocation whose turn it is
};

}  // namespace wordline::host::nvme
