// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <systemc>

#include "testbenches/tlm/host/drive_bench.h"
#include "testbenches/tlm/support/context.h"
#include "tlm/device/dma/host_memory_initiator.h"
#include "tlm/device/nvme/nvme_controller.h"
#include "tlm/protocol/stamp_extension.h"

namespace wordline::testing {

/// Memory of a foreign host: 4 KiB pages that the test maps, anywhere. Bytes, and stamps where a transaction brings
/// some.
class ForeignMemory final : public sc_core::sc_module {
 public:
  explicit ForeignMemory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &ForeignMemory::b_transport);
  }

  tlm_utils::simple_target_socket<ForeignMemory> socket{"socket"};
  bool serves_stamps = true;
  /// What each access takes, by its address; `waits`: by wait(), else annotated.
  std::function<Picoseconds(std::uint64_t)> takes = [](std::uint64_t) { return Picoseconds(0); };
  bool waits = false;
  unsigned transactions = 0, with_stamps = 0, inside = 0, most_inside = 0;

  /// Maps a page, filled with bytes that nobody expects.
  std::uint64_t map(std::uint64_t address) {
    pages_[address].bytes.fill(0xa5);
    return address;
  }
  template <class T>
  void put(std::uint64_t address, const T& value) {
    std::memcpy(&pages_.at(address & ~0xfffULL).bytes.at(address & 0xfff), &value, sizeof value);
  }
  template <class T>
  [[nodiscard]] T get(std::uint64_t address) const {
    T value;
    std::memcpy(&value, &pages_.at(address & ~0xfffULL).bytes.at(address & 0xfff), sizeof value);
    return value;
  }
  [[nodiscard]] data::LbaStamp& stamp(std::uint64_t address) {
    return pages_.at(address & ~0xfffULL).stamps.at(address % 4096 / 512);
  }

 private:
  struct Page {
    std::array<unsigned char, 4096> bytes{};
    data::HostPageStamps stamps{};
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& annotated) {
    ++transactions;
    const std::uint64_t address = payload.get_address();
    most_inside = std::max(most_inside, ++inside);
    if (waits) {
      sc_core::wait(annotated + tlm_if::to_sc_time(takes(address)));
      annotated = sc_core::SC_ZERO_TIME;
    } else {
      annotated += tlm_if::to_sc_time(takes(address));
    }
    --inside;
    const std::size_t offset = address & 0xfff, bytes = payload.get_data_length();
    const auto page = pages_.find(address - offset);
    if (page == pages_.end()) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    ASSERT_LE(offset + bytes, 4096U);
    unsigned char* at = page->second.bytes.data() + offset;
    if (payload.is_read()) {
      std::memcpy(payload.get_data_ptr(), at, bytes);
    } else {
      std::memcpy(at, payload.get_data_ptr(), bytes);
    }
    auto* extension = payload.get_extension<host::StampExtension>();
    if (extension != nullptr && serves_stamps) {
      ++with_stamps;
      ASSERT_EQ(bytes, extension->nlb * 512U);
      for (std::uint32_t i = 0; i < extension->nlb; ++i) {
        data::LbaStamp& stamp = page->second.stamps.at(offset / 512 + i);
        (payload.is_read() ? extension->stamps[i] : stamp) = payload.is_read() ? stamp : extension->stamps[i];
      }
      extension->served = true;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  std::map<std::uint64_t, Page> pages_;
};

/// A host that is nothing of ours but its entries' layout: registers by one socket, memory behind another.
class ForeignHost final : public DriveBench, public host::HostInterruptIf {
 public:
  static constexpr std::uint32_t kEntries = 8;
  static constexpr std::uint64_t kBase = 0x7'0000'0000;  // far beyond what our own host would use
  static constexpr std::uint64_t kAdminSq = kBase, kAdminCq = kBase + 0x1000, kSq = kBase + 0x2000,
                                 kCq = kBase + 0x3000;

  using Target = host::HostMemoryInitiator::Target;
  explicit ForeignHost(Target target = Target::kMayWait, const config::Config& given = nvme_bench_config(),
                       const sc_core::sc_module_name& name = "bench")
      : DriveBench(given, nullptr, name),
        foreign("foreign"),
        bridge("bridge", testing::context(), target),
        controller("nvme", testing::context(), config, kLpages, nullptr) {
    attach(controller, bridge);
    bridge.socket.bind(foreign.socket);
    registers.bind(controller.host_socket);
    controller.host_interrupt.bind(*this);
    for (const std::uint64_t page : {kAdminSq, kAdminCq, kSq, kCq}) foreign.map(page);
    for (const std::uint64_t page : {kAdminCq, kCq}) {
      for (std::uint32_t i = 0; i < kEntries; ++i) foreign.put(page + i * 16, host::nvme::CompletionEntry{});
    }
  }

  void interrupt(unsigned /*vector*/, Picoseconds /*at*/) override { event_.notify(sc_core::SC_ZERO_TIME); }
  void write(std::uint32_t offset, std::uint32_t value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    registers->b_transport(payload, delay);
    EXPECT_TRUE(payload.is_response_ok());
  }
  void bring_up() {
    write(host::nvme::kRegAqa, (kEntries - 1) << 16 | (kEntries - 1));
    write(host::nvme::kRegAsq, static_cast<std::uint32_t>(kAdminSq));
    write(host::nvme::kRegAsq + 4, kAdminSq >> 32);
    write(host::nvme::kRegAcq, static_cast<std::uint32_t>(kAdminCq));
    write(host::nvme::kRegAcq + 4, kAdminCq >> 32);
    write(host::nvme::kRegCc, host::nvme::kCcEnabled);
    firmware_ready();
    sc_core::wait(controller.status_changed());
    host::nvme::SubmissionEntry sqe{};
    sqe.opcode = host::nvme::kCreateIoCq;
    sqe.prp1 = kCq;
    sqe.cdw10 = (kEntries - 1) << 16 | 1;
    sqe.cdw11 = 3;
    EXPECT_EQ(host::nvme::status_of(admin(sqe)), host::nvme::kSuccess);
    sqe.opcode = host::nvme::kCreateIoSq;
    sqe.prp1 = kSq;
    sqe.cdw11 = 1U << 16 | 1;
    EXPECT_EQ(host::nvme::status_of(admin(sqe)), host::nvme::kSuccess);
  }
  void submit_admin(const host::nvme::SubmissionEntry& sqe) { submit(queues_[0], sqe); }
  host::nvme::CompletionEntry admin_completion() { return completion(queues_[0]); }
  host::nvme::CompletionEntry admin(const host::nvme::SubmissionEntry& sqe) {
    submit_admin(sqe);
    return admin_completion();
  }
  void submit_io(const host::nvme::SubmissionEntry& sqe) {
    stages.submitted(1, sqe.cid, tlm_if::kernel_time());
    submit(queues_[1], sqe);
  }
  host::nvme::CompletionEntry io_completion() {
    const host::nvme::CompletionEntry entry = completion(queues_[1]);
    stages.finish(1, entry.cid, tlm_if::kernel_time(), WL_WAITER_READ);
    return entry;
  }

  ForeignMemory foreign;
  host::HostMemoryInitiator bridge;
  host::NvmeController controller;
  tlm_utils::simple_initiator_socket<ForeignHost> registers{"registers"};

 private:
  struct Queue {
    std::uint32_t qid;
    std::uint64_t sq, cq;
    std::uint32_t tail = 0, head = 0;
    bool phase = true;
  };
  void submit(Queue& queue, const host::nvme::SubmissionEntry& sqe) {
    foreign.put(queue.sq + queue.tail * sizeof sqe, sqe);
    queue.tail = (queue.tail + 1) % kEntries;
    write(host::nvme::sq_tail_doorbell(queue.qid), queue.tail);
  }
  host::nvme::CompletionEntry completion(Queue& queue) {
    const std::uint64_t at = queue.cq + queue.head * sizeof(host::nvme::CompletionEntry);
    while (host::nvme::phase_of(foreign.get<host::nvme::CompletionEntry>(at)) != queue.phase) sc_core::wait(event_);
    queue.head = (queue.head + 1) % kEntries;
    if (queue.head == 0) queue.phase = !queue.phase;
    write(host::nvme::cq_head_doorbell(queue.qid), queue.head);
    return foreign.get<host::nvme::CompletionEntry>(at);
  }

  std::array<Queue, 2> queues_{{{0, kAdminSq, kAdminCq}, {1, kSq, kCq}}};
  sc_core::sc_event event_;
};

inline host::nvme::SubmissionEntry foreign_io(std::uint8_t opcode, std::uint16_t cid, std::uint64_t slba,
                                              std::uint32_t nlb, std::uint64_t prp1, std::uint64_t prp2 = 0) {
  host::nvme::SubmissionEntry sqe{};
  sqe.opcode = opcode;
  sqe.cid = cid;
  sqe.nsid = 1;
  sqe.prp1 = prp1;
  sqe.prp2 = prp2;
  sqe.cdw10 = static_cast<std::uint32_t>(slba);
  sqe.cdw12 = nlb - 1;
  return sqe;
}

}  // namespace wordline::testing
