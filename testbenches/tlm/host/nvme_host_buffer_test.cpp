// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host Memory Buffer: what the drive asks for, what it refuses, and copies of map pages that go there and come back,
// from a host that keeps the rules and from one that does not.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "testbenches/tlm/host/foreign_host.h"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_host_buffer_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

constexpr std::uint32_t kEnable = 1, kReturned = 2;

config::Config asking_config() {
  config::Config config = nvme_bench_config();
  config.nvme.hmb = Bytes(64 << 20);
  return config;
}

struct Stretch {
  std::uint64_t address;
  std::uint64_t pages;
};

nvme::SubmissionEntry lending(std::uint32_t pages, std::uint64_t list, std::uint32_t entries,
                              std::uint32_t flags = kEnable) {
  nvme::SubmissionEntry sqe = admin_command(nvme::kSetFeatures, nvme::kFeatureHostMemory, flags);
  sqe.cdw12 = pages;
  sqe.cdw13 = static_cast<std::uint32_t>(list);
  sqe.cdw14 = static_cast<std::uint32_t>(list >> 32);
  sqe.cdw15 = entries;
  return sqe;
}

wl_host_job copy_of(std::uint8_t op, std::uint32_t page, std::uint16_t entries = 1024) {
  wl_host_job job{};
  job.op = op;
  job.tag = WL_NO_TAG;
  job.slot = page;
  job.count = entries;
  job.lpage = WL_DRAM_BASE;
  return job;
}

/// A host that has lent two pages at one place and one at another.
class LendingBench : public NvmeBench {
 public:
  LendingBench() : NvmeBench(asking_config()) {}

  std::uint64_t first = 0, second = 0, list = 0;

  void lend() {
    bring_up();
    first = memory.allocate(2);
    second = memory.allocate(1);
    list = memory.allocate(1);
    put_list({{first, 2}, {0, 0}, {second, 1}});
    submit(0, lending(3, list, 3));
    const wl_host_event event = this->event();
    EXPECT_EQ(event.type, WL_EVENT_ADMIN);
    EXPECT_EQ(admin_entry().dword[12], 3U) << "pages of 4 KiB";
    EXPECT_FALSE(has_completion(0)) << "the host hears of it when the firmware does";
    answer(event, nvme::kSuccess);
    EXPECT_EQ(nvme::status_of(completion(0)), nvme::kSuccess);
  }
  void put_list(const std::vector<Stretch>& stretches) {
    memory.write(list, stretches.data(), stretches.size() * sizeof(Stretch));
  }
  void set_dram(std::uint8_t value) { std::memset(dram.data(), value, 4096); }
  /// The flags of the answer.
  std::uint8_t move(const wl_host_job& job) {
    run_job(job);
    const wl_host_event event = this->event();
    EXPECT_EQ(event.type, WL_EVENT_COPY);
    EXPECT_EQ(event.slot, job.slot);
    return event.flags;
  }
};

std::uint32_t word_of(host::HostMemory& memory, std::uint64_t address) {
  std::uint32_t word = 0;
  memory.read(address, &word, sizeof word);
  return word;
}

void expect_identify(const config::Config& config, std::uint32_t preferred, std::uint32_t entries) {
  NvmeBench bench(config);
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    EXPECT_EQ(word_of(bench.memory, page + 272), preferred) << "HMPRE, 4 KiB each";
    EXPECT_EQ(word_of(bench.memory, page + 276), 0U) << "HMMIN";
    EXPECT_EQ(word_of(bench.memory, page + 336) & 0xffffU, entries) << "HMMAXD";
    if (preferred != 0) return;
    EXPECT_EQ(admin_status(bench, lending(1, page, 1)), nvme::kInvalidField | nvme::kDnr);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kGetFeatures, nvme::kFeatureHostMemory, 0, page)),
              nvme::kInvalidField | nvme::kDnr);
  });
}

TEST(NvmeHostBufferTest, IsAskedForByIdentify) { expect_identify(asking_config(), 16384, 256); }
TEST(NvmeHostBufferTest, IsRefusedByADriveThatDoesNotAskForIt) { expect_identify(nvme_bench_config(), 0, 0); }

TEST(NvmeHostBufferTest, ListsThatAreNoGoodAreRefused) {
  LendingBench bench;
  play([&] {
    bench.enable();
    bench.list = bench.memory.allocate(1);
    const std::uint64_t page = bench.memory.allocate(4);
    const auto refused = [&](const nvme::SubmissionEntry& sqe) { return admin_status(bench, sqe) & ~nvme::kDnr; };
    bench.put_list({{page, 2}, {page + 8192, 2}});
    EXPECT_EQ(refused(lending(5, bench.list, 2)), nvme::kInvalidField) << "HSIZE is more than the list";
    EXPECT_EQ(refused(lending(3, bench.list, 1)), nvme::kInvalidField) << "of which one entry is good";
    EXPECT_EQ(refused(lending(0, bench.list, 2)), nvme::kInvalidField);
    EXPECT_EQ(refused(lending(4, bench.list, 0)), nvme::kInvalidField);
    EXPECT_EQ(refused(lending(4, bench.list, 257)), nvme::kInvalidField) << "HMMAXD";
    EXPECT_EQ(refused(lending(4, bench.list + 8, 2)), nvme::kInvalidField) << "a list lies at 16 bytes";
    bench.put_list({{page + 512, 2}});
    EXPECT_EQ(refused(lending(1, bench.list, 1)), nvme::kInvalidField) << "memory lies at pages";
    nvme::SubmissionEntry saved = lending(1, bench.list, 1);
    saved.cdw10 |= 1U << 31;
    EXPECT_EQ(refused(saved), nvme::kFeatureNotSaveable);
    EXPECT_EQ(refused(lending(0, 0, 0, 0)), nvme::kSuccess) << "there is nothing to take back";
    EXPECT_FALSE(bench.has_event()) << "firmware hears of none";
  });
}

TEST(NvmeHostBufferTest, AListThatIsNotThere) {
  LendingBench bench;
  expect_reports(true);
  play([&] {
    bench.enable();
    EXPECT_EQ(admin_status(bench, lending(1, 0x700000000, 1)), nvme::kDataTransferError | nvme::kDnr);
  });
}

TEST(NvmeHostBufferTest, WhatTheHostHasLentIsWhatGetFeaturesSays) {
  LendingBench bench;
  play([&] {
    bench.lend();
    const std::uint64_t page = bench.memory.allocate();
    const auto get = admin_command(nvme::kGetFeatures, nvme::kFeatureHostMemory, 0, page);
    EXPECT_EQ(bench.admin(get).dw0, kEnable);
    EXPECT_EQ(word_of(bench.memory, page), 3U);
    EXPECT_EQ(word_of(bench.memory, page + 4), static_cast<std::uint32_t>(bench.list));
    EXPECT_EQ(word_of(bench.memory, page + 12), 3U);
    EXPECT_EQ(admin_status(bench, lending(3, bench.list, 3)), nvme::kCommandSequenceError | nvme::kDnr);
    // The host has it back when the firmware says so, and not before.
    bench.submit(0, lending(0, 0, 0, 0));
    const wl_host_event event = bench.event();
    EXPECT_EQ(bench.move(copy_of(WL_JOB_STORE_COPY, 2)), 0) << "what is under way may end";
    EXPECT_FALSE(bench.has_completion(0));
    bench.answer(event, nvme::kSuccess);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    EXPECT_EQ(bench.move(copy_of(WL_JOB_STORE_COPY, 2)), WL_EVENT_FAILED);
    EXPECT_EQ(bench.admin(get).dw0, 0U);
    EXPECT_EQ(word_of(bench.memory, page), 0U);
    // And lends it again, as it was.
    bench.submit(0, lending(3, bench.list, 3, kEnable | kReturned));
    bench.answer(bench.event(), nvme::kSuccess);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    EXPECT_EQ(bench.admin(get).dw0, kEnable | kReturned);
  });
}

TEST(NvmeHostBufferTest, CopiesLieWhereTheListSaysAndComeBack) {
  LendingBench bench;
  play([&] {
    bench.lend();
    const std::uint64_t places[] = {bench.first, bench.first + 4096, bench.second};
    for (std::uint32_t page = 0; page < 3; ++page) {
      bench.set_dram(static_cast<std::uint8_t>(0x11 * (page + 1)));
      EXPECT_EQ(bench.move(copy_of(WL_JOB_STORE_COPY, page)), 0);
      EXPECT_EQ(word_of(bench.memory, places[page]), 0x11111111U * (page + 1));
      EXPECT_EQ(word_of(bench.memory, places[page] + 4092), 0x11111111U * (page + 1));
    }
    EXPECT_EQ(bench.move(copy_of(WL_JOB_FETCH_COPY, 2)), 0);
    EXPECT_EQ(bench.move(copy_of(WL_JOB_FETCH_COPY, 1)), WL_EVENT_DIFFERS) << "DRAM has another map page by now";
    EXPECT_EQ(bench.move(copy_of(WL_JOB_STORE_COPY, 3)), WL_EVENT_FAILED) << "there are three";
    // The last map page has fewer entries.
    EXPECT_EQ(bench.move(copy_of(WL_JOB_STORE_COPY, 0, 5)), 0);
    EXPECT_EQ(word_of(bench.memory, bench.first + 16), 0x33333333U);
    EXPECT_EQ(word_of(bench.memory, bench.first + 20), 0U);
    bench.dram.data()[20] = std::byte{7};
    EXPECT_EQ(bench.move(copy_of(WL_JOB_FETCH_COPY, 0, 5)), 0);
  });
}

TEST(NvmeHostBufferTest, TimeIsThatOfDramAndLink) {
  LendingBench bench;
  play([&] {
    bench.lend();
    const Picoseconds dram = 1024_ns + 50_ns;                      // 250 ps a byte, latency
    const Picoseconds link = bench.link.wire_time(4096) + 100_ns;  // 16 packets, latency
    pass(10_us);
    Picoseconds begin = tlm_if::kernel_time();
    EXPECT_EQ(bench.move(copy_of(WL_JOB_STORE_COPY, 0)), 0);
    EXPECT_EQ(bench.wakeups.back() - begin, dram + link);
    pass(10_us);
    begin = tlm_if::kernel_time();
    EXPECT_EQ(bench.move(copy_of(WL_JOB_FETCH_COPY, 0)), 0);
    EXPECT_EQ(bench.wakeups.back() - begin, bench.link.wire_time(0) + 100_ns + link + dram) << "asked for, first";
  });
}

TEST(NvmeHostBufferTest, AHostThatWritesThereIsFoundOut) {
  LendingBench bench;
  play([&] {
    bench.lend();
    bench.set_dram(0x5a);
    for (std::uint32_t page = 0; page < 2; ++page) EXPECT_EQ(bench.move(copy_of(WL_JOB_STORE_COPY, page)), 0);
    std::uint8_t byte = 0x5b;
    bench.memory.write(bench.first + 4095, &byte, 1);
    EXPECT_EQ(bench.move(copy_of(WL_JOB_FETCH_COPY, 0)), WL_EVENT_FAILED);
    EXPECT_EQ(bench.move(copy_of(WL_JOB_FETCH_COPY, 1)), 0);
    byte = 0x5a;
    bench.memory.write(bench.first + 4095, &byte, 1);
    EXPECT_EQ(bench.move(copy_of(WL_JOB_FETCH_COPY, 0)), 0) << "as it was";
    EXPECT_EQ(bench.move(copy_of(WL_JOB_FETCH_COPY, 2)), WL_EVENT_FAILED) << "nothing was stored there";
  });
}

TEST(NvmeHostBufferTest, AResetEndsTheLoanAndEachJobHasItsAnswer) {
  LendingBench bench;
  play([&] {
    bench.lend();
    bench.run_job(copy_of(WL_JOB_STORE_COPY, 0));
    bench.run_job(copy_of(WL_JOB_FETCH_COPY, 0));
    bench.write32(nvme::kRegCc, 0);
    pass(10_us);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(bench.event().type, WL_EVENT_COPY);
    EXPECT_FALSE(bench.has_event());
    EXPECT_EQ(bench.move(copy_of(WL_JOB_FETCH_COPY, 0)), WL_EVENT_FAILED);
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(bench.admin(admin_command(nvme::kGetFeatures, nvme::kFeatureHostMemory, 0, page)).dw0, 0U);
  });
}

// The host frees the memory without a word; what it gave is nobody's then.
TEST(NvmeHostBufferTest, MemoryThatIsGone) {
  LendingBench bench;
  expect_reports(true);
  play([&] {
    bench.lend();
    EXPECT_EQ(bench.move(copy_of(WL_JOB_STORE_COPY, 2)), 0);
    bench.memory.free(bench.second, 1);
    EXPECT_EQ(bench.move(copy_of(WL_JOB_FETCH_COPY, 2)), WL_EVENT_FAILED);
    EXPECT_EQ(bench.move(copy_of(WL_JOB_STORE_COPY, 2)), WL_EVENT_FAILED);
  });
}

TEST(NvmeHostBufferTest, MemoryThatTakesTime) {
  ForeignHost host(ForeignHost::Target::kMayWait, asking_config());
  play([&] {
    host.bring_up();
    pass(10_us);
    host.foreign.takes = [](std::uint64_t) { return 300_ns; };
    const std::uint64_t page = host.foreign.map(0x7'1000'0000), list = host.foreign.map(0x7'2000'0000);
    host.foreign.put(list, Stretch{page, 1});
    host.submit_admin(lending(1, list, 1));
    host.answer(host.event(), nvme::kSuccess);
    EXPECT_EQ(nvme::status_of(host.admin_completion()), nvme::kSuccess);
    std::memset(host.dram.data(), 0x77, 4096);
    const auto move = [&](std::uint8_t op) {
      host.run_job(copy_of(op, 0));
      return host.event().flags;
    };
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(move(WL_JOB_STORE_COPY), 0);
      EXPECT_EQ(host.foreign.get<std::uint32_t>(page + 2048), 0x77777777U);
      EXPECT_EQ(move(WL_JOB_FETCH_COPY), 0);
    }
    host.foreign.put(page, std::uint8_t{1});
    EXPECT_EQ(move(WL_JOB_FETCH_COPY), WL_EVENT_FAILED);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_host_buffer_test
