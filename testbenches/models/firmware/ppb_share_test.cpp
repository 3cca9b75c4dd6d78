// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The policy ppb on a whole drive: how many reads find fast pages, held against a simulator of the same rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <list>
#include <map>
#include <vector>

#include "drive.h"
#include "ppb_boot.h"
#include "workload.h"

extern "C" {
#include "models/firmware/policy/policy.h"
}

namespace wordline::testing::ppb_share_test {
namespace {

/// Ranks by Zipf's law, scattered over the units in an order of its own.
class Zipf {
 public:
  Zipf(std::uint32_t units, double theta, std::uint32_t stride) : sum_(units), stride_(stride) {
    double sum = 0;
    for (std::uint32_t i = 0; i < units; ++i) sum_[i] = sum += std::pow(i + 1, -theta);
  }
  [[nodiscard]] std::uint32_t operator()(std::uint64_t draw) const {
    const double at = static_cast<double>(draw >> 11) / 9007199254740992.0 * sum_.back();
    const auto rank = std::upper_bound(sum_.begin(), sum_.end(), at) - sum_.begin();
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(rank) * stride_ % sum_.size());
  }

 private:
  std::vector<double> sum_;
  std::uint64_t stride_;
};

/// The same rules once more, over plain containers: no time, no buffers, no pacing, one sector a unit.
class PpbSimulator {
 public:
  PpbSimulator(std::uint32_t superblocks, std::uint32_t lpages, std::uint32_t half_full_blocks)
      : half_full_(half_full_blocks),
        superblocks_(superblocks),
        at_(lpages, {kNowhere, 0}),
        in_(lpages, 2),
        where_(lpages),
        reads_(lpages) {
    for (std::uint32_t l = 0; l < superblocks; ++l) free_.push_back(l);
  }
  void write(std::uint32_t lpn) {
    while (free_.size() <= 3) collect();
    const unsigned level = in_[lpn] == 1 ? 1 : 0;
    put(0, level, lpn);
    enter(lpn, level);
    if (level == 1 && !has_fast(0)) drop_iron();
  }
  void read(std::uint32_t lpn) {
    if (in_[lpn] == 2) {
      ++reads_[lpn];
    } else {
      enter(lpn, 1);
    }
  }
  [[nodiscard]] bool fast(std::uint32_t lpn) const { return at_[lpn].second >= kSuperblock / 2; }
  std::uint64_t erases = 0;

 private:
  static constexpr std::uint32_t kSuperblock = 64, kNowhere = ~0U;
  struct Superblock {
    std::vector<std::uint32_t> owner;
    std::uint32_t valid = 0;
  };
  void enter(std::uint32_t lpn, unsigned level) {
    leave(lpn);
    list_[level].push_front(lpn);
    where_[lpn] = list_[level].begin();
    in_[lpn] = static_cast<std::uint8_t>(level);
    if (list_[1].size() > at_.size() / 4) drop_iron();
    if (list_[0].size() <= at_.size() / 4) return;
    const std::uint32_t last = list_[0].back();
    leave(last);
    reads_[last] = 0;
  }
  void leave(std::uint32_t lpn) {
    if (in_[lpn] != 2) list_[in_[lpn]].erase(where_[lpn]);
    in_[lpn] = 2;
  }
  void drop_iron() {
    if (!list_[1].empty()) enter(list_[1].back(), 0);
  }
  /// Sorted once per victim: the upper half of the cold area, and whoever was read as often.
  void sort() {
    std::vector<std::uint32_t> counts;
    for (std::uint32_t lpn = 0; lpn < reads_.size(); ++lpn)
      if (in_[lpn] == 2) counts.push_back(reads_[lpn]);
    const auto middle = counts.begin() + static_cast<long>((counts.size() + 1) / 2);
    std::nth_element(counts.begin(), middle, counts.end());
    cut_ = std::max(1U, *middle);
  }
  bool has_fast(unsigned area) {
    std::deque<std::uint32_t>& open = open_[area];
    return std::any_of(open.begin(), open.end(),
                       [&](auto l) { return superblocks_[l].owner.size() >= kSuperblock / 2; });
  }
  void put(unsigned area, unsigned level, std::uint32_t lpn) {
    std::deque<std::uint32_t>& open = open_[area];  // the oldest first: it is the fullest
    const auto halves = static_cast<std::size_t>(std::count_if(
        open.begin(), open.end(), [&](auto l) { return superblocks_[l].owner.size() >= kSuperblock / 2; }));
    if (open.empty() || (level == 0 && halves == open.size() && halves <= half_full_ && half_full_ != 0)) {
      open.push_back(free_.front());
      free_.pop_front();
      superblocks_[open.back()] = {};
    }
    // Fast data to the fullest; slow data to the one in its slow half, if there is one.
    const bool slow_half = level == 0 && superblocks_[open.back()].owner.size() < kSuperblock / 2;
    const std::uint32_t superblock = slow_half ? open.back() : open.front();
    if (at_[lpn].first != kNowhere) --superblocks_[at_[lpn].first].valid;
    at_[lpn] = {superblock, static_cast<std::uint32_t>(superblocks_[superblock].owner.size())};
    superblocks_[superblock].owner.push_back(lpn);
    ++superblocks_[superblock].valid;
    if (superblocks_[superblock].owner.size() == kSuperblock)
      open.erase(std::find(open.begin(), open.end(), superblock));
  }
  void collect() {
    std::uint32_t victim = kNowhere;
    for (std::uint32_t l = 0; l < superblocks_.size(); ++l)
      if (superblocks_[l].owner.size() == kSuperblock &&
          (victim == kNowhere || superblocks_[l].valid < superblocks_[victim].valid))
        victim = l;
    sort();
    const std::vector<std::uint32_t> owners = superblocks_[victim].owner;
    for (std::uint32_t i = 0; i < owners.size(); ++i) {
      const std::uint32_t lpn = owners[i];
      if (at_[lpn] != std::pair(victim, i)) continue;
      if (in_[lpn] != 2)
        put(2, in_[lpn], lpn);
      else
        put(3, reads_[lpn] >= cut_ ? 1 : 0, lpn);
    }
    superblocks_[victim] = {};
    free_.push_back(victim);
    ++erases;
  }

  std::uint32_t half_full_;
  std::vector<Superblock> superblocks_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> at_;  // superblock, place in it
  std::vector<std::uint8_t> in_;                             // list; 2: the cold area
  std::vector<std::list<std::uint32_t>::iterator> where_;
  std::list<std::uint32_t> list_[2];
  std::vector<std::uint32_t> reads_;
  std::uint32_t cut_ = 1;
  std::deque<std::uint32_t> free_;
  std::map<unsigned, std::deque<std::uint32_t>> open_;  // by area: 0 the host's, 2 and 3 of moved data
};

struct Measured {
  double fast = 0;  // share of the reads
  double erases = 0;
};

/// 70 % writes and 30 % reads of single sectors, by Zipf's law, hot on different sectors.
template <class Write, class Read>
void requests(std::uint32_t lpages, std::uint64_t from, std::uint64_t to, Write write, Read read) {
  const Zipf written(lpages, 0.9, 7919), looked_at(lpages, 0.9, 10007);
  for (std::uint64_t i = from; i < to; ++i) {
    const std::uint64_t where = keyed_hash(51, i);
    if (keyed_hash(52, i) % 10 < 7)
      write(written(where));
    else
      read(looked_at(where));
  }
}

Measured run_firmware(const wl_boot_info& boot, std::uint64_t warm, std::uint64_t measured) {
  Drive drive(boot, 53);
  const auto submit = [&](const Command& command) {
    while (!drive.has_tag()) drive.step();
    drive.submit(command);
  };
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn) submit(write_of(std::uint64_t{lpn} * 8, 8));
  std::uint64_t reads = 0, fast = 0, erases = 0;
  const wl_firmware& fw = drive.firmware();
  const auto write = [&](std::uint32_t lpn) { submit(write_of(std::uint64_t{lpn} * 8, 8)); };
  requests(boot.user_lpages, 0, warm, write, [&](std::uint32_t lpn) { submit(read_of(std::uint64_t{lpn} * 8, 8)); });
  erases = drive.statistics().blocks.superblock_erases;
  requests(boot.user_lpages, warm, warm + measured, write, [&](std::uint32_t lpn) {
    const std::uint32_t value = rooms(fw).map.l2p[lpn];
    if (value >= WL_MAP_PPA0 && value < WL_MAP_BUFFER) {
      ++reads;
      if ((value - WL_MAP_PPA0) % fw.geometry.superblock_lpages >= fw.geometry.superblock_lpages / 2) ++fast;
    }
    submit(read_of(std::uint64_t{lpn} * 8, 8));
  });
  drive.settle();
  EXPECT_TRUE(drive.errors.empty());
  expect_consistent(drive);
  return {static_cast<double>(fast) / static_cast<double>(reads),
          static_cast<double>(drive.statistics().blocks.superblock_erases - erases)};
}

Measured run_simulator(const wl_boot_info& boot, std::uint64_t warm, std::uint64_t measured) {
  PpbSimulator simulator(boot.blocks, boot.user_lpages, policy_keys(boot).ppb.half_full_blocks);
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn) simulator.write(lpn);
  std::uint64_t reads = 0, fast = 0;
  const auto write = [&](std::uint32_t lpn) { simulator.write(lpn); };
  requests(boot.user_lpages, 0, warm, write, [&](std::uint32_t lpn) { simulator.read(lpn); });
  const std::uint64_t erases = simulator.erases;
  requests(boot.user_lpages, warm, warm + measured, write, [&](std::uint32_t lpn) {
    ++reads;
    fast += simulator.fast(lpn);
    simulator.read(lpn);
  });
  return {static_cast<double>(fast) / static_cast<double>(reads), static_cast<double>(simulator.erases - erases)};
}

// ppb.cause.fast_share: as printed hotness decides nothing, with one half-full superblock most reads find fast pages.
// The simulator agrees.
TEST(Ppb, ShareOfReadsOnFastPagesMeetsItsSimulator) {
  std::map<int, Measured> found;
  for (const std::uint8_t half_full : {0, 1, 4}) {
    const wl_boot_info boot = ppb_boot(half_full);
    const std::uint64_t warm = 6 * boot.user_lpages, measured = 4 * boot.user_lpages;
    const Measured firmware = run_firmware(boot, warm, measured), simulated = run_simulator(boot, warm, measured);
    // While space is short the host opens no superblock, which the simulator does: slow data take fast pages.
    EXPECT_NEAR(firmware.fast, simulated.fast, half_full > 1 ? 0.05 : 0.04) << int{half_full};
    // Data in buffers and superblocks that are being emptied are spare capacity that the simulator has.
    EXPECT_NEAR(firmware.erases / simulated.erases, 1.08, 0.05) << int{half_full};
    RecordProperty("fast_" + std::to_string(half_full), std::to_string(firmware.fast));
    RecordProperty("simulated_" + std::to_string(half_full), std::to_string(simulated.fast));
    found[half_full] = firmware;
  }
  wl_boot_info greedy = ppb_boot(1);
  greedy.ftl.policy = WL_POLICY_page_greedy;
  const Measured conventional = run_firmware(greedy, 6 * greedy.user_lpages, 4 * greedy.user_lpages);
  RecordProperty("greedy", std::to_string(conventional.fast));
  RecordProperty("erases_1", std::to_string(found[1].erases / conventional.erases));
  RecordProperty("erases_0", std::to_string(found[0].erases / conventional.erases));
  EXPECT_NEAR(conventional.fast, 0.5, 0.05);
  EXPECT_GT(found[1].fast, 0.72);
  EXPECT_LT(found[0].fast, found[1].fast - 0.1);
}

}  // namespace
}  // namespace wordline::testing::ppb_share_test
