// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The Persistent Event Log: a known history gives known events, the newest first.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_event_log_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

constexpr Picoseconds kMillisecond{1'000'000'000};

struct Event {
  unsigned type = 0;
  std::uint64_t timestamp = 0;
  std::vector<std::uint8_t> data;
  template <class T>
  [[nodiscard]] T get(std::size_t offset) const {
    T value{};
    std::memcpy(&value, data.data() + offset, sizeof value);
    return value;
  }
};

struct Reader {
  explicit Reader(NvmeBench& controller) : bench(controller), page(controller.memory.allocate()) {}

  nvme::SubmissionEntry command(std::uint32_t action, std::uint64_t offset, std::size_t bytes) const {
    nvme::SubmissionEntry sqe = admin_command(
        nvme::kGetLogPage, static_cast<std::uint32_t>(bytes / 4 - 1) << 16 | action << 8 | nvme::kLogPersistentEvents,
        0, page);
    sqe.cdw12 = static_cast<std::uint32_t>(offset);
    return sqe;
  }
  nvme::Status read(std::uint32_t action, std::uint64_t offset = 0, std::size_t bytes = 512) {
    return admin_status(bench, command(action, offset, bytes)) & ~nvme::kDnr;
  }
  /// The firmware is asked for the SMART log first.
  nvme::Status establish(std::size_t bytes = 512) {
    bench.submit(0, command(1, 0, bytes));
    const wl_host_event event = bench.event();
    EXPECT_EQ(bench.admin_entry().dword[10] & 0xffU, nvme::kLogSmart);
    std::vector<std::uint8_t> smart(512);
    smart[nvme::smart::kSpare] = 77;
    smart[nvme::smart::kPowerCycles] = 3;
    bench.answer(event, 0, 0, smart);
    return nvme::status_of(bench.completion(0)) & ~nvme::kDnr;
  }
  template <class T>
  T get(std::size_t offset) {
    T value{};
    bench.memory.read(page + offset, &value, sizeof value);
    return value;
  }
  /// All of the context, in pieces of 64 bytes.
  std::vector<std::uint8_t> all(std::uint64_t length) {
    std::vector<std::uint8_t> bytes;
    for (std::uint64_t at = 0; at < length; at += 64) {
      EXPECT_EQ(read(0, at, 64), nvme::kSuccess);
      for (std::size_t i = 0; i < 64 && bytes.size() < length; ++i) bytes.push_back(get<std::uint8_t>(i));
    }
    return bytes;
  }
  std::vector<Event> events() {
    EXPECT_EQ(establish(), nvme::kSuccess);
    const auto length = get<std::uint64_t>(8);
    const auto count = get<std::uint32_t>(4);
    const std::vector<std::uint8_t> bytes = all(length);
    EXPECT_EQ(read(2), nvme::kSuccess);
    std::vector<Event> found;
    std::size_t at = 512;
    while (at + 24 <= bytes.size()) {
      Event event;
      event.type = bytes[at];
      EXPECT_EQ(bytes[at + 1], 1) << "revision";
      EXPECT_EQ(bytes[at + 2], 21) << "header";
      std::memcpy(&event.timestamp, &bytes[at + 6], sizeof event.timestamp);
      const std::size_t size = bytes[at + 22] | bytes[at + 23] << 8U;
      event.data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(at + 24),
                        bytes.begin() + static_cast<std::ptrdiff_t>(at + 24 + size));
      at += 24 + size;
      found.push_back(event);
    }
    EXPECT_EQ(at, bytes.size());
    EXPECT_EQ(found.size(), count);
    return found;
  }

  NvmeBench& bench;
  std::uint64_t page;
};

std::vector<unsigned> types_of(const std::vector<Event>& events) {
  std::vector<unsigned> types;
  for (const Event& event : events) types.push_back(event.type);
  return types;
}

std::string text(const Event& event, std::size_t offset) {
  return {event.data.begin() + static_cast<std::ptrdiff_t>(offset),
          event.data.begin() + static_cast<std::ptrdiff_t>(offset) + 8};
}

TEST(NvmeEventLog, AKnownHistory) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    Reader log(bench);
    const auto answered = [&](const nvme::SubmissionEntry& sqe, std::uint8_t flags = 0) {
      bench.submit(0, sqe);
      const wl_host_event event = bench.event();
      wl_host_job job{};
      job.op = WL_JOB_ADMIN;
      job.flags = flags;
      job.tag = WL_NO_TAG;
      job.count = event.count;
      bench.run_job(job);
      EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    };
    const auto of = [](std::uint32_t nsid, nvme::SubmissionEntry sqe) {
      sqe.nsid = nsid;
      return sqe;
    };
    pass(Picoseconds(5 * kMillisecond.count()));
    const std::uint64_t stamp = 1'000'000;
    bench.memory.write(log.page, &stamp, sizeof stamp);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kSetFeatures, nvme::kFeatureTimestamp, 0, log.page)),
              nvme::kSuccess);
    pass(Picoseconds(2 * kMillisecond.count()));
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kFirmwareCommit, 3U << 3 | 2U)),
              nvme::kInvalidFirmwareImage | nvme::kDnr);
    answered(of(1, admin_command(nvme::kFormat, 1)));
    answered(of(nvme::kAllNamespaces, admin_command(nvme::kNamespaceManagement, nvme::kDeleteNamespace)));
    const std::vector<std::uint8_t> zeros(4096);
    bench.memory.write(log.page, zeros.data(), zeros.size());
    const std::uint64_t blocks = 256;
    bench.memory.write(log.page, &blocks, sizeof blocks);
    bench.memory.write(log.page + 8, &blocks, sizeof blocks);
    const std::uint8_t format = 1;
    bench.memory.write(log.page + 26, &format, sizeof format);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kNamespaceManagement, nvme::kCreateNamespace, 0, log.page)),
              nvme::kSuccess);
    answered(admin_command(nvme::kSanitize, nvme::kSanitizeBlockErase), WL_ADMIN_BEGUN);
    wl_host_job end{};
    end.op = WL_JOB_SANITIZED;
    end.tag = WL_NO_TAG;
    bench.run_job(end);
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    bench.bring_up();

    const std::vector<Event> events = log.events();
    ASSERT_EQ(types_of(events), (std::vector<unsigned>{1, 4, 10, 9, 6, 6, 8, 7, 2, 3, 4}));
    const Event& smart = events[0];
    ASSERT_EQ(smart.data.size(), 512U);
    EXPECT_EQ(smart.data[nvme::smart::kSpare], 77);
    const Event& reset = events[1];
    EXPECT_EQ(text(reset, 0), "1.0     ");
    EXPECT_EQ(reset.get<std::uint16_t>(8), nvme::kControllerId);
    EXPECT_EQ(reset.get<std::uint64_t>(28), 7U) << "milliseconds since power on";
    EXPECT_EQ(events[2].get<std::uint16_t>(2), 1) << "SSTAT";
    EXPECT_EQ(events[3].get<std::uint32_t>(4), nvme::kSanitizeBlockErase);
    const Event& created = events[4];
    EXPECT_EQ(created.get<std::uint32_t>(0), nvme::kCreateNamespace);
    EXPECT_EQ(created.get<std::uint64_t>(8), blocks);
    EXPECT_EQ(created.get<std::uint64_t>(24), blocks);
    EXPECT_EQ(created.get<std::uint8_t>(32), 1);
    EXPECT_EQ(created.get<std::uint32_t>(44), 1U);
    EXPECT_EQ(events[5].get<std::uint32_t>(0), nvme::kDeleteNamespace);
    EXPECT_EQ(events[5].get<std::uint32_t>(44), nvme::kAllNamespaces);
    EXPECT_EQ(events[6].get<std::uint32_t>(0), 1U);
    EXPECT_EQ(events[6].get<std::uint32_t>(8), 0U) << "it succeeded";
    EXPECT_EQ(events[7].get<std::uint32_t>(8), 1U) << "the format";
    const Event& commit = events[8];
    EXPECT_EQ(text(commit, 0), "1.0     ");
    EXPECT_EQ(commit.get<std::uint8_t>(16), 3);
    EXPECT_EQ(commit.get<std::uint8_t>(17), 2);
    EXPECT_EQ(commit.get<std::uint8_t>(18) << 8 | commit.get<std::uint8_t>(19), nvme::kInvalidFirmwareImage);
    EXPECT_EQ(events[9].get<std::uint64_t>(0), 5U) << "the timestamp before";
    // Timestamps: since power on; since the host has set one; and since the reset.
    constexpr std::uint64_t kOfHost = std::uint64_t{1} << 49;
    EXPECT_EQ(events[10].timestamp, 0U);
    EXPECT_EQ(events[9].timestamp, stamp | kOfHost);
    EXPECT_EQ(events[8].timestamp, (stamp + 2) | kOfHost);
    EXPECT_EQ(events[2].timestamp, (stamp + 2) | kOfHost);
    EXPECT_EQ(events[1].timestamp, 0U);
  });
}

TEST(NvmeEventLog, AContextIsEstablishedReadAndReleased) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    Reader log(bench);
    EXPECT_EQ(log.read(0), nvme::kCommandSequenceError) << "there is none";
    EXPECT_EQ(log.read(2), nvme::kSuccess) << "no error";
    EXPECT_EQ(log.read(4), nvme::kInvalidField);
    EXPECT_EQ(log.establish(), nvme::kSuccess);
    EXPECT_EQ(log.get<std::uint8_t>(0), 0x0d);
    EXPECT_EQ(log.get<std::uint32_t>(4), 2U) << "power on, and the SMART log";
    EXPECT_EQ(log.get<std::uint64_t>(8), 512U + 24 + 44 + 24 + 512);
    EXPECT_EQ(log.get<std::uint16_t>(18), 492);
    EXPECT_EQ(log.get<std::uint64_t>(44), 3U) << "power cycles";
    EXPECT_EQ(log.get<std::uint16_t>(372), 1) << "generation";
    EXPECT_EQ(log.get<std::uint32_t>(374) >> 18 & 1U, 1U);
    EXPECT_EQ(log.get<std::uint16_t>(480),
              1U << 1 | 1U << 2 | 1U << 3 | 1U << 4 | 1U << 6 | 1U << 7 | 1U << 8 | 1U << 9 | 1U << 10);
    EXPECT_EQ(log.read(1), nvme::kCommandSequenceError) << "there is one";
    // What happens meanwhile is not in it.
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kFirmwareCommit, 7U << 3)), nvme::kInvalidField | nvme::kDnr);
    EXPECT_EQ(log.read(0), nvme::kSuccess);
    EXPECT_EQ(log.get<std::uint32_t>(4), 2U);
    EXPECT_EQ(log.read(0, 1), nvme::kInvalidField) << "offset";
    EXPECT_EQ(log.read(2), nvme::kSuccess);
    EXPECT_EQ(log.read(0), nvme::kCommandSequenceError);
    EXPECT_EQ(types_of(log.events()), (std::vector<unsigned>{1, 2, 1, 4}));
    EXPECT_EQ(log.establish(), nvme::kSuccess);
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    bench.enable();
    EXPECT_EQ(log.read(0), nvme::kCommandSequenceError) << "a reset has released it";
  });
}

/// Up to 64 KiB; then the oldest event goes.
TEST(NvmeEventLog, TheOldestAreDropped) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    Reader log(bench);
    for (int i = 0; i < 2000; ++i) admin_status(bench, admin_command(nvme::kFirmwareCommit, 7U << 3));
    ASSERT_EQ(log.establish(), nvme::kSuccess);
    EXPECT_LE(log.get<std::uint64_t>(8), 65536U);
    EXPECT_GT(log.get<std::uint64_t>(8), 65536U - 46);
    ASSERT_EQ(log.read(0, log.get<std::uint64_t>(8) - 46, 44), nvme::kSuccess);
    EXPECT_EQ(log.get<std::uint8_t>(0), 2) << "the last one is no longer the power-on";
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_event_log_test
