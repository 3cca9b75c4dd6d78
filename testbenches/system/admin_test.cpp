// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/fuzz/nvme/checked_commands.h"
#include "testbenches/system/hosted_drive.h"

/// Admin commands of a whole drive, firmware included, from a host that counts for itself what it has done.
namespace wordline::testing::admin_test {
namespace {

namespace nvme = host::nvme;
using fuzz::HostileCommand;
using fuzz::HostileHost;

class AdminOnADrive : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] HostileHost* host() const { return hosted_.host; }
  /// Runs `body` before a small drive.
  void with_drive(std::vector<std::string> sets, const std::function<void()>& body) {
    sets.push_back(std::string("cpu.model=") + GetParam());
    const config::Loaded loaded = config::load(WORDLINE_SMALL_DRIVE, sets);
    const config::Layout layout = config::layout_of(loaded.config);
    lpages_ = layout.user_lpages;
    superblocks_ = layout.superblocks;
    const config::NandTiming& timing = loaded.config.nand.timing;
    erase_ = static_cast<std::int64_t>(timing.erase_loops) * (timing.t_erase_pulse + timing.t_erase_verify);
    with_hosted_drive(hosted_, loaded, [&] {
      bring_up();
      body();
    });
  }

  void bring_up() {
    host()->admin_sq_base = host()->memory.allocate();
    host()->admin_cq_base = host()->memory.allocate();
    page_ = host()->memory.allocate();
    data_ = host()->memory.allocate(8);
    ASSERT_TRUE(host()->enable(16));
    ASSERT_EQ(host()->create_cq(1, kEntries, host()->memory.allocate(), true), nvme::kSuccess);
    ASSERT_EQ(host()->create_sq(1, 1, kEntries, host()->memory.allocate()), nvme::kSuccess);
  }

  void submit(const nvme::SubmissionEntry& entry) {
    host()->wait_for([&] { return host()->room(1) != 0; }, "room in the queue");
    HostileCommand command;
    command.input_class = "I/O";
    command.entry = entry;
    command.fits = {nvme::kSuccess, nvme::kWriteProtected, nvme::kWriteFault};
    command.ended = [this](HostileCommand::End how) { failed_ += how == HostileCommand::End::kSuccess ? 0 : 1; };
    host()->put(1, command);
    host()->ring_tail(1);
  }
  void drain() {
    host()->wait_for([&] { return host()->outstanding() == 0; }, "commands in flight");
  }
  void write(std::uint64_t lpn, std::uint32_t lpages) {
    nvme::SubmissionEntry entry = fuzz::entry(nvme::kWrite, lpn * 8, lpages * 8);
    set_pages(entry, lpages);
    submit(entry);
  }
  void read(std::uint64_t lpn, std::uint32_t lpages) {
    nvme::SubmissionEntry entry = fuzz::entry(nvme::kRead, lpn * 8, lpages * 8);
    set_pages(entry, lpages);
    submit(entry);
  }
  void set_pages(nvme::SubmissionEntry& entry, std::uint32_t lpages) const {
    ASSERT_LE(lpages, 2U);
    entry.prp1 = data_;
    entry.prp2 = lpages == 2 ? data_ + 4096 : 0;
  }

  /// It must end with `expected`.
  void admin(nvme::Status expected, std::uint8_t opcode, std::uint32_t cdw10, std::uint32_t cdw11 = 0,
             std::uint32_t nsid = 0) {
    HostileCommand command;
    command.input_class = "admin";
    command.fits = {expected};
    command.entry.opcode = opcode;
    command.entry.nsid = nsid;
    command.entry.prp1 = page_;
    command.entry.cdw10 = cdw10;
    command.entry.cdw11 = cdw11;
    EXPECT_EQ(host()->admin(command), expected);
  }
  template <class T>
  T log_field(std::size_t offset) {
    T value{};
    host()->memory.read(page_ + offset, &value, sizeof value);
    return value;
  }
  void read_smart() { admin(nvme::kSuccess, nvme::kGetLogPage, 127U << 16 | nvme::kLogSmart); }

  static constexpr std::uint32_t kEntries = 32;
  HostedDrive hosted_;
  Picoseconds erase_{};
  std::uint64_t lpages_ = 0, superblocks_ = 0, page_ = 0, data_ = 0, failed_ = 0;
};

TEST_P(AdminOnADrive, SmartAfterAnEnduranceRun) {
  with_drive({"nand.faults.rated_cycles=20", "nand.aging.pe_cycles=3"}, [&] {
    namespace smart = nvme::smart;
    const auto writes = static_cast<std::uint64_t>(3 * lpages_);
    for (std::uint64_t i = 0; i < writes; ++i) write(keyed_hash(1, i) % lpages_, 1);
    for (std::uint64_t i = 0; i < 500; ++i) read(keyed_hash(2, i) % (lpages_ - 1), 2);
    drain();
    EXPECT_EQ(failed_, 0U);
    const auto counters = hosted_.drive->firmware_statistics();
    read_smart();
    EXPECT_EQ(log_field<std::uint64_t>(smart::kDataWritten), (writes * 8 + 999) / 1000);
    EXPECT_EQ(log_field<std::uint64_t>(smart::kDataRead), (500 * 16 + 999) / 1000U);
    EXPECT_EQ(log_field<std::uint64_t>(smart::kWriteCommands), writes);
    EXPECT_EQ(log_field<std::uint64_t>(smart::kReadCommands), 500U);
    const std::uint64_t erases = counters.blocks.superblock_erases;
    ASSERT_GT(erases, superblocks_);
    EXPECT_EQ(log_field<std::uint8_t>(smart::kUsed), (erases + 3 * superblocks_) * 100 / (20 * superblocks_));
    EXPECT_EQ(log_field<std::uint8_t>(smart::kSpare), 100);
    EXPECT_EQ(log_field<std::uint8_t>(smart::kCriticalWarning), 0);
    EXPECT_EQ(log_field<std::uint16_t>(smart::kTemperature), 303);
    EXPECT_EQ(log_field<std::uint64_t>(smart::kErrorEntries), 0U);
    admin(nvme::kInvalidOpcode, 0x99, 0);
    read_smart();
    EXPECT_EQ(log_field<std::uint64_t>(smart::kErrorEntries), 1U);
  });
}

/// Programs fail until no superblock is left to lose: the spare falls, the event completes, the drive is read-only.
TEST_P(AdminOnADrive, ADriveThatWearsOutSaysSo) {
  // Superblocks that fail while they are open take room with them, and here two do at once: with less of it GC has no
  // place left to make more.
  with_drive({"nand.faults.program_failures=2e-3", "nand.faults.rated_cycles=1", "nand.aging.pe_cycles=1",
              "ftl.gc_start_superblocks=5"},
             [&] {
               namespace smart = nvme::smart;
               admin(nvme::kSuccess, nvme::kSetFeatures, nvme::kFeatureAsyncEvents, 0xff);
               std::vector<std::uint64_t> told;
               const auto ask = [&] {
                 HostileCommand command;
                 command.input_class = "asynchronous event request";
                 command.entry.opcode = nvme::kAsyncEventRequest;
                 command.ended = [&](HostileCommand::End) { told.push_back(failed_); };
                 host()->put(0, command);
                 host()->ring_tail(0);
               };
               ask();
               unsigned spare = 100;
               std::set<unsigned> spares;
               for (std::uint64_t i = 0; failed_ == 0 && i < 60 * lpages_; ++i) {
                 write(keyed_hash(1, i) % lpages_, 1);
                 if (i % 400 != 0) continue;
                 drain();
                 read_smart();
                 const unsigned now = log_field<std::uint8_t>(smart::kSpare);
                 EXPECT_LE(now, spare);
                 spares.insert(spare = now);
                 if (told.size() == 1) ask();
               }
               drain();
               host()->pass(Picoseconds(1'000'000'000));
               host()->reap();
               read_smart();
               EXPECT_EQ(log_field<std::uint8_t>(smart::kSpare), 0);
               EXPECT_NE(log_field<std::uint8_t>(smart::kCriticalWarning) & 0x8, 0) << "read only";
               EXPECT_GT(spares.size(), 2U);
               EXPECT_GE(told.size(), 1U);
               EXPECT_EQ(told.at(0), 0U) << "before the first write failed";
               admin(nvme::kWriteProtected, nvme::kFormat, 0, 0, nvme::kNamespace);
             });
}

/// A Format takes the time of the erases of a die, one after the other, at least, and little more; nothing is left.
TEST_P(AdminOnADrive, FormatLeavesNothingAndCostsItsErases) {
  with_drive({"precondition.fill=sequential"}, [&] {
    for (std::uint64_t i = 0; i < 3000; ++i) write(keyed_hash(1, i) % lpages_, 1);
    drain();
    const std::uint64_t before = hosted_.drive->firmware_statistics().blocks.superblock_erases;
    const Picoseconds start = tlm_if::kernel_time();
    admin(nvme::kSuccess, nvme::kFormat, nvme::kFormatUserDataErase << nvme::kFormatEraseShift, 0, nvme::kNamespace);
    const Picoseconds took = tlm_if::kernel_time() - start;
    const auto counters = hosted_.drive->firmware_statistics();
    const std::uint64_t erased = counters.blocks.superblock_erases - before;
    EXPECT_GT(erased, superblocks_ / 2);
    EXPECT_EQ(counters.free_superblocks, superblocks_);
    const Picoseconds erases = static_cast<std::int64_t>(erased) * erase_;
    EXPECT_GE(took, erases);
    EXPECT_LE(took, erases + erases / 10 + Picoseconds(20'000'000'000));
    const data::LbaStamp old(Lba(1), 77);
    for (std::uint64_t lpn = 0; lpn < lpages_; lpn += 97) {
      for (std::uint64_t i = 0; i < 8; ++i) ASSERT_TRUE(host()->memory.write_stamps(data_ + i * 512, &old, 1));
      read(lpn, 1);
      drain();
      for (std::uint64_t i = 0; i < 8; ++i) {
        data::LbaStamp stamp = old;
        ASSERT_TRUE(host()->memory.read_stamps(data_ + i * 512, &stamp, 1));
        EXPECT_EQ(stamp, data::LbaStamp()) << lpn;
      }
    }
    EXPECT_EQ(failed_, 0U);
  });
}

INSTANTIATE_TEST_SUITE_P(Cores, AdminOnADrive, ::testing::Values("native", "iss"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace wordline::testing::admin_test
