// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/drive.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "models/checks/boot_info.h"
#include "models/config/schema.h"
#include "models/firmware/contract/map_port.h"
#include "models/nand/initial_blocks.h"
#include "models/precondition/boot_tables.h"
#include "tlm/device/cpu/iss_core.h"
#include "tlm/device/host_interfaces.h"
#include "tlm/device/initial_content.h"

namespace wordline::device {
namespace {

std::uint32_t slots_of(const wl_boot_info& info) {
  return info.write_slots + info.read_slots + info.gc_slots + info.ftl.parity_slots;
}

/// Its functions are compiled into an image of its own (models/firmware/map/port.h).
bool has_map_port(const riscv::ElfFile& image) {
  const auto& all = image.functions();
  return std::any_of(all.begin(), all.end(), [](const auto& f) { return f.name.rfind("wl_port_entry", 0) == 0; });
}

void log_line(Picoseconds at, std::string_view line) {
  std::cerr << "firmware, " << static_cast<double>(at.count()) * 1e-9 << " ms: " << line << '\n';
}

}  // namespace

Drive::Drive(const sc_core::sc_module_name& name, const config::Config& config, const config::Layout& layout,
             const DriveEnvironment& environment)
    : sc_module(name),
      context_(environment.context),
      lpage_size_(layout.lpage),
      reclaim_units_{config.ftl.fdp.handles,
                     std::uint64_t{layout.dies} * layout.programs_per_block * layout.lpages_per_program},
      stage_clock(context_),
      link(context_, config.link, environment.recorder),
      host(host::make_host_interface(context_, config, layout.user_lpages, environment.recorder)),
      itcm("itcm", WL_ITCM_BASE, WL_ITCM_SIZE),
      tcm("tcm", WL_TCM_BASE, WL_TCM_SIZE),
      dram("dram", context_, config.dram, WL_DRAM_SIZE, environment.recorder),
      buffer(slots_of(config::boot_info_of(config, layout)), layout.lpage),
      interconnect("interconnect", config.cpu.cores, config.channels.count,
                   cycles_time(memory::kRegisterAccessCycles, config.cpu.clock)),
      interrupts("interrupts", context_, config.cpu.cores),
      timer("timer", context_),
      log("log", context_, log_line),
      flash("flash", context_, config, layout, fill_of(config, layout, environment.state), environment.recorder) {
  if (environment.observer != nullptr) stage_clock.observe(*environment.observer);
  wl_boot_info info = config::boot_info_of(config, layout);
  if (config.precondition.begins_with_state() != (environment.state != nullptr)) {
    throw std::logic_error("Drive: the configuration asks for an initial state, and there is none, or the reverse");
  }
  if (config.precondition.flash.empty() != (environment.image == nullptr))
    throw std::logic_error("Drive: the configuration asks for an image of flash, and there is none, or the reverse");
  if (environment.state != nullptr) {
    const wl_initial_state initial = environment.state->write_boot_tables(dram.data(), info);
    std::memcpy(tcm.data() + WL_INITIAL_STATE_OFFSET, &initial, sizeof(initial));
    open_blocks(flash, config, layout, *environment.state);
    if (config.precondition.wear) wear_blocks(flash, config, layout, *environment.state);
  }
  for (unsigned die = 0; die < flash.dies(); ++die)
    flash.die_at_start(DieId(static_cast<std::uint16_t>(die))).metadata = &buffer.pool();
  if (environment.image != nullptr) start_as(flash, buffer.pool(), *environment.image);
  std::memcpy(tcm.data(), &info, sizeof(info));
  flash.use_dram(dram.data());
  if (config.ftl.spare_blocks != 0 && is_preconditioned(config, environment.state)) {
    const std::vector<std::uint16_t> table = nand::initial_blocks(config, layout).table;
    std::memcpy(dram.data(), table.data(), table.size() * sizeof(table[0]));
  }
  bind_host();
  build_cores(config, environment);
  build_engines(config, environment.recorder);
  bind_registers(config);
  if (const std::uint64_t words = wl_map_port_words(&info); words != 0) {
    map_port = std::make_unique<memory::MapPort>("map_port", words, config.dram);
    interconnect.map.bind(map_port->socket);
  }
  if (!config.cpu.apb.block.empty()) {
    apb = std::make_unique<cpu::ApbBlock>("apb", context_, config.cpu.apb, environment.recorder);
    apb->interrupt.bind(interrupts);
    interconnect.apb.bind(apb->socket);
  }

  flash.memory.bind(tcm);
  flash.dram.bind(dram);
  flash.buffer.bind(buffer);
  flash.interrupt.bind(interrupts);
  flash.stages.bind(stage_clock);
}

Drive::~Drive() = default;

struct wl_firmware_statistics Drive::firmware_statistics() const {
  struct wl_firmware_statistics statistics;
  std::memcpy(&statistics, tcm.data() + WL_FIRMWARE_CONTEXT_OFFSET, sizeof(statistics));
  return statistics;
}

std::array<struct wl_handle_statistics, WL_HANDLES + 1> Drive::handle_statistics() const {
  struct wl_tables tables;
  std::memcpy(&tables, tcm.data() + WL_FIRMWARE_CONTEXT_OFFSET + sizeof(struct wl_firmware_statistics), sizeof tables);
  std::array<struct wl_handle_statistics, WL_HANDLES + 1> rows{};
  if (tables.by_handle != 0) std::memcpy(rows.data(), tcm.data() + (tables.by_handle - WL_TCM_BASE), sizeof rows);
  return rows;
}

namespace {

/// A table of the firmware's memory, at a bus address.
template <class Table>
Table table_at(const memory::Tcm& tcm, std::uint32_t address) {
  Table table{};
  if (address != 0) std::memcpy(&table, tcm.data() + (address - WL_TCM_BASE), sizeof table);
  return table;
}
struct wl_tables tables_in(const memory::Tcm& tcm) {
  struct wl_tables tables;
  std::memcpy(&tables, tcm.data() + WL_FIRMWARE_CONTEXT_OFFSET + sizeof(struct wl_firmware_statistics), sizeof tables);
  return tables;
}
wl_boot_info boot_in(const memory::Tcm& tcm) {
  wl_boot_info boot;
  std::memcpy(&boot, tcm.data(), sizeof boot);
  return boot;
}

}  // namespace

struct wl_parity_statistics Drive::parity_statistics() const {
  const bool counted = boot_in(tcm).ftl.parity_slots != 0;
  return table_at<struct wl_parity_statistics>(tcm, counted ? tables_in(tcm).parity : 0);
}

struct wl_map_cache_statistics Drive::map_cache_statistics() const {
  const bool counted = boot_in(tcm).ftl.map_frames != 0;
  return table_at<struct wl_map_cache_statistics>(tcm, counted ? tables_in(tcm).map_cache : 0);
}

struct wl_slc_cache_statistics Drive::slc_cache_statistics() const {
  const bool counted = boot_in(tcm).ftl.slc_cache.superblocks != 0;
  return table_at<struct wl_slc_cache_statistics>(tcm, counted ? tables_in(tcm).slc_cache : 0);
}

void Drive::register_resources(results::Resources& resources) const {
  using Kind = results::ResourceKind;
  link.register_resources(resources);
  for (const auto& core : cores) {
    resources.add({"cores", "core", Kind::kServer, true,
                   "By core, in order: time in which it was awake, waits for the bus included."},
                  [&core = *core] { return core.statistics().busy; });
  }
  dram.register_resources(resources);
  flash.register_resources(resources);
  host->mover.register_resources(resources);
  const auto add_engine = [&](std::string_view name, const engines::Pipeline& engine) {
    if (!engine.on()) return;
    resources.add({fmt::format("engine_{}", name), fmt::format("engine {}", name), Kind::kServer, false, ""},
                  [&engine] { return engine.busy(); });
  };
  for (const engines::EngineRow& row : engines::kEngines) {
    if (row.home == engines::Home::kNvmeController) add_engine(row.name, host->parser());
    if (row.home == engines::Home::kEngineBlock && engines != nullptr) add_engine(row.name, engines->pipeline(row.id));
  }
  add_engine(engines::kCompletionEntries, host->completion_entries());
  const auto add_pool = [&](const char* key, const char* name, unsigned pool, std::initializer_list<unsigned> waiters) {
    for (const unsigned waiter : waiters) {
      resources.add({key, name, Kind::kPool, false, ""},
                    [this, pool, waiter] { return stage_clock.pool_waits().total(waiter, pool, context_.now()); });
    }
  };
  add_pool("read_buffer", "read buffer", WL_POOL_READ_BUFFER, {WL_WAITER_READ});
  add_pool("write_buffer", "write buffer", WL_POOL_WRITE_BUFFER, {WL_WAITER_WRITE});
  add_pool("gc_buffer", "GC buffer", WL_POOL_GC_BUFFER, {WL_WAITER_COLLECTION});
  add_pool("free_space", "free space", WL_POOL_FREE_SPACE, {WL_WAITER_WRITE, WL_WAITER_PROGRAM});
  add_pool("flash_jobs", "flash job ids", WL_POOL_FLASH_JOBS, {WL_WAITER_READ, WL_WAITER_WRITE});
}

void Drive::bind_host() {
  host::HostDataMover& mover = host->mover;
  mover.link.bind(link);
  mover.memory.bind(tcm);
  mover.interrupt.bind(interrupts);
  mover.dram.bind(dram);
  mover.buffer.bind(buffer);
  mover.stages.bind(stage_clock);
}

void Drive::build_cores(const config::Config& config, const DriveEnvironment& environment) {
  const bool is_iss = config.cpu.model == config::CpuModel::kIss;
  if (is_iss) {
    image_ = std::make_unique<riscv::ElfFile>(environment.firmware);
    if (config.ftl.has_large_map() && !has_map_port(*image_)) {
      const bool port = config.ftl.map_access == config::MapAccess::kPort;
      throw std::runtime_error(
          fmt::format("{}: this firmware image has no map {}, which {} needs: leave --firmware out, or name "
                      "firmware_port.elf, which is built beside firmware.elf (-DWL_MAP_PORT)",
                      environment.firmware, port ? "port" : "cache", port ? "ftl.map_access = port" : "ftl.map_cache"));
    }
  }
  native_firmware_.entry = {wl_firmware_boot, wl_firmware_poll, wl_firmware_wake, wl_firmware_may_sleep};
  std::optional<cpu::NativeCostTable> costs;
  if (!is_iss) costs.emplace(config.cpu.native_costs);
  for (unsigned i = 0; i < config.cpu.cores; ++i) {
    const std::string core_name = fmt::format("core{}", i);
    if (is_iss) {
      cores.push_back(
          std::make_unique<cpu::IssCore>(core_name.c_str(), context_, config.cpu, i, *image_, environment.recorder));
    } else {
      const std::string tasks = cpu::tasks_of(config.cpu.task_core, i);
      cores.push_back(std::make_unique<cpu::NativeCore>(
          core_name.c_str(), context_, config.cpu, i, native_firmware_,
          costs->of({config::policy_names().at(config.ftl.policy), tasks}), environment.recorder));
    }
    cores[i]->socket.bind(interconnect.cores[i]);
    cores[i]->interrupt.bind(interrupts.lines[i]);
    if (environment.observer == nullptr) {
      cores[i]->stage_clock.bind(stage_clock);
      continue;
    }
    core_stages_.push_back(std::make_unique<observe::CoreStages>(stage_clock, i));
    cores[i]->stage_clock.bind(*core_stages_.back());
  }
  if (environment.recorder == nullptr) return;
  levels_.emplace(tcm.data() + WL_FIRMWARE_CONTEXT_OFFSET, *environment.recorder);
  cores[config.cpu.task_core[WL_TASK_FTL]]->watch(*levels_);
}

void Drive::build_engines(const config::Config& config, tlm_if::RecorderIf* recorder) {
  if (!config.engines.any()) return;
  engines = std::make_unique<engines::EngineBlock>("engines", context_, config, dram.data(), recorder);
  engines->memory.bind(tcm);
  engines->dram.bind(dram);
  engines->interrupt.bind(interrupts);
  engines->stages.bind(stage_clock);
  engines->host.bind(host->mover);
  engines->flash.bind(flash);
  interconnect.engines.bind(engines->socket);
  host->mover.engines.bind(*engines);
  flash.engines.bind(*engines);
}

void Drive::bind_registers(const config::Config& config) {
  interconnect.itcm.bind(itcm.socket);
  interconnect.tcm.bind(tcm.socket);
  interconnect.dram.bind(dram.socket);
  interconnect.nvme.bind(host->mover.register_socket);
  interconnect.flash.bind(flash.registers);
  interconnect.ecc.bind(flash.ecc_registers());
  interconnect.irq.bind(interrupts.socket);
  interconnect.timer.bind(timer.socket);
  interconnect.uart.bind(log.socket);
  for (unsigned i = 0; i < config.channels.count; ++i) interconnect.channels[i].bind(flash.channel_registers(i));
  timer.interrupt.bind(interrupts);
}

}  // namespace wordline::device
