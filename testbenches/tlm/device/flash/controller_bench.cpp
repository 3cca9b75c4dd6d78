// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/device/flash/controller_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/support/context.h"

namespace wordline::testing {

namespace regs = registers::channel;

namespace {

config::Config as_built(const config::Config& config) {
  if (config.channels.model == config::ChannelModel::kTlm) return config;
  config::Config in_clocks = config;
  in_clocks.channels = config::in_whole_clocks(config.channels);
  return in_clocks;
}

}  // namespace

ControllerBench::ControllerBench(const sc_core::sc_module_name& name, const config::Config& c,
                                 std::uint32_t ring_entries, std::uint32_t filled_blocks, tlm_if::RecorderIf* recorder)
    : sc_module(name),
      config(as_built(c)),
      layout(config::layout_of(c)),
      checker("checker", config.channels),
      bus("bus", testing::context(), config, layout, ChannelId(0), this, recorder),
      ecc_registers("ecc", testing::context(), config.ecc, ecc::ort_groups(config, layout.dies),
                    config.nand.geometry.layers),
      ring("ring", testing::context()),
      tcm("tcm", WL_TCM_BASE, 0x40000),
      dram("dram", testing::context(), config.dram, 4096),
      buffer(kSlots),
      unused("unused", 3),
      ring_entries_(ring_entries) {
  const auto constants = std::make_shared<const flash::DieConstants>(config, layout);
  flash::BusSnoopIf* snoop = this;
  if (c.channels.model == config::ChannelModel::kRtl) {
    gates = std::make_unique<flash::GateWires>("gates", c.channels, constants->codec.lpage_bytes(), *this, recorder,
                                               "ssd.channel0");
    bus.carry_by(*gates);
    snoop = gates.get();
  }
  for (unsigned i = 0; i < config.channels.packages * config.channels.dies_per_package; ++i) {
    const auto fill = [filled_blocks](DieId die, const nand::LpageAddress& at) {
      return at.block.value() < filled_blocks ? filled(die, at) : nand::StoredLpage{};
    };
    dies.push_back(std::make_unique<flash::NandDie>(("die" + std::to_string(i)).c_str(), testing::context(), config,
                                                    layout, ChannelId(0), i, fill,
                                                    flash::NandDie::Shared{constants, snoop, recorder}));
    bus.dies.bind(*dies.back());
  }
  std::vector<std::unique_ptr<ecc::RetryIf>> retry;
  for (std::size_t i = 0; i < dies.size(); ++i) {
    retry.push_back(config.engines.on(engines::EngineId::kRetry)
                        ? ecc::make_retry(config.ecc, ecc_registers, nullptr, "")
                        : ecc::make_retry_attempt(config.ecc, ecc_registers, nullptr, ""));
  }
  controller = std::make_unique<flash::ChannelController>(
      "controller", testing::context(), config, layout, ChannelId(0), decoder, std::move(retry),
      flash::ChannelController::Shared{ecc_registers, ring, slot_table, program_tables});
  for (auto& die : dies) die->ready.bind(*controller);
  controller->bus.bind(bus.socket);
  controller->memory.bind(tcm);
  controller->dram.bind(dram);
  controller->buffer.bind(buffer);
  ring.memory.bind(tcm);
  ring.interrupt.bind(*this);
  ring.stages.bind(*this);
  ring.set_base(kCompletionRing);
  ring.set_size(4096);
  socket.bind(controller->registers);
  unused[0].bind(ecc_registers.socket);
  unused[1].bind(tcm.socket);
  unused[2].bind(dram.socket);
}

nand::StoredLpage ControllerBench::filled(DieId die, const nand::LpageAddress& at) {
  const std::uint32_t place = ((at.block.value() * 100 + at.page.value()) * 10 + at.plane.value()) * 10 + at.lpage;
  const std::uint32_t lpn = die.value() * 1'000'000U + place;
  return {data::LpageToken::uniform(Lpn(lpn), 1), lpn};
}

wl_flash_job ControllerBench::read_job(std::uint16_t die, std::uint32_t block, std::uint32_t page, std::uint16_t lpage,
                                       std::uint16_t count, std::uint32_t slot) {
  wl_flash_job job{};
  job.op = WL_FLASH_READ;
  job.tag = WL_NO_TAG;
  job.die = die;
  job.block = block;
  job.page = page;
  job.lpage = lpage;
  job.count = count;
  job.slot = slot;
  return job;
}

wl_flash_job ControllerBench::write_job(wl_flash_op op, std::uint16_t die, std::uint32_t block, std::uint32_t page,
                                        std::uint32_t slot) const {
  const std::uint32_t of_page = config::BlockKinds(config.nand, layout).of(block).lpages_per_page;
  const std::uint32_t unit = config.nand.geometry.planes * of_page * layout.pages_per_program;
  wl_flash_job job = read_job(die, block, page, 0, static_cast<std::uint16_t>(unit), slot);
  job.op = static_cast<std::uint8_t>(op);
  return job;
}

tlm::tlm_response_status ControllerBench::access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value,
                                                 Picoseconds delay) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  sc_core::sc_time annotated = tlm_if::to_sc_time(delay);
  socket->b_transport(payload, annotated);
  return payload.get_response_status();
}

void ControllerBench::write(std::uint32_t offset, std::uint32_t value, Picoseconds delay) {
  EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, offset, value, delay), tlm::TLM_OK_RESPONSE);
}

std::uint32_t ControllerBench::read(std::uint32_t offset) {
  std::uint32_t value = 0;
  EXPECT_EQ(access(tlm::TLM_READ_COMMAND, offset, value, {}), tlm::TLM_OK_RESPONSE);
  return value;
}

std::uint16_t ControllerBench::push(wl_flash_job job) {
  wl_ring& jobs = header(kJobRing);
  if (jobs.produced == 0) {
    write(regs::job_ring_base, kJobRing);
    write(regs::job_ring_size, ring_entries_);
  }
  job.id = static_cast<std::uint16_t>(jobs.produced);
  const std::uint32_t entry = static_cast<std::uint32_t>((jobs.produced & (ring_entries_ - 1)) * sizeof(job));
  std::memcpy(tcm.at(kJobRing + WL_RING_ENTRIES + entry, sizeof(job)), &job, sizeof(job));
  jobs.produced = jobs.produced + 1;
  return job.id;
}

void ControllerBench::doorbell(Picoseconds delay) { write(regs::job_doorbell, header(kJobRing).produced, delay); }

void ControllerBench::wait_for(std::size_t count) {
  while (completions.size() < count) sc_core::wait(seen_);
}

SeenCompletion ControllerBench::completion(std::uint16_t id) const {
  for (const SeenCompletion& seen : completions) {
    if (seen.entry.id == id) return seen;
  }
  ADD_FAILURE() << "job " << id << " has not completed";
  return {};
}

std::uint32_t& ControllerBench::owner(std::uint32_t slot) { return spare(slot).lpn; }

wl_slot_info& ControllerBench::spare(std::uint32_t slot) {
  constexpr std::uint32_t kEntry = sizeof(wl_slot_info);
  return *reinterpret_cast<wl_slot_info*>(tcm.at(kSlotTable + slot * kEntry, kEntry));
}

wl_program_set& ControllerBench::program_set(std::uint32_t number) {
  constexpr std::uint32_t kEntry = sizeof(wl_program_set);
  return *reinterpret_cast<wl_program_set*>(tcm.at(kProgramSets + number * kEntry, kEntry));
}

const wl_program_report& ControllerBench::program_report(std::uint16_t id) {
  constexpr std::uint32_t kEntry = sizeof(wl_program_report);
  return *reinterpret_cast<const wl_program_report*>(tcm.at(kProgramReports + id * kEntry, kEntry));
}

std::size_t ControllerBench::count(onfi::SegmentKind kind) const {
  return static_cast<std::size_t>(
      std::count_if(segments.begin(), segments.end(), [&](const SeenSegment& s) { return s.kind == kind; }));
}

void ControllerBench::segment(const flash::OnfiTransaction& t) {
  checker.segment(t);
  const std::uint8_t feature =
      t.cycles.address_count != 0 ? t.cycles.address[t.cycles.address_count - 1U] : std::uint8_t{0};
  segments.push_back(
      {t.kind, t.cycles.opcode, t.parameters[0], t.parameters, feature, t.die, t.lpage_count, t.start, t.end});
}

void ControllerBench::raise(unsigned source) {
  EXPECT_EQ(source, WL_IRQ_FLASH);
  ++interrupts;
  wl_ring& done = header(kCompletionRing);
  for (; done.consumed != done.produced; done.consumed = done.consumed + 1) {
    wl_flash_completion entry;
    const std::uint32_t offset = static_cast<std::uint32_t>((done.consumed & 4095) * sizeof(entry));
    std::memcpy(&entry, tcm.at(kCompletionRing + WL_RING_ENTRIES + offset, sizeof(entry)), sizeof(entry));
    completions.push_back({tlm_if::kernel_time(), entry});
  }
  seen_.notify();
}

}  // namespace wordline::testing
