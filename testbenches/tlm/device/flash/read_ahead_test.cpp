// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/read_ahead.h"
#include "testbenches/tlm/support/context.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "testbenches/tlm/device/flash/reference_config.h"
#include "tlm/device/flash/channel/page_engine.h"

namespace wordline::flash {
namespace {

using namespace wordline::literals;

constexpr std::uint32_t kPage = 8;   // logical pages of both planes
constexpr std::uint32_t kUnit = 24;  // of the three pages of a word line

/// Both channels of the reference drive; what the read-ahead asks of them is written down. Multi-plane pages count in
/// the order of a superblock: three of a die, then those of the next die; four dies.
class ReadAheadTest : public ::testing::Test {
 protected:
  struct Notes final : ReadAhead::Channel {
    void read_ahead(Picoseconds, const wl_flash_job& job) override {
      EXPECT_EQ(job.die % 2, number);
      jobs->push_back(job);
    }
    void deliver(JobIndex job, const nand::StoredLpage* lpages, Picoseconds ready) override {
      delivered += std::to_string(job) + "@" + std::to_string(ready.count() / 1000) + ":lpn" +
                   std::to_string(lpages[0].lpn) + " ";
    }
    void read_anyway(Picoseconds, JobIndex job) override { delivered += std::to_string(job) + " anyway "; }
    std::uint32_t number = 0;
    std::vector<wl_flash_job>* jobs = nullptr;  // of both
    std::string delivered;
  };

  explicit ReadAheadTest(std::uint64_t window = 4 * 32768) : config_(testing::reference_config()) {
    config_.channels.read_ahead = Bytes(window);
    config_.channels.read_ahead_after = 2;
    layout_ = config::layout_of(config_);
    ahead_ = std::make_unique<ReadAhead>(testing::context(), config_, layout_,
                                         [this](const wl_flash_job& job) { return job.block != empty_block_; });
    for (std::uint32_t c = 0; c < channels_.size(); ++c) {
      channels_[c].number = c;
      channels_[c].jobs = &jobs_;
      ahead_->add(channels_[c]);
    }
  }

  [[nodiscard]] static wl_flash_job job_at(std::uint32_t lpage, std::uint32_t count, std::uint32_t block = 0) {
    wl_flash_job job{};
    job.op = WL_FLASH_READ;
    const std::uint32_t unit = lpage / kUnit;
    job.die = static_cast<std::uint16_t>(unit % 4);
    job.block = block;
    job.page = unit / 4 * 3 + lpage % kUnit / kPage;
    job.lpage = static_cast<std::uint16_t>(lpage % kPage);
    job.count = static_cast<std::uint16_t>(count);
    return job;
  }
  bool read(std::uint32_t lpage, std::uint32_t count, std::uint32_t block = 0) {
    const wl_flash_job job = job_at(lpage, count, block);
    return ahead_->takes(channels_[job.die % 2], next_index_++, job, 0_ns);
  }
  /// Pages asked for since the last call, as "die.page".
  std::string asked() {
    std::string text;
    for (const wl_flash_job& job : jobs_) {
      EXPECT_EQ(job.count, kPage);
      text += std::to_string(job.die) + "." + std::to_string(job.page) + " ";
      asked_.push_back(job);
    }
    jobs_.clear();
    return text;
  }
  void arrive(std::size_t which, Picoseconds at, bool ok = true) {
    const wl_flash_job& job = asked_.at(which);
    for (std::uint32_t i = 0; i < kPage && ok; ++i) ahead_->store(job.slot + i, {{}, 100 + i});
    ahead_->arrived(job, ok, at);
  }

  config::Config config_;
  config::Layout layout_;
  std::uint32_t empty_block_ = 99;
  std::vector<Notes> channels_ = std::vector<Notes>(2);
  std::vector<wl_flash_job> jobs_, asked_;
  std::unique_ptr<ReadAhead> ahead_;
  JobIndex next_index_ = 0;
};

TEST_F(ReadAheadTest, ReadsTheWindowBehindReadsThatFollowEachOther) {
  EXPECT_FALSE(read(48, 8));  // die 2: nothing came before
  EXPECT_FALSE(read(56, 8));
  EXPECT_EQ(asked(), "");
  EXPECT_FALSE(read(64, 8));
  EXPECT_EQ(asked(), "3.0 3.1 3.2 0.3 ") << "the next die, then the next word line of the first";
  EXPECT_EQ(ahead_->pages(), 4U);
  EXPECT_TRUE(read(72, 8)) << "on its way";
  EXPECT_EQ(asked(), "0.4 ") << "the window moves on";
}

TEST_F(ReadAheadTest, DeliversWhatIsThereAtOnceAndTheRestWhenItComes) {
  for (const std::uint32_t lpage : {0U, 8U, 16U}) EXPECT_FALSE(read(lpage, 8));
  EXPECT_EQ(asked(), "1.0 1.1 1.2 2.0 ");
  EXPECT_TRUE(read(26, 2));  // job 3: logical pages 2 and 3 of die 1, page 0
  EXPECT_EQ(channels_[1].delivered, "");
  arrive(0, 70_us);
  EXPECT_EQ(channels_[1].delivered, "3@70000:lpn102 ");
  EXPECT_TRUE(read(28, 4));
  EXPECT_EQ(channels_[1].delivered, "3@70000:lpn102 4@70000:lpn104 ");
  EXPECT_EQ(ahead_->hits(), 2U);
}

// Eight reads of 512 bytes each come as reads of the same logical page; those of 6 KiB share every second one.
TEST_F(ReadAheadTest, ReadsOfPartsOfLogicalPagesAreAStream) {
  for (int part = 0; part < 8; ++part) EXPECT_FALSE(read(0, 1));
  for (int part = 0; part < 8; ++part) EXPECT_FALSE(read(1, 1));
  EXPECT_EQ(asked(), "") << "two reads of a logical page do not follow each other";
  EXPECT_FALSE(read(2, 1));
  EXPECT_EQ(asked(), "0.1 0.2 1.0 1.1 ");
  EXPECT_FALSE(read(40, 2, 1)) << "beyond the window";
  EXPECT_FALSE(read(41, 2, 1));
  EXPECT_EQ(asked(), "");
  EXPECT_FALSE(read(43, 2, 1));
  EXPECT_NE(asked(), "");
}

TEST_F(ReadAheadTest, APageThatWasTakenWholeServesUntilItsPlaceIsNeeded) {
  for (const std::uint32_t lpage : {0U, 8U, 16U}) EXPECT_FALSE(read(lpage, 8));
  EXPECT_EQ(asked(), "1.0 1.1 1.2 2.0 ");
  arrive(0, 70_us);
  EXPECT_TRUE(read(24, 8));
  EXPECT_TRUE(read(31, 2)) << "more of its last logical page";
  std::uint32_t lpage = 32;
  for (std::size_t which = 1; which < 9; ++which, lpage += 8) {
    (void)asked();
    arrive(which, 80_us);
    EXPECT_TRUE(read(lpage, 8));
  }
  EXPECT_NE(asked(), "");
  EXPECT_FALSE(read(24, 8)) << "two windows are held: its place was taken first";
  EXPECT_TRUE(read(lpage - 8, 8));
}

TEST_F(ReadAheadTest, AReadElsewhereEndsTheStream) {
  for (const std::uint32_t lpage : {0U, 8U, 16U}) EXPECT_FALSE(read(lpage, 8));
  EXPECT_NE(asked(), "");
  EXPECT_FALSE(read(80, 8)) << "beyond the window";
  EXPECT_FALSE(read(88, 8));
  EXPECT_EQ(asked(), "");
  EXPECT_FALSE(read(0, 4));
  EXPECT_FALSE(read(88, 8));
  EXPECT_EQ(asked(), "") << "two streams";
}

TEST_F(ReadAheadTest, AReadWhosePageCannotBeReadGoesToItsDie) {
  for (const std::uint32_t lpage : {0U, 8U, 16U}) EXPECT_FALSE(read(lpage, 8));
  EXPECT_NE(asked(), "");
  EXPECT_TRUE(read(24, 8));
  arrive(0, 70_us, false);
  EXPECT_EQ(channels_[1].delivered, "3 anyway ");
  EXPECT_FALSE(read(24, 8));
}

TEST_F(ReadAheadTest, AnEraseDropsWhatIsHeldAndWhatIsOnItsWay) {
  for (const std::uint32_t lpage : {0U, 8U, 16U}) EXPECT_FALSE(read(lpage, 8));
  EXPECT_EQ(asked(), "1.0 1.1 1.2 2.0 ");
  arrive(0, 70_us);
  wl_flash_job erase = job_at(24, 0);
  erase.op = WL_FLASH_ERASE;
  EXPECT_FALSE(ahead_->takes(channels_[1], 9, erase, 0_ns));
  arrive(1, 80_us);
  EXPECT_FALSE(read(24, 8));
  EXPECT_FALSE(read(32, 8));
  EXPECT_TRUE(read(48, 8)) << "another die";
}

TEST_F(ReadAheadTest, LeavesPagesThatAreNotWrittenAndTheNextSuperblock) {
  empty_block_ = 1;
  EXPECT_FALSE(read(0, 8, 1));
  EXPECT_FALSE(read(8, 8, 1));
  EXPECT_FALSE(read(16, 8, 1));
  EXPECT_EQ(asked(), "");
  const std::uint32_t end = layout_.dies * layout_.programs_per_block * kUnit;
  for (const std::uint32_t lpage : {end - 32, end - 24, end - 16}) EXPECT_FALSE(read(lpage, 8));
  EXPECT_EQ(asked(), "3.23 ");
}

TEST(PageEngine, PlanesPassSideBySideAndReadsOneAfterTheOther) {
  PageEngine engine(testing::context(), 2_us);
  PageEngine::Lanes first, second;
  EXPECT_EQ(engine.pass(10_us, first, 0), 12_us);
  EXPECT_EQ(engine.pass(10_us, first, 1), 14_us);
  EXPECT_EQ(engine.pass(13_us, first, 0), 15_us) << "the other plane's first logical page";
  EXPECT_EQ(engine.pass(11_us, second, 0), 16_us) << "another read";
  EXPECT_EQ(engine.busy().busy, 6_us);
  EXPECT_FALSE(PageEngine(testing::context(), 0_ps).enabled());
}

}  // namespace
}  // namespace wordline::flash
