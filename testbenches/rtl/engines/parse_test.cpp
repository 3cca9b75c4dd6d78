// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The command parser in gates, in lock-step with its reference: entries with every error, tables of namespaces, pace of
// the memory; its time.
#include <gtest/gtest.h>

#include <map>

#include "models/engines/gate_times.h"
#include "rtl/verilated/simulation_stopped.h"
#include "testbenches/rtl/engines/lock_step.h"
#include "testbenches/rtl/engines/parse_reference.h"

namespace wordline::testing::engines {
namespace {

using rtl::Parse;

constexpr std::uint32_t kTable = 0x2003'0008;

wl_namespace_table random_table(Random& random) {
  wl_namespace_table table{};
  table.count = 1 + random.below(WL_NAMESPACES);
  table.lba_shift = random.chance(128) ? 0 : 3;
  std::uint64_t next = 0;
  for (std::uint32_t i = 0; i < table.count; ++i) {
    if (random.below(8) == 0) continue;
    const std::uint64_t most = random.chance(64) ? std::uint64_t{1} << 40 : 5000;
    table.namespaces[i] = {next, (1 + random.next() % most) << 3};
    next += table.namespaces[i].blocks;
  }
  return table;
}

Parse::Settings random_settings(Random& random) {
  Parse::Settings settings;
  settings.namespace_table = kTable;
  settings.max_blocks = 8U << random.below(8);
  settings.lpage_shift = 3 + random.below(3);
  settings.cmb = random.chance(100);
  settings.cmb_first = random.next() >> (12 + random.below(40));
  settings.cmb_pages = 1 + random.below(64);
  return settings;
}

std::uint64_t random_prp(Random& random, const Parse::Settings& settings, bool any_offset) {
  std::uint64_t page = random.next() >> (12 + random.below(30));
  if (random.below(4) == 0) page = settings.cmb_first + random.below(settings.cmb_pages + 2) - 1;
  if (random.below(30) == 0) page = 0;
  const std::uint64_t offset = random.chance(128) ? 0
                               : !any_offset      ? 512 * random.below(8)
                                                  : random.below(4096) & (random.chance(128) ? ~3U : ~0U);
  return page << 12 | offset;
}

/// Mostly good: each field has a reason for a refusal now and then.
Parse::Entry random_entry(Random& random, const Parse::Settings& settings, const wl_namespace_table& table) {
  constexpr std::uint8_t kOpcodes[] = {nvme::kFlush,   nvme::kWrite,       nvme::kRead,
                                       nvme::kWrite,   nvme::kRead,        nvme::kWriteUncorrectable,
                                       nvme::kCompare, nvme::kWriteZeroes, nvme::kDatasetManagement,
                                       nvme::kVerify,  nvme::kCopy,        nvme::kCompare};
  nvme::SubmissionEntry sqe{};
  sqe.opcode = random.below(30) == 0 ? static_cast<std::uint8_t>(random.word()) : kOpcodes[random.below(12)];
  sqe.flags = static_cast<std::uint8_t>((random.word() & 0x3cU) | (random.below(8) == 0 ? random.word() & 0xc0U : 0U) |
                                        (random.below(40) == 0 ? random.word() & 3U : 0U));
  sqe.cid = static_cast<std::uint16_t>(random.word());
  sqe.nsid = random.below(40) == 0   ? nvme::kAllNamespaces
             : random.below(20) == 0 ? random.below(40)
                                     : 1 + random.below(table.count);
  if (random.below(60) == 0) sqe.nsid = random.word();
  sqe.cdw2 = random.word();
  sqe.cdw3 = random.word();
  sqe.mptr = random.next();
  const std::uint64_t blocks =
      sqe.nsid - 1 < table.count ? table.namespaces[sqe.nsid - 1].blocks >> table.lba_shift : 1000;
  const std::uint32_t most = std::max(1U, settings.max_blocks >> table.lba_shift);
  const std::uint32_t nlb =
      random.below(20) == 0 ? random.word() & 0xffffU : random.below(most + (random.chance(20) ? 3 : 0));
  std::uint64_t slba = blocks == 0 ? 0 : random.next() % blocks;
  if (random.below(8) == 0) slba = blocks - nlb - 1 + random.below(3) - 1;
  if (random.below(60) == 0) slba = random.next();
  sqe.cdw10 = static_cast<std::uint32_t>(slba);
  sqe.cdw11 = static_cast<std::uint32_t>(slba >> 32);
  sqe.cdw12 = nlb | (random.word() & 0xffff'0000U);
  if (sqe.opcode == nvme::kDatasetManagement) {
    sqe.cdw10 = random.word();
    sqe.cdw11 = random.word();
  }
  if (sqe.opcode == nvme::kCopy) {
    sqe.cdw12 = random.word() & (random.below(8) == 0 ? ~0U : ~0xf80U);
    if (random.below(16) == 0) sqe.cdw12 = (sqe.cdw12 & ~0xfffU) | (126 + random.below(4));
  }
  sqe.prp1 = random_prp(random, settings, random.below(8) == 0 || sqe.opcode == nvme::kDatasetManagement);
  sqe.prp2 = random_prp(random, settings, random.below(8) == 0);
  sqe.cdw13 = random.word();
  Parse::Entry entry;
  std::memcpy(entry.data(), &sqe, sizeof sqe);
  return entry;
}

bool same(const Parse::Answer& a, const Parse::Answer& b) {
  if (a.tag != b.tag || a.status != b.status) return false;
  return a.status != 0 || (a.op == b.op && a.way == b.way && a.fua == b.fua && a.first == b.first &&
                           a.blocks == b.blocks && a.lpn == b.lpn && a.lpages == b.lpages && a.ranges == b.ranges &&
                           a.pages == b.pages && a.sgl == b.sgl && a.hints == b.hints);
}
bool same(const Parse::Outputs& a, const Parse::Outputs& b) {
  return a.entry_ready == b.entry_ready && a.mem_valid == b.mem_valid &&
         (!a.mem_valid || a.mem_address == b.mem_address) && a.answer_valid == b.answer_valid &&
         (!a.answer_valid || same(a.answer, b.answer)) && a.busy == b.busy;
}

class LockStep {
 public:
  explicit LockStep(Tally& tally) : tally_(tally) {}

  std::map<std::uint16_t, std::uint64_t> statuses;
  std::uint64_t clocks = 0;  // of the block

  /// One entry. Returns the clocks from its offer to its answer.
  std::uint64_t parse(const Parse::Entry& entry, const wl_namespace_table& table, const Parse::Settings& settings,
                      Random& random, const Pace& pace, std::uint32_t sink) {
    LateMemory<std::uint32_t> memory(random, pace);
    Parse::Inputs in;
    in.settings = settings;
    in.entry_valid = true;
    in.tag = static_cast<std::uint16_t>(random.word() & ((1U << Parse::kTagBits) - 1));
    in.entry = entry;
    ++tally_.requests;
    std::uint64_t answered = 0;
    for (std::uint64_t since = 0;; ++since, ++clocks) {
      if (since > 100'000) throw std::runtime_error("the parser hangs");
      memory.begin_clock();
      in.mem_ready = memory.ready();
      in.mem_answer = memory.answers();
      in.mem_error = memory.fails();
      in.mem_rdata = random.next();
      if (in.mem_answer) {
        const std::uint32_t offset = memory.answered() - kTable;
        if (offset + 8 > sizeof table) throw std::runtime_error(fmt::format("a read at {:x}", memory.answered()));
        std::memcpy(&in.mem_rdata, reinterpret_cast<const char*>(&table) + offset, 8);
      }
      in.answer_ready = random.chance(sink);
      const Parse::Outputs out = compare(settings);
      if (out.answer_valid && answered == 0) answered = since;
      block_.clock(in);
      reference_.clock(in);
      memory.end_clock(out.mem_valid, out.mem_address);
      if (out.entry_ready) in.entry_valid = false;
      if (!out.answer_valid || !in.answer_ready) continue;
      EXPECT_EQ(out.answer.tag, in.tag);
      ++statuses[out.answer.status];
      ++clocks;
      break;
    }
    compare(settings);
    return answered;
  }

 private:
  Parse::Outputs compare(const Parse::Settings& settings) {
    const Parse::Outputs out = block_.outputs();
    ++tally_.clocks;
    if (!same(out, reference_.outputs(settings)) && ++tally_.differences < 5) {
      ADD_FAILURE() << "clock " << tally_.clocks << ", request " << tally_.requests << ": status " << std::hex
                    << out.answer.status << ", expected " << reference_.outputs(settings).answer.status;
    }
    return out;
  }

  Tally& tally_;
  Parse block_;
  ParseReference reference_;
};

TEST(RtlParse, IsInLockStepWithItsReference) {
  Tally tally("parse");
  LockStep both(tally);
  Random random(0x706172);
  const std::uint64_t requests = lock_step_requests(40'000);
  while (tally.requests < requests && tally.differences == 0) {
    const wl_namespace_table table = random_table(random);
    const Parse::Settings settings = random_settings(random);
    const Pace pace = Pace::random(random);
    const std::uint32_t sink = random.chance(128) ? 256 : 20 + random.below(236);
    for (unsigned i = 0; i < 40 && tally.requests < requests; ++i)
      both.parse(random_entry(random, settings, table), table, settings, random, pace, sink);
  }
  EXPECT_EQ(tally.differences, 0U);
  // Each of the reasons, and many good ones.
  EXPECT_GT(both.statuses[nvme::kSuccess], requests / 4);
  for (const nvme::Status status :
       {nvme::kInvalidOpcode, nvme::kInvalidField, nvme::kInternalError, nvme::kInvalidNamespace,
        nvme::kInvalidUseOfCmb, nvme::kPrpOffsetInvalid, nvme::kLbaOutOfRange, nvme::kCommandSizeLimitExceeded}) {
    EXPECT_GT(both.statuses[status | nvme::kDnr], requests / 2000) << std::hex << status;
  }
}

/// The modelled parser has these numbers: 8 clocks to the answer, 9 to the next entry.
TEST(RtlParse, TakesItsClocks) {
  Tally tally("parse");
  LockStep both(tally);
  Random random(1);
  wl_namespace_table table{};
  table.count = 1;
  table.namespaces[0] = {0, 8000};
  Parse::Settings settings;
  settings.namespace_table = kTable;
  settings.max_blocks = 256;
  nvme::SubmissionEntry sqe{};
  sqe.opcode = nvme::kRead;
  sqe.nsid = 1;
  Parse::Entry entry;
  std::memcpy(entry.data(), &sqe, sizeof sqe);
  const auto& times = *wordline::engines::gate_times(wordline::engines::EngineId::kParse);
  for (unsigned entries = 1; entries < 5; ++entries) {
    EXPECT_EQ(both.parse(entry, table, settings, random, {}, 256), times.latency);
    EXPECT_EQ(both.clocks, entries * times.interval);
  }
  sqe.opcode = 0x80;
  std::memcpy(entry.data(), &sqe, sizeof sqe);
  EXPECT_EQ(both.parse(entry, table, settings, random, {}, 256), 2U);
}

TEST(RtlParse, AnEntryThatChangesBeforeItIsTakenStopsIt) {
  Parse block;
  Parse::Inputs in;
  in.entry_valid = true;
  block.clock(in);  // it is taken
  block.clock(in);
  in.entry[3] = 1;
  EXPECT_THROW(block.clock(in), rtl::SimulationStopped);
}

}  // namespace
}  // namespace wordline::testing::engines
