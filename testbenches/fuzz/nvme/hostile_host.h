// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "testbenches/fuzz/tally.h"
#include "tlm/device/drive.h"
#include "tlm/device/nvme/nvme_controller.h"
#include "tlm/host/memory/host_memory.h"

namespace wordline::fuzz {

/// A command, what it is an example of, and how it may end.
struct HostileCommand {
  host::nvme::SubmissionEntry entry{};
  const char* input_class = "";
  std::vector<host::nvme::Status> fits;  // without Do Not Retry; empty: any that the model knows
  /// Called once, when the command has ended: by a completion, or cut off.
  enum class End { kSuccess, kError, kCutOff };
  std::function<void(End)> ended = nullptr;
};

/// A host without a driver: registers, doorbells and queues by hand, from the thread of a test. It keeps the rules of
/// queues itself, so that what it breaks is broken on purpose, and holds every completion against the command: the
/// command is outstanding, its status is one that fits, the queue is its own. Nothing is waited for without an end.
class HostileHost final : public sc_core::sc_module, public host::HostInterruptIf {
 public:
  static constexpr std::uint32_t kQueues = host::nvme::kMaxIoQueues + 1;
  struct Submission {
    bool exists = false;
    bool foreign_ids = false;  // entries that send() has not made: their completions are only counted
    std::uint16_t cq = 0;
    std::uint32_t size = 0, tail = 0, head = 0;
    std::uint64_t base = 0;
    std::uint64_t completions = 0;
    std::map<std::uint16_t, HostileCommand> outstanding;
  };
  struct Completion {
    bool exists = false, phase = true;
    std::uint32_t size = 0, head = 0;
    std::uint64_t base = 0;
  };

  /// Connects itself with the drive, which has an NVMe controller. `user_lbas`: exported.
  /// `controller_memory`: bytes of the controller memory buffer.
  HostileHost(const sc_core::sc_module_name& name, std::uint64_t user_lbas, std::uint64_t controller_memory,
              device::Drive& drive, Tally& tally);

  tlm_utils::simple_initiator_socket<HostileHost> socket{"socket"};
  /// Runs in a thread of this module.
  std::function<void(HostileHost&)> body;
  [[nodiscard]] bool finished() const { return finished_; }

  void interrupt(unsigned /*vector*/, Picoseconds /*at*/) override { event_.notify(sc_core::SC_ZERO_TIME); }

  // ---- registers ----
  /// False: the controller does not take an access of this kind.
  bool access(bool write, std::uint64_t offset, void* data, unsigned bytes);
  std::uint32_t read32(std::uint32_t offset);
  void write32(std::uint32_t offset, std::uint32_t value) { access(true, offset, &value, 4); }

  // ---- memory ----
  /// Pages of the controller memory buffer, where the controller finds it; none of this host's memory lies there.
  [[nodiscard]] std::uint64_t controller_pages() const { return controller_memory_ / 4096; }
  [[nodiscard]] static std::uint64_t controller_page(std::uint64_t index) { return kControllerBase + index * 4096; }
  /// Into memory of the host or the controller.
  void store(std::uint64_t address, const void* data, std::size_t bytes);

  // ---- queues ----
  Submission& sq(std::uint32_t qid) { return sqs_.at(qid); }
  Completion& cq(std::uint32_t qid) { return cqs_.at(qid); }
  /// Free places of a submission queue, by what the controller has reported of it.
  [[nodiscard]] std::uint32_t room(std::uint32_t qid) const;
  /// Puts a command into the queue, which has room; no doorbell.
  void put(std::uint32_t qid, HostileCommand command);
  void ring_tail(std::uint32_t qid) { write32(host::nvme::sq_tail_doorbell(qid), sqs_.at(qid).tail); }
  /// Sends an admin command and waits for its completion. Status without Do Not Retry.
  host::nvme::Status admin(HostileCommand command);
  /// As admin(), with a queue of both kinds as its result when it succeeds.
  host::nvme::Status create_cq(std::uint32_t qid, std::uint32_t entries, std::uint64_t base, bool interrupts);
  host::nvme::Status create_sq(std::uint32_t qid, std::uint32_t cqid, std::uint32_t entries, std::uint64_t base);
  void delete_sq(std::uint32_t qid);
  void delete_cq(std::uint32_t qid);

  /// Takes all completions that are there; up to `most` of each queue.
  void reap(std::uint32_t most = UINT32_MAX);
  [[nodiscard]] std::size_t outstanding() const;  // of I/O queues
  /// Waits until `condition`, taking completions. False, and a failure: it did not come to that in time.
  bool wait_for(const std::function<bool()>& condition, const char* what);
  void pass(Picoseconds time);

  // ---- controller ----
  /// Enables the controller, with an admin queue of `entries` at `base` or in memory of its own.
  bool enable(std::uint32_t entries);
  /// CC.EN = 0, a reset of the NVM subsystem, or of the function; all commands are cut off.
  enum class Reset { kController, kSubsystem, kFunction };
  bool reset(Reset how = Reset::kController);
  [[nodiscard]] bool fatal() { return (read32(host::nvme::kRegCsts) & host::nvme::kCstsFatal) != 0; }

  void fail(const std::string& what);
  [[nodiscard]] bool broken() const { return broken_; }

  /// Namespace identifiers are 1 to this; only 1 is active. More than one: namespaces come and go.
  std::uint32_t namespace_ids = 1;
  /// How a command ends that names another one than 1.
  [[nodiscard]] host::nvme::Status refusal(std::uint32_t nsid) const {
    return nsid - 1 < namespace_ids ? host::nvme::kInvalidField : host::nvme::kInvalidNamespace;
  }

  mutable host::HostMemory memory;  // reading counts as a change
  const std::uint64_t user_lbas;
  std::uint64_t admin_sq_base = 0, admin_cq_base = 0;

 private:
  SC_HAS_PROCESS(HostileHost);
  void run();
  bool take(std::uint32_t cqid);
  void judge(Submission& queue, const host::nvme::CompletionEntry& entry);
  void cut_off(Submission& queue);
  [[nodiscard]] bool posted(const Completion& queue) const;

  static constexpr std::uint64_t kControllerBase = std::uint64_t{1} << 46;

  host::PcieLink& link_;
  host::NvmeController& controller_;
  const std::uint64_t controller_memory_;
  Tally& tally_;
  std::array<Submission, kQueues> sqs_;
  std::array<Completion, kQueues> cqs_;
  sc_core::sc_event event_;
  std::uint16_t next_cid_ = 0;
  host::nvme::Status admin_status_ = 0;
  bool finished_ = false, broken_ = false;
};

}  // namespace wordline::fuzz
