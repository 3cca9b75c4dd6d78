// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The drive behind TLM-2.0 sockets only: a host that is written here, with a memory of its own, drives the whole
// controller. And what is refused on the way.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "testbenches/tlm/host/drive_bench.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/dma/host_memory_initiator.h"
#include "tlm/device/nvme/nvme_controller.h"
#include "tlm/host/memory/host_memory_target.h"
#include "tlm/protocol/stamp_extension.h"

namespace wordline::testing::host_memory_socket_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;

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
  [[nodiscard]] LbaStamp& stamp(std::uint64_t address) {
    return pages_.at(address & ~0xfffULL).stamps.at(address % 4096 / 512);
  }

 private:
  struct Page {
    std::array<unsigned char, 4096> bytes{};
    data::LpageStamps stamps{};
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
        LbaStamp& stamp = page->second.stamps.at(offset / 512 + i);
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
  explicit ForeignHost(Target target = Target::kMayWait, const sc_core::sc_module_name& name = "bench")
      : DriveBench(nvme_bench_config(), nullptr, name),
        foreign("foreign"),
        bridge("bridge", testing::context(), target),
        controller("nvme", testing::context(), config, kLpages, nullptr) {
    attach(controller, bridge);
    bridge.socket.bind(foreign.socket);
    registers.bind(controller.host_socket);
    controller.host_interrupt.bind(*this);
    for (const std::uint64_t page : {kAdminSq, kAdminCq, kSq, kCq}) foreign.map(page);
    for (const std::uint64_t page : {kAdminCq, kCq}) {
      for (std::uint32_t i = 0; i < kEntries; ++i) foreign.put(page + i * 16, nvme::CompletionEntry{});
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
    write(nvme::kRegAqa, (kEntries - 1) << 16 | (kEntries - 1));
    write(nvme::kRegAsq, static_cast<std::uint32_t>(kAdminSq));
    write(nvme::kRegAsq + 4, kAdminSq >> 32);
    write(nvme::kRegAcq, static_cast<std::uint32_t>(kAdminCq));
    write(nvme::kRegAcq + 4, kAdminCq >> 32);
    write(nvme::kRegCc, nvme::kCcEnabled);
    firmware_ready();
    sc_core::wait(controller.status_changed());
    nvme::SubmissionEntry sqe{};
    sqe.opcode = nvme::kCreateIoCq;
    sqe.prp1 = kCq;
    sqe.cdw10 = (kEntries - 1) << 16 | 1;
    sqe.cdw11 = 3;
    EXPECT_EQ(nvme::status_of(admin(sqe)), nvme::kSuccess);
    sqe.opcode = nvme::kCreateIoSq;
    sqe.prp1 = kSq;
    sqe.cdw11 = 1U << 16 | 1;
    EXPECT_EQ(nvme::status_of(admin(sqe)), nvme::kSuccess);
  }
  nvme::CompletionEntry admin(const nvme::SubmissionEntry& sqe) {
    submit(queues_[0], sqe);
    return completion(queues_[0]);
  }
  void submit_io(const nvme::SubmissionEntry& sqe) {
    stages.submitted(1, sqe.cid, tlm_if::kernel_time());
    submit(queues_[1], sqe);
  }
  nvme::CompletionEntry io_completion() {
    const nvme::CompletionEntry entry = completion(queues_[1]);
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
  void submit(Queue& queue, const nvme::SubmissionEntry& sqe) {
    foreign.put(queue.sq + queue.tail * sizeof sqe, sqe);
    queue.tail = (queue.tail + 1) % kEntries;
    write(nvme::sq_tail_doorbell(queue.qid), queue.tail);
  }
  nvme::CompletionEntry completion(Queue& queue) {
    const std::uint64_t at = queue.cq + queue.head * sizeof(nvme::CompletionEntry);
    while (nvme::phase_of(foreign.get<nvme::CompletionEntry>(at)) != queue.phase) sc_core::wait(event_);
    queue.head = (queue.head + 1) % kEntries;
    if (queue.head == 0) queue.phase = !queue.phase;
    write(nvme::cq_head_doorbell(queue.qid), queue.head);
    return foreign.get<nvme::CompletionEntry>(at);
  }

  std::array<Queue, 2> queues_{{{0, kAdminSq, kAdminCq}, {1, kSq, kCq}}};
  sc_core::sc_event event_;
};

nvme::SubmissionEntry io(std::uint8_t opcode, std::uint16_t cid, std::uint64_t slba, std::uint32_t nlb,
                         std::uint64_t prp1, std::uint64_t prp2 = 0) {
  nvme::SubmissionEntry sqe{};
  sqe.opcode = opcode;
  sqe.cid = cid;
  sqe.nsid = 1;
  sqe.prp1 = prp1;
  sqe.prp2 = prp2;
  sqe.cdw10 = static_cast<std::uint32_t>(slba);
  sqe.cdw12 = nlb - 1;
  return sqe;
}

TEST(HostMemorySocketTest, ForeignHostDrivesTheWholeController) {
  ForeignHost host;
  play([&] {
    host.bring_up();

    // Identify, over a page border: two pieces.
    const std::uint64_t first = host.foreign.map(0x7'1000'0000), second = host.foreign.map(0x7'2000'0000);
    nvme::SubmissionEntry sqe{};
    sqe.opcode = nvme::kIdentify;
    sqe.prp1 = first + 0xffc;
    sqe.prp2 = second;
    sqe.cdw10 = nvme::kCnsController;
    EXPECT_EQ(nvme::status_of(host.admin(sqe)), nvme::kSuccess);
    const auto serial = host.foreign.get<std::array<char, 12>>(second - 4 + nvme::identify_controller::kSn);
    EXPECT_EQ(std::string(serial.data(), serial.size()), "WL0000000001");
    EXPECT_EQ(host.foreign.get<std::uint8_t>(second - 4 + nvme::identify_controller::kMdts), 5);
    EXPECT_EQ(host.foreign.get<std::uint8_t>(first + 0xffb), 0xa5) << "nothing before PRP1";

    // A write of 34 blocks, on pages that lie apart and in no order, by a PRP list; it begins in the middle of a
    // logical page.
    const std::uint64_t list = host.foreign.map(0x7'3000'0000);
    std::vector<std::uint64_t> pages;
    for (std::uint64_t i = 0; i < 5; ++i)
      pages.push_back(host.foreign.map(0x7'4000'0000 + (7 * i + 3) % 5 * 0x10'0000));
    for (std::uint64_t i = 1; i < 5; ++i) host.foreign.put(list + 16 + (i - 1) * 8, pages[i]);
    for (unsigned i = 0; i < 34; ++i) host.foreign.stamp(pages[i / 8] + i % 8 * 512) = LbaStamp(Lba(12 + i), 9);
    host.submit_io(io(nvme::kWrite, 7, 12, 34, pages[0], list + 16));
    wl_host_event event = host.event();
    EXPECT_EQ(event.blocks, 34U);
    host.run_job(job_of(WL_JOB_DMA_IN, event, 20, 5, WL_JOB_THEN_COMPLETE | WL_JOB_ZERO_REST));
    nvme::CompletionEntry done = host.io_completion();
    EXPECT_EQ(done.cid, 7);
    EXPECT_EQ(nvme::status_of(done), nvme::kSuccess);
    for (std::uint64_t lba = 8; lba < 48; ++lba) {
      const LbaStamp expected = lba < 12 || lba >= 46 ? LbaStamp() : LbaStamp(Lba(lba), 9);
      EXPECT_EQ(host.buffer.pool().stamp(host.buffer.slot(static_cast<std::uint32_t>(20 + lba / 8 - 1)), lba % 8),
                expected)
          << lba;
    }

    // A read of the same by two pages, the first with an offset: stamps arrive, and bytes that are zeros.
    const std::uint64_t left = host.foreign.map(0x7'5000'0000), right = host.foreign.map(0x7'6000'0000);
    host.submit_io(io(nvme::kRead, 8, 16, 8, left + 5 * 512, right));
    event = host.event();
    host.run_job(job_of(WL_JOB_DMA_OUT, event, 21, 1, WL_JOB_THEN_COMPLETE));
    done = host.io_completion();
    EXPECT_EQ(done.cid, 8);
    EXPECT_EQ(nvme::status_of(done), nvme::kSuccess);
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint64_t at = i < 3 ? left + (5 + i) * 512 : right + (i - 3) * 512;
      EXPECT_EQ(host.foreign.stamp(at), LbaStamp(Lba(16 + i), 9)) << i;
      EXPECT_EQ(host.foreign.get<std::uint64_t>(at), 0U) << i;
    }
    EXPECT_EQ(host.foreign.get<std::uint8_t>(left + 5 * 512 - 1), 0xa5);
    EXPECT_EQ(host.foreign.get<std::uint8_t>(right + 5 * 512), 0xa5);

    // Ranges are bytes.
    host.foreign.put(list, nvme::DsmRange{0, 24, 800});
    sqe = io(nvme::kDatasetManagement, 9, 0, 1, list);
    sqe.cdw10 = 0;
    sqe.cdw11 = nvme::kDsmDeallocate;
    host.submit_io(sqe);
    event = host.event();
    EXPECT_EQ(event.slba, 800U);
    EXPECT_EQ(event.blocks, 24U);
    host.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    EXPECT_EQ(host.io_completion().cid, 9);

    // Both queues go round; the phase turns.
    for (std::uint16_t cid = 20; cid < 40; ++cid) {
      host.submit_io(io(nvme::kRead, cid, 0, 8, right));
      host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
      EXPECT_EQ(host.io_completion().cid, cid);
    }
    EXPECT_TRUE(host.foreign.stamp(right).is_zero());

    EXPECT_GT(host.foreign.transactions, 80U);
    EXPECT_EQ(host.foreign.with_stamps, 9U + 2U + 20U)
        << "the write is cut at pages and logical pages, the read at pages";
    EXPECT_EQ(host.memory.pages_in_use(), 0U) << "there is no other memory";
    EXPECT_EQ(host.controller.tags_in_use(), 0U);
  });
}

// To the picosecond as with a memory that is reached without a socket (nvme_io_test.cpp).
TEST(HostMemorySocketTest, TheSocketTakesNoTime) {
  ForeignHost host;
  play([&] {
    host.bring_up();
    pass(10_us);
    const std::uint64_t page = host.foreign.map(0x7'1000'0000);
    host.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    const Picoseconds start = tlm_if::kernel_time();
    host.submit_io(io(nvme::kRead, 1, 24, 8, page));
    host.run_job(job_of(WL_JOB_DMA_OUT, host.event(), 5, 1, WL_JOB_THEN_COMPLETE));
    host.io_completion();
    // Entry fetched and parsed, DRAM, logical page on the wire, entry and message.
    EXPECT_EQ(tlm_if::kernel_time(), start + 312_ns + 200_ns + 1074_ns + 4480_ns + 168_ns);
  });
}

TEST(HostMemorySocketTest, AddressErrorsAreReported) {
  expect_reports(true);
  ForeignHost host;
  play([&] {
    host.bring_up();
    EXPECT_EQ(reports_seen(), 0U);
    // Data to a page that is not there.
    host.submit_io(io(nvme::kRead, 1, 0, 8, 0x9'0000'0000));
    host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kDataTransferError | nvme::kDnr);
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("write of 4096 bytes of host memory at 0x900000000 was answered with "
                                 "TLM_ADDRESS_ERROR_RESPONSE"),
              std::string::npos)
        << last_report();
    // Data from there: the slot keeps what it held.
    host.buffer.slot(3) = LpageToken::uniform(Lpn(0), 5);
    host.submit_io(io(nvme::kWrite, 2, 0, 8, 0x9'0000'0000));
    host.run_job(job_of(WL_JOB_DMA_IN, host.event(), 3, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kDataTransferError | nvme::kDnr);
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("read of 4096 bytes"), std::string::npos) << last_report();
    EXPECT_EQ(host.buffer.slot(3), LpageToken::uniform(Lpn(0), 5));
    // A PRP list.
    host.submit_io(io(nvme::kRead, 3, 0, 24, host.foreign.map(0x7'1000'0000), 0x9'0000'0000));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kDataTransferError | nvme::kDnr);
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("read of 16 bytes of host memory at 0x900000000"), std::string::npos) << last_report();
  });
}

TEST(HostMemorySocketTest, BytesAreNoUserData) {
  expect_reports(true);
  ForeignHost host;
  host.foreign.serves_stamps = false;  // as a host that moves real bytes
  play([&] {
    host.bring_up();
    EXPECT_EQ(reports_seen(), 0U) << "entries and registers are bytes";
    const std::uint64_t page = host.foreign.map(0x7'1000'0000);
    host.buffer.slot(3) = LpageToken::uniform(Lpn(0), 5);
    host.submit_io(io(nvme::kWrite, 1, 0, 8, page));
    host.run_job(job_of(WL_JOB_DMA_IN, host.event(), 3, 1, WL_JOB_THEN_COMPLETE));
    host.io_completion();
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("read of user data at 0x710000000 was answered without stamps"), std::string::npos)
        << last_report();
    host.submit_io(io(nvme::kRead, 2, 0, 8, page));
    host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    host.io_completion();
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("write of user data at 0x710000000 was answered without stamps"), std::string::npos)
        << last_report();
  });
}

struct Took {
  Picoseconds read, write;
};

/// A read and a write of 4 KiB, one after the other, at a memory of which each access takes `each`.
Took time_of_both(ForeignHost& host, Picoseconds each) {
  Took took{};
  play([&] {
    host.bring_up();
    pass(10_us);
    host.foreign.takes = [each](std::uint64_t) { return each; };
    const std::uint64_t page = host.foreign.map(0x7'1000'0000);
    host.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    Picoseconds start = tlm_if::kernel_time();
    host.submit_io(io(nvme::kRead, 1, 24, 8, page));
    host.run_job(job_of(WL_JOB_DMA_OUT, host.event(), 5, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kSuccess);
    EXPECT_EQ(host.foreign.stamp(page + 512), LbaStamp(Lba(25), 7)) << "the data are there before the completion";
    took.read = tlm_if::kernel_time() - start;
    pass(10_us);
    start = tlm_if::kernel_time();
    host.submit_io(io(nvme::kWrite, 2, 24, 8, page));
    host.run_job(job_of(WL_JOB_DMA_IN, host.event(), 6, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kSuccess);
    EXPECT_EQ(host.buffer.slot(6), LpageToken::uniform(Lpn(3), 7));
    took.write = tlm_if::kernel_time() - start;
  });
  return took;
}

// Without the memory's time: entry fetched and parsed, DRAM, logical page on the wire, entry and message; a write has
// the request of its data on the wire and one latency more. A memory of 300 ns: a read waits for it when its entry is
// fetched, when its data have arrived (the completion entry arrives 68 ns behind them and has to wait for them), and
// for the completion entry; a write for its entry, its data and its completion entry.
constexpr Picoseconds kReadAlone = 312_ns + 200_ns + 1074_ns + 4480_ns + 168_ns;
constexpr Picoseconds kWriteAlone = 312_ns + 200_ns + 124_ns + 4480_ns + 100_ns + 1074_ns + 168_ns;
constexpr Picoseconds kEach = 300_ns, kBehindData = 40_ns + 28_ns;

TEST(HostMemorySocketTest, TimeThatTheMemoryWaitsIsAdded) {
  ForeignHost host;
  host.foreign.waits = true;
  const Took took = time_of_both(host, kEach);
  EXPECT_EQ(took.read, kReadAlone + 3 * kEach - kBehindData);
  EXPECT_EQ(took.write, kWriteAlone + 3 * kEach);
}

TEST(HostMemorySocketTest, TimeThatTheMemoryAnnotatesIsAdded) {
  ForeignHost host;
  const Took took = time_of_both(host, kEach);
  EXPECT_EQ(took.read, kReadAlone + 3 * kEach - kBehindData);
  EXPECT_EQ(took.write, kWriteAlone + 3 * kEach);
}

TEST(HostMemorySocketTest, TimeThatAMemoryAnnotatesWhichNeverWaitsIsAdded) {
  ForeignHost host(ForeignHost::Target::kNeverWaits);
  const Took took = time_of_both(host, kEach);
  EXPECT_EQ(took.read, kReadAlone + 3 * kEach - kBehindData);
  EXPECT_EQ(took.write, kWriteAlone + 3 * kEach);
  EXPECT_EQ(host.bridge.threads(), 0U);
}

TEST(HostMemorySocketTest, AMemoryThatWaitsForNothingAddsNothing) {
  ForeignHost host;
  host.foreign.waits = true;
  const Took took = time_of_both(host, 0_ps);
  EXPECT_EQ(took.read, kReadAlone);
  EXPECT_EQ(took.write, kWriteAlone);
}

// Data of the first command take 9 us, those of the second one, entries none: an entry waits for its own data alone,
// and the messages come in the order of the entries.
TEST(HostMemorySocketTest, ACompletionComesBehindItsDataHoweverLongTheyTake) {
  ForeignHost host;
  host.foreign.waits = true;
  play([&] {
    host.bring_up();
    const std::uint64_t page = host.foreign.map(0x7'1000'0000), other = host.foreign.map(0x7'2000'0000);
    host.foreign.takes = [&](std::uint64_t address) { return address < page ? 0_ns : address < other ? 9_us : 1_us; };
    host.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    host.buffer.slot(6) = LpageToken::uniform(Lpn(4), 8);
    host.submit_io(io(nvme::kRead, 1, 24, 8, page));
    host.submit_io(io(nvme::kRead, 2, 32, 8, other));
    const wl_host_event first = host.event(), second = host.event();
    host.job(job_of(WL_JOB_DMA_OUT, first, 5, 1, WL_JOB_THEN_COMPLETE));
    host.job(job_of(WL_JOB_DMA_OUT, second, 6, 1, WL_JOB_THEN_COMPLETE));
    host.ring_jobs();
    const Picoseconds rung = tlm_if::kernel_time();
    EXPECT_EQ(host.io_completion().cid, 1);
    EXPECT_GT(tlm_if::kernel_time(), rung + 9_us);
    EXPECT_EQ(host.foreign.stamp(page), LbaStamp(Lba(24), 7)) << "the data are there before the entry";
    EXPECT_EQ(host.foreign.stamp(other), LbaStamp(Lba(32), 8));
    EXPECT_EQ(host.io_completion().cid, 2);
    EXPECT_LT(tlm_if::kernel_time(), rung + 15_us) << "both were in flight: apart it were 15.6 us";
    EXPECT_EQ(host.foreign.most_inside, 2U);
  });
}

// The memory refuses data when their completion entry is on its way.
TEST(HostMemorySocketTest, AnErrorThatComesLateIsTheStatusOfItsCommand) {
  expect_reports(true);
  ForeignHost host;
  host.foreign.waits = true;
  play([&] {
    host.bring_up();
    host.foreign.takes = [](std::uint64_t) { return 3_us; };
    host.submit_io(io(nvme::kRead, 1, 0, 8, 0x9'0000'0000));
    host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kDataTransferError | nvme::kDnr);
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_EQ(host.controller.errors(), 1U);
    host.submit_io(io(nvme::kRead, 1, 0, 8, host.foreign.map(0x7'1000'0000)));
    host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kSuccess) << "the next of this name";
    // A page of information, and a list.
    nvme::SubmissionEntry sqe{};
    sqe.opcode = nvme::kIdentify;
    sqe.prp1 = 0x9'0000'0000;
    sqe.cdw10 = nvme::kCnsController;
    EXPECT_EQ(nvme::status_of(host.admin(sqe)), nvme::kDataTransferError | nvme::kDnr);
    host.submit_io(io(nvme::kRead, 2, 0, 24, host.foreign.map(0x7'2000'0000), 0x9'0000'0000));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kDataTransferError | nvme::kDnr);
  });
}

// The same four writes at a memory whose accesses take 5 us, at once and one after the other.
TEST(HostMemorySocketTest, AccessesAreInFlightTogether) {
  ForeignHost host;
  host.foreign.waits = true;
  play([&] {
    host.bring_up();
    std::vector<std::uint64_t> pages;
    for (std::uint64_t i = 0; i < 4; ++i) pages.push_back(host.foreign.map(0x7'1000'0000 + i * 4096));
    host.foreign.takes = [&](std::uint64_t address) { return address < pages[0] ? 0_ns : 5_us; };
    std::uint16_t cid = 0;
    const auto run = [&](std::uint16_t together) {
      const Picoseconds start = tlm_if::kernel_time();
      for (std::uint16_t done = 0; done < 4; done = static_cast<std::uint16_t>(done + together)) {
        for (std::uint16_t i = 0; i < together; ++i) {
          ++cid;
          host.submit_io(io(nvme::kWrite, cid, 8ULL * cid, 8, pages[i]));
        }
        for (std::uint16_t i = 0; i < together; ++i) {
          host.run_job(job_of(WL_JOB_DMA_IN, host.event(), 8U + i, 1, WL_JOB_THEN_COMPLETE));
        }
        for (std::uint16_t i = 0; i < together; ++i) {
          EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kSuccess);
        }
      }
      return tlm_if::kernel_time() - start;
    };
    const Picoseconds apart = run(1);
    EXPECT_EQ(host.foreign.most_inside, 1U);
    const Picoseconds together = run(4);
    EXPECT_EQ(host.foreign.most_inside, 4U);
    EXPECT_LT(together, apart - 3 * 5_us);
    EXPECT_EQ(host.bridge.threads(), 4U) << "kept, and used again";
  });
}

/// A master of a foreign host, and our bridge, at a HostMemory behind sockets.
struct Served : sc_core::sc_module {
  explicit Served(const sc_core::sc_module_name& name = "served")
      : sc_module(name), target("target", memory), other("other", memory) {
    bridge.socket.bind(target.socket);
    master.bind(other.socket);
  }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& bytes,
                                  host::StampExtension* extension = nullptr) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(static_cast<unsigned>(bytes.size()));
    payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    if (extension != nullptr) payload.set_extension(extension);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    master->b_transport(payload, delay);
    if (extension != nullptr) payload.clear_extension(extension);
    return payload.get_response_status();
  }
  host::HostMemory memory;
  host::HostMemoryTarget target, other;
  host::HostMemoryInitiator bridge{"bridge", testing::context()};
  tlm_utils::simple_initiator_socket<Served> master{"master"};
  tlm::tlm_generic_payload payload;
};

TEST(HostMemoryTargetTest, BytesAndStampsGoThrough) {
  Served served;
  play([&] {
    const std::uint64_t page = served.memory.allocate(2);
    std::vector<std::uint32_t> out(1500), in(1500);
    for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = i * i;
    served.bridge.write(page + 20, out.data(), 6000);
    served.bridge.read(page + 20, in.data(), 6000);
    EXPECT_EQ(in, out);
    const std::array<LbaStamp, 3> stamps{LbaStamp(Lba(5), 2), LbaStamp(Lba(6), 3), LbaStamp()};
    std::array<LbaStamp, 4> found{};
    served.memory.stamp(page + 5 * 512) = LbaStamp(Lba(4), 1);
    served.bridge.write_stamps(page + 6 * 512 - 0x200, stamps.data(), 3);
    served.bridge.read_stamps(page + 5 * 512, found.data(), 3);
    EXPECT_EQ(found[0], stamps[0]);
    EXPECT_EQ(found[1], stamps[1]);
    EXPECT_EQ(served.memory.page(page)[6], stamps[1]);
  });
}

TEST(HostMemoryTargetTest, BytesOfAForeignMasterTakeTheStampsAway) {
  expect_reports(true);
  Served served;
  play([&] {
    const std::uint64_t page = served.memory.allocate();
    served.memory.page(page).fill(LbaStamp(Lba(1), 2));
    std::vector<unsigned char> bytes(600, 1);
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page + 1000, bytes), tlm::TLM_OK_RESPONSE);  // blocks 1 to 3
    std::array<LbaStamp, 8> found;
    found.fill(LbaStamp(Lba(9), 9));
    served.bridge.read_stamps(page, found.data(), 1);
    served.bridge.read_stamps(page + 4 * 512, found.data() + 4, 4);
    EXPECT_EQ(reports_seen(), 0U);
    EXPECT_EQ(found[7], LbaStamp(Lba(1), 2));
    for (const unsigned block : {1U, 2U, 3U}) {
      served.bridge.read_stamps(page + block * 512, &found[block], 1);
      EXPECT_EQ(reports_seen(), 1U) << block;
      EXPECT_NE(last_report().find("TLM_GENERIC_ERROR_RESPONSE"), std::string::npos) << last_report();
      EXPECT_TRUE(found[block].is_zero());
    }
    // The same without a socket between.
    served.memory.read_stamps(page + 512, &found[1], 1);
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("the host has written bytes there"), std::string::npos) << last_report();
    // New stamps make them user data again.
    const LbaStamp fresh(Lba(3), 4);
    served.bridge.write_stamps(page + 512, &fresh, 1);
    served.bridge.read_stamps(page + 512, &found[1], 1);
    EXPECT_EQ(found[1], fresh);
    EXPECT_EQ(reports_seen(), 0U);
    EXPECT_EQ(served.memory.without_stamp(page, 8), 0b1100U);
  });
}

TEST(HostMemoryTargetTest, RefusesWhatItCannotServe) {
  Served served;
  play([&] {
    const std::uint64_t page = served.memory.allocate();
    std::vector<unsigned char> bytes(1024, 7), enables(1024, TLM_BYTE_ENABLED);
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page + 4096, bytes), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(served.access(tlm::TLM_READ_COMMAND, page + 4095, bytes), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    for (const std::uint64_t before_the_end : {1U, 512U, 1023U, 1024U}) {
      EXPECT_EQ(served.access(tlm::TLM_READ_COMMAND, 0 - before_the_end, bytes), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    served.payload.set_byte_enable_ptr(enables.data());
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page, bytes), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    served.payload.set_byte_enable_ptr(nullptr);
    host::StampExtension extension;
    extension.nlb = 2;
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page + 512, bytes, &extension), tlm::TLM_OK_RESPONSE);
    EXPECT_TRUE(extension.served);
    extension.served = false;
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page + 100, bytes, &extension), tlm::TLM_BURST_ERROR_RESPONSE);
    extension.nlb = 3;
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page, bytes, &extension), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_FALSE(extension.served);
    EXPECT_EQ(served.payload.get_data_length(), 1024U);
    // A debugger sees bytes.
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page, bytes), tlm::TLM_OK_RESPONSE);
    std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
    served.payload.set_command(tlm::TLM_READ_COMMAND);
    EXPECT_EQ(served.master->transport_dbg(served.payload), 1024U);
    EXPECT_EQ(bytes[1023], 7);
    served.payload.set_address(page + 4096);
    EXPECT_EQ(served.master->transport_dbg(served.payload), 0U);
  });
}

}  // namespace
}  // namespace wordline::testing::host_memory_socket_test
