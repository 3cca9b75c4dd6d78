// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/host/nvme_bench.h"

#include <gtest/gtest.h>
#include "testbenches/tlm/support/context.h"

namespace wordline::testing {

namespace nvme = host::nvme;
using namespace wordline::literals;

NvmeBench::NvmeBench(const config::Config& given, tlm_if::RecorderIf* recorder, const sc_core::sc_module_name& name)
    : DriveBench(given, recorder, name),
      controller("nvme", testing::context(), config, kLpages, recorder),
      host_socket("host_socket") {
  attach(controller, memory);
  host_socket.bind(controller.host_socket);
  controller.host_interrupt.bind(*this);
}

tlm::tlm_response_status NvmeBench::access(bool write, std::uint64_t offset, void* data, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (write) {
    const Picoseconds now = tlm_if::kernel_time();
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
  write32(nvme::kRegCc, nvme::kCcEnabled | (weighted ? nvme::kAmsWeighted << nvme::kCcAmsShift : 0));
  firmware_ready();
  if ((controller.status() & nvme::kCstsReady) == 0) sc_core::wait(controller.status_changed());
  ASSERT_EQ(read32(nvme::kRegCsts), nvme::kCstsReady);
}

nvme::CompletionEntry NvmeBench::create_queue(std::uint16_t qid, std::uint32_t entries, std::uint32_t cq_entries,
                                              nvme::QueuePriority priority) {
  Queue& queue = queues.at(qid);
  queue = {};
  queue.cq_entries = cq_entries;
  queue.cq = memory.allocate((cq_entries * 16 + 4095) / 4096);
  nvme::SubmissionEntry sqe{};
  sqe.opcode = nvme::kCreateIoCq;
  sqe.prp1 = queue.cq;
  sqe.cdw10 = (cq_entries - 1) << 16 | qid;
  sqe.cdw11 = static_cast<std::uint32_t>(qid) << 16 | (with_interrupts ? 3 : 1);
  EXPECT_EQ(nvme::status_of(admin(sqe)), nvme::kSuccess);
  return create_submission_queue(qid, entries, qid, priority);
}

nvme::CompletionEntry NvmeBench::create_submission_queue(std::uint16_t qid, std::uint32_t entries, std::uint16_t cqid,
                                                         nvme::QueuePriority priority) {
  Queue& queue = queues.at(qid);
  queue.entries = entries;
  queue.tail = 0;
  queue.sq = memory.allocate((entries * 64 + 4095) / 4096);
  nvme::SubmissionEntry sqe{};
  sqe.opcode = nvme::kCreateIoSq;
  sqe.prp1 = queue.sq;
  sqe.cdw10 = (entries - 1) << 16 | qid;
  sqe.cdw11 = static_cast<std::uint32_t>(cqid) << 16 | static_cast<std::uint32_t>(priority) << 1 | 1;
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
  if (qid != 0) stages.submitted(qid, sqe.cid, tlm_if::kernel_time());
  return sqe.cid;
}

Picoseconds NvmeBench::ring(std::uint16_t qid) {
  const Picoseconds arrives = tlm_if::kernel_time() + 128_ns;  // 4 + 24 bytes, latency: checked by the link's own tests
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
  if (qid != 0) last_stages = stages.finish(entry.sq_id, entry.cid, tlm_if::kernel_time(), WL_WAITER_READ).times;
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
  EXPECT_EQ(at, tlm_if::kernel_time());
  interrupts.push_back({vector, at});
  host_event.notify(sc_core::SC_ZERO_TIME);
}

nvme::SubmissionEntry io(std::uint8_t opcode, std::uint64_t slba, std::uint32_t nlb, std::uint64_t prp1,
                         std::uint64_t prp2) {
  nvme::SubmissionEntry sqe{};
  sqe.opcode = opcode;
  sqe.nsid = 1;
  sqe.prp1 = prp1;
  sqe.prp2 = prp2;
  sqe.cdw10 = static_cast<std::uint32_t>(slba);
  sqe.cdw11 = static_cast<std::uint32_t>(slba >> 32);
  sqe.cdw12 = nlb - 1;
  return sqe;
}

host::nvme::SubmissionEntry admin_command(std::uint8_t opcode, std::uint32_t cdw10, std::uint32_t cdw11,
                                          std::uint64_t prp1) {
  host::nvme::SubmissionEntry sqe{};
  sqe.opcode = opcode;
  sqe.cdw10 = cdw10;
  sqe.cdw11 = cdw11;
  sqe.prp1 = prp1;
  return sqe;
}

host::nvme::Status admin_status(NvmeBench& bench, const host::nvme::SubmissionEntry& sqe) {
  return host::nvme::status_of(bench.admin(sqe));
}

}  // namespace wordline::testing
