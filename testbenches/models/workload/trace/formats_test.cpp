// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/formats.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "models/workload/trace/byte_input.h"
#include "models/workload/trace/record_reader.h"
#include "testbenches/models/workload/trace/scratch_trace.h"

namespace wordline::workload::formats_test {
namespace {

struct Read {
  std::vector<TraceRecord> records;
  std::vector<std::string> errors;
  LeftOut left_out;
  std::string note;
  bool has_times = false;
};

Read read(TraceFormat format, const std::string& content, const std::string& columns = "") {
  const ScratchFile file("format.txt", content);
  const auto reader = open_trace(file.path(), format, columns);
  text::Errors errors("t");
  Read result;
  TraceRecord record;
  while (reader->next(record, errors)) result.records.push_back(record);
  result.errors = errors_of([&errors] { errors.check(); }, "t:");
  result.left_out = reader->left_out();
  result.note = reader->note();
  result.has_times = reader->has_times();
  return result;
}

void expect(const TraceRecord& r, Op op, std::uint64_t ticks, std::uint64_t lba, std::uint64_t nlb,
            std::uint16_t device = 0) {
  EXPECT_EQ(r.op, op);
  EXPECT_EQ(r.ticks, ticks);
  EXPECT_EQ(r.lba, lba);
  EXPECT_EQ(r.nlb, nlb);
  EXPECT_EQ(r.device, device);
}

/// Every line of `wrong` is refused with its number and a reason that has the words beside it.
void expect_refused(TraceFormat format, const std::string& good,
                    const std::vector<std::pair<std::string, std::string>>& wrong, const std::string& columns = "") {
  for (const auto& [line, words] : wrong) {
    const Read result = read(format, good + line + "\n" + good.substr(good.rfind('\n', good.size() - 2) + 1), columns);
    ASSERT_EQ(result.errors.size(), 1U) << line;
    const auto number = std::to_string(std::count(good.begin(), good.end(), '\n') + 1);
    EXPECT_EQ(result.errors[0].rfind("t:" + number + ": error: ", 0), 0U) << result.errors[0];
    EXPECT_NE(result.errors[0].find(words), std::string::npos) << result.errors[0];
  }
}

TEST(SpcTest, RecordsAsTheSpecificationHasThem) {
  const std::string good = "0,1024,8192,W,0.5\n1,7,512,r,1.250720001,0x12, more,\n0, 8, 700, R, 2\n";
  const Read result = read(TraceFormat::kSpc, good + "0,9,0,R,3.5\n");
  ASSERT_EQ(result.records.size(), 3U);
  expect(result.records[0], Op::kWrite, 500'000'000'000, 1024, 16);
  expect(result.records[1], Op::kRead, 1'250'720'001'000, 7, 1, 1);
  expect(result.records[2], Op::kRead, 2'000'000'000'000, 8, 2);  // 700 bytes touch two blocks
  EXPECT_EQ(result.left_out, (LeftOut{{"requests of 0 bytes", 1}}));
  expect_refused(TraceFormat::kSpc, good,
                 {{"0,1,512,W", "at least 5 fields"},
                  {"0,1,512,X,1.0", "Opcode R or W, found 'X'"},
                  {"0,1,512,W,1.", "Timestamp"},
                  {"0,1,512,W,1.5e3", "Timestamp"},
                  {"0,-1,512,W,1.5", "LBA"},
                  {"0,1,5 12,W,1.5", "Size"}});
}

TEST(AlibabaTest, Records) {
  const std::string good = "7,R,4096,8192,1577808000000046\n9,W,512,512,1577808000000046\n";
  const Read result = read(TraceFormat::kAlibaba, "device_id,opcode,offset,length,timestamp\n" + good);
  ASSERT_EQ(result.records.size(), 2U);
  expect(result.records[0], Op::kRead, 1577808000000046, 8, 16);
  expect(result.records[1], Op::kWrite, 1577808000000046, 1, 1, 1);
  expect_refused(TraceFormat::kAlibaba, good,
                 {{"7,R,4096,8192", "expected 5 fields"},
                  {"7,D,4096,8192,1", "opcode R or W"},
                  {"7,R,4097,8192,1", "whole 512-byte blocks, found 4097"}});
}

// Lines as the README of the traces has them.
TEST(SystorTest, RecordsAndThoseWithoutAnAnswer) {
  const std::string good =
      "1456135200.013118000,0.000160,R,4,8192,4096\n1456135200.013120999,,,4,0,512\n1456135201.5,0.1,W,0,512,1024\n";
  const Read result = read(TraceFormat::kSystor, "Timestamp,Response,IOType,LUN,Offset,Size\n" + good);
  ASSERT_EQ(result.records.size(), 2U);
  expect(result.records[0], Op::kRead, 1456135200013118, 16, 8);
  expect(result.records[1], Op::kWrite, 1456135201500000, 1, 2, 1);
  EXPECT_EQ(result.left_out, (LeftOut{{"requests without a type", 1}}));
  expect_refused(TraceFormat::kSystor, good,
                 {{"1456135201.5,0.1,W,0,512", "expected 6 fields"},
                  {"1456135201.5,0.1,Q,0,512,512", "IOType R or W, found 'Q'"},
                  {"1456135201,5,0.1,W,0,512,512", "expected 6 fields"},
                  {"now,0.1,W,0,512,512", "Timestamp (seconds)"},
                  {"1456135201.5,0.1,W,a,512,512", "LUN"},
                  {"1456135201.5,0.1,W,0,513,512", "whole 512-byte blocks, found 513"}});
}

TEST(TencentTest, Records) {
  const std::string good = "1538323200,12910952,128,0,1063\n1538323200,32,8,1,1064\n";
  const Read result = read(TraceFormat::kTencent, good);
  ASSERT_EQ(result.records.size(), 2U);
  expect(result.records[0], Op::kRead, 1538323200, 12910952, 128);
  expect(result.records[1], Op::kWrite, 1538323200, 32, 8, 1);
  expect_refused(TraceFormat::kTencent, good,
                 {{"1538323200,32,8,1", "expected 5 fields"},
                  {"1538323200.5,32,8,1,7", "Timestamp (seconds)"},
                  {"1538323200,32,8,2,7", "IOType 0 (read) or 1 (write), found '2'"},
                  {"1538323200,32,8,1,sda", "VolumeID"}});
}

TEST(DisksimTest, TimesAreMillisecondsAndBitZeroIsRead) {
  const std::string good = "0.25 0 100 8 1\n3.000000001 2 50 16 0\n4.5 0 7 1 3\n";
  const Read result = read(TraceFormat::kDisksim, good);
  ASSERT_EQ(result.records.size(), 3U);
  expect(result.records[0], Op::kRead, 250'000'000, 100, 8);
  expect(result.records[1], Op::kWrite, 3'000'000'001, 50, 16, 1);
  expect(result.records[2], Op::kRead, 4'500'000'000, 7, 1);
  expect_refused(TraceFormat::kDisksim, good,
                 {{"1.5 0 100 8", "expected 5 fields"},
                  {"x 0 100 8 1", "arrival (ms) as a decimal number"},
                  {"99999999999999 0 100 8 1", "arrival (ms) as a smaller decimal number"}});
}

// docs/workloads.md: they are counted, in every format.
TEST(TraceFormatsTest, RequestsOfNoBytesAreLeftOut) {
  const std::pair<TraceFormat, const char*> lines[] = {{TraceFormat::kMsr, "1,a,0,Read,0,0,0\n"},
                                                       {TraceFormat::kSpc, "0,9,0,R,3.5\n"},
                                                       {TraceFormat::kAlibaba, "7,R,4096,0,1\n"},
                                                       {TraceFormat::kSystor, "1.5,0.1,W,0,512,0\n"},
                                                       {TraceFormat::kTencent, "1538323200,32,0,1,7\n"},
                                                       {TraceFormat::kMqsim, "1 0 0 0 1\n"},
                                                       {TraceFormat::kDisksim, "1 0 1 0 1\n"}};
  for (const auto& [format, line] : lines) {
    const Read result = read(format, line);
    EXPECT_TRUE(result.errors.empty()) << line;
    EXPECT_TRUE(result.records.empty()) << line;
    EXPECT_EQ(result.left_out, (LeftOut{{"requests of 0 bytes", 1}})) << line;
  }
}

TEST(IologTest, VersionTwoAddsUpItsWaits) {
  const std::string good = "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda write 8192 4096\n";
  const std::string rest =
      "/dev/sda wait 1000 0\n/dev/sda wait 50 0\n/dev/sdb read 100 412\n/dev/sda wait 500 0\n/dev/sda sync 0 0\n"
      "/dev/sda trim 0 1048576\n/dev/sda close\n";
  const Read result = read(TraceFormat::kIolog, good + rest);
  ASSERT_EQ(result.records.size(), 4U);
  EXPECT_TRUE(result.has_times);
  expect(result.records[0], Op::kWrite, 0, 16, 8);
  expect(result.records[1], Op::kRead, 1000, 0, 1, 1);  // bytes 100..511
  expect(result.records[2], Op::kFlush, 1500, 0, 0);
  expect(result.records[3], Op::kTrim, 1500, 0, 2048);
  EXPECT_EQ(result.left_out, (LeftOut{{"waits of less than 100 us", 1}}));
  EXPECT_FALSE(read(TraceFormat::kIolog, good).has_times);
  expect_refused(TraceFormat::kIolog, good,
                 {{"/dev/sda erase 0 4096", "read, write, trim, sync, datasync or wait, found 'erase'"},
                  {"/dev/sda write 8192", "3 fields"},
                  {"/dev/sda stop", "add, open or close"},
                  {"/dev/sda write 8192 4k", "the length"}});
}

TEST(CaptureTest, RequestsAreTakenAndTheRestIsPassedOver) {
  const std::string good =
      "wordline capture 1\ndrive 1048576 abc\nq 1000 1 2 write 4096 8192 fua\nr\na 2000 1 0 0\nq 2500 2 3 read 512 "
      "512\n"
      "q 3000 3 2 flush 0 0\nq 3000 4 2 zeroes 0 4096 fua\nq 3001 5 2 zeroes 0 4096 nohole\nq 3002 6 2 trim 8192 4096\n"
      "e 9000\n";
  const Read result = read(TraceFormat::kCapture, good);
  ASSERT_EQ(result.records.size(), 6U);
  EXPECT_TRUE(result.has_times);
  expect(result.records[0], Op::kWrite, 1000, 8, 16);
  EXPECT_TRUE(result.records[0].fua);
  expect(result.records[1], Op::kRead, 2500, 1, 1);
  EXPECT_FALSE(result.records[1].fua);
  expect(result.records[2], Op::kFlush, 3000, 0, 0);
  expect(result.records[3], Op::kTrim, 3000, 0, 8);
  expect(result.records[4], Op::kWrite, 3001, 0, 8);
  expect(result.records[5], Op::kTrim, 3002, 16, 8);
  EXPECT_EQ(guess_format("x", good), TraceFormat::kCapture);
  expect_refused(TraceFormat::kCapture, good,
                 {{"x 1 2", "a line of q, r, a or e, found 'x'"},
                  {"q 1 2 3 read 0", "found 6 fields"},
                  {"q 1 2 3 copy 0 512", "read, write, flush, trim or zeroes, found 'copy'"},
                  {"q now 2 3 read 0 512", "the time (ps)"},
                  {"q 1 2 3 read 0 100", "512"},
                  {"q 1 2 3 read 0 512 soon", "fua or nohole, found 'soon'"}});
}

TEST(IologTest, VersionThreeHasTimes) {
  const std::string good = "fio version 3 iolog\n30 /dev/a add\n731 /dev/a open\n736 /dev/a read 4096 4096\n";
  const Read result = read(TraceFormat::kIolog, good);
  ASSERT_EQ(result.records.size(), 1U);
  expect(result.records[0], Op::kRead, 736, 8, 8);
  EXPECT_TRUE(result.has_times);
  expect_refused(TraceFormat::kIolog, good,
                 {{"740 /dev/a wait 100 0", "no meaning in version 3"}, {"/dev/a read 4096 4096", "the time"}});
  EXPECT_NE(read(TraceFormat::kIolog, "fio version 1 iolog\n").errors.at(0).find("'fio version 1 iolog'"),
            std::string::npos);
}

TEST(BlkparseTest, QueuedRequestsAreTheTrace) {
  const std::string good =
      "  8,16   1        1     0.000000100   610  A   R 1000 + 8 <- (8,17) 5\n"
      "  8,16   1        2     0.000000200   610  Q   R 1000 + 8 [my app]\n"
      "  8,0    1        3     0.000000300   610  Q  WS 7 + 1 [x]\n"
      "  8,16   1        4     0.000000400   610  Q   D 4096 + 2048 [x]\n"
      "  8,16   1        5     0.000000500   610  Q FWS [x]\n"
      "  8,16   1        6     0.000000600   610  Q   N 0 (12 00 ..) [x]\n"
      "  8,16   1        7     0.000000700     0  C   R 1000 + 8 [0]\n"
      "  8,16   1        8     0.000000800     0  m   N cfq9 dispatched\n"
      "  8,16   1        9     1.000000000   610  Q  RA 2000 + 64 [x]\n";
  const std::string summary =
      "CPU1 (x):\n Reads Queued:           2,       36KiB\t Writes Queued:           1,      0KiB\n"
      " IO unplugs:             0        \t Timer unplugs:           0\n\n"
      "Throughput (R/W): 0KiB/s / 0KiB/s\nEvents (8,16): 9 entries\nSkips: 0 forward (0 -   0.0%)\n";
  const Read result = read(TraceFormat::kBlkparse, good + summary + good);
  EXPECT_TRUE(result.errors.empty()) << result.errors[0];
  ASSERT_EQ(result.records.size(), 10U);
  expect(result.records[0], Op::kRead, 200, 1000, 8);
  expect(result.records[1], Op::kWrite, 300, 7, 1, 1);
  expect(result.records[2], Op::kTrim, 400, 4096, 2048);
  expect(result.records[3], Op::kFlush, 500, 0, 0);
  expect(result.records[4], Op::kRead, 1'000'000'000, 2000, 64);
  EXPECT_EQ(result.left_out, (LeftOut{{"action A", 2}, {"action C", 2}, {"action m", 2}, {"action Q of kind N", 2}}));
  expect_refused(TraceFormat::kBlkparse, good,
                 {{"8,16 1 10 1.1 610 Q R 2000 64 [x]", "sector + blocks"},
                  {"8,16 1 10 1.1 610 Z R 2000 + 64 [x]", "an action of blkparse, found 'Z'"},
                  {"8,16 1 10 1.1 610 Q K 2000 + 64 [x]", "RWBS, found 'K'"},
                  {"816 1 10 1.1 610 Q R 2000 + 64 [x]", "minor number"},
                  {"8,16 1 10 1:1 610 Q R 2000 + 64 [x]", "the time"},
                  {"8,16 1 10", "found 3 fields"},
                  {"something else", "found 2 fields"}});
}

/// struct blk_io_trace, in the byte order of most machines or the other one.
std::string event(std::uint64_t time, std::uint64_t sector, std::uint32_t bytes, std::uint32_t action, bool big_endian,
                  const std::string& payload = "") {
  std::string out;
  const auto put = [&](std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * (big_endian ? size - 1 - i : i)));
  };
  put(0x65617407, 4);
  put(1, 4);
  put(time, 8);
  put(sector, 8);
  put(bytes, 4);
  put(action, 4);
  put(610, 4);
  put(8U << 20U, 4);
  put(0, 4);
  put(0, 2);
  put(payload.size(), 2);
  return out + payload;
}

TEST(BlktraceTest, EventsOfBothByteOrders) {
  constexpr std::uint32_t kReadQ = 1U << 16U | 1, kWriteQ = 1U << 17U | 1, kWriteDone = 1U << 17U | 8;
  for (const bool big_endian : {false, true}) {
    const std::string content =
        event(0, 0, 0, 1U << 26U, big_endian, "process name") + event(5000, 1000, 4096, kReadQ, big_endian, "abc") +
        event(6000, 8, 512, kWriteQ | 1U << 8U, big_endian, "cgroup id") + event(7000, 8, 512, kWriteDone, big_endian) +
        event(8000, 16, 1024, kWriteQ | 1U << 29U, big_endian) + event(9000, 0, 0, kWriteQ | 1U << 18U, big_endian);
    EXPECT_EQ(guess_format("x", content), TraceFormat::kBlktrace);
    const Read result = read(TraceFormat::kBlktrace, content);
    EXPECT_TRUE(result.errors.empty());
    ASSERT_EQ(result.records.size(), 4U);
    expect(result.records[0], Op::kRead, 5000, 1000, 8);
    expect(result.records[1], Op::kWrite, 6000, 8, 1);
    expect(result.records[2], Op::kTrim, 8000, 16, 2);
    expect(result.records[3], Op::kFlush, 9000, 0, 0);
    EXPECT_EQ(result.left_out, (LeftOut{{"notifications", 1}, {"events of other actions than queue", 1}}));
  }
  const std::string one = event(5000, 1000, 4096, kReadQ, false, "abc");
  for (const std::string& damaged : {one + one.substr(0, 20), one + one.substr(0, 49), one + std::string(48, 'x')}) {
    const Read result = read(TraceFormat::kBlktrace, damaged);
    EXPECT_EQ(result.records.size(), 1U);
    ASSERT_EQ(result.errors.size(), 1U);
    EXPECT_NE(result.errors[0].find("event 2: "), std::string::npos) << result.errors[0];
  }
}

TEST(BlktraceTest, FlagsAreKeptAndWhatWasIssuedIsTaken) {
  constexpr std::uint32_t kWriteQ = 1U << 17U | 1, kWriteD = 1U << 17U | 7, kFlush = 1U << 18U, kFua = 1U << 31U;
  const Read flags =
      read(TraceFormat::kBlktrace, event(1, 8, 512, kWriteQ | kFlush | kFua, false) +
                                       event(2, 16, 512, kWriteQ, false) + event(3, 8, 512, kWriteD, false));
  ASSERT_EQ(flags.records.size(), 3U);
  expect(flags.records[0], Op::kFlush, 1, 0, 0);
  expect(flags.records[1], Op::kWrite, 1, 8, 1);
  EXPECT_TRUE(flags.records[1].fua);
  EXPECT_FALSE(flags.records[0].fua || flags.records[2].fua);
  EXPECT_EQ(flags.note, "");
  const Read issued = read(TraceFormat::kBlktrace, event(3, 8, 512, kWriteD, true));
  ASSERT_EQ(issued.records.size(), 1U);
  EXPECT_NE(issued.note.find("action D"), std::string::npos);
}

TEST(ColumnsTest, AsTheUserSays) {
  const std::string tencent = "time_s,offset_sectors,size_sectors,op_01,device";
  const Read result = read(TraceFormat::kColumns, "1538323200,100,8,0,1283\n1538323201,7,1,1,99\n", tencent);
  ASSERT_EQ(result.records.size(), 2U);
  expect(result.records[0], Op::kRead, 1'538'323'200'000'000'000, 100, 8);
  expect(result.records[1], Op::kWrite, 1'538'323'201'000'000'000, 7, 1, 1);
  const Read named = read(TraceFormat::kColumns, "what op offset size\n- W 4096 512\n", "-,op,offset_bytes,size_bytes");
  ASSERT_EQ(named.records.size(), 1U);
  expect(named.records[0], Op::kWrite, 0, 8, 1);
  EXPECT_FALSE(named.has_times);
  EXPECT_EQ(named.left_out, (LeftOut{{"line of names", 1}}));
  const Read fractions = read(TraceFormat::kColumns, "1.5;read;0;1\n", "time_us,op,offset_sectors,size_sectors");
  expect(fractions.records.at(0), Op::kRead, 1500, 0, 1);
  expect_refused(TraceFormat::kColumns, "1,100,8,0,1\n",
                 {{"1,100,8,2,1", "0 (read) or 1 (write), found '2'"},
                  {"1,100,8,0", "expected 5 fields, as --columns says, found 4"},
                  {"1,100,,0,1", "the size"},
                  {"1,99999999999999999,8,0,1", "64-bit number of bytes"}},
                 tencent);
}

TEST(ColumnsTest, OperationsAsPeopleWriteThem) {
  const std::string columns = "op,offset_sectors,size_sectors";
  const auto op = [&](const std::string& word) {
    const Read result = read(TraceFormat::kColumns, word + ",8,8\n" + word + ",16,8\n", columns);
    EXPECT_TRUE(result.errors.empty()) << word << result.errors.at(0);
    return result.records.empty() ? std::string() : op_name(result.records.back().op);
  };
  for (const char* word : {"R", "read", "RS", "RA", "0x28", "88"}) EXPECT_EQ(op(word), "read") << word;
  for (const char* word : {"W", "WRITE", "WS", "WFS", "2a", "0x8A", "0a"}) EXPECT_EQ(op(word), "write") << word;
  for (const char* word : {"D", "discard", "unmap", "DS", "trim", "42"}) EXPECT_EQ(op(word), "trim") << word;
  for (const char* word : {"F", "flush", "fsync", "0x35", "FF"}) EXPECT_EQ(op(word), "flush") << word;
  expect_refused(TraceFormat::kColumns, "R,8,8\n",
                 {{"ReaRd,8,8", "expected a word for a read"}, {"WW,8,8", "found 'WW'"}, {"0x99,8,8", "found '0x99'"}},
                 columns);
  const Read flags = read(TraceFormat::kColumns, "WFS,8,8\nFWS,16,8\nR,0,8\n", columns);
  ASSERT_EQ(flags.records.size(), 4U);  // the flush before the second one is a request
  EXPECT_TRUE(flags.records[0].fua);
  expect(flags.records[1], Op::kFlush, 0, 0, 0);
  expect(flags.records[2], Op::kWrite, 0, 16, 8);
  EXPECT_FALSE(flags.records[2].fua || flags.records[3].fua);
}

TEST(ColumnsTest, RemarksArePassedOver) {
  const Read result = read(TraceFormat::kColumns, "# exported\n; on a Monday\nR,8,8\n\n// 2,8,8\n# the end\n",
                           "op,offset_sectors,size_sectors");
  EXPECT_TRUE(result.errors.empty());
  EXPECT_EQ(result.records.size(), 1U);
}

TEST(BlkparseTest, FlagsAreKept) {
  const std::string begin = "8,0 1 1 0.000000001 1 Q ";
  const Read result =
      read(TraceFormat::kBlkparse, begin + "FWFS 8 + 8 [a]\n" + begin + "WFS 16 + 8 [a]\n" + begin + "FF 0 + 0 [a]\n" +
                                       begin + "FWS [a]\n" + begin + "W 24 + 8 [a]\n");
  EXPECT_TRUE(result.errors.empty());
  ASSERT_EQ(result.records.size(), 6U);
  expect(result.records[0], Op::kFlush, 1, 0, 0);
  expect(result.records[1], Op::kWrite, 1, 8, 8);
  EXPECT_TRUE(result.records[1].fua && result.records[2].fua);
  expect(result.records[3], Op::kFlush, 1, 0, 0);
  expect(result.records[4], Op::kFlush, 1, 0, 0);
  EXPECT_FALSE(result.records[5].fua);
}

TEST(BlkparseTest, WhatWasIssuedIsTakenWhereNothingWasQueued) {
  const std::string line = "8,0 1 1 0.000000001 1 ";
  const Read issued = read(TraceFormat::kBlkparse, line + "D R 8 + 8 [a]\n" + line + "C R 8 + 8 [a]\n");
  ASSERT_EQ(issued.records.size(), 1U);
  EXPECT_NE(issued.note.find("action D"), std::string::npos);
  EXPECT_EQ(issued.left_out, (LeftOut{{"action C", 1}}));
  const Read queued = read(TraceFormat::kBlkparse, line + "D R 8 + 8 [a]\n" + line + "Q R 16 + 8 [a]\n");
  ASSERT_EQ(queued.records.size(), 1U);
  expect(queued.records[0], Op::kRead, 1, 16, 8);
  EXPECT_EQ(queued.note, "");
}

TEST(ColumnsTest, WrongColumnsAreNamed) {
  const auto problem = [](const std::string& columns) {
    return errors_of([&] { (void)make_line_parser(TraceFormat::kColumns, columns); }, "--columns").at(0);
  };
  EXPECT_NE(problem("time,op").find("no column is called 'time'; there are: - time_s"), std::string::npos);
  EXPECT_NE(problem("op,size_bytes").find("expected one offset column, found 0"), std::string::npos);
  EXPECT_NE(problem("op,op_01,size_bytes,offset_bytes").find("expected one op column, found 2"), std::string::npos);
  EXPECT_NE(problem("time_s,time_us,op,size_bytes,offset_bytes").find("more than one time"), std::string::npos);
}

TEST(FormatTest, IsToldFromTheLines) {
  EXPECT_EQ(guess_format("x", "1,a,0,Read,0,512,0\n"), TraceFormat::kMsr);
  for (const char* action : {"Q", "D", "C", "I"}) {  // blktrace -a records one action
    EXPECT_EQ(guess_format("x", "  8,0    0        1     1266874889.670087770  4000  " + std::string(action) +
                                    "   R 4096 + 8 [app]\n"),
              TraceFormat::kBlkparse);
  }
  EXPECT_EQ(guess_format("x", "0,1024,8192,W,0.5\n"), TraceFormat::kSpc);
  EXPECT_EQ(guess_format("x", "0,20,512,W,0.5,Read,7\n"), TraceFormat::kSpc);
  EXPECT_EQ(guess_format("x", "7,R,4096,8192,1577808000000046\n"), TraceFormat::kAlibaba);
  EXPECT_EQ(guess_format("x", "0.25 0 100 8 1\n"), TraceFormat::kDisksim);
  EXPECT_EQ(guess_format("x.mqsim.gz", "25 0 100 8 1\n"), TraceFormat::kMqsim);
  EXPECT_EQ(guess_format("x", "fio version 3 iolog\n1 /dev/a read 0 512\n"), TraceFormat::kIolog);
  EXPECT_EQ(guess_format("x", "8,0 1 3 0.000000300 610 Q WS 7 + 1 [x]\n"), TraceFormat::kBlkparse);
  // A damaged line does not hide the format of the others.
  EXPECT_EQ(guess_format("x", "1,a,0,Raed,0,512,0\n1,a,0,Read,0,512,0\n"), TraceFormat::kMsr);
  EXPECT_EQ(guess_format("x", "1,2,3,4,5\n"), std::nullopt);
}

TEST(ByteInputTest, CompressedFilesReadAsWhatTheyHold) {
  const ScratchFile file("t.csv.gz", "");
  gzFile out = gzopen(file.path().c_str(), "wb");
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += std::to_string(i) + ",a,0,Read,0,512,0\n";
  ASSERT_GT(gzwrite(out, content.data(), static_cast<unsigned>(content.size())), 0);
  gzclose(out);
  EXPECT_EQ(read_whole(file.path()), content);
  EXPECT_EQ(load_workload(file.path(), drive_of(1000))->total_requests(), 200'000U);
  // Cut off: said, and not taken for the end.
  std::ifstream in(file.path(), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const ScratchFile half("half.csv.gz", bytes.substr(0, bytes.size() / 2));
  const auto errors = errors_of([&] { (void)load_workload(half.path(), drive_of(1000)); }, "error");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].find("the compressed file is cut off"), std::string::npos) << errors[0];
}

TEST(LineReaderTest, LinesLongerThanItsBufferAreRefused) {
  const ScratchFile last("last.txt", "a\n\nlast");
  LineReader lines(last.path());
  std::vector<std::string> found;
  for (std::string_view line; lines.next(line);) found.emplace_back(line);
  EXPECT_EQ(found, (std::vector<std::string>{"a", "", "last"}));
  EXPECT_EQ(lines.number(), 3U);
  const ScratchFile endless("endless.txt", "a\n" + std::string(3'000'000, 'x'));
  LineReader reader(endless.path());
  std::string_view line;
  EXPECT_TRUE(reader.next(line));
  const auto errors = errors_of([&] { reader.next(line); }, "endless");
  EXPECT_NE(errors.at(0).find(":2: error: expected lines"), std::string::npos);
}

}  // namespace
}  // namespace wordline::workload::formats_test
