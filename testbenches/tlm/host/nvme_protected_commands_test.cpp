// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What Verify, Compare, Write Zeroes, Write Uncorrectable and Copy do to blocks with protection information.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "testbenches/tlm/host/foreign_host.h"
#include "testbenches/tlm/host/protected_blocks.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_protected_commands_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using namespace protection;
using config::BlockMetadata;
using config::LbaSize;
using data::BlockTuple;
using data::LbaStamp;
using data::LpageToken;
using data::LpageTuples;
using data::ProtectionType;

TEST(NvmeProtectedCommands, VerifyChecks) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.hold();
    EXPECT_EQ(s.status_of(protected_entry(nvme::kVerify, 24, 8, 0, 0, kAll, 24)), nvme::kSuccess);
    s.tuples[3].reference = 1;
    s.hold();
    EXPECT_EQ(s.status_of(protected_entry(nvme::kVerify, 24, 8, 0, 0, kAll, 24)), nvme::kReferenceTagCheckError);
    EXPECT_EQ(s.status_of(protected_entry(nvme::kVerify, 24, 8, 0, 0, kGuard, 24)), nvme::kSuccess);
  });
}

TEST(NvmeProtectedCommands, CompareChecksBothAndComparesTheData) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.hold();
    s.give();
    const auto compare = [&] { return protected_entry(nvme::kCompare, 24, 8, s.pages, s.metadata, kAll, 24); };
    EXPECT_EQ(s.status_of(compare()), nvme::kSuccess);
    s.put(s.metadata, {0, kTag, 24});
    EXPECT_EQ(s.status_of(compare()), nvme::kGuardCheckError) << "of the host's";
    s.put(s.metadata, {0, 0xffff, 24});
    EXPECT_EQ(s.status_of(compare()), nvme::kSuccess) << "protection information is not compared";
    const LbaStamp other(Lba(24), 8);
    s.bench.memory.page(s.pages)[0] = other;
    s.put(s.metadata, {guard_of(&other, 1), kTag, 24});
    EXPECT_EQ(s.status_of(compare()), nvme::kCompareFailure | nvme::kDnr);
    s.tuples[7].guard ^= 1;
    s.hold();
    EXPECT_EQ(s.status_of(compare()), nvme::kGuardCheckError) << "of the medium";
  });
}

TEST(NvmeProtectedCommands, OtherMetadataAreComparedAndNotChecked) {
  SmallBlocks s(BlockMetadata::kSeparate, ProtectionType::kNone);
  play([&] {
    s.bring_up();
    s.tuples[4] = {1, 2, 3};
    s.hold();
    s.give();
    const auto compare = [&] { return protected_entry(nvme::kCompare, 24, 8, s.pages, s.metadata, kAll, 77); };
    EXPECT_EQ(s.status_of(compare()), nvme::kSuccess);
    s.put(s.metadata + 32, {1, 2, 4});
    EXPECT_EQ(s.status_of(compare()), nvme::kCompareFailure | nvme::kDnr);
  });
}

TEST(NvmeProtectedCommands, WriteZeroesHasMetadataOfItsOwn) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.hold();
    s.bench.submit(1, protected_entry(nvme::kWriteZeroes, 24, 8, 0, 0, 0, 24));
    wl_host_event event = s.bench.event();
    EXPECT_EQ(event.opcode, nvme::kWrite) << "for the firmware";
    s.bench.run_job(job_of(WL_JOB_DMA_IN, event, 5, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(s.bench.completion(1)), nvme::kSuccess);
    EXPECT_EQ(s.held(), LpageTuples{});
    EXPECT_EQ(s.status_of(s.read(kGuard)), nvme::kSuccess) << "0 is the guard of zeros";
    EXPECT_EQ(s.status_of(s.read(kReference)), nvme::kReferenceTagCheckError);
    EXPECT_EQ(s.status_of(protected_entry(nvme::kWriteZeroes, 24, 8, 0, 0, kAct, 24)), nvme::kSuccess);
    EXPECT_EQ(s.status_of(s.read(kAll)), nvme::kSuccess);
    EXPECT_EQ(s.tuple_at(s.metadata + 8), (BlockTuple{0, kTag, 25}));
    EXPECT_EQ(s.refusal(protected_entry(nvme::kWriteZeroes, 24, 8, 0, 0, kGuard, 24)), nvme::kInvalidField);
    EXPECT_EQ(s.bench.controller.mover.counters().write_zeroes, 2U);
    nvme::SubmissionEntry deallocates = protected_entry(nvme::kWriteZeroes, 24, 8, 0, 0, 0, 24);
    deallocates.cdw12 |= nvme::kDeallocateZeroes;
    s.bench.submit(1, deallocates);
    event = s.bench.event();
    EXPECT_EQ(event.opcode, nvme::kWriteZeroes);
    s.bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    EXPECT_EQ(nvme::status_of(s.bench.completion(1)), nvme::kSuccess);
    s.bench.submit(1, s.read(kAll));
    s.bench.run_job(job_of(WL_JOB_ZERO_OUT, s.bench.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(s.bench.completion(1)), nvme::kSuccess) << "nobody checks deallocated blocks";
    EXPECT_EQ(s.tuple_at(s.metadata), data::kNoTuple);
  });
}

TEST(NvmeProtectedCommands, AMarkGoesBeforeItsFields) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.hold();
    EXPECT_EQ(s.status_of(protected_entry(nvme::kWriteUncorrectable, 25, 1, 0, 0, kAll, 1)), nvme::kSuccess);
    EXPECT_EQ(s.status_of(s.read(kAll)), nvme::kUnrecoveredRead);
    EXPECT_EQ(s.status_of(protected_entry(nvme::kRead, 26, 4, s.pages, s.metadata, kAll, 26)), nvme::kSuccess);
    EXPECT_EQ(s.tuple_at(s.metadata), s.tuples[2]);
  });
}

TEST(NvmeProtectedCommands, ACopyChecksWhatItReadsAndMakesWhatItWrites) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.hold();
    const auto copy = [&](std::uint32_t from, std::uint32_t to, std::uint32_t reference, std::uint32_t destination) {
      nvme::CopyRange range{};
      range.slba = 24;
      range.nlb = 7;
      range.reference_tag = reference;
      range.application_tag = kTag;
      range.application_tag_mask = 0xffff;
      s.bench.memory.write(s.pages, &range, sizeof range);
      nvme::SubmissionEntry sqe = protected_entry(nvme::kCopy, 80, 1, s.pages, 0, to, destination);
      sqe.cdw12 |= from << nvme::kPrinfoOfCopyShift;
      return sqe;
    };
    const auto carry_out = [&](const nvme::SubmissionEntry& sqe) {
      s.bench.submit(1, sqe);
      s.bench.run_job(job_of(WL_JOB_DMA_OUT, s.bench.event(), 5, 1, WL_JOB_THEN_COMPLETE));
      const wl_host_event write = s.bench.event();
      EXPECT_EQ(write.slba, 80U);
      s.bench.run_job(job_of(WL_JOB_DMA_IN, write, 9, 1, WL_JOB_THEN_COMPLETE));
      return nvme::status_of(s.bench.completion(1));
    };
    EXPECT_EQ(carry_out(copy(kAct | kAll, kAct, 24, 80)), nvme::kSuccess);
    const LpageToken token = s.bench.buffer.slot(9);
    const data::LpageStamps stamps = s.bench.buffer.pool().expand(token);
    EXPECT_EQ(stamps, s.stamps);
    const LpageTuples made =
        tuples_of(s.bench.buffer.pool(), token, stamps, data::TupleRule(0, {0}, ProtectionType::kType1));
    EXPECT_EQ(made[3], (BlockTuple{s.tuples[3].guard, kTag, 83}));
    // Passed, their reference tags are those of where they were.
    EXPECT_EQ(carry_out(copy(kAll, kGuard, 24, 80)), nvme::kSuccess);
    EXPECT_EQ(carry_out(copy(kAll, kAll, 24, 80)), nvme::kReferenceTagCheckError);
    EXPECT_EQ(s.refusal(copy(kAct, 0, 24, 80)), nvme::kInvalidField) << "what is dropped cannot be passed";
    EXPECT_EQ(s.refusal(copy(kReference, 0, 25, 80)), nvme::kInvalidProtection);
    EXPECT_EQ(s.refusal(copy(0, kReference, 24, 81)), nvme::kInvalidProtection);
    s.tuples[7].guard ^= 1;
    s.hold();
    s.bench.submit(1, copy(kAll, 0, 24, 80));
    s.bench.run_job(job_of(WL_JOB_DMA_OUT, s.bench.event(), 5, 1, WL_JOB_THEN_COMPLETE));
    const nvme::CompletionEntry failed = s.bench.completion(1);
    EXPECT_EQ(nvme::status_of(failed), nvme::kGuardCheckError);
    EXPECT_EQ(failed.dw0, 0U) << "the range";
  });
}

/// The tags of what is written count on from range to range.
TEST(NvmeProtectedCommands, ACopyOfTwoRangesCountsOn) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.hold();
    for (std::uint32_t i = 0; i < 2; ++i) {
      nvme::CopyRange range{};
      range.slba = 24 + 4 * i;
      range.nlb = 3;
      range.reference_tag = static_cast<std::uint32_t>(range.slba);
      s.bench.memory.write(s.pages + i * sizeof range, &range, sizeof range);
    }
    nvme::SubmissionEntry sqe = protected_entry(nvme::kCopy, 80, 2, s.pages, 0, kAct, 80);
    sqe.cdw12 |= (kAct | kReference) << nvme::kPrinfoOfCopyShift;
    s.bench.submit(1, sqe);
    for (std::uint32_t i = 0; i < 2; ++i) {
      s.bench.run_job(job_of(WL_JOB_DMA_OUT, s.bench.event(), 5, 1, WL_JOB_THEN_COMPLETE));
      s.bench.run_job(job_of(WL_JOB_DMA_IN, s.bench.event(), 9, 1, WL_JOB_THEN_COMPLETE));
    }
    EXPECT_EQ(nvme::status_of(s.bench.completion(1)), nvme::kSuccess);
    const LpageTuples* const made = s.bench.buffer.pool().tuples(s.bench.buffer.slot(9));
    ASSERT_NE(made, nullptr);
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ((*made)[i], (BlockTuple{s.tuples[i].guard, kTag, 80 + i})) << i;
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_protected_commands_test
