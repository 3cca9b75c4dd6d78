// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/ssd_top.h"

#include <fmt/core.h>

#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "models/checks/boot_info.h"
#include "models/config/schema.h"
#include "models/firmware/contract/geometry.h"
#include "models/nand/initial_blocks.h"
#include "models/precondition/boot_tables.h"
#include "tlm/cpu/iss_core.h"
#include "tlm/platform/installed_files.h"

namespace wordline::platform {
namespace {

/// Whether logical pages hold data before the first request.
bool is_preconditioned(const config::Config& config, const Environment& environment) {
  return environment.state != nullptr || config::boot_info_of(config, config::layout_of(config)).preconditioned != 0;
}

constexpr std::uint64_t kNoPpa = UINT64_MAX;

/// What a die holds where nothing has been written in the run: the content of the state that the drive begins with.
nand::Fill fill_of(const config::Config& config, const config::Layout& layout, const Environment& environment) {
  if (!is_preconditioned(config, environment)) return {};
  const wl_geometry geometry = wl_geometry_of(layout.dies, layout.lpages_per_mpage, layout.pages_per_program,
                                              layout.dies * (layout.pages_per_block / layout.pages_per_program));
  std::shared_ptr<const nand::InitialBlocks> blocks;  // null: virtual blocks are physical ones
  if (config.ftl.spare_blocks != 0) {
    blocks = std::make_shared<const nand::InitialBlocks>(nand::initial_blocks(config, layout));
  }
  const auto ppa_at = [geometry, blocks, lpages_per_page = layout.lpages_per_page, planes = config.nand.geometry.planes,
                       per_plane = config.nand.geometry.blocks_per_plane](
                          DieId die, const nand::LpageAddress& at) -> std::uint64_t {
    wl_location address{die.value(), at.block.value(), at.page.value(), at.plane.value() * lpages_per_page + at.lpage};
    if (blocks != nullptr) {
      const std::size_t plane = std::size_t{die.value()} * planes + at.plane.value();
      address.block = blocks->superblock[plane * per_plane + at.block.value()];
      if (address.block == nand::InitialBlocks::kNone) return kNoPpa;
    }
    return wl_ppa_of(&geometry, address);
  };
  if (const precondition::InitialState* state = environment.state) {
    return [ppa_at, state](DieId die, const nand::LpageAddress& at) -> nand::StoredLpage {
      const std::uint64_t ppa = ppa_at(die, at);
      if (ppa >= state->ppas()) return {};
      const precondition::Content content = state->at(ppa);
      if (content.empty()) return {};
      const std::uint32_t version = content.valid() ? data::kVersionPrecondition : data::kVersionStale;
      const std::uint32_t record = content.valid() ? WL_SEQUENCE_FILL : WL_SEQUENCE_STALE;
      return {data::LpageToken::uniform(Lpn(content.lpn()), version), content.lpn(), record};
    };
  }
  // Places of nand.region lie behind those that the fill takes: the exported logical pages fit the other blocks.
  return [ppa_at, user_lpages = layout.user_lpages](DieId die, const nand::LpageAddress& at) -> nand::StoredLpage {
    const std::uint64_t lpn = ppa_at(die, at);
    if (lpn >= user_lpages) return {};
    const auto owner = static_cast<std::uint32_t>(lpn);
    return {data::LpageToken::uniform(Lpn(owner), data::kVersionPrecondition), owner, WL_SEQUENCE_FILL};
  };
}

/// Calls `visit` with each block that belongs to a superblock, and its number.
template <class Visit>
void for_blocks(const config::Config& config, const config::Layout& layout, const Visit& visit) {
  std::vector<std::uint32_t> superblock;  // superblock by die, plane, block; empty: virtual blocks are physical ones
  if (config.ftl.spare_blocks != 0) superblock = nand::initial_blocks(config, layout).superblock;
  std::size_t at = 0;
  for (std::uint32_t die = 0; die < layout.dies; ++die) {
    for (std::uint32_t plane = 0; plane < config.nand.geometry.planes; ++plane) {
      for (std::uint32_t block = 0; block < config.nand.geometry.blocks_per_plane; ++block, ++at) {
        const std::uint32_t number = superblock.empty() ? block : superblock[at];
        if (number == nand::InitialBlocks::kNone) continue;
        visit(DieId(static_cast<std::uint16_t>(die)), PlaneId(static_cast<std::uint8_t>(plane)), BlockId(block),
              number);
      }
    }
  }
}

/// Blocks of open superblocks are full up to their next program unit. Units go over the dies in turn.
void open_blocks(flash::FlashBackend& flash, const config::Config& config, const config::Layout& layout,
                 const precondition::InitialState& state) {
  std::map<std::uint32_t, std::uint32_t> units;  // units by superblock
  for (const precondition::Superblock& s : state.superblocks()) {
    if (precondition::is_open(s.state)) units[s.number] = state.filled_units(s.number);
  }
  if (units.empty()) return;
  for_blocks(config, layout, [&](DieId die, PlaneId plane, BlockId block, std::uint32_t number) {
    const auto open = units.find(number);
    if (open == units.end()) return;
    const std::uint32_t rows = (open->second + layout.dies - 1 - die.value()) / layout.dies;
    flash.die_at_start(die).start_open(plane, block, rows * layout.pages_per_program);
  });
}

/// The erases of a superblock have worn the blocks that it lies in.
void wear_blocks(flash::FlashBackend& flash, const config::Config& config, const config::Layout& layout,
                 const precondition::InitialState& state) {
  std::vector<std::uint32_t> erases(layout.superblocks, 0);
  for (const precondition::Superblock& s : state.superblocks()) erases[s.number] = s.erases;
  for_blocks(config, layout, [&](DieId die, PlaneId plane, BlockId block, std::uint32_t number) {
    flash.die_at_start(die).start_with_erases(plane, block, erases[number]);
  });
}

std::uint32_t slots_of(const config::Ftl& ftl, LpageSize lpage) {
  return static_cast<std::uint32_t>((ftl.write_buffer + ftl.read_buffer + ftl.gc_buffer).count() / lpage.bytes());
}

void log_line(Picoseconds at, std::string_view line) {
  std::cerr << "firmware, " << static_cast<double>(at.count()) * 1e-9 << " ms: " << line << '\n';
}

}  // namespace

SsdTop::SsdTop(const sc_core::sc_module_name& name, const config::Config& config, const config::Layout& layout,
               const Environment& environment)
    : sc_module(name),
      link(config.link, environment.recorder),
      oracle(layout.user_lpages, is_preconditioned(config, environment), layout.lpage),
      driver("driver", config, layout.user_lpages, environment.source, environment.request_statistics, oracle,
             host_memory, environment.recorder, {environment.verify_all}),
      host((environment.make_host ? environment.make_host : host::make_host_model)(
          {config, layout.user_lpages, host_memory, link, environment.recorder})),
      itcm("itcm", WL_ITCM_BASE, WL_ITCM_SIZE),
      tcm("tcm", WL_TCM_BASE, WL_TCM_SIZE),
      dram("dram", config.dram),
      buffer(slots_of(config.ftl, layout.lpage), layout.lpage),
      interconnect("interconnect", config.cpu.cores, config.channels.count,
                   cycles_time(memory::kRegisterAccessCycles, config.cpu.clock)),
      interrupts("interrupts", config.cpu.cores),
      timer("timer"),
      log("log", log_line),
      flash("flash", config, layout, fill_of(config, layout, environment), environment.recorder) {
  if (environment.observer != nullptr) stage_clock.observe(*environment.observer);
  wl_boot_info info = config::boot_info_of(config, layout);
  if (config.precondition.begins_with_state() != (environment.state != nullptr)) {
    throw std::logic_error("SsdTop: the configuration asks for an initial state, and there is none, or the reverse");
  }
  if (environment.state != nullptr) {
    const wl_initial_state initial = environment.state->write_boot_tables(dram.data(), info);
    std::memcpy(tcm.data() + WL_INITIAL_STATE_OFFSET, &initial, sizeof(initial));
    open_blocks(flash, config, layout, *environment.state);
    if (config.precondition.wear) wear_blocks(flash, config, layout, *environment.state);
    if (!environment.state->is_full()) {
      oracle.start_with([&state = *environment.state](std::uint64_t lpage) {
        return state.is_mapped(static_cast<std::uint32_t>(lpage));
      });
    }
  }
  std::memcpy(tcm.data(), &info, sizeof(info));
  flash.use_dram(dram.data());
  if (config.ftl.spare_blocks != 0 && is_preconditioned(config, environment)) {
    const std::vector<std::uint16_t> table = nand::initial_blocks(config, layout).table;
    std::memcpy(dram.data(), table.data(), table.size() * sizeof(table[0]));
  }
  bind_host(environment.memory != nullptr ? *environment.memory : host_memory);
  build_cores(config, environment);
  build_engines(config);
  bind_registers(config);
  if (!config.cpu.apb.block.empty()) {
    apb = std::make_unique<cpu::ApbBlock>("apb", config.cpu.apb, environment.recorder);
    apb->interrupt.bind(interrupts);
    interconnect.apb.bind(apb->socket);
  }

  flash.memory.bind(tcm);
  flash.dram.bind(dram);
  flash.buffer.bind(buffer);
  flash.interrupt.bind(interrupts);
  flash.stages.bind(stage_clock);
}

SsdTop::~SsdTop() = default;

struct wl_firmware_statistics SsdTop::firmware_statistics() const {
  struct wl_firmware_statistics statistics;
  std::memcpy(&statistics, tcm.data() + WL_FIRMWARE_CONTEXT_OFFSET, sizeof(statistics));
  return statistics;
}

void SsdTop::register_resources(results::Resources& resources) const {
  using Kind = results::ResourceKind;
  link.register_resources(resources);
  for (const auto& core : cores) {
    resources.add({"cores", "core", Kind::kServer, true,
                   "By core, in order: time in which it was awake, waits for the bus included."},
                  [&core = *core] { return core.statistics().busy; });
  }
  dram.register_resources(resources);
  flash.register_resources(resources);
  host->drive().mover.register_resources(resources);
  const auto add_engine = [&](const engines::EngineRow& row, const engines::Pipeline& engine) {
    if (!engine.on()) return;
    resources.add({fmt::format("engine_{}", row.name), fmt::format("engine {}", row.name), Kind::kServer, false, ""},
                  [&engine] { return engine.busy(); });
  };
  for (const engines::EngineRow& row : engines::kEngines) {
    if (row.home == engines::Home::kNvmeController) add_engine(row, host->drive().parser());
    if (row.home == engines::Home::kEngineBlock && engines != nullptr) add_engine(row, engines->pipeline(row.id));
  }
  const auto add_pool = [&](const char* key, const char* name, unsigned pool, std::initializer_list<unsigned> waiters) {
    for (const unsigned waiter : waiters) {
      resources.add({key, name, Kind::kPool, false, ""},
                    [this, pool, waiter] { return stage_clock.pool_waits().total(waiter, pool, tlm_if::now()); });
    }
  };
  add_pool("read_buffer", "read buffer", WL_POOL_READ_BUFFER, {WL_WAITER_READ});
  add_pool("write_buffer", "write buffer", WL_POOL_WRITE_BUFFER, {WL_WAITER_WRITE});
  add_pool("gc_buffer", "GC buffer", WL_POOL_GC_BUFFER, {WL_WAITER_COLLECTION});
  add_pool("free_space", "free space", WL_POOL_FREE_SPACE, {WL_WAITER_WRITE, WL_WAITER_PROGRAM});
  add_pool("flash_jobs", "flash job ids", WL_POOL_FLASH_JOBS, {WL_WAITER_READ, WL_WAITER_WRITE});
}

void SsdTop::bind_host(host::HostMemoryIf& memory) {
  driver.stage_clock.bind(stage_clock);
  driver.path.bind(host->path());
  host::HostDataMover& mover = host->drive().mover;
  mover.host_memory.bind(memory);
  mover.link.bind(link);
  mover.memory.bind(tcm);
  mover.interrupt.bind(interrupts);
  mover.dram.bind(dram);
  mover.buffer.bind(buffer);
  mover.stages.bind(stage_clock);
}

void SsdTop::build_cores(const config::Config& config, const Environment& environment) {
  const bool is_iss = config.cpu.model == config::CpuModel::kIss;
  if (is_iss) {
    image_ = std::make_unique<riscv::ElfFile>(environment.firmware.empty() ? firmware_image() : environment.firmware);
  }
  native_firmware_.entry = {wl_firmware_boot, wl_firmware_poll, wl_firmware_wake, wl_firmware_may_sleep};
  const cpu::NativeCosts costs =
      cpu::load_native_costs(config.cpu.native_costs, config::policy_names().at(config.ftl.policy));
  for (unsigned i = 0; i < config.cpu.cores; ++i) {
    const std::string core_name = fmt::format("core{}", i);
    if (is_iss) {
      cores.push_back(std::make_unique<cpu::IssCore>(core_name.c_str(), config.cpu, i, *image_, environment.recorder));
    } else {
      cores.push_back(std::make_unique<cpu::NativeCore>(core_name.c_str(), config.cpu, i, native_firmware_, costs,
                                                        environment.recorder));
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
}

void SsdTop::build_engines(const config::Config& config) {
  if (!config.engines.any()) return;
  engines = std::make_unique<engines::EngineBlock>("engines", config, dram.data());
  engines->memory.bind(tcm);
  engines->dram.bind(dram);
  engines->interrupt.bind(interrupts);
  engines->stages.bind(stage_clock);
  engines->host.bind(host->drive().mover);
  engines->flash.bind(flash);
  interconnect.engines.bind(engines->socket);
  host->drive().mover.engines.bind(*engines);
  flash.engines.bind(*engines);
}

void SsdTop::bind_registers(const config::Config& config) {
  interconnect.itcm.bind(itcm.socket);
  interconnect.tcm.bind(tcm.socket);
  interconnect.dram.bind(dram.socket);
  interconnect.nvme.bind(host->drive().mover.register_socket);
  interconnect.flash.bind(flash.registers);
  interconnect.ecc.bind(flash.ecc_registers());
  interconnect.irq.bind(interrupts.socket);
  interconnect.timer.bind(timer.socket);
  interconnect.uart.bind(log.socket);
  for (unsigned i = 0; i < config.channels.count; ++i) interconnect.channels[i].bind(flash.channel_registers(i));
  timer.interrupt.bind(interrupts);
}

}  // namespace wordline::platform
