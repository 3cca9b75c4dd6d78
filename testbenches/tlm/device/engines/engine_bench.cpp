// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/device/engines/engine_bench.h"

#include <gtest/gtest.h>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing {
namespace {

namespace regs = registers::engines;
using engines::EngineId;

constexpr std::uint32_t kStates = WL_TCM_BASE + 0x10000, kLookups = WL_TCM_BASE + 0x20000,
                        kGrace = WL_TCM_BASE + 0x30000, kRing = WL_TCM_BASE + 0x40000, kList = WL_TCM_BASE + 0x50000,
                        kCopyRing = WL_TCM_BASE + 0x60000, kSources = WL_TCM_BASE + 0x61000,
                        kPpas = WL_TCM_BASE + 0x62000, kSlotTable = WL_TCM_BASE + 0x63000,
                        kTable = WL_TCM_BASE + 0x64000, kVictim = WL_TCM_BASE + 0x65000, kMap = WL_DRAM_BASE + 0x1000,
                        kOwners = WL_DRAM_BASE + 0x10000;
constexpr std::uint32_t kCopyJobs = 16, kStride = 40,
                        kCopySlots = EngineBench::kCopyUnits * EngineBench::kPageLpages * EngineBench::kUnitPages;

config::Config config_of(std::uint32_t engines) {
  config::Config config{};
  config.nvme.tags = EngineBench::kTags;
  config.dram = {BytesPerSecond(4'000'000'000), 60_ns};
  const auto set = [&](EngineId id, Picoseconds latency) {
    config.engines[id] = {(engines & engines::row_of(id).bit) != 0, latency, 5_ns, 8};
  };
  set(EngineId::kL2p, 10_ns);
  set(EngineId::kBuffer, 20_ns);
  set(EngineId::kJob, 40_ns);
  set(EngineId::kCompletion, 80_ns);
  set(EngineId::kGc, 7_ns);
  set(EngineId::kCopy, 15_ns);
  set(EngineId::kVictim, 9_ns);
  config.engines[EngineId::kRetry].on = true;
  return config;
}

}  // namespace

EngineBench::EngineBench(std::uint32_t engines, const sc_core::sc_module_name& name)
    : sc_module(name),
      tcm("tcm", WL_TCM_BASE, WL_TCM_SIZE),
      dram("dram", testing::context(), config_of(engines).dram),
      block("engines", testing::context(), config_of(engines), dram.data()) {
  block.memory.bind(tcm);
  block.dram.bind(dram);
  block.interrupt.bind(*this);
  block.stages.bind(*this);
  block.host.bind(*this);
  block.flash.bind(*this);
  socket_.bind(block.socket);
  tcm_socket_.bind(tcm.socket);
  dram_socket_.bind(dram.socket);
}

void EngineBench::write(std::uint32_t offset, std::uint32_t value, Picoseconds delay) {
  tlm::tlm_generic_payload payload;
  payload.set_write();
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  sc_core::sc_time t = tlm_if::to_sc_time(delay);
  socket_->b_transport(payload, t);
  EXPECT_TRUE(payload.is_response_ok()) << "write of register " << offset;
}

std::uint32_t EngineBench::read(std::uint32_t offset) {
  std::uint32_t value = 0;
  tlm::tlm_generic_payload payload;
  payload.set_read();
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  sc_core::sc_time t;
  socket_->b_transport(payload, t);
  EXPECT_TRUE(payload.is_response_ok()) << "read of register " << offset;
  return value;
}

void EngineBench::enable(std::uint32_t slots) {
  write(regs::map_base, kMap);
  write(regs::map_lpages, kLpages);
  write(regs::map_initial, 1);
  write(regs::lpage_states, kStates);
  write(regs::lookups, kLookups);
  write(regs::slot_first, kSlotFirst);
  write(regs::slot_count, slots);
  write(regs::page_lpages, kPageLpages);
  write(regs::unit_pages, kUnitPages);
  write(regs::superblock_units, kSuperblockUnits);
  write(regs::dies, kDies);
  write(regs::grace_base, kGrace);
  write(regs::job_ring_base, kRing);
  write(regs::job_ring_size, kJobs);
  write(regs::owners_base, kOwners);
  write(regs::gc_list, kList);
  write(regs::copy_ring_base, kCopyRing);
  write(regs::copy_ring_size, kCopyJobs);
  write(regs::copy_sources, kSources);
  write(regs::copy_slot_first, kCopySlotFirst);
  write(regs::copy_slot_count, kCopySlots);
  write(regs::copy_ppas, kPpas);
  write(regs::slot_table, kSlotTable);
  write(regs::superblock_table, kTable);
  write(regs::superblock_stride, kStride);
  write(regs::superblocks, kSuperblocks);
  write(regs::victim, kVictim);
  write(regs::enable, 0x7f);
}

void EngineBench::post(const wl_ppa_job& job) {
  auto* const ring = reinterpret_cast<wl_ring*>(tcm.at(kRing, WL_RING_ENTRIES));
  auto* const entries = reinterpret_cast<wl_ppa_job*>(tcm.at(kRing + WL_RING_ENTRIES, kJobs * sizeof(wl_ppa_job)));
  entries[ring->produced % kJobs] = job;
  ring->produced = ring->produced + 1;
}

void EngineBench::post_copy(const wl_copy_job& job) {
  auto* const ring = reinterpret_cast<wl_ring*>(tcm.at(kCopyRing, WL_RING_ENTRIES));
  auto* const entries =
      reinterpret_cast<wl_copy_job*>(tcm.at(kCopyRing + WL_RING_ENTRIES, kCopyJobs * sizeof(wl_copy_job)));
  entries[ring->produced % kCopyJobs] = job;
  ring->produced = ring->produced + 1;
}
void EngineBench::ring(Picoseconds delay) {
  write(regs::copy_doorbell, reinterpret_cast<wl_ring*>(tcm.at(kCopyRing, WL_RING_ENTRIES))->produced, delay);
}
wl_gc_source& EngineBench::source(std::uint32_t slot) {
  return reinterpret_cast<wl_gc_source*>(tcm.at(kSources, kCopySlots * sizeof(wl_gc_source)))[slot - kCopySlotFirst];
}
const wl_slot_info& EngineBench::slot(std::uint32_t slot) {
  return reinterpret_cast<wl_slot_info*>(
      tcm.at(kSlotTable, (kCopySlotFirst + kCopySlots) * sizeof(wl_slot_info)))[slot];
}
std::uint32_t EngineBench::copy_ppa(std::uint32_t unit) {
  return reinterpret_cast<std::uint32_t*>(tcm.at(kPpas, kCopyUnits * sizeof(std::uint32_t)))[unit];
}
wl_superblock_head& EngineBench::superblock(std::uint32_t number) {
  return *reinterpret_cast<wl_superblock_head*>(tcm.at(kTable + number * kStride, sizeof(wl_superblock_head)));
}
const wl_victim& EngineBench::victim() { return *reinterpret_cast<wl_victim*>(tcm.at(kVictim, sizeof(wl_victim))); }

std::uint32_t& EngineBench::map(std::uint32_t lpn) {
  return reinterpret_cast<std::uint32_t*>(dram.data() + (kMap - WL_DRAM_BASE))[lpn];
}
std::uint32_t& EngineBench::owner(std::uint32_t ppa) {
  return reinterpret_cast<std::uint32_t*>(dram.data() + (kOwners - WL_DRAM_BASE))[ppa];
}
const wl_gc_list& EngineBench::found() { return *reinterpret_cast<wl_gc_list*>(tcm.at(kList, sizeof(wl_gc_list))); }
wl_lpage_state& EngineBench::state(std::uint32_t lpn) {
  return reinterpret_cast<wl_lpage_state*>(
      tcm.at(kStates, WL_LPAGE_STATES * sizeof(wl_lpage_state)))[lpn % WL_LPAGE_STATES];
}
const wl_lookup& EngineBench::answer(std::uint16_t tag) {
  return reinterpret_cast<wl_lookup*>(tcm.at(kLookups, kTags * sizeof(wl_lookup)))[tag];
}
std::uint32_t EngineBench::grace_done(wl_grace kind) {
  return reinterpret_cast<wl_grace_state*>(tcm.at(kGrace, sizeof(wl_grace_state)))->done[kind];
}

Picoseconds EngineBench::send_data(const wl_host_job& job, Picoseconds from) {
  sent.push_back({job, from});
  return from + transfer * job.count;
}
void EngineBench::hand_over(std::uint16_t tag, Picoseconds at, std::uint8_t flags) {
  handed_over.push_back({tag, at, flags});
}

void play(std::uint32_t engines, const std::function<void(EngineBench&)>& body) {
  EngineBench bench(engines);
  simulate(
      [&] {
        bench.enable();
        sc_core::wait(1, sc_core::SC_US);
        body(bench);
      },
      sc_core::sc_time(1, sc_core::SC_MS));
}

}  // namespace wordline::testing
