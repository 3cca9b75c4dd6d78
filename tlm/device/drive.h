// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/firmware.h"
#include "models/precondition/flash_image.h"
#include "models/precondition/initial_state.h"
#include "models/results/resources.h"
#include "models/riscv/elf_loader.h"
#include "tlm/device/cpu/apb_block.h"
#include "tlm/device/cpu/core.h"
#include "tlm/device/cpu/interrupt_controller.h"
#include "tlm/device/cpu/log.h"
#include "tlm/device/cpu/native_core.h"
#include "tlm/device/cpu/timer.h"
#include "tlm/device/engines/engine_block.h"
#include "tlm/device/flash/flash_backend.h"
#include "tlm/device/link/pcie_link.h"
#include "tlm/device/memory/data_buffer.h"
#include "tlm/device/memory/dram.h"
#include "tlm/device/memory/interconnect.h"
#include "tlm/device/memory/map_port.h"
#include "tlm/device/memory/tcm.h"
#include "tlm/device/mover/host_interface.h"
#include "tlm/observe/core_stages.h"
#include "tlm/observe/stage_clock.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

/// The drive: everything from the link down. What is on the host's side of it lies in tlm/host.
namespace wordline::device {

/// What a drive is made with, beside its configuration. Everything outlives the drive.
struct DriveEnvironment {
  tlm_if::SimulationContext& context;
  tlm_if::RecorderIf* recorder = nullptr;             // null: no waves
  std::string firmware{};                             // cpu.model = iss: the ELF
  const precondition::InitialState* state = nullptr;  // that the drive begins with; null: fresh, or filled by rule
  observe::CommandObserver* observer = nullptr;       // observer of the stage clock; null: none
  const precondition::FlashImage* image = nullptr;    // that the firmware mounts; null: none
};

/// The drive, from its end of the link to the flash: constructs the modules and binds them, nothing else. It knows
/// nothing of who drives it; that side binds:
///
/// - host memory: `host->mover.host_memory`, where the DMA goes;
/// - with host.model = nvme the controller's registers and interrupts (NvmeController, behind `host`), and reserves
///   what it sends on the `link`; with direct DirectHost takes the commands;
/// - if it wants latencies by stage, `stage_clock`: the side band by which a host says when it submitted a command.
class Drive final : public sc_core::sc_module {
 public:
  Drive(const sc_core::sc_module_name& name, const config::Config& config, const config::Layout& layout,
        const DriveEnvironment& environment);
  ~Drive() override;

  void register_resources(results::Resources& resources) const;
  /// What the firmware counted, read from its memory.
  [[nodiscard]] struct wl_firmware_statistics firmware_statistics() const;
  /// The same by placement handle; of a drive that has some.
  [[nodiscard]] std::array<struct wl_handle_statistics, WL_HANDLES + 1> handle_statistics() const;
  /// Nothing counted where there is no parity over dies.
  [[nodiscard]] struct wl_parity_statistics parity_statistics() const;
  /// Nothing counted where there is no SLC cache.
  [[nodiscard]] struct wl_slc_cache_statistics slc_cache_statistics() const;
  [[nodiscard]] struct wl_map_cache_statistics map_cache_statistics() const;
  /// Commands of the host that the drive takes at once.
  [[nodiscard]] std::uint32_t tags() const { return host->mover.commands().size(); }
  [[nodiscard]] LpageSize lpage_size() const { return lpage_size_; }
  /// Flexible Data Placement: handles, 0 without it; logical pages of a reclaim unit.
  struct ReclaimUnits {
    std::uint32_t handles;
    std::uint64_t lpages;
  };
  [[nodiscard]] ReclaimUnits reclaim_units() const { return reclaim_units_; }
  /// What goes into blocks of some slots is kept from now on.
  void record(const rtl::BlockRecordings& recordings) {
    flash.record(recordings);
    host->record_parser(recordings.of("engine_parse"));
    if (engines != nullptr) engines->record(recordings);
  }
  /// Engines of the user's own.
  [[nodiscard]] std::vector<const engines::OwnEngine*> own_engines() const {
    std::vector<const engines::OwnEngine*> all;
    if (engines != nullptr) all = engines->own();
    if (host->own_parser() != nullptr) all.push_back(host->own_parser());
    return all;
  }
  /// Simulated time.
  [[nodiscard]] Picoseconds now() const { return context_.now(); }

 private:
  tlm_if::SimulationContext& context_;
  const LpageSize lpage_size_;
  const ReclaimUnits reclaim_units_;

 public:
  observe::StageClock stage_clock;
  host::PcieLink link;
  std::unique_ptr<host::HostInterface> host;  // what host.model names
  memory::Tcm itcm;
  memory::Tcm tcm;
  memory::Dram dram;
  memory::DataBuffer buffer;
  memory::Interconnect interconnect;
  cpu::InterruptController interrupts;
  cpu::Timer timer;
  cpu::Log log;
  flash::FlashBackend flash;
  std::unique_ptr<memory::MapPort> map_port;      // null: the map lies in the cores' window of DRAM
  std::unique_ptr<engines::EngineBlock> engines;  // null: everything is firmware
  std::vector<std::unique_ptr<cpu::Core>> cores;
  std::unique_ptr<cpu::ApbBlock> apb;  // null: no block of the user's own

 private:
  void bind_host();
  void build_cores(const config::Config& config, const DriveEnvironment& environment);
  void build_engines(const config::Config& config, tlm_if::RecorderIf* recorder);
  void bind_registers(const config::Config& config);

  std::vector<std::unique_ptr<observe::CoreStages>> core_stages_;  // core stages with an observer
  std::optional<cpu::FirmwareLevels> levels_;                      // with a recorder
  cpu::NativeFirmware native_firmware_;                            // cpu.model = native
  std::unique_ptr<riscv::ElfFile> image_;                          // cpu.model = iss
};

}  // namespace wordline::device
