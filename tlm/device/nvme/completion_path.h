// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/units/pool.h"
#include "models/units/quantity.h"
#include "tlm/device/engines/pipeline.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/completion_gates.h"
#include "tlm/device/nvme/controller_status.h"
#include "tlm/device/nvme/error_log.h"
#include "tlm/device/nvme/interrupts.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/device/nvme/queues.h"

namespace wordline::host::nvme {

/// Completion entries on their way into the host's completion queues, with the MSI-X message behind each, and the head
/// doorbells that make room (Base 3.3.3.2, 3.3.1.2; MSI-X: PCI Express).
///
/// Accuracy: the entry leaves when the command's data have left, the message follows the entry, unless its vector is
/// coalesced (Interrupts); one instant at the host serves both. The tag is used again when the entry leaves. A slot of
/// a full queue is promised to the entry whose job came first. A head doorbell matters only when an entry waits for a
/// slot: one that is in order takes no instant of its own. An entry that cannot be written is a fatal error of the
/// controller (CSTS.CFS, Base 3.1.3.6).
///
/// nvme.completion_time, or the gates' clocks with engines.model = rtl: an entry after the other, by the time at which
/// its data have left. The gates make each entry and its message, too (CompletionGates).
class CompletionPath final : private Agenda::Client, private DmaAccess::Client, private HostDma::BehindIf {
 public:
  /// What lies above.
  class UserIf {
   public:
    /// A tag has been given back to the command table.
    virtual void tag_freed() = 0;
    /// The host has the completion of an I/O command of submission queue `qid`.
    virtual void command_left(std::uint32_t qid) = 0;
    /// What the I/O command `tag` is about.
    [[nodiscard]] virtual ErrorLog::Place place_of(std::uint32_t tag) const = 0;

   protected:
    ~UserIf() = default;
  };

  /// `gates`: null, the model alone. `engine`: makes the entries, if it is on.
  CompletionPath(QueueSet& queues, ControllerStatus& status, HostDataMover& mover, Agenda& agenda,
                 Interrupts& interrupts, ErrorLog& errors, UserIf& user, const Reports& reports, CompletionGates* gates,
                 engines::Pipeline& engine)
      : gates_(gates),
        engine_(engine),
        queues_(queues),
        status_(status),
        mover_(mover),
        agenda_(agenda),
        interrupts_(interrupts),
        errors_(errors),
        user_(user),
        reports_(reports) {}

  /// The I/O command `tag` has ended; as HostFrontEndIf::completed().
  void post(std::uint32_t tag, Status status, Picoseconds ready, const wl_host_event* quiet);
  /// `place`: of an error, for its log.
  void post_admin(std::uint16_t cid, Status status, std::uint32_t dw0, Picoseconds ready,
                  const ErrorLog::Place& place = {});
  /// Data of command `cid` of the submission queue did not get into host memory, and its completion is on its way.
  void data_lost(std::uint16_t qid, std::uint16_t cid) { lost_data_.push_back({qid, cid}); }
  /// The tag that the command table has kept may be taken again.
  void let_go();
  /// Frees the tag, without a completion, from `at` on.
  void release(std::uint32_t tag, Picoseconds at);

  /// The host's head doorbell, which arrives now. False: there is no such queue, or it has not posted that far.
  bool doorbell(std::uint32_t qid, std::uint32_t value);
  /// True: the doorbell needs no instant of its own, and has been taken. False: call doorbell() when it arrives.
  bool put_off(std::uint32_t qid, std::uint32_t value, Picoseconds at);
  /// Controller reset, before the queues are cleared: entries that wait for a slot are lost.
  void reset();

 private:
  enum class Kind : std::uint32_t {
    kArrived,       // index: completion, at the host
    kWritten,       // index: completion, in host memory
    kHeadDoorbell,  // index: queue, value: head
  };
  struct Completion {
    std::uint16_t sq = 0, cq = 0, cid = 0;
    Status status = kSuccess;
    std::uint32_t dw0 = 0;
    std::uint32_t epoch = 0;
    std::uint64_t parsed = 0;    // submission queue entries that it reports as taken
    std::uint32_t tag = kNone;   // kNone: an admin command
    std::uint32_t nsid = 0;      // of an I/O command
    std::uint8_t opcode = 0;     // likewise
    Picoseconds ready{};         // may leave from then on
    std::uint32_t next = kNone;  // in the queue of those without a slot
    std::uint16_t head = 0;      // head of the submission queue that it reports
    bool phase = false;
    bool written = false;  // in host memory that takes time
    bool message = false;  // behind the entry, on the link
    bool alone = false;    // its queue has interrupts, which are not coalesced: found when the entry is made
    std::uint64_t address = 0;
    bool quiet = false;  // `event` is pushed on arrival, before the host sees the entry
    wl_host_event event{};
  };

  void act(const Agenda::Action& action) override;
  std::uint32_t take();
  void queue(std::uint32_t index);
  void tell_firmware(Completion& completion, Picoseconds at);
  void send(std::uint32_t index, Picoseconds leaves);
  void arrived(std::uint32_t index);
  void write_entry(std::uint32_t index);
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override;
  void written(std::uint32_t index);
  void leave(std::uint32_t index);
  [[nodiscard]] HostDma::BehindBytes bytes_behind(std::uint32_t index) override;
  void lose_data(Completion& completion);
  void lose(std::uint32_t index);

  CompletionGates* const gates_;  // null: engines.model = model
  engines::Pipeline& engine_;
  QueueSet& queues_;
  ControllerStatus& status_;
  HostDataMover& mover_;
  Agenda& agenda_;
  Interrupts& interrupts_;
  ErrorLog& errors_;
  UserIf& user_;
  const Reports& reports_;
  Pool<Completion> completions_;
  struct Lost {
    std::uint16_t qid, cid;
  };
  std::vector<Lost> lost_data_;  // few, and seldom
};

}  // namespace wordline::host::nvme
