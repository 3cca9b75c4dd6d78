// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/host/drive_bench.h"

#include <gtest/gtest.h>

#include <cstring>

#include "models/checks/load.h"
#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing {

namespace regs = registers::nvme;
using namespace wordline::literals;

config::Config nvme_bench_config() {
  config::Config config{};
  config.nand = config::load("", {}).config.nand;  // Identify says how long a self-test of it takes
  config.host.cores = 1;
  config.host.polling_period = 100_ns;
  config.host.arbitration_burst = 7;
  config.host.coalescing_entries = 1;
  config.link.bandwidth = BytesPerSecond(1'000'000'000);
  config.link.latency = 100_ns;
  config.link.max_payload = Bytes(256);
  config.link.tlp_overhead = Bytes(24);
  config.engines[engines::EngineId::kParse] = {true, 200_ns, 200_ns, 1};
  config.cpu.clock = Hertz(500'000'000);
  config.nvme.ready_timeout = 10000_ms;
  config.nvme.tags = 8;
  config.nvme.fetch_burst = 4;
  config.nvme.max_transfer_lpages = 32;
  config.dram.bandwidth = BytesPerSecond(4'000'000'000);
  config.dram.latency = 50_ns;
  config.nand.aging.temperature_c = 40;
  return config;
}

config::Config unparsed_config() {
  config::Config config = nvme_bench_config();
  config.engines[engines::EngineId::kParse].on = false;
  return config;
}

DriveBench::DriveBench(config::Config given, tlm_if::RecorderIf* recorder, const sc_core::sc_module_name& name)
    : sc_module(name),
      config(std::move(given)),
      link(testing::context(), config.link, recorder),
      stages(testing::context()),
      tcm("tcm", WL_TCM_BASE, 0x40000),
      dram("dram", testing::context(), config.dram, 4096),
      buffer(256),
      firmware_socket("firmware_socket"),
      tcm_socket("tcm_socket"),
      dram_socket("dram_socket") {
  tcm_socket.bind(tcm.socket);
  dram_socket.bind(dram.socket);
}

void DriveBench::attach(host::HostInterface& drive, host::HostMemoryIf& host_memory) {
  host::HostDataMover& mover = drive.mover;
  firmware_socket.bind(mover.register_socket);
  mover.host_memory.bind(host_memory);
  mover.link.bind(link);
  mover.memory.bind(tcm);
  mover.interrupt.bind(*this);
  mover.dram.bind(dram);
  mover.buffer.bind(buffer);
  mover.stages.bind(stages);
}

void play(const std::function<void()>& body) { simulate(body, sc_core::sc_time(10, sc_core::SC_MS)); }
void pass(Picoseconds t) { sc_core::wait(tlm_if::to_sc_time(t)); }

void DriveBench::raise(unsigned source) {
  EXPECT_EQ(source, WL_IRQ_HOST);
  wakeups.push_back(tlm_if::kernel_time());
  firmware_event.notify(sc_core::SC_ZERO_TIME);
}

tlm::tlm_response_status DriveBench::firmware_access(bool write, std::uint32_t offset, std::uint32_t& value,
                                                     Picoseconds annotated) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  sc_core::sc_time delay = tlm_if::to_sc_time(annotated);
  firmware_socket->b_transport(payload, delay);
  return payload.get_response_status();
}

void DriveBench::firmware_ready() {
  std::uint32_t control = 0;
  EXPECT_EQ(firmware_access(false, regs::control, control), tlm::TLM_OK_RESPONSE);
  if (control == 1) return;
  const std::pair<std::uint32_t, std::uint32_t> writes[] = {{regs::event_ring_base, kEventRing},
                                                            {regs::event_ring_size, kEvents},
                                                            {regs::job_ring_base, kJobRing},
                                                            {regs::job_ring_size, kJobs},
                                                            {regs::command_table, kCommandTable},
                                                            {regs::extent_table, kExtentTable},
                                                            {regs::range_table, kRangeTable},
                                                            {regs::admin_entry, kAdminEntry},
                                                            {regs::admin_page, kAdminPage},
                                                            {regs::namespace_table, kNamespaceTable},
                                                            {regs::control, 1}};
  for (auto [offset, value] : writes) EXPECT_EQ(firmware_access(true, offset, value), tlm::TLM_OK_RESPONSE);
}

wl_ring* DriveBench::ring_of(std::uint32_t base) { return reinterpret_cast<wl_ring*>(tcm.at(base, WL_RING_ENTRIES)); }

wl_sqe DriveBench::admin_entry() {
  wl_sqe entry;
  std::memcpy(&entry, tcm.at(kAdminEntry, sizeof entry), sizeof entry);
  return entry;
}

void DriveBench::answer(const wl_host_event& event, std::uint16_t status, std::uint32_t dw0,
                        const std::vector<std::uint8_t>& data) {
  if (!data.empty()) std::memcpy(tcm.at(kAdminPage, WL_ADMIN_PAGE_BYTES), data.data(), data.size());
  wl_host_job job{};
  job.op = WL_JOB_ADMIN;
  job.tag = WL_NO_TAG;
  job.status = status;
  job.count = event.count;
  job.slot = static_cast<std::uint32_t>(data.size());
  job.lpage = dw0;
  run_job(job);
}

wl_sqe DriveBench::entry(std::uint16_t tag) {
  wl_sqe entry;
  std::memcpy(&entry, tcm.at(kCommandTable + tag * sizeof entry, sizeof entry), sizeof entry);
  return entry;
}

void DriveBench::extent(std::uint16_t tag, std::uint32_t first, std::uint32_t nlb) {
  const std::uint32_t extent = first | nlb << WL_EXTENT_FIRST_BITS;
  std::memcpy(tcm.at(kExtentTable + tag * sizeof extent, sizeof extent), &extent, sizeof extent);
}

bool DriveBench::has_event() {
  const wl_ring* ring = ring_of(kEventRing);
  return ring->produced != ring->consumed;
}

wl_host_event DriveBench::event() {
  while (!has_event()) sc_core::wait(firmware_event);
  wl_ring* ring = ring_of(kEventRing);
  wl_host_event event;
  std::memcpy(&event, tcm.at(kEventRing + WL_RING_ENTRIES + ring->consumed % kEvents * sizeof event, sizeof event),
              sizeof event);
  ring->consumed = ring->consumed + 1;
  return event;
}

void DriveBench::job(const wl_host_job& job) {
  wl_ring* ring = ring_of(kJobRing);
  std::memcpy(tcm.at(kJobRing + WL_RING_ENTRIES + ring->produced % kJobs * sizeof job, sizeof job), &job, sizeof job);
  ring->produced = ring->produced + 1;
}

void DriveBench::ring_jobs(Picoseconds delay) {
  std::uint32_t produced = ring_of(kJobRing)->produced;
  EXPECT_EQ(firmware_access(true, regs::job_doorbell, produced, delay), tlm::TLM_OK_RESPONSE);
}

void DriveBench::run_job(const wl_host_job& entry, Picoseconds delay) {
  job(entry);
  ring_jobs(delay);
}

wl_host_job job_of(std::uint8_t op, const wl_host_event& event, std::uint32_t slot, std::uint16_t count,
                   std::uint8_t flags, std::uint32_t lpage) {
  wl_host_job job{};
  job.op = op;
  job.flags = flags;
  job.tag = event.tag;
  job.count = count;
  job.slot = slot;
  job.lpage = lpage;
  return job;
}

}  // namespace wordline::testing
