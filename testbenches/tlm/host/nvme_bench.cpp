// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/host/nvme_bench.h"

#include <gtest/gtest.h>

#include <cstring>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing {

namespace nvme = host::nvme;
namespace regs = registers::nvme;
using namespace wordline::literals;

config::Config nvme_bench_config() {
  config::Config config{};
  config.link.bandwidth = BytesPerSecond(1'000'000'000);
  config.link.latency = 100_ns;
  config.link.max_payload = Bytes(256);
  config.link.tlp_overhead = Bytes(24);
  config.engines[engines::EngineId::kParse] = {true, 200_ns, 200_ns, 1};
  config.cpu.clock = Hertz(500'000'000);
  config.nvme.tags = 8;
  config.nvme.fetch_burst = 4;
  config.nvme.max_transfer_sectors = 32;
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

NvmeBench::NvmeBench(const config::Config& given, tlm_if::RecorderIf* recorder, const sc_core::sc_module_name& name)
    : sc_module(name),
      config(given),
      link(config.link, recorder),
      tcm("tcm", WL_TCM_BASE, 0x40000),
      dram("dram", config.dram, 4096),
      buffer(256),
      controller("nvme", config, kSectors, link, memory, recorder),
      host_socket("host_socket"),
      firmware_socket("firmware_socket"),
      tcm_socket("tcm_socket"),
      dram_socket("dram_socket") {
  host_socket.bind(controller.host_socket);
  firmware_socket.bind(controller.register_socket);
  tcm_socket.bind(tcm.socket);
  dram_socket.bind(dram.socket);
  controller.memory.bind(tcm);
  controller.interrupt.bind(*this);
  controller.dram.bind(dram);
  controller.buffer.bind(buffer);
  controller.stages.bind(stages);
  controller.host_interrupt.bind(*this);
  controller.direct_completion.bind(*this);
}

void play(const std::function<void()>& body) { simulate(body, sc_core::sc_time(10, sc_core::SC_MS)); }
void pass(Picoseconds t) { sc_core::wait(tlm_if::to_sc_time(t)); }

tlm::tlm_response_status NvmeBench::access(bool write, std::uint64_t offset, void* data, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (write) {
    const Picoseconds now = tlm_if::now();
    delay = tlm_if::to_sc_time(link.posted_write(host::Direction::kDownstream, now, bytes) - now);
  }
  host_socket->b_transport(payload, delay);
  return payload.get_response_status();
}

std::uint32_t NvmeBench::read32(std::uint32_t offset) {
  std::uint32_t value = 0xdeadbeef;
  EXPECT_EQ(access(false, offset, &value, 4), tlm::TLM_OK_RESPONSE);
  return value;
}
void NvmeBench::write32(std::uint32_t offset, std::uint32_t value) {
  EXPECT_EQ(access(true, offset, &value, 4), tlm::TLM_OK_RESPONSE);
}
void NvmeBench::write64(std::uint32_t offset, std::uint64_t value) {
  EXPECT_EQ(access(true, offset, &value, 8), tlm::TLM_OK_RESPONSE);
}

void NvmeBench::enable() {
  Queue& queue = queues[0];
  queue = {};
  queue.sq = memory.allocate();
  queue.cq = memory.allocate();
  queue.entries = queue.cq_entries = 8;
  write32(nvme::kRegAqa, 7U << 16 | 7U);
  write64(nvme::kRegAsq, queue.sq);
  write64(nvme::kRegAcq, queue.cq);
  write32(nvme::kRegCc, nvme::kCcEnabled);
  firmware_ready();
  if ((controller.status() & nvme::kCstsReady) == 0) sc_core::wait(controller.status_changed());
  ASSERT_EQ(read32(nvme::kRegCsts), nvme::kCstsReady);
}

nvme::CompletionEntry NvmeBench::create_queue(std::uint16_t qid, std::uint32_t entries, std::uint32_t cq_entries) {
  Queue& queue = queues.at(qid);
  queue = {};
  queue.entries = entries;
  queue.cq_entries = cq_entries;
  queue.sq = memory.allocate((entries * 64 + 4095) / 4096);
  queue.cq = memory.allocate((cq_entries * 16 + 4095) / 4096);
  nvme::SubmissionEntry sqe{};
  sqe.opcode = nvme::kCreateIoCq;
  sqe.prp1 = queue.cq;
  sqe.cdw10 = (cq_entries - 1) << 16 | qid;
  sqe.cdw11 = static_cast<std::uint32_t>(qid) << 16 | 3;
  EXPECT_EQ(nvme::status_of(admin(sqe)), nvme::kSuccess);
  sqe.opcode = nvme::kCreateIoSq;
  sqe.prp1 = queue.sq;
  sqe.cdw10 = (entries - 1) << 16 | qid;
  sqe.cdw11 = static_cast<std::uint32_t>(qid) << 16 | 1;
  return admin(sqe);
}

void NvmeBench::bring_up(std::uint32_t entries, std::uint32_t cq_entries) {
  enable();
  ASSERT_EQ(nvme::status_of(create_queue(1, entries, cq_entries)), nvme::kSuccess);
  sc_core::wait(10, sc_core::SC_US);  // the last head doorbell has arrived, the link is idle
  interrupts.clear();
}

std::uint16_t NvmeBench::put(std::uint16_t qid, nvme::SubmissionEntry sqe) {
  Queue& queue = queues.at(qid);
  sqe.cid = next_cid_++;
  memory.write(queue.sq + queue.tail * sizeof sqe, &sqe, sizeof sqe);
  queue.tail = (queue.tail + 1) % queue.entries;
  if (qid != 0) stages.submitted(qid, sqe.cid, tlm_if::now());
  return sqe.cid;
}

Picoseconds NvmeBench::ring(std::uint16_t qid) {
  const Picoseconds arrives = tlm_if::now() + 128_ns;  // 4 + 24 bytes, latency: checked by the link's own tests
  write32(nvme::sq_tail_doorbell(qid), queues.at(qid).tail);
  return arrives;
}

std::uint16_t NvmeBench::submit(std::uint16_t qid, const nvme::SubmissionEntry& sqe) {
  const std::uint16_t cid = put(qid, sqe);
  ring(qid);
  return cid;
}

bool NvmeBench::has_completion(std::uint16_t qid) {
  const Queue& queue = queues.at(qid);
  nvme::CompletionEntry entry;
  memory.read(queue.cq + queue.cq_head * sizeof entry, &entry, sizeof entry);
  return nvme::phase_of(entry) == queue.phase;
}

nvme::CompletionEntry NvmeBench::completion(std::uint16_t qid, bool with_head) {
  while (!has_completion(qid)) sc_core::wait(host_event);
  Queue& queue = queues.at(qid);
  nvme::CompletionEntry entry;
  memory.read(queue.cq + queue.cq_head * sizeof entry, &entry, sizeof entry);
  queue.cq_head = (queue.cq_head + 1) % queue.cq_entries;
  if (queue.cq_head == 0) queue.phase = !queue.phase;
  if (qid != 0) last_stages = stages.finish(entry.sq_id, entry.cid, tlm_if::now());
  if (with_head) ring_head(qid);
  return entry;
}

void NvmeBench::ring_head(std::uint16_t qid) { write32(nvme::cq_head_doorbell(qid), queues.at(qid).cq_head); }

nvme::CompletionEntry NvmeBench::admin(nvme::SubmissionEntry sqe) {
  const std::uint16_t cid = submit(0, sqe);
  const nvme::CompletionEntry entry = completion(0);
  EXPECT_EQ(entry.cid, cid);
  EXPECT_EQ(entry.sq_id, 0);
  return entry;
}

void NvmeBench::interrupt(unsigned vector, Picoseconds at) {
  EXPECT_EQ(at, tlm_if::now());
  interrupts.push_back({vector, at});
  host_event.notify(sc_core::SC_ZERO_TIME);
}

void NvmeBench::raise(unsigned source) {
  EXPECT_EQ(source, WL_IRQ_HOST);
  wakeups.push_back(tlm_if::now());
  firmware_event.notify(sc_core::SC_ZERO_TIME);
}

void NvmeBench::completed(std::uint16_t qid, std::uint16_t cid, nvme::Status status, Picoseconds at) {
  EXPECT_EQ(at, tlm_if::now());
  last_stages = stages.finish(qid, cid, at);
  direct_done.push_back({cid, status, at});
  direct_event.notify(sc_core::SC_ZERO_TIME);
}

tlm::tlm_response_status NvmeBench::firmware_access(bool write, std::uint32_t offset, std::uint32_t& value,
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

void NvmeBench::firmware_ready() {
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
                                                            {regs::control, 1}};
  for (auto [offset, value] : writes) EXPECT_EQ(firmware_access(true, offset, value), tlm::TLM_OK_RESPONSE);
}

wl_ring* NvmeBench::ring_of(std::uint32_t base) {
  return reinterpret_cast<wl_ring*>(tcm.at(base, WL_RING_ENTRIES));
}

wl_sqe NvmeBench::entry(std::uint16_t tag) {
  wl_sqe entry;
  std::memcpy(&entry, tcm.at(kCommandTable + tag * sizeof entry, sizeof entry), sizeof entry);
  return entry;
}

void NvmeBench::extent(std::uint16_t tag, std::uint32_t first, std::uint32_t blocks) {
  const std::uint32_t extent = first | blocks << WL_EXTENT_FIRST_BITS;
  std::memcpy(tcm.at(kExtentTable + tag * sizeof extent, sizeof extent), &extent, sizeof extent);
}

bool NvmeBench::has_event() {
  const wl_ring* ring = ring_of(kEventRing);
  return ring->produced != ring->consumed;
}

wl_host_event NvmeBench::event() {
  while (!has_event()) sc_core::wait(firmware_event);
  wl_ring* ring = ring_of(kEventRing);
  wl_host_event event;
  std::memcpy(&event, tcm.at(kEventRing + WL_RING_ENTRIES + ring->consumed % kEvents * sizeof event, sizeof event),
              sizeof event);
  ring->consumed = ring->consumed + 1;
  return event;
}

void NvmeBench::job(const wl_host_job& job) {
  wl_ring* ring = ring_of(kJobRing);
  std::memcpy(tcm.at(kJobRing + WL_RING_ENTRIES + ring->produced % kJobs * sizeof job, sizeof job), &job, sizeof job);
  ring->produced = ring->produced + 1;
}

void NvmeBench::ring_jobs(Picoseconds delay) {
  std::uint32_t produced = ring_of(kJobRing)->produced;
  EXPECT_EQ(firmware_access(true, regs::job_doorbell, produced, delay), tlm::TLM_OK_RESPONSE);
}

void NvmeBench::run_job(const wl_host_job& entry, Picoseconds delay) {
  job(entry);
  ring_jobs(delay);
}

nvme::SubmissionEntry io(std::uint8_t opcode, std::uint64_t slba, std::uint32_t blocks, std::uint64_t prp1,
                         std::uint64_t prp2) {
  nvme::SubmissionEntry sqe{};
  sqe.opcode = opcode;
  sqe.nsid = 1;
  sqe.prp1 = prp1;
  sqe.prp2 = prp2;
  sqe.cdw10 = static_cast<std::uint32_t>(slba);
  sqe.cdw11 = static_cast<std::uint32_t>(slba >> 32);
  sqe.cdw12 = blocks - 1;
  return sqe;
}

wl_host_job job_of(std::uint8_t op, const wl_host_event& event, std::uint32_t slot, std::uint16_t count,
                   std::uint8_t flags, std::uint32_t sector) {
  wl_host_job job{};
  job.op = op;
  job.flags = flags;
  job.tag = event.tag;
  job.count = count;
  job.slot = slot;
  job.sector = sector;
  return job;
}

}  // namespace wordline::testing
