// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "models/units/keyed_random.h"

namespace wordline::host::oracle_test {
namespace {

using data::LbaStamp;
using data::LpageStamps;

constexpr std::uint64_t kLpages = 1000;

/// A read that begins and ends at once.
bool reads(Oracle& oracle, std::uint64_t lba, LbaStamp found) {
  const Oracle::Read read = oracle.begin_read(0);
  const bool legal = oracle.check(read, Lba(lba), found);
  oracle.end_read(read);
  return legal;
}

std::uint32_t write(Oracle& oracle, std::uint64_t lba, std::uint64_t nlb) {
  const std::uint32_t version = oracle.new_version();
  oracle.begin_write(version, Lba(lba), nlb);
  oracle.end_write(version, Lba(lba), nlb);
  return version;
}

std::uint32_t trim(Oracle& oracle, std::uint64_t lba, std::uint64_t nlb) {
  const std::uint32_t version = oracle.new_version();
  oracle.begin_trim(version, Lba(lba), nlb);
  oracle.end_write(version, Lba(lba), nlb);
  return version;
}

LbaStamp stamp(std::uint64_t lba, std::uint32_t version) { return {Lba(lba), version}; }

TEST(OracleTest, ARefusedWriteHasNotHappenedAFailedOneMayHave) {
  Oracle oracle(kLpages, false);
  const std::uint32_t first = write(oracle, 8, 8);
  const std::uint32_t refused = oracle.new_version();
  oracle.begin_write(refused, Lba(8), 4);
  EXPECT_TRUE(reads(oracle, 9, stamp(9, refused))) << "it is in flight";
  oracle.fail_write(refused, Lba(8), 4, Oracle::Failure::kRefused);
  EXPECT_FALSE(reads(oracle, 8, stamp(8, refused)));
  EXPECT_TRUE(reads(oracle, 8, stamp(8, first)));
  EXPECT_EQ(oracle.unresolved(), 0U);
  const std::uint32_t failed = oracle.new_version();
  oracle.begin_write(failed, Lba(8), 4);
  oracle.fail_write(failed, Lba(8), 4);
  EXPECT_TRUE(reads(oracle, 8, stamp(8, failed)));
  EXPECT_TRUE(reads(oracle, 9, stamp(9, first)));
  EXPECT_FALSE(reads(oracle, 9, stamp(9, failed))) << "the read before has resolved it";
}

TEST(OracleTest, NewDriveReadsZerosAndNothingElse) {
  Oracle oracle(kLpages, false);
  EXPECT_TRUE(reads(oracle, 0, {}));
  EXPECT_TRUE(reads(oracle, kLpages * 8 - 1, {}));
  EXPECT_EQ(oracle.mismatches(), 0U);
  EXPECT_FALSE(reads(oracle, 5, stamp(5, data::kVersionPrecondition)));
  EXPECT_EQ(oracle.mismatches(), 1U);
  EXPECT_EQ(oracle.reads_checked(), 3U);
}

TEST(OracleTest, PreconditionedDriveReadsVersionOneOfItsOwnBlock) {
  Oracle oracle(kLpages, true);
  EXPECT_TRUE(reads(oracle, 17, stamp(17, 1)));
  EXPECT_FALSE(reads(oracle, 17, {}));
  EXPECT_FALSE(reads(oracle, 17, stamp(18, 1)));
  EXPECT_FALSE(reads(oracle, 17, stamp(17, 2)));
}

TEST(OracleTest, LastAcknowledgedWriteOnly) {
  Oracle oracle(kLpages, true);
  const std::uint32_t a = write(oracle, 16, 8);
  const std::uint32_t b = write(oracle, 16, 8);
  EXPECT_TRUE(reads(oracle, 20, stamp(20, b)));
  EXPECT_FALSE(reads(oracle, 20, stamp(20, a)));
  EXPECT_FALSE(reads(oracle, 20, stamp(20, 1)));
  EXPECT_FALSE(reads(oracle, 20, stamp(20, b + 1)));
  EXPECT_FALSE(reads(oracle, 20, {}));
  EXPECT_FALSE(reads(oracle, 20, stamp(28, b)));
  EXPECT_TRUE(reads(oracle, 24, stamp(24, 1)));  // the neighbour
  EXPECT_EQ(oracle.unresolved(), 0U);
}

TEST(OracleTest, WriteInFlightAtAnyTimeDuringTheReadMayBeSeen) {
  Oracle oracle(kLpages, false);
  const std::uint32_t a = write(oracle, 0, 8);
  const std::uint32_t b = oracle.new_version();
  // The write begins before the read and ends within it.
  oracle.begin_write(b, Lba(0), 8);
  const Oracle::Read early = oracle.begin_read(1);
  oracle.end_write(b, Lba(0), 8);
  const Oracle::Read late = oracle.begin_read(2);
  EXPECT_TRUE(oracle.check(early, Lba(0), stamp(0, a)));
  EXPECT_TRUE(oracle.check(early, Lba(1), stamp(1, b)));
  EXPECT_FALSE(oracle.check(late, Lba(0), stamp(0, a)));
  EXPECT_TRUE(oracle.check(late, Lba(0), stamp(0, b)));
  // One that begins within the read and is still in flight, and one that came and went.
  const std::uint32_t c = write(oracle, 0, 8);
  const std::uint32_t d = oracle.new_version();
  oracle.begin_write(d, Lba(0), 8);
  for (const std::uint32_t version : {b, c, d}) {
    EXPECT_TRUE(oracle.check(late, Lba(3), stamp(3, version))) << version;
  }
  EXPECT_TRUE(oracle.check(early, Lba(3), stamp(3, a)));
  EXPECT_FALSE(oracle.check(late, Lba(3), stamp(3, a)));
  EXPECT_FALSE(oracle.check(late, Lba(3), stamp(3, d + 1)));
  oracle.end_read(early);
  oracle.end_read(late);
  oracle.end_write(d, Lba(0), 8);
  EXPECT_TRUE(reads(oracle, 3, stamp(3, d)));
  EXPECT_FALSE(reads(oracle, 3, stamp(3, c)));
  EXPECT_EQ(oracle.unresolved(), 0U);
}

TEST(OracleTest, OfWritesInFlightTogetherEitherMayWinWhateverTheirOrderOfAcknowledgement) {
  for (const bool first_wins : {true, false}) {
    for (const bool first_acknowledged_first : {true, false}) {
      Oracle oracle(kLpages, false);
      const std::uint32_t a = oracle.new_version();
      const std::uint32_t b = oracle.new_version();
      oracle.begin_write(a, Lba(8), 8);
      oracle.begin_write(b, Lba(8), 8);
      oracle.end_write(first_acknowledged_first ? a : b, Lba(8), 8);
      oracle.end_write(first_acknowledged_first ? b : a, Lba(8), 8);
      EXPECT_FALSE(reads(oracle, 9, {}));
      const std::uint32_t winner = first_wins ? a : b;
      const std::uint32_t loser = first_wins ? b : a;
      EXPECT_TRUE(reads(oracle, 9, stamp(9, winner)));
      // It has been seen: from now on it stays.
      EXPECT_FALSE(reads(oracle, 9, stamp(9, loser)));
      EXPECT_TRUE(reads(oracle, 9, stamp(9, winner)));
      EXPECT_TRUE(reads(oracle, 10, stamp(10, loser)));  // another block has its own order
    }
  }
}

TEST(OracleTest, LongWriteInFlightMayLandAfterALaterWrite) {
  Oracle oracle(kLpages, false);
  const std::uint32_t slow = oracle.new_version();
  oracle.begin_write(slow, Lba(0), 8);
  const std::uint32_t b = write(oracle, 0, 8);
  const std::uint32_t c = write(oracle, 0, 8);
  EXPECT_TRUE(reads(oracle, 0, stamp(0, slow)));
  EXPECT_FALSE(reads(oracle, 1, stamp(1, b)));
  EXPECT_TRUE(reads(oracle, 1, stamp(1, c)));
  oracle.end_write(slow, Lba(0), 8);
  const std::uint32_t d = write(oracle, 0, 8);
  EXPECT_FALSE(reads(oracle, 0, stamp(0, slow)));
  EXPECT_TRUE(reads(oracle, 0, stamp(0, d)));
  EXPECT_EQ(oracle.unresolved(), 0U);
}

TEST(OracleTest, PartOfALogicalPageIsWrittenAndTheRestStays) {
  Oracle oracle(kLpages, true);
  const std::uint32_t a = write(oracle, 19, 10);  // blocks 3..7 of logical page 2, 0..4 of logical page 3
  for (std::uint64_t lba = 16; lba < 32; ++lba) {
    const bool inside = lba >= 19 && lba < 29;
    EXPECT_EQ(reads(oracle, lba, stamp(lba, a)), inside) << lba;
    EXPECT_EQ(reads(oracle, lba, stamp(lba, 1)), !inside) << lba;
  }
  EXPECT_EQ(oracle.unresolved(), 2U);  // two contents in one logical page
  const std::uint32_t b = write(oracle, 16, 16);
  EXPECT_EQ(oracle.unresolved(), 0U);
  EXPECT_TRUE(reads(oracle, 20, stamp(20, b)));
  EXPECT_FALSE(reads(oracle, 20, stamp(20, a)));
}

TEST(OracleTest, CommandsOfOneRequestShareAVersion) {
  Oracle oracle(kLpages, false);
  const std::uint32_t v = oracle.new_version();
  oracle.begin_write(v, Lba(0), 12);
  oracle.begin_write(v, Lba(12), 4);
  oracle.end_write(v, Lba(12), 4);
  EXPECT_TRUE(reads(oracle, 8, {}));
  EXPECT_TRUE(reads(oracle, 9, stamp(9, v)));
  EXPECT_FALSE(reads(oracle, 12, {}));
  oracle.end_write(v, Lba(0), 12);
  EXPECT_EQ(oracle.unresolved(), 0U);
  EXPECT_TRUE(reads(oracle, 15, stamp(15, v)));
}

TEST(OracleTest, TrimReadsAsZeros) {
  Oracle oracle(kLpages, true);
  trim(oracle, 8, 8);
  EXPECT_TRUE(reads(oracle, 8, {}));
  EXPECT_FALSE(reads(oracle, 8, stamp(8, 1)));
  const std::uint32_t a = write(oracle, 8, 8);
  EXPECT_FALSE(reads(oracle, 8, {}));
  const std::uint32_t t = oracle.new_version();
  oracle.begin_trim(t, Lba(8), 8);
  EXPECT_TRUE(reads(oracle, 8, {}));
  EXPECT_TRUE(reads(oracle, 8, stamp(8, a)));
  oracle.end_write(t, Lba(8), 8);
  EXPECT_TRUE(reads(oracle, 8, {}));
  EXPECT_FALSE(reads(oracle, 8, stamp(8, a)));
  EXPECT_FALSE(reads(oracle, 8, stamp(8, t)));  // a trim writes no stamp
}

TEST(OracleTest, TrimAndWriteInFlightTogetherLeaveEither) {
  Oracle oracle(kLpages, true);
  const std::uint32_t t = oracle.new_version();
  const std::uint32_t w = oracle.new_version();
  oracle.begin_trim(t, Lba(8), 8);
  oracle.begin_write(w, Lba(8), 8);
  oracle.end_write(w, Lba(8), 8);
  oracle.end_write(t, Lba(8), 8);
  EXPECT_FALSE(reads(oracle, 8, stamp(8, 1)));
  EXPECT_TRUE(reads(oracle, 8, {}));
  EXPECT_TRUE(reads(oracle, 9, stamp(9, w)));
}

TEST(OracleTest, TheZerosOfOneTrimAreThoseOfAnother) {
  Oracle oracle(kLpages, true);
  const std::uint32_t early = oracle.new_version();
  const std::uint32_t late = oracle.new_version();
  const std::uint32_t w = oracle.new_version();
  oracle.begin_trim(early, Lba(8), 8);
  oracle.begin_trim(late, Lba(8), 8);
  oracle.end_write(early, Lba(8), 8);
  oracle.begin_write(w, Lba(8), 8);
  oracle.end_write(late, Lba(8), 8);
  EXPECT_TRUE(reads(oracle, 8, {}));  // of either trim
  oracle.end_write(w, Lba(8), 8);     // after the early one: its zeros are gone
  EXPECT_TRUE(reads(oracle, 8, {})) << "the write may have been carried out before the late trim";
  EXPECT_FALSE(reads(oracle, 8, stamp(8, w)));
}

TEST(OracleTest, WholeLogicalPagesAreComparedAtOnce) {
  Oracle oracle(kLpages, true);
  const auto lpage = [&](const LpageStamps& stamps) {
    const Oracle::Read read = oracle.begin_read(0);
    const bool legal = oracle.check_lpage(read, Lpn(5), stamps.data());
    oracle.end_read(read);
    return legal;
  };
  const auto filled = [](std::uint64_t lba, std::uint32_t version) {
    LpageStamps stamps;
    for (unsigned i = 0; i < 8; ++i) stamps[i] = stamp(lba + i, version);
    return stamps;
  };
  EXPECT_TRUE(lpage(filled(40, 1)));
  EXPECT_EQ(oracle.mismatches(), 0U);
  EXPECT_FALSE(lpage(filled(48, 1)));
  EXPECT_FALSE(lpage({}));
  EXPECT_EQ(oracle.mismatches(), 16U);
  EXPECT_EQ(oracle.blocks_checked(), 24U);
  for (unsigned i = 0; i < 8; ++i) {
    LpageStamps one_wrong = filled(40, 1);
    one_wrong[i] = {};
    EXPECT_FALSE(lpage(one_wrong)) << i;
  }
  EXPECT_EQ(oracle.mismatches(), 24U);
  const std::uint32_t a = write(oracle, 43, 2);
  EXPECT_FALSE(lpage(filled(40, a)));
  LpageStamps stamps = filled(40, 1);
  stamps[3] = stamp(43, a);
  EXPECT_FALSE(lpage(stamps));
  stamps[4] = stamp(44, a);
  EXPECT_TRUE(lpage(stamps));
  trim(oracle, 40, 8);
  EXPECT_TRUE(lpage({}));
  EXPECT_FALSE(lpage(stamps));
}

TEST(OracleTest, ReadOfSeveralCommandsCountsOnce) {
  Oracle oracle(kLpages, false);
  const Oracle::Read first = oracle.begin_read(7);
  const Oracle::Read second = oracle.begin_read(7);
  oracle.end_read(second, false);
  oracle.end_read(first, true);
  EXPECT_EQ(oracle.reads_checked(), 1U);
}

TEST(OracleTest, MessageNamesPlaceExpectedAndFound) {
  Oracle oracle(kLpages, true);
  const std::uint32_t a = write(oracle, 80, 8);
  const std::uint32_t b = oracle.new_version();
  oracle.begin_write(b, Lba(80), 8);
  const Oracle::Read read = oracle.begin_read(4711);
  EXPECT_FALSE(oracle.check(read, Lba(81), stamp(90, a)));
  EXPECT_FALSE(oracle.check(read, Lba(81), stamp(81, 99)));
  EXPECT_FALSE(oracle.check(read, Lba(100), {}));
  oracle.end_read(read);
  ASSERT_EQ(oracle.messages().size(), 3U);
  EXPECT_EQ(oracle.messages()[0],
            "request 4711 read LBA 81: expected LBA 81 version 2, or LBA 81 version 3 (being written); found LBA 90 "
            "version 2 (the data of another block)");
  EXPECT_EQ(oracle.messages()[1],
            "request 4711 read LBA 81: expected LBA 81 version 2, or LBA 81 version 3 (being written); found LBA 81 "
            "version 99 (never written)");
  EXPECT_EQ(oracle.messages()[2],
            "request 4711 read LBA 100: expected LBA 100 version 1 (preconditioned); found zeros");
}

TEST(OracleTest, CallsOutOfTurnAreErrors) {
  Oracle oracle(kLpages, false);
  EXPECT_THROW(oracle.end_write(2, Lba(0), 8), std::logic_error);
  EXPECT_THROW(oracle.begin_write(2, Lba(kLpages * 8 - 7), 8), std::out_of_range);
  EXPECT_THROW(oracle.begin_write(2, Lba(UINT64_MAX), 2), std::out_of_range);
  oracle.begin_write(2, Lba(0), 8);
  EXPECT_THROW(oracle.end_write(2, Lba(0), 7), std::logic_error);
  oracle.end_write(2, Lba(0), 8);
  EXPECT_THROW(oracle.end_write(2, Lba(0), 8), std::logic_error);
}

/// The rule of the header, word for word, over the complete history.
class History {
 public:
  struct Write {
    std::uint64_t first, nlb;
    bool zero;
    std::uint64_t submitted, acknowledged;
  };
  std::map<std::uint32_t, Write> writes;
  std::uint64_t clock = 0;

  [[nodiscard]] bool legal(std::uint64_t lba, std::uint64_t started, LbaStamp found, bool preconditioned) const {
    const auto covers = [&](const Write& w) { return lba >= w.first && lba < w.first + w.nlb; };
    const auto superseded = [&](std::uint64_t acknowledged) {
      return std::any_of(writes.begin(), writes.end(), [&](const auto& w) {
        return covers(w.second) && w.second.submitted > acknowledged && w.second.acknowledged < started;
      });
    };
    if (!superseded(0) && found == (preconditioned ? LbaStamp(Lba(lba), 1) : LbaStamp())) return true;
    return std::any_of(writes.begin(), writes.end(), [&](const auto& w) {
      return covers(w.second) && !superseded(w.second.acknowledged) &&
             found == (w.second.zero ? LbaStamp() : LbaStamp(Lba(lba), w.first));
    });
  }
};

TEST(OracleTest, AgreesWithTheRuleOnRandomHistories) {
  // Random contents, offered to the oracle and to the reference. The reference knows no pinning: a legal content of
  // which there are several is not offered.
  std::uint64_t legal_seen = 0;
  std::uint64_t illegal_seen = 0;
  for (std::uint64_t run = 0; run < 60; ++run) {
    const bool preconditioned = run % 2 == 0;
    const LpageSize size = run % 3 == 0 ? LpageSize::of(Bytes(2048)) : LpageSize();
    Oracle oracle(32 / size.lbas(), preconditioned, size);
    History history;
    struct Flight {
      std::uint32_t version;
      std::uint64_t first, nlb;
    };
    std::vector<Flight> flights;
    struct ReadFlight {
      Oracle::Read read;
      std::uint64_t started;
    };
    std::vector<ReadFlight> open;
    std::uint64_t draw = 0;
    const auto random = [&](std::uint64_t n) { return keyed_hash(99, run, draw++) % n; };
    for (int step = 0; step < 120; ++step) {
      const std::uint64_t action = random(10);
      if (action < 3 && flights.size() < 4) {
        const std::uint64_t first = random(32);
        const std::uint64_t nlb = 1 + random(std::min<std::uint64_t>(32 - first, 12));
        const std::uint32_t version = oracle.new_version();
        const bool zero = random(4) == 0;
        if (zero) {
          oracle.begin_trim(version, Lba(first), nlb);
        } else {
          oracle.begin_write(version, Lba(first), nlb);
        }
        history.writes[version] = {first, nlb, zero, ++history.clock, UINT64_MAX};
        flights.push_back({version, first, nlb});
      } else if (action < 6 && !flights.empty()) {
        const std::uint64_t i = random(flights.size());
        oracle.end_write(flights[i].version, Lba(flights[i].first), flights[i].nlb);
        history.writes[flights[i].version].acknowledged = ++history.clock;
        flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(i));
      } else if (action < 8 && open.size() < 4) {
        open.push_back({oracle.begin_read(step), ++history.clock});
      } else if (!open.empty()) {
        const std::uint64_t i = random(open.size());
        const ReadFlight flight = open[i];
        for (std::uint64_t lba = 0; lba < 32; ++lba) {
          // How many acknowledged contents are legal? With more than one, seeing one would pin it.
          std::set<std::uint64_t> acknowledged;
          for (std::uint32_t v = 0; v < 2 + history.writes.size(); ++v) {
            const LbaStamp value = v == 0 ? LbaStamp() : LbaStamp(Lba(lba), v);
            if (history.legal(lba, flight.started, value, preconditioned)) acknowledged.insert(value.bits());
          }
          ASSERT_FALSE(acknowledged.empty());
          const auto guess = static_cast<std::uint32_t>(random(static_cast<std::uint64_t>(step) / 4 + 3));
          const LbaStamp value = guess == 0 ? LbaStamp() : LbaStamp(Lba(lba), guess);
          const bool expected = history.legal(lba, flight.started, value, preconditioned);
          if (expected && acknowledged.size() > 1) continue;
          ASSERT_EQ(oracle.check(flight.read, Lba(lba), value), expected)
              << "run " << run << " step " << step << " LBA " << lba << " version " << guess;
          ++(expected ? legal_seen : illegal_seen);
        }
        oracle.end_read(flight.read);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    ASSERT_GT(oracle.mismatches(), 0U);
  }
  EXPECT_GT(legal_seen, 2'000U);
  EXPECT_GT(illegal_seen, 10'000U);
}

TEST(OracleTest, LegalContentsAreNeverRefusedOnRandomHistoriesOfARealRegister) {
  // A register that applies each write at one instant between submission and acknowledgement, and each read at one
  // instant of its own: every such history must pass, pinning included.
  for (std::uint64_t run = 0; run < 500; ++run) {
    Oracle oracle(2, true);
    std::vector<LbaStamp> drive(16);
    for (std::uint64_t lba = 0; lba < 16; ++lba) drive[lba] = LbaStamp(Lba(lba), 1);
    struct Flight {
      bool is_read;
      bool applied;
      bool zero;
      std::uint32_t version;
      std::uint64_t first, nlb;
      Oracle::Read read;
      std::vector<LbaStamp> seen;
    };
    std::vector<Flight> flights;
    std::uint64_t draw = 0;
    const auto random = [&](std::uint64_t n) { return keyed_hash(7, run, draw++) % n; };
    const std::uint64_t trims_of = run % 2 == 0 ? 5 : 2;  // one of so many writes is a trim
    const std::size_t most = run % 3 == 0 ? 24 : 6;       // in flight together
    const auto apply = [&](Flight& f) {
      for (std::uint64_t lba = f.first; lba < f.first + f.nlb; ++lba) {
        if (f.is_read) {
          f.seen.push_back(drive[lba]);
        } else {
          drive[lba] = f.zero ? LbaStamp() : LbaStamp(Lba(lba), f.version);
        }
      }
      f.applied = true;
    };
    for (int step = 0; step < 300; ++step) {
      if (flights.size() < most && random(2) == 0) {
        Flight f{};
        f.is_read = random(2) == 0;
        f.zero = random(trims_of) == 0;
        f.first = random(16);
        f.nlb = 1 + random(16 - f.first);
        if (f.is_read) {
          f.read = oracle.begin_read(static_cast<std::uint64_t>(step));
        } else {
          f.version = oracle.new_version();
          if (f.zero) {
            oracle.begin_trim(f.version, Lba(f.first), f.nlb);
          } else {
            oracle.begin_write(f.version, Lba(f.first), f.nlb);
          }
        }
        flights.push_back(f);
      } else if (!flights.empty()) {
        const std::uint64_t i = random(flights.size());
        Flight& f = flights[i];
        if (!f.applied) {
          apply(f);
          continue;
        }
        if (f.is_read) {
          for (std::uint64_t b = 0; b < f.nlb; ++b) {
            ASSERT_TRUE(oracle.check(f.read, Lba(f.first + b), f.seen[b]))
                << "run " << run << " step " << step << ": " << oracle.messages().front();
          }
          oracle.end_read(f.read);
        } else {
          oracle.end_write(f.version, Lba(f.first), f.nlb);
        }
        flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
}

TEST(OracleTest, ForgetsWhatNoReadMaySeeAnyMore) {
  Oracle oracle(kLpages, true);
  const Oracle::Read old = oracle.begin_read(0);
  for (std::uint64_t i = 0; i < 500; ++i) write(oracle, i * 8, 8);
  EXPECT_EQ(oracle.unresolved(), 500U);  // the old read may still see the fill
  const Oracle::Read later = oracle.begin_read(1);
  oracle.end_read(later);
  EXPECT_EQ(oracle.unresolved(), 500U);
  EXPECT_TRUE(oracle.check(old, Lba(0), stamp(0, 1)));
  oracle.end_read(old);
  EXPECT_EQ(oracle.unresolved(), 0U);
  EXPECT_FALSE(reads(oracle, 0, stamp(0, 1)));
}

std::uint32_t failed_write(Oracle& oracle, std::uint64_t lba, std::uint64_t nlb) {
  const std::uint32_t version = oracle.new_version();
  oracle.begin_write(version, Lba(lba), nlb);
  oracle.fail_write(version, Lba(lba), nlb);
  return version;
}

TEST(OracleTest, FailedWriteLeavesOldOrNewBlockByBlock) {
  Oracle oracle(kLpages, false);
  const std::uint32_t a = write(oracle, 0, 8);
  const std::uint32_t b = failed_write(oracle, 0, 8);
  EXPECT_TRUE(reads(oracle, 0, stamp(0, a)));
  EXPECT_TRUE(reads(oracle, 1, stamp(1, b)));
  EXPECT_FALSE(reads(oracle, 2, {}));
}

TEST(OracleTest, WhatAReadSawOfAFailedWriteStays) {
  Oracle oracle(kLpages, false);
  const std::uint32_t a = write(oracle, 0, 8);
  const std::uint32_t b = failed_write(oracle, 0, 8);
  EXPECT_TRUE(reads(oracle, 0, stamp(0, a)));
  EXPECT_FALSE(reads(oracle, 0, stamp(0, b)));
  EXPECT_TRUE(reads(oracle, 1, stamp(1, b)));
  EXPECT_FALSE(reads(oracle, 1, stamp(1, a)));
}

TEST(OracleTest, FailedWriteIsOverWithTheNextOne) {
  Oracle oracle(kLpages, false);
  const std::uint32_t a = write(oracle, 0, 8);
  const std::uint32_t b = failed_write(oracle, 0, 8);
  const std::uint32_t c = write(oracle, 0, 8);
  EXPECT_FALSE(reads(oracle, 0, stamp(0, a)));
  EXPECT_FALSE(reads(oracle, 1, stamp(1, b)));
  EXPECT_TRUE(reads(oracle, 2, stamp(2, c)));
  EXPECT_EQ(oracle.unresolved(), 0U);
  // A write that was in flight together with the failed one does not take its place.
  const std::uint32_t d = oracle.new_version();
  oracle.begin_write(d, Lba(0), 8);
  const std::uint32_t e = failed_write(oracle, 0, 8);
  oracle.end_write(d, Lba(0), 8);
  EXPECT_TRUE(reads(oracle, 3, stamp(3, e)));
  EXPECT_TRUE(reads(oracle, 4, stamp(4, d)));
  EXPECT_FALSE(reads(oracle, 5, stamp(5, c)));
}

}  // namespace
}  // namespace wordline::host::oracle_test
