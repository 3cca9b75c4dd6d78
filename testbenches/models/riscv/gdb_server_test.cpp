// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/gdb_server.h"

#include <gtest/gtest.h>

#include "models/riscv/block_cache.h"
#include "models/riscv/gdb_packets.h"
#include "testbenches/models/riscv/assembler.h"
#include "testbenches/models/riscv/machine.h"

namespace wordline::testing::gdb_server_test {
namespace {

using namespace assembler;
using riscv::GdbPackets;
using riscv::GdbServer;
using Kind = GdbPackets::Kind;

TEST(GdbPackets, FramesAsTheManualSays) {
  EXPECT_EQ(GdbPackets::frame(""), "$#00");
  EXPECT_EQ(GdbPackets::frame("OK"), "$OK#9a");
  // Escaped: '}' then the character ^ 20h; the checksum is that of the escaped text.
  EXPECT_EQ(GdbPackets::frame("}"), "$}]#da");
  EXPECT_EQ(GdbPackets::frame("a#b"), std::string("$a}\x03") + "b#43");
}

TEST(GdbPackets, TakesWhatComesInAnyPieces) {
  GdbPackets packets;
  const std::string stream = "+$m10,4#2e\x03-$}]#da$qC#b4";
  std::vector<GdbPackets::Event> events;
  for (const char c : stream) {
    packets.feed({&c, 1});
    while (auto event = packets.next()) events.push_back(*event);
  }
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0].payload, "m10,4");
  EXPECT_EQ(events[1].kind, Kind::kInterrupt);
  EXPECT_EQ(events[2].kind, Kind::kResend);
  EXPECT_EQ(events[3].payload, "}");
  EXPECT_EQ(events[4].payload, "qC");
}

TEST(GdbPackets, WrongChecksumIsNoPacket) {
  GdbPackets packets;
  packets.feed("$OK#9b$OK#zz$OK#9a");
  EXPECT_EQ(packets.next()->kind, Kind::kBadChecksum);
  EXPECT_EQ(packets.next()->kind, Kind::kBadChecksum);
  EXPECT_EQ(packets.next()->kind, Kind::kPacket);
  EXPECT_FALSE(packets.next());
}

TEST(GdbPackets, Hex) {
  EXPECT_EQ(riscv::hex_word(0x12345678), "78563412");
  std::string bytes;
  ASSERT_TRUE(riscv::bytes_of_hex("00fF7a", bytes));
  EXPECT_EQ(bytes, std::string("\0\xff\x7a", 3));
  EXPECT_FALSE(riscv::bytes_of_hex("0", bytes));
  EXPECT_FALSE(riscv::bytes_of_hex("0g", bytes));
}

/// Two harts with memories of their own, that a script debugs: each halt hands its stop reply to the script.
class GdbServerTest : public ::testing::Test {
 protected:
  GdbServerTest() {
    for (Machine* m : {&first, &second}) {
      m->program({addi(a0, zero, 5),  // 00
                  lui(a1, 0x10000),   // 04
                  sw(a0, 0x40, a1),   // 08
                  lw(a2, 0x40, a1),   // 0c
                  addi(a0, a0, -1),   // 10
                  sb(a0, 0x43, a1),   // 14
                  jal(zero, -8)});    // 18: to 10
    }
  }
  std::string ask(const std::string& packet) {
    const auto answer = server.command(packet);
    EXPECT_EQ(answer.action, GdbServer::Action::kReply) << packet;
    return answer.reply;
  }
  void resume(const std::string& packet) { EXPECT_EQ(server.command(packet).action, GdbServer::Action::kResume); }
  static std::string repeat(const std::string& text, unsigned times) {
    std::string out;
    while (times-- > 0) out += text;
    return out;
  }

  Machine first, second;
  std::vector<std::string> stops;
  std::function<void(unsigned)> script;  // given the number of the stop
  GdbServer server{{&first.hart, &second.hart}, [this](const std::string& reply) {
                     stops.push_back(reply);
                     script(static_cast<unsigned>(stops.size() - 1));
                   }};
};

TEST_F(GdbServerTest, HaltsBeforeTheFirstInstructionAndStepsOneByOne) {
  server.halt(GdbServer::Stop::kReset);
  std::vector<std::uint32_t> pcs;
  script = [&](unsigned stop) {
    pcs.push_back(first.hart.pc());
    EXPECT_EQ(first.hart.instructions(), stop);
    resume(stop < 7 ? "s" : "c");
  };
  first.hart.run(1000);
  EXPECT_EQ(pcs, (std::vector<std::uint32_t>{0, 4, 8, 0xc, 0x10, 0x14, 0x18, 0x10}));
  EXPECT_EQ(stops[0], "T05thread:1;");
}

TEST_F(GdbServerTest, BreakpointStopsBeforeItsInstructionUntilRemoved) {
  EXPECT_EQ(ask("Z0,14,4"), "OK");
  script = [&](unsigned stop) {
    EXPECT_EQ(first.hart.pc(), 0x14U);
    EXPECT_EQ(ask("pa"), riscv::hex_word(4 - stop));
    if (stop == 2) {
      EXPECT_EQ(ask("z0,14,4"), "OK");
    }
    resume("c");
  };
  first.hart.run(1000);
  EXPECT_EQ(stops.size(), 3U);
}

TEST_F(GdbServerTest, WatchpointsStopAfterTheAccess) {
  EXPECT_EQ(ask("Z2,10000042,2"), "OK");  // written by the word store and the byte store
  EXPECT_EQ(ask("Z3,10000040,1"), "OK");  // read once
  std::vector<std::uint32_t> pcs;
  script = [&](unsigned stop) {
    pcs.push_back(first.hart.pc());
    if (stop == 2) {
      EXPECT_EQ(ask("m10000040,4"), "05000004") << "the store is done";
      EXPECT_EQ(ask("z2,10000042,2"), "OK");
    }
    resume("c");
  };
  first.hart.run(1000);
  EXPECT_EQ(pcs, (std::vector<std::uint32_t>{0xc, 0x10, 0x18}));
  EXPECT_EQ(stops[0], "T05thread:1;watch:10000042;");
  EXPECT_EQ(stops[1], "T05thread:1;rwatch:10000040;");
  EXPECT_EQ(stops[2], "T05thread:1;watch:10000042;");
}

TEST_F(GdbServerTest, AccessWatchpointSeesBoth) {
  EXPECT_EQ(ask("Z4,10000040,1"), "OK");
  script = [&](unsigned) { resume("c"); };
  first.hart.run(100);
  EXPECT_EQ(stops, (std::vector<std::string>{"T05thread:1;awatch:10000040;", "T05thread:1;awatch:10000040;"}));
}

TEST_F(GdbServerTest, RegistersAndMemoryAreReadAndWritten) {
  server.halt();
  script = [&](unsigned) {
    EXPECT_EQ(ask("g"), repeat("00000000", 33));
    EXPECT_EQ(ask("G" + repeat("01000000", 32) + "10000000"), "OK");
    EXPECT_EQ(ask("p0"), "00000000") << "x0";
    EXPECT_EQ(ask("p1"), "01000000");
    EXPECT_EQ(ask("p20"), "10000000");
    EXPECT_EQ(ask("P20=04000000"), "OK");
    EXPECT_EQ(ask("Pa=2a000000"), "OK");
    EXPECT_EQ(ask("P346=00000010"), "OK") << "mtvec: 65 + 305h";
    EXPECT_EQ(ask("p346"), "00000010");
    EXPECT_EQ(ask("p41"), "E01") << "CSR 0 does not exist";
    EXPECT_EQ(ask("M10000100,3:0a0b0c"), "OK");
    EXPECT_EQ(ask("m100000ff,5"), "000a0b0c00");
    EXPECT_EQ(ask("X10000100,1:z"), "OK");
    EXPECT_EQ(ask("m10000100,2"), "7a0b");
    EXPECT_EQ(ask("m40000000,4"), "E01") << "registers of hardware are not read";
    EXPECT_EQ(ask("M50000000,1:00"), "E01");
    EXPECT_EQ(ask("M10000100,2:00"), "E01") << "too few bytes";
    resume("c");
  };
  first.hart.run(5);
  EXPECT_EQ(first.word(Machine::kTcm + 0x40), 0x2aU) << "went on at 04 with the new a0";
  EXPECT_EQ(stops[0], "T02thread:1;");
}

TEST_F(GdbServerTest, WrittenCodeRuns) {
  script = [](unsigned) {};
  first.hart.run(100);  // decoded by now
  server.halt();
  script = [&](unsigned) {
    EXPECT_EQ(ask("M10,4:" + riscv::hex_word(addi(a0, zero, 77))), "OK");
    resume("c");
  };
  first.hart.run(100);
  EXPECT_EQ(first.hart.reg(a0), 77U);
}

TEST_F(GdbServerTest, HartsAreThreads) {
  EXPECT_EQ(ask("qfThreadInfo"), "m1,2");
  EXPECT_EQ(ask("qsThreadInfo"), "l");
  EXPECT_EQ(ask("T2"), "OK");
  EXPECT_EQ(ask("T3"), "E01");
  EXPECT_EQ(ask("Hg3"), "E01");
  EXPECT_EQ(ask("qThreadExtraInfo,2"), riscv::hex_bytes("core 1"));
  EXPECT_EQ(ask("Z0,10,4"), "OK");
  script = [&](unsigned stop) {
    EXPECT_EQ(ask("qC"), stop == 0 ? "QC1" : "QC2");
    EXPECT_EQ(ask("Hg2"), "OK");
    EXPECT_EQ(ask("p20"), stop == 0 ? "00000000" : "10000000");
    resume("c");
  };
  first.hart.run(6);
  second.hart.run(6);
  EXPECT_EQ(stops, (std::vector<std::string>{"T05thread:1;", "T05thread:2;"}));
}

TEST_F(GdbServerTest, StepOfOneHartLetsTheOtherRun) {
  server.halt();
  script = [&](unsigned stop) { resume(stop == 0 ? "vCont;s:2;c" : "vCont;c"); };
  first.hart.run(20);
  EXPECT_EQ(stops.size(), 1U);
  EXPECT_GT(first.hart.instructions(), 5U);
  second.hart.run(20);
  ASSERT_EQ(stops.size(), 2U);
  EXPECT_EQ(stops[1], "T05thread:2;");
  EXPECT_EQ(ask("vCont?"), "vCont;c;C;s;S");
}

TEST_F(GdbServerTest, AHartWithoutAnActionIsHeldUntilAllGoOn) {
  server.halt();
  script = [&](unsigned stop) { resume(stop == 0 ? "vCont;s:2" : stop == 1 ? "vCont;c:1" : "vCont;c"); };
  EXPECT_EQ(first.hart.run(20), riscv::StopReason::kHeld) << "it has stopped, then the other one steps";
  EXPECT_EQ(first.hart.instructions(), 0U);
  EXPECT_EQ(second.hart.run(20), riscv::StopReason::kHeld) << "it has stepped, then the other one goes on";
  EXPECT_EQ(stops, (std::vector<std::string>{"T02thread:1;", "T05thread:2;"}));
  EXPECT_EQ(second.hart.instructions(), 1U);
  EXPECT_EQ(first.hart.run(20), riscv::StopReason::kBudget);
  EXPECT_GT(first.hart.instructions(), 5U);
  EXPECT_EQ(second.hart.run(20), riscv::StopReason::kHeld);
  EXPECT_EQ(second.hart.cycles(), second.hart.idle_cycles() + 1) << "no time passes by itself";
  server.halt();  // gdb's interrupt is seen by a held hart
  EXPECT_EQ(second.hart.run(20), riscv::StopReason::kBudget);
  EXPECT_EQ(stops.size(), 3U);
  EXPECT_EQ(stops[2], "T02thread:2;");
  EXPECT_GT(second.hart.instructions(), 5U);
}

TEST_F(GdbServerTest, DetachedHartsStopNoMore) {
  server.halt();
  EXPECT_EQ(ask("Z0,10,4"), "OK");
  script = [&](unsigned) {
    EXPECT_EQ(server.command("D").action, GdbServer::Action::kDetach);
    server.detach();
  };
  first.hart.run(1000);
  EXPECT_EQ(stops.size(), 1U);
  EXPECT_GT(first.hart.blocks().decoded(), 0U) << "at full speed again";
}

TEST_F(GdbServerTest, DebuggingTakesNoTime) {
  script = [&](unsigned) { resume("s"); };
  server.halt();
  first.hart.run(1000);
  EXPECT_GT(stops.size(), 500U);
  Machine alone;
  std::memcpy(alone.code.data(), first.code.data(), 64);
  while (alone.hart.instructions() < first.hart.instructions()) alone.hart.run(1);
  // run(1) runs a block: the two are compared where alone has got to.
  while (first.hart.instructions() < alone.hart.instructions()) first.hart.run(1);
  EXPECT_EQ(first.hart.instructions(), alone.hart.instructions());
  EXPECT_EQ(first.hart.cycles(), alone.hart.cycles());
  EXPECT_EQ(first.hart.reg(a0), alone.hart.reg(a0));
}

TEST_F(GdbServerTest, WhatIsNotUnderstoodIsAnsweredEmptyOrWithAnError) {
  EXPECT_EQ(ask("vMustReplyEmpty"), "");
  EXPECT_EQ(ask("Z5,0,4"), "");
  EXPECT_EQ(ask("!"), "");
  for (const char* bad :
       {"m", "mzz,4", "m10", "M10", "Z0", "Z0,", "P", "P1=", "G00", "H", "vCont;x", "vCont;s:9", "p"}) {
    EXPECT_EQ(ask(bad), "E01") << bad;
  }
  EXPECT_NE(ask("qSupported:multiprocess+").find("PacketSize="), std::string::npos);
  EXPECT_EQ(ask("qXfer:features:read:target.xml:0,5"), "m<?xml");
  EXPECT_EQ(ask("qXfer:features:read:target.xml:ffff,5"), "l");
  EXPECT_EQ(server.command("k").action, GdbServer::Action::kKill);
}

}  // namespace
}  // namespace wordline::testing::gdb_server_test
