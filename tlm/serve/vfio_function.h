// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <systemc>

#include "models/served/descriptor.h"
#include "models/served/pci_function.h"
#include "models/served/vfio_session.h"
#include "tlm/device/link/pcie_link.h"
#include "tlm/device/nvme/nvme_controller.h"
#include "tlm/protocol/simulation_context.h"
#include "tlm/serve/client_memory.h"

namespace wordline::serve {

/// The doorbells of a drive in memory that a client maps: it writes them without a message, and the drive looks what
/// has changed. Those of a queue that there is not are 0, so that a queue begins with 0 when it is made.
class DoorbellPage {
 public:
  /// `bar_bytes`: of the file, whose page at the offset of the doorbells is used. Throws std::runtime_error.
  explicit DoorbellPage(std::uint64_t bar_bytes);
  ~DoorbellPage();
  DoorbellPage(const DoorbellPage&) = delete;
  DoorbellPage& operator=(const DoorbellPage&) = delete;

  [[nodiscard]] int file() const { return file_.get(); }
  void clear();
  /// Calls ring(offset in BAR0, value) for each doorbell that has changed.
  void look(const host::nvme::QueueSet& queues,
            const std::function<void(std::uint32_t offset, std::uint32_t value)>& ring);
  /// A client has written this one by a message.
  void note(std::uint32_t offset, std::uint32_t value);

 private:
  static constexpr std::uint32_t kDoorbells = (host::nvme::kMaxIoQueues + 1) * 2;
  /// The client writes them at any time.
  [[nodiscard]] volatile std::uint32_t& at(std::uint32_t index) { return page_[index]; }

  served::Descriptor file_;
  volatile std::uint32_t* page_ = nullptr;
  std::array<std::uint32_t, kDoorbells> seen_{};
};

/// A drive's NVMe controller as a PCI function for a vfio-user client: BAR0 and its accesses over the link,
/// configuration space, table of MSI-X, interrupts and resets. What registers and queues do is the controller's.
///
/// Time: a write crosses the link and acts when it arrives; a read shows the present, and its value is at the host at
/// read_until(). A reset is over when it is answered: `drain` lets time pass until no command is in flight.
class VfioFunction final : public sc_core::sc_module, public served::VfioDeviceIf, private host::HostInterruptIf {
 public:
  struct Parts {
    tlm_if::SimulationContext& context;
    host::NvmeController& controller;
    host::PcieLink& link;
    ClientMemory& memory;
  };
  /// `cmb`: bytes of the controller memory buffer. `doorbells`: null: all of them come as messages.
  VfioFunction(const sc_core::sc_module_name& name, const Parts& parts, std::uint64_t cmb, bool maps_doorbells);

  /// Before the first client. Called with the instant of each message to the host.
  void on_interrupt(std::function<void(Picoseconds)> told) { told_ = std::move(told); }
  /// Doorbells that come as messages are handed to `held`, and act when they are rung.
  void hold_doorbells(std::function<void(std::uint32_t offset, std::uint32_t value)> held) { held_ = std::move(held); }
  void ring(std::uint32_t offset, std::uint32_t value) { write_dword(offset, value); }
  /// Each message to the host goes to `taken` with its instant, which may lie ahead, instead of to its vector's
  /// eventfd.
  void divert_interrupts(std::function<void(unsigned vector, Picoseconds at)> taken) { diverted_ = std::move(taken); }
  void drain_by(std::function<void()> drain) { drain_ = std::move(drain); }
  /// Called when a register has been written that CSTS follows.
  void settle_by(std::function<void()> settle) { settle_ = std::move(settle); }

  /// Doorbells that were written without a message. True: there were some.
  bool look_at_doorbells();
  [[nodiscard]] bool maps_doorbells() const { return doorbells_ != nullptr; }
  /// Nothing of a write that has been made is on its way to the drive any more, and the controller has nothing to do.
  [[nodiscard]] bool at_rest() const { return parts_.context.now() >= busy_until_ && !parts_.controller.at_work(); }
  /// The value of the last register that was read is at the host then.
  [[nodiscard]] Picoseconds read_until() const { return read_until_; }
  /// The client has gone, and with it its memory: the drive is as after a reset.
  void client_gone();
  [[nodiscard]] std::uint64_t resets() const { return resets_; }

  // served::VfioDeviceIf
  [[nodiscard]] served::VfioRegion region(std::uint32_t index) const override;
  int read(std::uint32_t region, std::uint64_t offset, std::byte* to, std::uint32_t count) override;
  int write(std::uint32_t region, std::uint64_t offset, const std::byte* from, std::uint32_t count) override;
  int map(const served::vfio::DmaMap& map, served::Descriptor file) override {
    return parts_.memory.map(map, std::move(file));
  }
  int unmap(const served::vfio::DmaUnmap& range) override { return parts_.memory.unmap(range); }
  void reset() override;
  [[nodiscard]] served::MessageVectors& vectors() override { return vectors_; }

 private:
  static constexpr std::uint32_t kVectors = host::nvme::kMaxIoQueues + 1;

  void interrupt(unsigned vector, Picoseconds at) override;
  int read_bar(std::uint64_t offset, std::byte* to, std::uint32_t count);
  int write_bar(std::uint64_t offset, const std::byte* from, std::uint32_t count);
  bool transport(tlm::tlm_command command, std::uint64_t offset, std::byte* data, Picoseconds arrives);
  void write_dword(std::uint64_t offset, std::uint32_t value);
  void reset_function();

  const Parts parts_;
  const std::uint64_t bar_bytes_;
  served::PciFunction configuration_;
  served::MessageVectors vectors_{kVectors};
  std::array<std::byte, served::PciFunction::kBar4Bytes> bar4_{};  // what a client writes there; masks act by SET_IRQS
  std::unique_ptr<DoorbellPage> doorbells_;                        // null: messages
  tlm_utils::simple_initiator_socket<VfioFunction> bar_{"bar"};
  std::function<void(Picoseconds)> told_;
  std::function<void(std::uint32_t, std::uint32_t)> held_;
  std::function<void(unsigned, Picoseconds)> diverted_;
  std::function<void()> drain_, settle_;
  Picoseconds busy_until_{}, read_until_{};
  std::uint64_t resets_ = 0;
};

}  // namespace wordline::serve
