// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/agenda.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "testbenches/tlm/host/drive_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::agenda_test {
namespace {

using namespace wordline::literals;
using host::Agenda;

enum class Kind : std::uint32_t { kPlain, kAddsOne };

/// Notes down what it is called for.
class Notes final : public Agenda::Client {
 public:
  explicit Notes(Agenda& agenda) : agenda_(agenda) {}
  void act(const Agenda::Action& action) override {
    EXPECT_LE(action.at, tlm_if::kernel_time());
    seen.emplace_back(tlm_if::kernel_time(), action.index);
    if (static_cast<Kind>(action.kind) == Kind::kAddsOne) {
      agenda_.schedule(Picoseconds(0), *this, Kind::kPlain, action.index + 100);
    }
  }
  std::vector<std::pair<Picoseconds, std::uint32_t>> seen;

 private:
  Agenda& agenda_;
};
using Seen = std::vector<std::pair<Picoseconds, std::uint32_t>>;

TEST(AgendaTest, ActionsOfOneTimeInTheirOrderOneInstantForAll) {
  Agenda agenda{testing::context()};
  Notes one(agenda), other(agenda);
  play([&] {
    agenda.schedule(20_ns, one, Kind::kPlain, 1);
    agenda.schedule(10_ns, other, Kind::kPlain, 2);
    agenda.schedule(20_ns, one, Kind::kAddsOne, 3);
    agenda.schedule(20_ns, one, Kind::kPlain, 4);
    pass(100_ns);
    EXPECT_EQ(other.seen, (Seen{{10_ns, 2}}));
    EXPECT_EQ(one.seen, (Seen{{20_ns, 1}, {20_ns, 3}, {20_ns, 4}, {20_ns, 103}})) << "what is late acts at once";
    EXPECT_EQ(agenda.instants(), 2U);
  });
}

TEST(AgendaTest, PutOffGoesFirstInTheNextInstantAndTakesNone) {
  Agenda agenda{testing::context()};
  Notes notes(agenda);
  play([&] {
    agenda.put_off(10_ns, notes, Kind::kPlain, 1);
    agenda.put_off(30_ns, notes, Kind::kPlain, 2);
    pass(20_ns);
    EXPECT_TRUE(notes.seen.empty());
    agenda.schedule(25_ns, notes, Kind::kPlain, 3);
    pass(20_ns);
    EXPECT_EQ(notes.seen, (Seen{{25_ns, 1}, {25_ns, 3}}));
    agenda.schedule(50_ns, notes, Kind::kPlain, 4);
    pass(20_ns);
    EXPECT_EQ(notes.seen, (Seen{{25_ns, 1}, {25_ns, 3}, {50_ns, 2}, {50_ns, 4}}));
    EXPECT_EQ(agenda.instants(), 2U);
  });
}

TEST(AgendaTest, PutOffGetsItsOwnInstantOrIsForgotten) {
  Agenda agenda{testing::context()};
  Notes notes(agenda);
  play([&] {
    agenda.put_off(10_ns, notes, Kind::kPlain, 1);
    agenda.put_off(30_ns, notes, Kind::kPlain, 2);
    agenda.schedule_put_off();
    pass(40_ns);
    EXPECT_EQ(notes.seen, (Seen{{10_ns, 1}, {30_ns, 2}})) << "once";
    agenda.put_off(50_ns, notes, Kind::kPlain, 3);
    agenda.drop_put_off();
    agenda.schedule(60_ns, notes, Kind::kPlain, 4);
    pass(40_ns);
    EXPECT_EQ(notes.seen.back(), (std::pair<Picoseconds, std::uint32_t>{60_ns, 4}));
    EXPECT_EQ(notes.seen.size(), 3U);
  });
}

}  // namespace
}  // namespace wordline::testing::agenda_test
