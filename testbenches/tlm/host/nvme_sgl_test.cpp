// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Commands whose data pointer is an SGL: where data go, what the link carries, and every reason to refuse. Times are
// sums of the bench's round numbers, as in nvme_io_test.cpp. What both parsers make of random SGLs is in
// parsers_test.cpp.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "testbenches/tlm/host/foreign_host.h"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/nvme/sgl_reader.h"

namespace wordline::testing::nvme_sgl_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;
using nvme::SglDescriptor;

constexpr Picoseconds kBefore = 28_ns + 100_ns + 124_ns + 88_ns + 100_ns + 200_ns;  // doorbell, fetch, parse
constexpr Picoseconds kEntry = 40_ns + 28_ns + 100_ns;
constexpr Picoseconds kDram = 1024_ns + 50_ns;
constexpr Picoseconds kLpage = 4480_ns;
constexpr Picoseconds segment(int descriptors) { return 124_ns + 24_ns + 100_ns + descriptors * 16_ns; }

SglDescriptor block(std::uint64_t address, std::uint32_t blocks) {
  return {address, blocks * 512, {}, nvme::kSglDataBlock};
}
SglDescriptor bucket(std::uint32_t blocks) { return {0, blocks * 512, {}, nvme::kSglBitBucket}; }
SglDescriptor last(std::uint64_t address, std::uint32_t descriptors) {
  return {address, descriptors * 16, {}, nvme::kSglLastSegment};
}
SglDescriptor more(std::uint64_t address, std::uint32_t descriptors) {
  return {address, descriptors * 16, {}, nvme::kSglSegment};
}

/// The command with this descriptor in its entry.
nvme::SubmissionEntry with(nvme::SubmissionEntry sqe, const SglDescriptor& first, std::uint8_t psdt = nvme::kPsdtSgl) {
  sqe.flags |= psdt;
  std::memcpy(&sqe.prp1, &first, sizeof first);
  return sqe;
}
nvme::SubmissionEntry sgl_io(std::uint8_t opcode, std::uint32_t nlb, const SglDescriptor& first) {
  return with(io(opcode, 24, nlb, 0), first);
}

void put(NvmeBench& bench, std::uint64_t at, const std::vector<SglDescriptor>& all) {
  bench.memory.write(at, all.data(), all.size() * sizeof all[0]);
}

/// Logical pages 3 and up lie in slots 5 and up. A job of `lpages` completes the command.
nvme::Status carry_out(NvmeBench& bench, const nvme::SubmissionEntry& sqe, std::uint16_t lpages) {
  for (std::uint32_t i = 0; i < lpages; ++i) bench.buffer.slot(5 + i) = LpageToken::uniform(Lpn(3 + i), 7);
  bench.submit(1, sqe);
  bench.run_job(job_of(WL_JOB_DMA_OUT, bench.event(), 5, lpages, WL_JOB_THEN_COMPLETE));
  return nvme::status_of(bench.completion(1));
}

TEST(NvmeSglTest, IdentifySaysWhatThereIs) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    std::uint32_t sgls = 0;
    bench.memory.read(page + 536, &sgls, sizeof sgls);
    EXPECT_EQ(sgls, 2U | 1U << 16 | 1U << 18 | 1U << 19);
  });
}

TEST(NvmeSglTest, ADataBlockInTheEntryCostsNothingMore) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t buffer = bench.memory.allocate(2);
    for (const std::uint8_t psdt : {nvme::kPsdtSgl, nvme::kPsdtSglMptr}) {
      const Picoseconds start = tlm_if::kernel_time();
      // Over a border of pages, as a PRP could not.
      const auto sqe = with(io(nvme::kRead, 24, 8, 0), block(buffer + 1536, 8), psdt);
      EXPECT_EQ(carry_out(bench, sqe, 1), nvme::kSuccess);
      EXPECT_EQ(tlm_if::kernel_time(), start + kBefore + kDram + kLpage + kEntry);
      for (unsigned i = 0; i < 8; ++i) {
        EXPECT_EQ(bench.memory.stamp(buffer + 1536 + i * 512), LbaStamp(Lba(24 + i), 7)) << i;
        bench.memory.stamp(buffer + 1536 + i * 512) = {};
      }
      EXPECT_TRUE(bench.memory.stamp(buffer + 1024).is_zero());
      EXPECT_TRUE(bench.memory.stamp(buffer + 5632).is_zero());
      pass(10_us);
    }
  });
}

TEST(NvmeSglTest, ASegmentIsReadBeforeTheFirmwareHears) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t buffer = bench.memory.allocate(8), list = bench.memory.allocate();
    put(bench, list + 8, {block(buffer + 7 * 4096, 3), block(buffer + 512, 10), block(buffer + 3 * 4096, 3)});
    for (unsigned i = 0; i < 2; ++i) bench.buffer.slot(5 + i) = LpageToken::uniform(Lpn(3 + i), 7);
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, sgl_io(nvme::kRead, 16, last(list + 8, 3)));
    const wl_host_event event = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start + kBefore + segment(3));
    EXPECT_EQ(event.blocks, 16U);
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 5, 2, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    std::vector<std::uint64_t> places;
    for (unsigned i = 0; i < 3; ++i) places.push_back(buffer + 7 * 4096 + i * 512);
    for (unsigned i = 0; i < 10; ++i) places.push_back(buffer + 512 + i * 512);
    for (unsigned i = 0; i < 3; ++i) places.push_back(buffer + 3 * 4096 + i * 512);
    for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(bench.memory.stamp(places[i]), LbaStamp(Lba(24 + i), 7)) << i;
    EXPECT_TRUE(bench.memory.stamp(buffer).is_zero());
    EXPECT_TRUE(bench.memory.stamp(buffer + 5632).is_zero());
  });
}

// Segment by segment, in any number. Of a write a bit bucket takes nothing, whatever its length.
TEST(NvmeSglTest, SegmentsFollowEachOther) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t buffer = bench.memory.allocate(2), list = bench.memory.allocate(3);
    for (unsigned i = 0; i < 8; ++i) bench.memory.stamp(buffer + i * 512) = LbaStamp(Lba(24 + i), 9);
    put(bench, list, {block(buffer, 5), more(list + 4096, 3)});
    put(bench, list + 4096, {block(buffer, 0), block(buffer + 5 * 512, 2), last(list + 8192, 2)});
    put(bench, list + 8192, {{0, 77, {}, nvme::kSglBitBucket}, block(buffer + 7 * 512, 1)});
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, sgl_io(nvme::kWrite, 8, more(list, 2)));
    const wl_host_event event = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start + kBefore + segment(2) + segment(3) + segment(2));
    bench.run_job(job_of(WL_JOB_DMA_IN, event, 5, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    EXPECT_EQ(bench.buffer.slot(5), LpageToken::uniform(Lpn(3), 9));
  });
}

TEST(NvmeSglTest, ALongSegmentTakesARequestForEachPage) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t buffer = bench.memory.allocate(), list = bench.memory.allocate(2);
    std::vector<SglDescriptor> all(300, block(buffer, 0));
    all[280] = block(buffer, 8);
    put(bench, list, all);
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, sgl_io(nvme::kRead, 8, last(list, 300)));
    const wl_host_event event = bench.event();
    // 256 descriptors are 16 packets of 256 bytes.
    EXPECT_EQ(tlm_if::kernel_time(),
              start + kBefore + 124_ns + 16 * 280_ns + 100_ns + 124_ns + (704_ns + 3 * 24_ns) + 100_ns);
    bench.run_job(job_of(WL_JOB_ZERO_OUT, event, 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

// What goes into a bit bucket passes neither DRAM nor link.
TEST(NvmeSglTest, ABitBucketTakesNoTime) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t buffer = bench.memory.allocate(), list = bench.memory.allocate();
    put(bench, list, {block(buffer, 2), bucket(18), block(buffer + 1024, 4)});
    const Picoseconds start = tlm_if::kernel_time();
    EXPECT_EQ(carry_out(bench, sgl_io(nvme::kRead, 24, last(list, 3)), 3), nvme::kSuccess);
    // Two blocks of the first logical page, none of the second, four of the third, which DRAM has ready before the link
    // has taken the first ones.
    const Picoseconds first = 256_ns + 50_ns, link = (1024_ns + 4 * 24_ns) + (2048_ns + 8 * 24_ns);
    EXPECT_EQ(tlm_if::kernel_time(), start + kBefore + segment(3) + first + link + kEntry);
    for (unsigned i = 0; i < 6; ++i) {
      EXPECT_EQ(bench.memory.stamp(buffer + i * 512), LbaStamp(Lba(i < 2 ? 24 + i : 42 + i), 7)) << i;
    }
    EXPECT_TRUE(bench.memory.stamp(buffer + 6 * 512).is_zero());
    EXPECT_EQ(bench.controller.mover.data_counters().lbas_read, 6U);
    EXPECT_EQ(carry_out(bench, sgl_io(nvme::kRead, 8, bucket(8)), 1), nvme::kSuccess) << "all of it";
  });
}

// SGLS bit 18. Of a driver's own commands Linux makes an SGL as long as the buffer that a program gives it.
TEST(NvmeSglTest, WhatIsLongerThanTheDataIsNotUsed) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t buffer = bench.memory.allocate(2), list = bench.memory.allocate();
    const auto read = [&](const SglDescriptor& first) {
      for (unsigned i = 0; i < 16; ++i) bench.memory.stamp(buffer + i * 512) = LbaStamp(Lba(1), 9);
      EXPECT_EQ(carry_out(bench, sgl_io(nvme::kRead, 8, first), 1), nvme::kSuccess);
      EXPECT_EQ(bench.memory.stamp(buffer), LbaStamp(Lba(24), 7));
      EXPECT_EQ(bench.memory.stamp(buffer + 8 * 512), LbaStamp(Lba(1), 9));
    };
    read(block(buffer, 16));
    read({buffer, 4096 + 4, {}, nvme::kSglDataBlock});
    put(bench, list, {block(buffer, 8), block(buffer + 4096, 1)});
    read(last(list, 2));
    EXPECT_EQ(bench.memory.stamp(buffer + 7 * 512), LbaStamp(Lba(31), 7));
    put(bench, list, {block(buffer, 4), bucket(5)});
    read(last(list, 2));
    EXPECT_EQ(bench.memory.stamp(buffer + 4 * 512), LbaStamp(Lba(1), 9));
  });
}

TEST(NvmeSglTest, CompareAndRangesAreSourcesToo) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t buffer = bench.memory.allocate(), list = bench.memory.allocate();
    for (unsigned i = 0; i < 8; ++i) bench.memory.stamp(buffer + i * 512) = LbaStamp(Lba(24 + (i + 4) % 8), 7);
    put(bench, list, {block(buffer + 4 * 512, 4), bucket(3), block(buffer, 4)});
    EXPECT_EQ(carry_out(bench, sgl_io(nvme::kCompare, 8, last(list, 3)), 1), nvme::kSuccess);
    bench.memory.stamp(buffer) = LbaStamp(Lba(28), 6);
    EXPECT_EQ(carry_out(bench, sgl_io(nvme::kCompare, 8, last(list, 3)), 1) & ~nvme::kDnr, nvme::kCompareFailure);

    // Two ranges in three pieces of dwords.
    const std::uint64_t ranges = bench.memory.allocate();
    const nvme::DsmRange all[] = {{1, 8, 32}, {2, 16, 800}};
    const auto* bytes = reinterpret_cast<const std::byte*>(all);
    bench.memory.write(ranges + 4, bytes, 20);
    bench.memory.write(ranges + 100, bytes + 20, 4);
    bench.memory.write(ranges + 200, bytes + 24, 8);
    const auto dwords = [&](std::uint64_t at, std::uint32_t n) {
      return SglDescriptor{at, n, {}, nvme::kSglDataBlock};
    };
    put(bench, list, {dwords(ranges + 4, 20), dwords(ranges + 100, 4), dwords(ranges + 200, 8)});
    nvme::SubmissionEntry dsm = with(io(nvme::kDatasetManagement, 1, 1, 0), last(list, 3));
    dsm.cdw11 = nvme::kDsmDeallocate;
    bench.submit(1, dsm);
    const wl_host_event first = bench.event(), second = bench.event();
    EXPECT_EQ(first.slba, 32U);
    EXPECT_EQ(first.blocks, 8U);
    EXPECT_EQ(second.slba, 800U);
    EXPECT_EQ(second.blocks, 16U);
    bench.run_job(job_of(WL_JOB_COMPLETE, second, 0, 0));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

struct Refusal {
  const char* why;
  SglDescriptor first;
  std::vector<SglDescriptor> segment, next;
  nvme::Status status;
};

// Base 2.0, generic command status: 0Dh to 0Fh, 11h, 1Eh.
TEST(NvmeSglTest, WhatIsNoGoodIsRefused) {
  NvmeBench bench;
  expect_reports(true);  // reads of nowhere
  play([&] {
    bench.bring_up();
    const std::uint64_t b = bench.memory.allocate(2), list = bench.memory.allocate(), next = bench.memory.allocate();
    const auto odd = [&](std::uint64_t address, std::uint32_t bytes) {
      return SglDescriptor{address, bytes, {}, nvme::kSglDataBlock};
    };
    const auto of_type = [&](std::uint8_t identifier) { return SglDescriptor{b, 4096, {}, identifier}; };
    const Refusal all[] = {
        {"too short", block(b, 7), {}, {}, nvme::kSglLengthInvalid},
        {"too short in a segment", last(list, 2), {block(b, 3), block(b, 4)}, {}, nvme::kSglLengthInvalid},
        {"sub type offset", of_type(0x01), {}, {}, nvme::kSglTypeInvalid},
        {"keyed data block", of_type(0x40), {}, {}, nvme::kSglTypeInvalid},
        {"transport data block", of_type(0x5a), {}, {}, nvme::kSglTypeInvalid},
        {"vendor specific", of_type(0xf0), {}, {}, nvme::kSglTypeInvalid},
        {"segment with a sub type", of_type(0x21), {}, {}, nvme::kSglTypeInvalid},
        {"unknown type in a segment", last(list, 2), {block(b, 8), of_type(0x60)}, {}, nvme::kSglTypeInvalid},
        {"address of half a block", odd(b + 256, 4096), {}, {}, nvme::kSglGranularityInvalid},
        {"length of half a block", odd(b, 4096 - 256), {}, {}, nvme::kSglGranularityInvalid},
        {"odd address", odd(b + 1, 4096), {}, {}, nvme::kSglGranularityInvalid},
        {"no descriptors", last(list, 0), {}, {}, nvme::kInvalidSglSegment},
        {"half a descriptor", {list, 24, {}, nvme::kSglLastSegment}, {}, {}, nvme::kInvalidSglSegment},
        {"address of a segment", last(list + 4, 1), {}, {}, nvme::kInvalidSglSegment},
        {"a segment behind the last", last(list, 2), {block(b, 8), last(next, 1)}, {}, nvme::kInvalidSglSegment},
        {"no segment behind one", more(list, 1), {block(b, 8)}, {}, nvme::kInvalidSglSegment},
        {"address of the next", more(list, 2), {block(b, 4), last(next + 4, 1)}, {}, nvme::kInvalidSglSegment},
        {"segment in the middle", more(list, 3), {block(b, 4), last(next, 1), block(b, 4)}, {}, nvme::kInvalidSglCount},
        {"segments without an end", more(list, 1), {more(list, 1)}, {}, nvme::kInvalidSglCount},
        {"nowhere", last(0x700000000, 1), {}, {}, nvme::kDataTransferError},
        {"next nowhere", more(list, 1), {last(0x700000000, 1)}, {}, nvme::kDataTransferError},
    };
    for (const Refusal& r : all) {
      if (!r.segment.empty()) put(bench, list, r.segment);
      put(bench, next, {block(b, 8)});
      bench.submit(1, sgl_io(nvme::kRead, 8, r.first));
      EXPECT_EQ(nvme::status_of(bench.completion(1)), r.status | nvme::kDnr) << r.why;
      EXPECT_FALSE(bench.has_event()) << r.why;
    }
    auto reserved = sgl_io(nvme::kRead, 8, block(b, 8));
    reserved.flags |= nvme::kPsdtMask;
    bench.submit(1, reserved);
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kInvalidField | nvme::kDnr) << "PSDT 11b";
    // Other reasons come first.
    bench.submit(1, with(io(nvme::kRead, 1ULL << 40, 8, 0), of_type(0x40)));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kLbaOutOfRange | nvme::kDnr);
    // And a command without data has no data pointer.
    EXPECT_EQ(carry_out(bench, sgl_io(nvme::kVerify, 8, of_type(0x40)), 1), nvme::kSuccess);
  });
}

// A descriptor more than there may be, in segments of one page each.
TEST(NvmeSglTest, DescriptorsHaveABound) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t b = bench.memory.allocate(), list = bench.memory.allocate(33);
    constexpr std::uint32_t kMost = nvme::SglReader::kMostDescriptors;
    std::vector<SglDescriptor> all(kMost, block(b, 0));
    all.back() = block(b, 8);
    put(bench, list, all);
    EXPECT_EQ(carry_out(bench, sgl_io(nvme::kRead, 8, last(list, kMost)), 1), nvme::kSuccess);
    all.insert(all.begin(), block(b, 0));
    put(bench, list, all);
    bench.submit(1, sgl_io(nvme::kRead, 8, last(list, kMost + 1)));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kInvalidSglCount | nvme::kDnr);
  });
}

// The firmware sees a good PRP in its place, or a bad one, whose status the host never gets.
TEST(NvmeSglTest, FirmwareThatParsesSeesNoSgl) {
  NvmeBench bench(unparsed_config());
  play([&] {
    bench.bring_up();
    const std::uint64_t buffer = bench.memory.allocate(4), list = bench.memory.allocate();
    put(bench, list, {block(buffer + 4096, 20), block(buffer, 4)});
    for (unsigned i = 0; i < 3; ++i) bench.buffer.slot(5 + i) = LpageToken::uniform(Lpn(3 + i), 7);
    bench.submit(1, sgl_io(nvme::kRead, 24, last(list, 2)));
    const wl_host_event event = bench.event();
    const wl_sqe entry = bench.entry(event.tag);
    EXPECT_EQ(entry.dword[0] & 0xc000U, 0U) << "PSDT";
    EXPECT_EQ(entry.dword[6] | entry.dword[7], 0U) << "PRP1 without an offset";
    EXPECT_EQ(entry.dword[8], 4096U) << "a place for a list";
    bench.extent(event.tag, 0, 24);
    bench.run_job(job_of(WL_JOB_PRP_LIST, event, 0, 0));
    const wl_host_event there = bench.event();
    EXPECT_EQ(there.type, WL_EVENT_LIST);
    EXPECT_EQ(there.count, nvme::kSuccess);
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 5, 3, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    for (unsigned i = 0; i < 24; ++i) {
      const std::uint64_t at = i < 20 ? buffer + 4096 + i * 512 : buffer + (i - 20) * 512;
      EXPECT_EQ(bench.memory.stamp(at), LbaStamp(Lba(24 + i), 7)) << i;
    }
    EXPECT_EQ(bench.controller.mover.counters().reads, 1U);

    bench.submit(1, sgl_io(nvme::kRead, 8, {buffer, 4096, {}, 0x41}));
    const wl_host_event bad = bench.event();
    EXPECT_EQ(bench.entry(bad.tag).dword[6], 1U);
    wl_host_job job = job_of(WL_JOB_COMPLETE, bad, 0, 0);
    job.status = nvme::kPrpOffsetInvalid | nvme::kDnr;
    bench.run_job(job);
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSglTypeInvalid | nvme::kDnr);
  });
}

/// The controller is reset 50 ns after an entry has been `taken`.
void expect_lost(const config::Config& config, Picoseconds taken) {
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t b = bench.memory.allocate(), list = bench.memory.allocate();
    put(bench, list, {block(b, 8)});
    bench.submit(1, sgl_io(nvme::kRead, 8, last(list, 1)));
    pass(28_ns + 100_ns + 124_ns + 88_ns + 100_ns + taken + 50_ns - 128_ns);
    bench.write32(nvme::kRegCc, 0);
    pass(10_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    EXPECT_FALSE(bench.has_event());
    EXPECT_EQ(bench.controller.tags_in_use(), 0U);
  });
}

TEST(NvmeSglTest, AResetWhileSegmentsAreRead) { expect_lost(nvme_bench_config(), 200_ns); }
TEST(NvmeSglTest, AResetWhileSegmentsAreReadForFirmware) { expect_lost(unparsed_config(), 17 * 2_ns); }

// Memory of a host that takes time: each stretch is an access of its own.
TEST(NvmeSglTest, MemoryThatTakesTime) {
  ForeignHost host;
  play([&] {
    host.bring_up();
    pass(10_us);
    host.foreign.takes = [](std::uint64_t) { return 300_ns; };
    const std::uint64_t page = host.foreign.map(0x7'1000'0000), list = host.foreign.map(0x7'2000'0000);
    const SglDescriptor all[] = {bucket(9), block(page, 3), bucket(2), block(page + 2048, 2)};
    for (unsigned i = 0; i < 4; ++i) host.foreign.put(list + i * 16, all[i]);
    host.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    host.buffer.slot(6) = LpageToken::uniform(Lpn(4), 7);
    host.submit_io(with(foreign_io(nvme::kRead, 1, 24, 16, 0), last(list, 4)));
    host.run_job(job_of(WL_JOB_DMA_OUT, host.event(), 5, 2, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kSuccess);
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(host.foreign.stamp(page + i * 512), LbaStamp(Lba(33 + i), 7)) << i;
    for (unsigned i = 0; i < 2; ++i) EXPECT_EQ(host.foreign.stamp(page + 2048 + i * 512), LbaStamp(Lba(38 + i), 7));
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_sgl_test
