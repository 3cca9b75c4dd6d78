// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Metadata and protection information at the controller: what Identify says, what goes over the link and when, what is
// checked and with which status, and what each command does under it. Times are sums of the bench's round numbers, as
// in nvme_io_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "testbenches/tlm/host/foreign_host.h"
#include "testbenches/tlm/host/protected_blocks.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_protection_test {
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

TEST(NvmeProtection, IdentifyNamesFormatsAndWhatTheyCanDo) {
  namespace id = nvme::identify_namespace;
  SmallBlocks s(BlockMetadata::kInterleaved, ProtectionType::kType2);
  play([&] {
    s.bring_up();
    nvme::SubmissionEntry identify = admin_command(nvme::kIdentify, nvme::kCnsNamespace, 0, s.pages);
    identify.nsid = 1;
    ASSERT_EQ(admin_status(s.bench, identify), nvme::kSuccess);
    EXPECT_EQ(field<std::uint8_t>(s.bench, s.pages, id::kNlbaf), 3);
    EXPECT_EQ(field<std::uint8_t>(s.bench, s.pages, id::kFlbas), 3 | 1 << 4);
    EXPECT_EQ(field<std::uint32_t>(s.bench, s.pages, id::kLbaf0 + 4), 12U << 16);
    EXPECT_EQ(field<std::uint32_t>(s.bench, s.pages, id::kLbaf0 + 8), 12U << 16 | 8);
    EXPECT_EQ(field<std::uint32_t>(s.bench, s.pages, id::kLbaf0 + 12), 9U << 16 | 8);
    EXPECT_EQ(field<std::uint8_t>(s.bench, s.pages, id::kMc), 3);
    EXPECT_EQ(field<std::uint8_t>(s.bench, s.pages, id::kDpc), 0x1f);
    EXPECT_EQ(field<std::uint8_t>(s.bench, s.pages, id::kDps), 2);
  });
}

/// Without room in the spare area there are no small blocks with metadata, and without nvme.metadata none at all.
TEST(NvmeProtection, IdentifyOffersWhatThePagesHaveRoomFor) {
  namespace id = nvme::identify_namespace;
  config::Config config = protected_config(LbaSize::k4096, BlockMetadata::kSeparate, ProtectionType::kNone);
  config.nand.geometry.spare = Bytes(2399);
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    nvme::SubmissionEntry identify = admin_command(nvme::kIdentify, nvme::kCnsNamespace, 0, page);
    identify.nsid = 1;
    ASSERT_EQ(admin_status(bench, identify), nvme::kSuccess);
    EXPECT_EQ(field<std::uint8_t>(bench, page, id::kNlbaf), 2);
    EXPECT_EQ(field<std::uint8_t>(bench, page, id::kFlbas), 2);
  });
}

TEST(NvmeProtection, FormatChangesMetadataAndType) {
  namespace id = nvme::identify_namespace;
  SmallBlocks s(BlockMetadata::kSeparate, ProtectionType::kType1);
  play([&] {
    s.bring_up();
    const auto format = [](std::uint32_t cdw10) {
      nvme::SubmissionEntry sqe = admin_command(nvme::kFormat, cdw10);
      sqe.nsid = 1;
      return sqe;
    };
    const std::uint32_t type3 = 3U << nvme::kFormatTypeShift;
    EXPECT_EQ(admin_status(s.bench, format(4)), nvme::kInvalidFormat | nvme::kDnr);
    EXPECT_EQ(admin_status(s.bench, format(0 | type3)), nvme::kInvalidField | nvme::kDnr) << "no metadata";
    EXPECT_EQ(admin_status(s.bench, format(1 | nvme::kFormatInterleaved)), nvme::kInvalidField | nvme::kDnr);
    EXPECT_EQ(admin_status(s.bench, format(2 | 4U << nvme::kFormatTypeShift)), nvme::kInvalidField | nvme::kDnr);
    EXPECT_EQ(admin_status(s.bench, format(2 | nvme::kFormatFirst)), nvme::kInvalidField | nvme::kDnr);
    s.bench.submit(0, format(2 | type3 | nvme::kFormatInterleaved | nvme::kFormatFirst));
    s.bench.answer(s.bench.event(), 0);
    EXPECT_EQ(nvme::status_of(s.bench.completion(0)), nvme::kSuccess);
    nvme::SubmissionEntry identify = admin_command(nvme::kIdentify, nvme::kCnsNamespace, 0, s.pages);
    identify.nsid = 1;
    ASSERT_EQ(admin_status(s.bench, identify), nvme::kSuccess);
    EXPECT_EQ(field<std::uint8_t>(s.bench, s.pages, id::kFlbas), 2 | 1 << 4);
    EXPECT_EQ(field<std::uint8_t>(s.bench, s.pages, id::kDps), 3 | 1 << 3);
    EXPECT_EQ(s.refusal(protected_entry(nvme::kRead, 0, 1, s.pages, 0, kReference, 0, s.pages + 4096)),
              nvme::kInvalidProtection)
        << "type 3 from now on";
  });
}

TEST(NvmeProtection, SeparateMetadataGoOutAndComeIn) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.give();
    EXPECT_EQ(s.status_of(s.write(kAll)), nvme::kSuccess);
    EXPECT_EQ(s.bench.buffer.pool().expand(s.bench.buffer.slot(5)), s.stamps);
    EXPECT_EQ(s.held(), s.tuples);
    s.bench.memory.page(s.pages).fill({});
    for (std::uint32_t i = 0; i < 8; ++i) s.put(s.metadata + 8 * i, {});
    EXPECT_EQ(s.status_of(s.read(kAll)), nvme::kSuccess);
    EXPECT_EQ(s.bench.memory.page(s.pages), s.page());
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(s.tuple_at(s.metadata + 8 * i), s.tuples[i]) << i;
  });
}

TEST(NvmeProtection, InterleavedBlocksAreBytes) {
  SmallBlocks s(BlockMetadata::kInterleaved);
  play([&] {
    s.bring_up();
    s.hold();
    EXPECT_EQ(s.status_of(s.read(kAll)), nvme::kSuccess);
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint64_t at = s.pages + i * 520;
      EXPECT_EQ(field<std::uint64_t>(s.bench, at, 504), s.stamps[i].bits()) << i;
      EXPECT_EQ(s.tuple_at(at + 512), s.tuples[i]) << i;
    }
    s.bench.buffer.slot(5) = {};
    EXPECT_EQ(s.status_of(s.write(kAll)), nvme::kSuccess);
    EXPECT_EQ(s.bench.buffer.pool().expand(s.bench.buffer.slot(5)), s.stamps);
    EXPECT_EQ(s.held(), s.tuples);
    // A byte of the host's buffer changes: the guard is no longer that of the bytes.
    const auto byte = std::uint8_t{0xff};
    s.bench.memory.write(s.pages + 3 * 520 + 300, &byte, 1);
    s.bench.buffer.slot(5) = {};
    EXPECT_EQ(s.status_of(s.write(kAll)), nvme::kGuardCheckError);
    EXPECT_TRUE(s.bench.buffer.slot(5).is_zero()) << "it is not written";
    EXPECT_EQ(s.status_of(s.write(kReference)), nvme::kDataTransferError | nvme::kDnr) << "they stand for no stamp";
  });
}

TEST(NvmeProtection, EachFaultHasItsStatusOnTheWayOut) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    const LpageTuples good = s.tuples;
    const auto read_with = [&](std::uint32_t block, BlockTuple tuple, std::uint32_t prinfo) {
      s.tuples = good;
      s.tuples[block] = tuple;
      s.hold();
      return s.status_of(s.read(prinfo));
    };
    BlockTuple bad = good[6];
    bad.guard ^= 1;
    EXPECT_EQ(read_with(6, bad, kAll), nvme::kGuardCheckError);
    EXPECT_EQ(read_with(6, bad, kApplication | kReference), nvme::kSuccess) << "nobody asked";
    bad = good[0];
    bad.application ^= 0x8000;
    EXPECT_EQ(read_with(0, bad, kAll), nvme::kApplicationTagCheckError);
    EXPECT_EQ(read_with(0, bad, kGuard | kReference), nvme::kSuccess);
    bad = good[7];
    bad.reference = 24;
    EXPECT_EQ(read_with(7, bad, kAll), nvme::kReferenceTagCheckError);
    EXPECT_EQ(read_with(7, bad, kGuard | kApplication), nvme::kSuccess);
    EXPECT_EQ(read_with(7, {1, 0xffff, 1}, kAll), nvme::kSuccess) << "it escapes";
    EXPECT_EQ(s.bench.controller.mover.counters().media_errors, 3U);
  });
}

TEST(NvmeProtection, EachFaultHasItsStatusOnTheWayIn) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    const LpageTuples good = s.tuples;
    const std::array<std::pair<BlockTuple, nvme::Status>, 3> rows{
        {{{0x1111, kTag, 26}, nvme::kGuardCheckError},
         {{good[2].guard, 0x1111, 26}, nvme::kApplicationTagCheckError},
         {{good[2].guard, kTag, 27}, nvme::kReferenceTagCheckError}}};
    for (const auto& [tuple, status] : rows) {
      s.tuples = good;
      s.tuples[2] = tuple;
      s.give();
      s.bench.buffer.slot(5) = LpageToken::uniform(Lpn(3), 4);
      EXPECT_EQ(s.status_of(s.write(kAll)), status);
      EXPECT_EQ(s.bench.buffer.slot(5), LpageToken::uniform(Lpn(3), 4)) << "it is not written";
    }
    // Firmware that completes the command by itself says that the transfer failed, for want of a better reason.
    s.bench.submit(1, s.write(kAll));
    const wl_host_event event = s.bench.event();
    s.bench.run_job(job_of(WL_JOB_DMA_IN, event, 5, 1, WL_JOB_NOTIFY));
    EXPECT_EQ(s.bench.event().flags, WL_EVENT_FAILED);
    wl_host_job ends = job_of(WL_JOB_COMPLETE, event, 0, 0);
    ends.status = nvme::kDataTransferError | nvme::kDnr;
    s.bench.run_job(ends);
    EXPECT_EQ(nvme::status_of(s.bench.completion(1)), nvme::kReferenceTagCheckError);
  });
}

TEST(NvmeProtection, TheInitialReferenceTagIsTheBlockOfType1) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.give();
    EXPECT_EQ(s.refusal(s.read(kReference, 25)), nvme::kInvalidProtection);
    EXPECT_EQ(s.refusal(s.write(kReference, 0)), nvme::kInvalidProtection);
    EXPECT_EQ(s.refusal(s.write(kAct, 25)), nvme::kInvalidProtection) << "it would be stored";
    EXPECT_EQ(s.status_of(s.write(kGuard, 25)), nvme::kSuccess) << "it says nothing";
    nvme::SubmissionEntry odd = s.read(0);
    odd.mptr += 2;
    EXPECT_EQ(s.refusal(odd), nvme::kInvalidField);
  });
}

TEST(NvmeProtection, Type2CountsFromAnyTag) {
  SmallBlocks s(BlockMetadata::kSeparate, ProtectionType::kType2);
  play([&] {
    s.bring_up();
    for (std::uint32_t i = 0; i < 8; ++i) s.tuples[i].reference = 0xfffffffd + i;
    s.give();
    EXPECT_EQ(s.status_of(s.write(kAll, 0xfffffffd)), nvme::kSuccess);
    EXPECT_EQ(s.status_of(s.read(kAll, 0xfffffffd)), nvme::kSuccess);
    EXPECT_EQ(s.status_of(s.read(kAll, 0xfffffffc)), nvme::kReferenceTagCheckError);
  });
}

TEST(NvmeProtection, Type3ChecksNoReferenceTag) {
  SmallBlocks s(BlockMetadata::kSeparate, ProtectionType::kType3);
  play([&] {
    s.bring_up();
    s.give();
    EXPECT_EQ(s.refusal(s.write(kAll)), nvme::kInvalidProtection);
    EXPECT_EQ(s.status_of(s.write(kGuard | kApplication, 99)), nvme::kSuccess);
    s.tuples[1] = {0, 0xffff, 4};
    s.hold();
    EXPECT_EQ(s.status_of(s.read(kGuard)), nvme::kGuardCheckError) << "one of the tags does not escape";
    s.tuples[1].reference = 0xffffffff;
    s.hold();
    EXPECT_EQ(s.status_of(s.read(kGuard)), nvme::kSuccess);
  });
}

TEST(NvmeProtection, TheControllerInsertsAndStrips) {
  SmallBlocks s(BlockMetadata::kInterleaved);
  play([&] {
    s.bring_up();
    s.bench.memory.page(s.pages) = s.page();
    EXPECT_EQ(s.status_of(s.write(kAct)), nvme::kSuccess);
    EXPECT_EQ(s.held(), s.tuples);
    s.bench.memory.page(s.pages).fill({});
    EXPECT_EQ(s.status_of(s.read(kAct | kAll)), nvme::kSuccess);
    EXPECT_EQ(s.bench.memory.page(s.pages), s.page()) << "whole blocks, nothing between them";
    s.tuples[5].guard ^= 4;
    s.hold();
    EXPECT_EQ(s.status_of(s.read(kAct | kAll)), nvme::kGuardCheckError);
    EXPECT_EQ(s.status_of(s.read(kAct)), nvme::kSuccess) << "it strips without a check";
  });
}

TEST(NvmeProtection, Type3InsertsOneReferenceTag) {
  SmallBlocks s(BlockMetadata::kSeparate, ProtectionType::kType3);
  play([&] {
    s.bring_up();
    s.bench.memory.page(s.pages) = s.page();
    EXPECT_EQ(s.status_of(s.write(kAct)), nvme::kSuccess);
    EXPECT_EQ(s.held(), s.tuples);
  });
}

TEST(NvmeProtection, APartOfALogicalPageKeepsTheOthersTuples) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.tuples[0].application = 9;
    s.hold();
    const LbaStamp fresh(Lba(26), 8);
    s.bench.memory.page(s.pages)[0] = fresh;
    const BlockTuple tuple{guard_of(&fresh, 1), kTag, 26};
    s.put(s.metadata, tuple);
    EXPECT_EQ(s.status_of(protected_entry(nvme::kWrite, 26, 1, s.pages, s.metadata, kAll, 26)), nvme::kSuccess);
    s.tuples[2] = tuple;
    EXPECT_EQ(s.held(), s.tuples);
  });
}

TEST(NvmeProtection, ADescriptorNamesTheMetadata) {
  expect_reports(true);  // reads of nowhere
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.hold();
    const std::uint64_t segment = s.bench.memory.allocate();
    const auto read = [&](const nvme::SglDescriptor& metadata) {
      nvme::SubmissionEntry sqe = s.read(kAll);
      sqe.flags |= nvme::kPsdtSglMptr;
      const nvme::SglDescriptor data{s.pages, 4096, {}, nvme::kSglDataBlock};
      std::memcpy(&sqe.prp1, &data, sizeof data);
      s.bench.memory.write(segment, &metadata, sizeof metadata);
      sqe.mptr = segment;
      return sqe;
    };
    EXPECT_EQ(s.status_of(read({s.metadata, 64, {}, nvme::kSglDataBlock})), nvme::kSuccess);
    EXPECT_EQ(s.tuple_at(s.metadata + 56), s.tuples[7]);
    EXPECT_EQ(s.status_of(read({s.metadata, 72, {}, nvme::kSglDataBlock})), nvme::kSuccess);
    EXPECT_EQ(s.refusal(read({s.metadata, 56, {}, nvme::kSglDataBlock})), nvme::kMetadataSglLengthInvalid);
    EXPECT_EQ(s.refusal(read({s.metadata, 64, {}, nvme::kSglSegment})), nvme::kSglTypeInvalid);
    EXPECT_EQ(s.refusal(read({s.metadata + 1, 64, {}, nvme::kSglDataBlock})), nvme::kSglGranularityInvalid);
    nvme::SubmissionEntry nowhere = read({s.metadata, 64, {}, nvme::kSglDataBlock});
    nowhere.mptr = std::uint64_t{1} << 50;

    EXPECT_EQ(s.refusal(nowhere), nvme::kDataTransferError);
    nowhere.mptr = segment + 4;
    EXPECT_EQ(s.refusal(nowhere), nvme::kInvalidField) << "a quadword";
  });
}

/// What a command of logical page 3 takes at the bench, from its doorbell to its entry at the host.
Picoseconds time_of(SmallBlocks& s, const nvme::SubmissionEntry& sqe) {
  pass(1000_ns);  // the link is free again
  const Picoseconds start = tlm_if::kernel_time();
  EXPECT_EQ(s.status_of(sqe), nvme::kSuccess);
  return tlm_if::kernel_time() - start;
}

constexpr Picoseconds kBefore = 28_ns + 100_ns + 124_ns + 88_ns + 100_ns + 200_ns;  // doorbell, fetch, parse
constexpr Picoseconds kEntry = 40_ns + 28_ns + 100_ns;
constexpr Picoseconds kDram = 1024_ns + 50_ns, kLpage = 4480_ns;  // 4,096 bytes; on the link 16 TLPs of 24 bytes more
constexpr Picoseconds kDataIn = 124_ns + kLpage + 100_ns + kDram;

TEST(NvmeProtection, SeparateMetadataTakeATransferOfTheirOwn) {
  SmallBlocks s;
  play([&] {
    s.bring_up();
    s.hold();
    s.give();
    const Picoseconds out = kBefore + kDram + kLpage + kEntry, in = kBefore + kDataIn + kEntry;
    EXPECT_EQ(time_of(s, s.read(kAll)), out + 64_ns + 24_ns) << "one TLP behind the data; DRAM goes ahead";
    EXPECT_EQ(time_of(s, s.write(kAll)), in + 16_ns)
        << "they come while the logical page goes into DRAM, and go behind it";
    EXPECT_EQ(time_of(s, s.read(kAct)), out + 16_ns) << "DRAM alone";
    EXPECT_EQ(time_of(s, s.write(kAct)), in + 16_ns);
  });
}

TEST(NvmeProtection, InterleavedMetadataMakeTheirLogicalPageLonger) {
  SmallBlocks s(BlockMetadata::kInterleaved);
  play([&] {
    s.bring_up();
    s.hold();
    const Picoseconds out = kBefore + kDram + kLpage + kEntry, in = kBefore + kDataIn + kEntry;
    EXPECT_EQ(time_of(s, s.read(kAll)), out + 16_ns + 64_ns + 24_ns);
    EXPECT_EQ(time_of(s, s.write(kAll)), in + 16_ns + 64_ns + 24_ns);
    EXPECT_EQ(time_of(s, s.read(kAct)), out + 16_ns);
    EXPECT_EQ(time_of(s, protected_entry(nvme::kVerify, 24, 8, 0, 0, kAll, 24)), kBefore + kEntry) << "checks are free";
  });
}

/// A block of 520 bytes may lie anywhere, cut by descriptors and pages, and a bit bucket takes what it should.
TEST(NvmeProtection, InterleavedBlocksAreCutAnywhere) {
  SmallBlocks s(BlockMetadata::kInterleaved);
  play([&] {
    s.bring_up();
    s.hold();
    const std::uint64_t segment = s.bench.memory.allocate();
    const nvme::SglDescriptor parts[] = {{s.pages + 4, 1000, {}, nvme::kSglDataBlock},
                                         {0, 40, {}, nvme::kSglBitBucket},
                                         {s.pages + 1004, 3120, {}, nvme::kSglDataBlock}};
    s.bench.memory.write(segment, parts, sizeof parts);
    nvme::SubmissionEntry sqe = s.read(kAll);
    sqe.flags |= nvme::kPsdtSgl;
    const nvme::SglDescriptor last{segment, sizeof parts, {}, nvme::kSglLastSegment};
    std::memcpy(&sqe.prp1, &last, sizeof last);
    EXPECT_EQ(s.status_of(sqe), nvme::kSuccess);
    EXPECT_EQ(s.tuple_at(s.pages + 4 + 512), s.tuples[0]);
    // Block 2 begins behind the bucket, at byte 1040 of the data, which is 1000 of the buffer.
    EXPECT_EQ(field<std::uint64_t>(s.bench, s.pages + 4, 1000), s.stamps[2].bits());
    EXPECT_EQ(s.tuple_at(s.pages + 4 + 1000 + 5 * 520 + 512), s.tuples[7]);
  });
}

TEST(NvmeProtection, MdtsCountsMetadataAmongTheData) {
  SmallBlocks s(BlockMetadata::kInterleaved);
  play([&] {
    s.bring_up();
    nvme::SubmissionEntry sqe = protected_entry(nvme::kRead, 0, 256, s.pages, 0, 0, 0);
    sqe.prp2 = s.metadata;
    EXPECT_EQ(s.refusal(sqe), nvme::kInvalidField) << "133,120 bytes of 131,072";
    sqe.cdw12 |= kAct << nvme::kPrinfoShift;
    s.bench.submit(1, sqe);
    EXPECT_EQ(s.bench.event().blocks, 256U) << "none go over the link";
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_protection_test
