// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <systemc>

#include "models/checks/load.h"
#include "models/precondition/flash_image.h"
#include "models/precondition/initial_state.h"
#include "models/results/registry.h"
#include "tlm/device/dma/host_memory_initiator.h"
#include "tlm/device/nvme/nvme_controller.h"
#include "tlm/platform/drive_measurement.h"
#include "tlm/platform/drive_module.h"

namespace wordline::platform {

/// A drive without a host, for a TLM-2.0 host of your own: an NVMe controller behind three connections. The simulation
/// is yours: sc_start() and sc_stop(). examples/own_host is such a host, examples/switch one with two drives.
///
/// - `registers`: BAR0, with loosely timed reads and writes of 4 bytes, or of 8 aligned ones. An access crosses the
/// PCIe
///   link: a write arrives later than it is made, and a read annotates the time until its value is back.
/// - `memory()`: the drive's DMA, reads and writes of bytes (HostMemoryInitiator); user data carry stamps in a
///   StampExtension. What the target waits, or annotates, is added to the link's time, and the target may be anything:
///   an interconnect, a DRAM with a bandwidth. Several accesses are in flight; a completion comes behind its data.
/// - `interrupt()`: called when a message (MSI-X) has arrived at the host.
///
/// A program may have several. Known gaps: no check of what was read (the host knows what it has written);
/// `host.model` is nvme; no latencies by stage.
class DriveEndpoint final : public sc_core::sc_module {
 public:
  /// Throws config::ConfigError.
  DriveEndpoint(const sc_core::sc_module_name& name, const DriveOptions& options,
                host::HostMemoryInitiator::Target target = host::HostMemoryInitiator::Target::kMayWait);
  ~DriveEndpoint() override;

  tlm_utils::simple_target_socket<DriveEndpoint> registers{"registers"};
  [[nodiscard]] tlm::tlm_initiator_socket<>& memory() { return memory_.socket; }
  [[nodiscard]] host::nvme::Interrupts::Port& interrupt() { return controller_.host_interrupt; }

  /// Function level reset, as the host asks for it in configuration space: it crosses the link behind earlier writes.
  /// Commands are lost, registers are as at power on; CSTS is 0 when it is over.
  void function_level_reset();

  /// When your simulation has ended: completes the waveform and the timeline. The destructor does so, too, but can only
  /// print what failed. Throws std::runtime_error.
  void close();

  /// The measurement begins at the present; without a call, at power-on.
  void begin_measurement() { measurement_.begin(); }
  /// Ends the measurement, and registers what the drive can say by itself, under the names of result.json: commands and
  /// bytes, shares of its resources, write amplification, GC, energy (no requests and latencies: those are the host's).
  /// A further call returns the same.
  [[nodiscard]] const results::Registry& statistics();

  /// The parts: link, cores, channels, with their busy times.
  [[nodiscard]] device::Drive& drive() { return *drive_; }

 private:
  void start_of_simulation() override { measurement_.begin(); }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  tlm_if::SimulationContext context_;
  config::Loaded loaded_;
  config::Layout layout_;
  std::unique_ptr<const precondition::InitialState> state_;  // null: fresh, or filled by rule
  std::unique_ptr<const precondition::FlashImage> image_;
  host::HostMemoryInitiator memory_;
  std::unique_ptr<RunWaves> waves_;
  std::unique_ptr<device::Drive> drive_;
  host::NvmeController& controller_;  // of the drive
  DriveMeasurement measurement_;
  results::Registry registry_;
  bool registered_ = false;
  bool closed_ = false;
  tlm_utils::simple_initiator_socket<DriveEndpoint> bar_{"bar"};
};

}  // namespace wordline::platform
