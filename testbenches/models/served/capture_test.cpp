// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/served/capture.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace wordline::served::capture_test {
namespace {

namespace fs = std::filesystem;

class Capture : public ::testing::Test {
 protected:
  Capture() {
    std::string name = fs::temp_directory_path().string() + "/capture_test.XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
    folder = name;
    path = name + "/capture";
  }
  ~Capture() override { fs::remove_all(folder); }

  std::vector<CapturedEvent> read() const {
    CaptureReader reader(path);
    std::vector<CapturedEvent> all;
    CapturedEvent event;
    while (reader.next(event)) all.push_back(event);
    return all;
  }
  std::string message_of(const std::string& text) const {
    std::ofstream(path) << text;
    try {
      (void)read();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  std::string folder, path;
};

TEST_F(Capture, ReadsWhatItWrote) {
  ClientRequest request;
  request.op = ClientOp::kWriteZeroes;
  request.fua = request.no_hole = true;
  request.offset = 4096;
  request.length = 8192;
  request.client = 9;
  {
    CaptureWriter writer(path, {1U << 20U, "abc"});
    writer.request(1, request, Picoseconds(17));
    writer.run();
    writer.answer(1, ClientError::kIo, UINT64_MAX, Picoseconds(18));
    writer.end(Picoseconds(19));
  }
  EXPECT_EQ(CaptureReader(path).drive().bytes, 1U << 20U);
  EXPECT_EQ(CaptureReader(path).drive().config_sha256, "abc");
  const std::vector<CapturedEvent> events = read();
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].at.count(), 17);
  EXPECT_EQ(events[0].number, 1U);
  const ClientRequest& back = events[0].request;
  EXPECT_EQ(back.op, ClientOp::kWriteZeroes);
  EXPECT_TRUE(back.fua);
  EXPECT_TRUE(back.no_hole);
  EXPECT_EQ(back.offset, 4096U);
  EXPECT_EQ(back.length, 8192U);
  EXPECT_EQ(back.client, 9U);
  EXPECT_EQ(events[1].kind, CapturedEvent::Kind::kRun);
  EXPECT_EQ(events[2].error, ClientError::kIo);
  EXPECT_EQ(events[2].found, UINT64_MAX);
  EXPECT_EQ(events[3].kind, CapturedEvent::Kind::kEnd);
}

TEST_F(Capture, OfAServerThatWasKilledIsReadUpToItsLastWholeLine) {
  EXPECT_EQ(message_of("wordline capture 1\ndrive 8192 x\nq 5 1 2 read 0 512\nq 6 2 2 rea"), "");
  EXPECT_EQ(read().size(), 1U);
}

TEST_F(Capture, SaysWhatIsWrongWhere) {
  const std::string begin = "wordline capture 1\ndrive 8192 x\n";
  EXPECT_NE(message_of("something\n").find(":1: error: this is no capture"), std::string::npos);
  EXPECT_NE(message_of("wordline capture 1\nq 1\n").find(":2: error: expected the line: drive"), std::string::npos);
  EXPECT_NE(message_of(begin + "x 1\n").find(":3: error: a line begins with"), std::string::npos);
  EXPECT_NE(message_of(begin + "q x 1 2 read 0 512\n").find("a time in ps"), std::string::npos);
  EXPECT_NE(message_of(begin + "q -1 1 2 read 0 512\n").find("a time in ps"), std::string::npos);
  EXPECT_NE(message_of(begin + "q 99999999999999999999 1 2 read 0 512\n").find("a time in ps"), std::string::npos);
  EXPECT_NE(message_of(begin + "q 1 1 2 copy 0 512\n").find("an operation is"), std::string::npos);
  EXPECT_NE(message_of(begin + "q 1 1 2 read 8192 512\n").find("bytes of the drive"), std::string::npos);
  EXPECT_NE(message_of(begin + "q 1 1 2 read 0 100\n").find("multiples of 512"), std::string::npos);
  EXPECT_NE(message_of(begin + "q 1 1 2 read 0 0\n").find("no bytes"), std::string::npos);
  EXPECT_NE(message_of(begin + "q 1 1 2 read 0 512 quick\n").find("a flag is"), std::string::npos);
  EXPECT_NE(message_of(begin + "a 1 1 0\n").find("what a read has found"), std::string::npos);
}

}  // namespace
}  // namespace wordline::served::capture_test
