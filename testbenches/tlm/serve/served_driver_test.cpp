// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Requests from outside on their way through the host driver to a controller that may lie.
#include <gtest/gtest.h>

#include "testbenches/tlm/host/host_driver_bench.h"
#include "tlm/serve/served_requests.h"

namespace wordline::serve::served_driver_test {
namespace {

using namespace host::driver_bench;
using served::ClientError;
using served::ClientOp;

class Answers final : public AnswersIf {
 public:
  void answer(served::Answer&& answer) override { all.push_back(std::move(answer)); }
  std::vector<served::Answer> all;
};

class ServedDriver : public ::testing::Test {
 protected:
  static host::DriverOptions options(ServedRequests& requests) {
    host::DriverOptions options;
    options.client = &requests;
    return options;
  }
  /// Asks, and simulates until the answer is there.
  served::Answer ask(ClientOp op, std::uint64_t offset, std::uint32_t length, char fill = 0) {
    served::ClientRequest request;
    request.op = op;
    request.offset = offset;
    request.length = length;
    request.client = 2;
    if (op == ClientOp::kWrite) request.data.assign(length, fill);
    requests.take(std::move(request));
    bench.driver.arrived();
    const std::size_t before = answers.all.size();
    bench.run(sc_core::sc_time(50, sc_core::SC_MS));
    EXPECT_EQ(answers.all.size(), before + 1);
    return answers.all.empty() ? served::Answer() : answers.all.back();
  }

  data::ContentStore store;
  Answers answers;
  ServedRequests requests{wordline::testing::context(), store, 1, &answers};
  Bench bench{requests, configuration(), options(requests)};
};

TEST_F(ServedDriver, WaitsForRequestsAndDoesNotEndWithoutThem) {
  bench.run(sc_core::sc_time(5, sc_core::SC_MS));
  EXPECT_FALSE(bench.driver.done());
  EXPECT_EQ(ask(ClientOp::kWrite, 0, 64 * 1024, 'a').error, ClientError::kNone);
  EXPECT_EQ(ask(ClientOp::kFlush, 0, 0).error, ClientError::kNone);
  EXPECT_FALSE(bench.driver.done());
  // Longer than a command may be, and across what is written.
  const served::Answer read = ask(ClientOp::kRead, 32 * 1024, 512 * 1024);
  EXPECT_EQ(read.data.substr(0, 32 * 1024), std::string(32 * 1024, 'a'));
  EXPECT_EQ(read.data.find('a', 32 * 1024), std::string::npos);
  ASSERT_EQ(read.extents.size(), 2U);
  EXPECT_TRUE(read.extents[1].hole);
  bench.driver.stop();
  bench.run(sc_core::sc_time(5, sc_core::SC_MS));
  EXPECT_TRUE(bench.driver.done());
  EXPECT_EQ(bench.driver.counters().completed, 3U);
}

TEST_F(ServedDriver, ADriveThatReturnsOldDataIsSeenToDoSo) {
  ask(ClientOp::kWrite, 4096, 4096, 'a');
  const std::uint32_t first = bench.controller.store[8].version();
  ask(ClientOp::kWrite, 4096, 4096, 'b');
  EXPECT_EQ(ask(ClientOp::kRead, 4096, 4096).data, std::string(4096, 'b'));
  bench.controller.corrupt = [&](std::uint64_t lba, data::LbaStamp& stamp) {
    if (lba == 10) stamp = data::LbaStamp(Lba(10), first);
    if (lba == 11) stamp = data::LbaStamp(Lba(9), stamp.version());  // of another block
    if (lba == 12) stamp = data::LbaStamp();                         // lost
    if (lba == 13) stamp = data::LbaStamp(Lba(13), 999);             // nobody wrote that
  };
  const served::Answer read = ask(ClientOp::kRead, 4096, 4096);
  EXPECT_EQ(read.error, ClientError::kNone);
  const auto block = [&](std::uint64_t lba) { return read.data.substr((lba - 8) * 512, 512); };
  EXPECT_EQ(block(9), std::string(512, 'b'));
  EXPECT_EQ(block(10), std::string(512, 'a'));
  EXPECT_EQ(block(11), std::string(512, 'b'));
  EXPECT_EQ(block(12), std::string(512, '\0'));
  EXPECT_NE(block(13).find("version 999 of LBA 13"), std::string::npos);
  EXPECT_EQ(bench.oracle.mismatches(), 4U);
  // The drive goes on, and what it holds is still known.
  bench.controller.corrupt = nullptr;
  EXPECT_EQ(ask(ClientOp::kRead, 4096, 4096).data, std::string(4096, 'b'));
  EXPECT_FALSE(bench.driver.done());
}

TEST_F(ServedDriver, AReadThatFailsIsAnError) {
  ask(ClientOp::kWrite, 0, 4096, 'a');
  bench.controller.status = [](const SeenCommand& command) {
    return command.opcode == host::nvme::kRead ? host::nvme::Status{0x281} : host::nvme::kSuccess;
  };
  const served::Answer read = ask(ClientOp::kRead, 0, 4096);
  EXPECT_EQ(read.error, ClientError::kIo);
  EXPECT_TRUE(read.data.empty());
}

}  // namespace
}  // namespace wordline::serve::served_driver_test
