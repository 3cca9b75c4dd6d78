// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which sequence a die obeys in which state: every row of the sequence table in every state, against a list written
// down by hand. The die decides by the rows, so a slip in a row shows here.
#include <gtest/gtest.h>

#include "models/onfi/sequence_table.h"
#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nand_die_states_test {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::AddressCodec;
using onfi::Effect;
using onfi::Operation;
using onfi::Sequence;
using namespace wordline::literals;

/// As docs/data/onfi_commands.csv has them: B busy, R reading ahead, P programming ahead, p program suspended, e erase
/// suspended, L between the page loads of a unit. In the order of the rows.
struct Taken {
  std::string_view name, states;
};
constexpr Taken kTaken[] = {
    {"READ", "pe"},
    {"READ NEXT PLANE", "RpeL"},
    {"READ MODE", "RpeL"},
    {"CHANGE READ COLUMN", "RpeL"},
    {"CHANGE READ COLUMN ENHANCED", "RpeL"},
    {"SELECT SOFT DATA", "RpeL"},
    {"PROGRAM", "PeL"},
    {"PROGRAM CONFIRM", "PeL"},
    {"PROGRAM NEXT PLANE", "PeL"},
    {"PROGRAM NEXT PAGE", "PeL"},
    {"CHANGE WRITE COLUMN", "PeL"},
    {"ERASE", ""},
    {"ERASE NEXT PLANE", ""},
    {"READ STATUS", "BRPpeL"},
    {"READ STATUS ENHANCED", "BRPpeL"},
    {"SET FEATURES", "peL"},
    {"GET FEATURES", "peL"},
    {"LUN SET FEATURES", "peL"},
    {"LUN GET FEATURES", "peL"},
    {"PROGRAM SUSPEND", "BPpeL"},
    {"PROGRAM RESUME", "p"},
    {"ERASE SUSPEND", "BpeL"},
    {"ERASE RESUME", "e"},
    {"ERASE RESUME", "e"},
    {"READ CACHE", "R"},
    {"READ CACHE RANDOM", "R"},
    {"READ CACHE END", "R"},
    {"CACHE PROGRAM CONFIRM", "PeL"},
    {"COPYBACK READ", "peL"},
    {"COPYBACK PROGRAM", "eL"},
    {"RESET", "BRPpeL"},
    {"SYNCHRONOUS RESET", "BRPpeL"},
    {"RESET LUN", "BRPpeL"},
};
constexpr std::string_view kStates = "BRPpeL";

/// Blocks 0 to 3 hold data; 2 is read, the others are programmed and erased.
constexpr std::uint32_t kRead = 2, kUnit = 4, kOther = 6;

/// One die of the bench, for one trial.
class Trial {
 public:
  Trial(ChannelBench& bench, unsigned die) : bench_(bench), die_(die), lpages_(unit(bench)) {}

  /// Brings the die into `state` for a trial of `sequence`.
  void enter(char state, const Sequence& sequence) {
    switch (state) {
      case 'B':
        // Long enough, and what a suspend is for.
        if (sequence.operation == Operation::kProgram) {
          load(kUnit, 0, onfi::kProgramConfirm);
        } else {
          command(bench_.codec.erase(at(0, kUnit, 0)));
        }
        return wait(1_us);
      case 'R':
        read(0);
        return ready(command(AddressCodec::command(onfi::kReadCache)));
      case 'P':
        return ready(load(kUnit, 0, onfi::kProgramCache));
      case 'p':
        load(kUnit, 0, onfi::kProgramConfirm);
        wait(100_us);
        command(bench_.codec.suspend_program(at(0, kUnit, 0)));
        wait(200_us);
        return read(0);
      case 'e':
        command(bench_.codec.erase(at(0, kUnit, 0)));
        wait(100_us);
        command(bench_.codec.suspend_erase(at(0, kUnit, 0)));
        wait(2_ms);
        return read(0);
      case 'L':
        ready(load(kUnit, 0, onfi::kProgramNextPlane));
        plane_ = 1;
        read(1, onfi::kReadCopyback);
        return;
      default:
        FAIL() << state;
    }
  }

  /// Whether the die obeys `sequence`.
  bool obeys(const Sequence& s) {
    const bool between = plane_ == 1;
    const std::uint32_t block = between ? kUnit : kOther;
    const bool ends_load = s.effect == Effect::kLoadNextPlane || s.effect == Effect::kLoadNextPage ||
                           s.effect == Effect::kProgram || s.effect == Effect::kProgramAhead;
    if (ends_load) return load(block, plane_, s.opcode).ok;
    if (s.effect == Effect::kWriteColumn && !command(bench_.codec.program(at(plane_, block, 0))).ok) return false;
    const bool loads = s.effect == Effect::kLoad || s.effect == Effect::kLoadCopy;
    const bool erases = s.operation == Operation::kErase;
    OnfiTransaction t;
    t.kind = s.kind();
    t.die = static_cast<std::uint16_t>(die_);
    t.cycles = bench_.codec.encode(s.opcode, s.address, at(plane_, loads || erases ? block : kRead, 0), s.confirm);
    if (s.address == onfi::AddressKind::kFeature || s.address == onfi::AddressKind::kLunFeature) {
      t.cycles.address_count = s.address == onfi::AddressKind::kFeature ? 1 : 2;
      const bool feature = s.effect == Effect::kSetFeatures || s.effect == Effect::kGetFeatures;
      const std::uint8_t number = feature ? onfi::kFeatureReferenceStep : 0;  // 0: a bit plane or a LUN
      t.cycles.address[t.cycles.address_count - 1U] = number;
    }
    return bench_.send(t, next()).ok;
  }

 private:
  [[nodiscard]] Picoseconds next() const { return std::max(bench_.bus.free_at(), tlm_if::kernel_time()) + 200_ns; }
  void wait(Picoseconds t) { bench_.until(next() + t); }
  void ready(const OnfiTransaction& t) { bench_.until(t.ready_at); }
  OnfiTransaction command(const onfi::Cycles& cycles) { return bench_.command(die_, cycles, next()); }
  void read(std::uint8_t plane, std::uint8_t confirm = onfi::kReadConfirm) {
    command(bench_.codec.read(at(plane, kRead, 0), confirm));
    wait(50_us);
  }
  /// From `plane` of the first page on up to the page load that `code` ends; the transaction of `code`, or what was
  /// refused.
  OnfiTransaction load(std::uint32_t block, std::uint8_t plane, std::uint8_t code) {
    const bool whole = code == onfi::kProgramConfirm || code == onfi::kProgramCache;
    for (std::uint32_t page = 0;; ++page) {
      for (; plane < 2; ++plane) {
        OnfiTransaction t = command(bench_.codec.program(at(plane, block, page)));
        if (!t.ok) return t;
        t = bench_.data_in(die_, lpages_.data(), 4, t.end + bench_.config.channels.t_adl);
        if (!t.ok) return t;
        const bool page_ends = plane == 1;
        const bool unit_ends = page_ends && page + 1 == bench_.layout.pages_per_program;
        const bool last = whole ? unit_ends : code == onfi::kProgramNextPage ? page_ends : true;
        const std::uint8_t between = page_ends ? onfi::kProgramNextPage : onfi::kProgramNextPlane;
        t = bench_.command(die_, AddressCodec::command(last ? code : between), t.end);
        if (last || !t.ok) return t;
        ready(t);
      }
      plane = 0;
    }
  }

  ChannelBench& bench_;
  const unsigned die_;
  std::uint8_t plane_ = 0;  // of what is sent
  std::vector<StoredLpage> lpages_;
};

TEST(NandDieStates, EverySequenceInEveryState) {
  ASSERT_EQ(std::size(kTaken), std::size(onfi::kSequences)) << "a row more needs a line in the list above";
  config::Config config = reference_config();
  config.channels.packages = static_cast<std::uint32_t>(std::size(kTaken) * kStates.size());
  ChannelBench bench(config);
  expect_reports(true);
  simulate(
      [&] {
        unsigned die = 0;
        for (std::size_t i = 0; i < std::size(kTaken); ++i) {
          const Sequence& sequence = onfi::kSequences[i];
          EXPECT_EQ(sequence.name, kTaken[i].name);
          std::string taken;
          for (const char state : kStates) {
            Trial trial(bench, die++);
            trial.enter(state, sequence);
            EXPECT_EQ(reports_seen(), 0U) << sequence.name << " in " << state << ": " << last_report();
            if (trial.obeys(sequence)) taken += state;
            reports_seen();
          }
          EXPECT_EQ(taken, kTaken[i].states) << sequence.name;
        }
      },
      sc_core::sc_time(10, sc_core::SC_SEC));
}

}  // namespace
}  // namespace wordline::testing::nand_die_states_test
