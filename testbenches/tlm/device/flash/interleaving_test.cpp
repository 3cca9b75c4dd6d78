// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Four LUNs behind two chip enables do random work, every segment as early as the rules allow. The dies must obey, the
// checker must find nothing, and every logical page read must be what the cells hold.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/units/keyed_random.h"
#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::Address;
using namespace wordline::literals;

enum class Work : std::uint8_t { kNone, kRead, kProgram, kErase };

struct DieUnderTest {
  Work work = Work::kNone;
  Picoseconds free{};  // no segment before
  std::uint32_t plane_mask = 0;
  Address at{};
  std::uint32_t next_page = 24;  // of block 6; 24: full, to be erased
  std::vector<StoredLpage> block6;
};

class Traffic {
 public:
  explicit Traffic(ChannelBench& bench) : bench_(bench), dies_(4), output_end_(2) {
    for (DieUnderTest& die : dies_) die.block6.resize(24 * 8);
  }

  void step(unsigned index) {
    DieUnderTest& die = dies_[index];
    if (die.work != Work::kNone) {
      const auto done = std::find_if(bench_.readies.begin(), bench_.readies.end(),
                                     [&](const ChannelBench::Ready& r) { return r.die == index; });
      if (done == bench_.readies.end()) return;
      const Picoseconds at = done->at;
      bench_.readies.erase(done);
      return finish(index, die, at);
    }
    begin(index, die);
  }

  [[nodiscard]] bool idle() const {
    return std::all_of(dies_.begin(), dies_.end(), [](const DieUnderTest& d) { return d.work == Work::kNone; });
  }

  unsigned reads = 0, programs = 0, erases = 0;
  bool draining = false;

 private:
  std::uint64_t draw(std::uint64_t below) { return keyed_hash(11, ++draws_) % below; }
  Picoseconds slot(unsigned index) {
    const Picoseconds turn = output_end_[index % 2] + 100_ns;
    return std::max({tlm_if::kernel_time(), bench_.bus.free_at(), dies_[index].free, turn});
  }

  void begin(unsigned index, DieUnderTest& die) {
    if (draining) return;
    const std::uint64_t dice = draw(10);
    const std::uint32_t lun = index / 2;
    OnfiTransaction last;
    if (dice == 0) {
      if (die.next_page == 24) {
        const Address a{lun, PlaneId(0), BlockId(6), PageId(0), 0};
        const Address b{lun, PlaneId(1), BlockId(6), PageId(0), 0};
        const OnfiTransaction one = bench_.command(index, bench_.codec.erase(a, onfi::kEraseNextPlane), slot(index));
        last = bench_.command(index, bench_.codec.erase(b), one.ready_at);
        die.work = Work::kErase;
        die.next_page = 0;
        std::fill(die.block6.begin(), die.block6.end(), StoredLpage{});
      } else {
        std::vector<StoredLpage> lpages;
        for (unsigned i = 0; i < 24; ++i) {
          const auto lpn = static_cast<std::uint32_t>(draw(1'000'000));
          lpages.push_back({data::LpageToken::uniform(Lpn(lpn), 2), lpn});
        }
        last = bench_.program(index, BlockId(6), PageId(die.next_page), lpages, slot(index));
        std::copy(lpages.begin(), lpages.end(), die.block6.begin() + die.next_page * 8);
        die.work = Work::kProgram;
        die.next_page += 3;
      }
    } else {
      die.work = Work::kRead;
      die.plane_mask = static_cast<std::uint32_t>(1 + draw(3));
      die.at = {lun, PlaneId(0), BlockId(draw(2) == 0 ? 6 : static_cast<std::uint32_t>(draw(4))),
                PageId(static_cast<std::uint32_t>(draw(24))), 0};
      Picoseconds at = slot(index);
      for (std::uint8_t plane = 0; plane < 2; ++plane) {
        if ((die.plane_mask >> plane & 1U) == 0) continue;
        const bool more = plane == 0 && die.plane_mask == 3;
        die.at.plane = PlaneId(plane);
        last = bench_.command(index, bench_.codec.read(die.at, more ? onfi::kReadNextPlane : onfi::kReadConfirm), at);
        at = last.ready_at;
      }
    }
    ASSERT_TRUE(last.ok);
    die.free = last.end;
  }

  void finish(unsigned index, DieUnderTest& die, Picoseconds ready) {
    if (die.work == Work::kRead) {
      for (std::uint8_t plane = 0; plane < 2; ++plane) {
        if ((die.plane_mask >> plane & 1U) != 0) read_out(index, die, plane, ready);
      }
      ++reads;
    } else {
      const OnfiTransaction status = bench_.status(index, slot(index));
      EXPECT_EQ(status.status, onfi::kNotProtected | onfi::kReady | onfi::kArrayReady);
      output_end_[index % 2] = status.end;
      ++(die.work == Work::kProgram ? programs : erases);
    }
    die.work = Work::kNone;
  }

  void read_out(unsigned index, DieUnderTest& die, std::uint8_t plane, Picoseconds ready) {
    const auto first = static_cast<std::uint32_t>(draw(4));
    const auto count = static_cast<std::uint32_t>(1 + draw(4 - first));
    Address from = die.at;
    from.plane = PlaneId(plane);
    from.column = first * 4648;
    const OnfiTransaction select = bench_.command(index, bench_.codec.change_read_column(from), slot(index));
    StoredLpage out[4];
    const Picoseconds at = std::max(select.end + 400_ns, ready + 20_ns);
    const OnfiTransaction data = bench_.data_out(index, out, count, at);
    ASSERT_TRUE(data.ok);
    output_end_[index % 2] = data.end;
    for (std::uint32_t i = 0; i < count; ++i) {
      const nand::LpageAddress where{PlaneId(plane), from.block, from.page, first + i};
      const std::uint32_t place = from.page.value() * 8 + plane * 4U + first + i;
      const StoredLpage expected =
          from.block.value() == 6 ? die.block6[place] : filled_lpage(bench_.dies[index]->id(), where);
      ASSERT_EQ(out[i].lpn, expected.lpn);
      ASSERT_EQ(out[i].token, expected.token);
    }
  }

  ChannelBench& bench_;
  std::vector<DieUnderTest> dies_;
  std::vector<Picoseconds> output_end_;  // by package
  std::uint64_t draws_ = 0;
};

TEST(Interleaving, RandomWorkOfFourLunsBreaksNoRule) {
  config::Config config = reference_config();
  config.channels.packages = 2;
  config.channels.dies_per_package = 2;
  ChannelBench bench(config);
  Traffic traffic(bench);
  simulate(
      [&] {
        for (std::uint64_t i = 0; i < 40'000; ++i) {
          traffic.draining = i > 35'000;
          traffic.step(static_cast<unsigned>(keyed_hash(3, i) % 4));
          if (::testing::Test::HasFailure()) return;
          bench.until(std::max(bench.bus.free_at(), tlm_if::kernel_time() + 1_us));
        }
        EXPECT_TRUE(traffic.idle());
      },
      sc_core::sc_time(100, sc_core::SC_SEC));
  EXPECT_GT(traffic.reads, 1000U);
  EXPECT_GT(traffic.programs, 100U);
  EXPECT_GT(traffic.erases, 10U);
  EXPECT_EQ(bench.checker.violations(), 0U);
  EXPECT_GT(bench.checker.segments(), 5000U);
  std::uint64_t reads = 0;
  for (auto& die : bench.dies) reads += die->array().counters().page_reads;
  EXPECT_EQ(reads, traffic.reads);
}

}  // namespace
}  // namespace wordline::testing
