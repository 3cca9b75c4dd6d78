// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/served_requests.h"

#include <gtest/gtest.h>

#include <vector>

namespace wordline::serve::served_requests_test {
namespace {

using served::ClientError;
using served::ClientOp;
using workload::Op;

class Answers final : public AnswersIf {
 public:
  void answer(served::Answer&& answer) override { all.push_back(std::move(answer)); }
  std::vector<served::Answer> all;
};

/// Requests on their way to a driver that the test plays: each command succeeds, of one version.
struct Bench {
  explicit Bench(std::uint64_t whole_bytes = 4096) : requests{context, store, 1, &answers, whole_bytes} {}

  tlm_if::SimulationContext context;
  data::ContentStore store;
  Answers answers;
  ServedRequests requests;
  std::uint32_t version = 2;

  void ask(ClientOp op, std::uint64_t offset, std::uint32_t length, const std::string& data = {}, bool fua = false,
           bool no_hole = false) {
    served::ClientRequest request;
    request.op = op;
    request.offset = offset;
    request.length = length;
    request.data = data;
    request.fua = fua;
    request.no_hole = no_hole;
    request.client = 3;
    request.cookie = 11;
    requests.take(std::move(request));
  }
  std::vector<workload::Request> parts() {
    std::vector<workload::Request> all;
    workload::Request part;
    while (requests.next(0, Picoseconds(0), part)) all.push_back(part);
    return all;
  }
  void run(const workload::Request& part, host::CommandStatus status = 0) {
    requests.begins(part.op, part.tag, part.lba.value(), part.nlb, ++version);
    requests.ended(part.op, part.tag, part.lba.value(), part.nlb, version, status == 0);
    requests.request_ended(part.tag, status, Picoseconds(0));
  }
};

TEST(ServedRequests, AReadGetsTheBytesOfWhatTheDriveReturned) {
  Bench bench;
  bench.ask(ClientOp::kWrite, 4096, 1024, std::string(512, 'a') + std::string(512, 'b'));
  const auto write = bench.parts();
  ASSERT_EQ(write.size(), 1U);
  EXPECT_EQ(write[0].lba.value(), 8U);
  EXPECT_EQ(write[0].nlb, 2U);
  bench.run(write[0]);
  const std::uint32_t first = bench.version;
  bench.ask(ClientOp::kWrite, 4096, 1024, std::string(1024, 'c'));
  bench.run(bench.parts()[0]);
  ASSERT_EQ(bench.answers.all.size(), 2U);
  EXPECT_EQ(bench.answers.all[0].client, 3U);
  EXPECT_EQ(bench.answers.all[0].cookie, 11U);

  bench.ask(ClientOp::kRead, 4096, 1536);
  const auto read = bench.parts();
  ASSERT_EQ(read.size(), 1U);
  bench.requests.begins(Op::kRead, read[0].tag, 8, 3, 0);
  // A drive that returns what was written over.
  const data::LbaStamp stamps[] = {{Lba(8), first}, {Lba(9), first}, {}};
  bench.requests.found(read[0].tag, 8, stamps, 3);
  bench.requests.request_ended(read[0].tag, 0, Picoseconds(0));
  ASSERT_EQ(bench.answers.all.size(), 3U);
  const served::Answer& answer = bench.answers.all[2];
  EXPECT_EQ(answer.data, std::string(512, 'a') + std::string(512, 'b') + std::string(512, '\0'));
  ASSERT_EQ(answer.extents.size(), 2U);
  EXPECT_FALSE(answer.extents[0].hole);
  EXPECT_EQ(answer.extents[0].length, 1024U);
  EXPECT_TRUE(answer.extents[1].hole);
  EXPECT_EQ(answer.extents[1].offset, 4096U + 1024U);
  EXPECT_EQ(bench.requests.open(), 0U);
}

TEST(ServedRequests, ZeroesAreWholePagesDeallocatedAndTheRestWritten) {
  Bench bench;
  bench.ask(ClientOp::kWriteZeroes, 512, 12 * 1024, {}, true);
  const auto parts = bench.parts();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].op, Op::kWrite);
  EXPECT_EQ(parts[0].nlb, 7U);
  EXPECT_TRUE(parts[0].fua);
  EXPECT_EQ(parts[1].op, Op::kTrim);
  EXPECT_EQ(parts[1].lba.value(), 8U);
  EXPECT_EQ(parts[1].nlb, 16U);
  EXPECT_EQ(parts[2].op, Op::kWrite);
  EXPECT_EQ(parts[2].lba.value(), 24U);
  EXPECT_EQ(parts[2].nlb, 1U);
  for (const auto& part : parts) bench.run(part);
  EXPECT_TRUE(bench.answers.all.empty());  // a deallocation knows no FUA: a FLUSH follows
  const auto flush = bench.parts();
  ASSERT_EQ(flush.size(), 1U);
  EXPECT_EQ(flush[0].op, Op::kFlush);
  bench.run(flush[0]);
  EXPECT_EQ(bench.answers.all.size(), 1U);

  bench.ask(ClientOp::kWriteZeroes, 0, 8192, {}, false, true);
  const auto written = bench.parts();
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].op, Op::kWrite);
}

// Of a drive with logical pages of 16 KiB.
TEST(ServedRequests, ZeroesInAPartOfALogicalPageAreWritten) {
  Bench bench(16384);
  bench.ask(ClientOp::kWriteZeroes, 8192, 49152);
  const auto parts = bench.parts();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].op, Op::kWrite);
  EXPECT_EQ(parts[0].nlb, 16U);
  EXPECT_EQ(parts[1].op, Op::kTrim);
  EXPECT_EQ(parts[1].lba.value(), 32U);
  EXPECT_EQ(parts[1].nlb, 64U);
  EXPECT_EQ(parts[2].op, Op::kWrite);
  EXPECT_EQ(parts[2].nlb, 16U);
}

TEST(ServedRequests, AFailureIsTold) {
  Bench bench;
  bench.ask(ClientOp::kRead, 0, 4096);
  bench.run(bench.parts()[0], 0x281);
  ASSERT_EQ(bench.answers.all.size(), 1U);
  EXPECT_EQ(bench.answers.all[0].error, ClientError::kIo);
  EXPECT_TRUE(bench.answers.all[0].data.empty());
  EXPECT_EQ(bench.requests.counters().failed, 1U);
}

TEST(ServedRequests, WhatTheDriveLeavesUndoneIsAnswered) {
  Bench bench;
  bench.ask(ClientOp::kRead, 0, 4096);
  bench.ask(ClientOp::kFlush, 0, 0);
  bench.requests.give_up();
  ASSERT_EQ(bench.answers.all.size(), 2U);
  EXPECT_EQ(bench.answers.all[0].error, ClientError::kIo);
  EXPECT_EQ(bench.requests.open(), 0U);
}

}  // namespace
}  // namespace wordline::serve::served_requests_test
