// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/firmware.h"
#include "models/precondition/initial_state.h"
#include "models/results/request_statistics.h"
#include "models/riscv/elf_loader.h"
#include "models/workload/source.h"
#include "tlm/cpu/apb_block.h"
#include "tlm/cpu/core.h"
#include "tlm/cpu/interrupt_controller.h"
#include "tlm/cpu/log.h"
#include "tlm/cpu/native_core.h"
#include "tlm/cpu/timer.h"
#include "tlm/engines/engine_block.h"
#include "tlm/flash/flash_backend.h"
#include "tlm/host/driver/host_driver.h"
#include "tlm/host/driver/oracle.h"
#include "tlm/host/host_models.h"
#include "tlm/host/link/pcie_link.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/memory/data_buffer.h"
#include "tlm/memory/dram.h"
#include "tlm/memory/interconnect.h"
#include "tlm/memory/tcm.h"
#include "tlm/observe/core_stages.h"
#include "tlm/observe/stage_clock.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::platform {

/// What a drive runs with, beside its configuration. Everything outlives the drive.
struct Environment {
  workload::Source& source;
  results::RequestStatistics& request_statistics;
  tlm_if::RecorderIf* recorder = nullptr;  // null: no waves
  std::string firmware;                    // ELF for cpu.model = iss; empty: the one built with the program
  bool verify_all = false;
  const precondition::InitialState* state = nullptr;  // that the drive begins with; null: fresh, or filled by rule
  /// A host, with its end of the drive, in place of the one that host.model names. Null: that one.
  std::function<std::unique_ptr<host::HostModel>(const host::HostContext&)> make_host = nullptr;
  observe::CommandObserver* observer = nullptr;  // observer of the stage clock; null: none
  host::HostMemoryIf* memory = nullptr;          // what the drive's DMA reaches; null: the memory of SsdTop
};

/// The host and the drive: constructs the modules and binds them, nothing else.
class SsdTop final : public sc_core::sc_module {
 public:
  SsdTop(const sc_core::sc_module_name& name, const config::Config& config, const config::Layout& layout,
         const Environment& environment);
  ~SsdTop() override;

  void register_resources(results::Resources& resources) const;
  /// What the firmware counted, read from its memory.
  [[nodiscard]] struct wl_firmware_statistics firmware_statistics() const;
  /// Commands of the host that the drive takes at once.
  [[nodiscard]] std::uint32_t tags() const { return host->drive().mover.commands().size(); }

  observe::StageClock stage_clock;
  host::HostMemory host_memory;
  host::PcieLink link;
  host::Oracle oracle;
  host::HostDriver driver;
  std::unique_ptr<host::HostModel> host;  // what host.model names
  memory::Tcm itcm;
  memory::Tcm tcm;
  memory::Dram dram;
  memory::DataBuffer buffer;
  memory::Interconnect interconnect;
  cpu::InterruptController interrupts;
  cpu::Timer timer;
  cpu::Log log;
  flash::FlashBackend flash;
  std::unique_ptr<engines::EngineBlock> engines;  // null: everything is firmware
  std::vector<std::unique_ptr<cpu::Core>> cores;
  std::unique_ptr<cpu::ApbBlock> apb;  // null: no block of the user's own

 private:
  void bind_host(host::HostMemoryIf& memory);
  void build_cores(const config::Config& config, const Environment& environment);
  void build_engines(const config::Config& config);
  void bind_registers(const config::Config& config);

  std::vector<std::unique_ptr<observe::CoreStages>> core_stages_;  // core stages with an observer
  cpu::NativeFirmware native_firmware_;                            // cpu.model = native
  std::unique_ptr<riscv::ElfFile> image_;                          // cpu.model = iss
};

}  // namespace wordline::platform
