// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/trace_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/models/workload/trace/scratch_trace.h"

namespace wordline::workload::trace_source_test {
namespace {

using namespace wordline::literals;

LoadOptions options(std::uint64_t lbas = 1'000'000) { return drive_of(lbas); }

ScratchTrace trace_of(TraceFormat format, const std::string& content, const LoadOptions& o = options()) {
  return {format, content, o};
}

std::vector<std::string> errors(TraceFormat format, const std::string& content, const LoadOptions& o = options()) {
  return errors_of([&] { (void)trace_of(format, content, o); }, "t.csv");
}

Picoseconds arrival_of_second(const std::string& content, const LoadOptions& o) {
  return all(*trace_of(TraceFormat::kMqsim, content, o)).at(1).arrival;
}

constexpr const char* kMsr =
    "128166372003061629,hm,1,Read,383496192,32768,413\n"
    "128166372003061729,hm,1,Write,512,1024,99\n"
    "128166372013061629,hm,1,write,4096,4096,0\r\n";

TEST(TraceTest, MsrRecords) {
  const auto source = trace_of(TraceFormat::kMsr, kMsr, options());
  EXPECT_TRUE(source->open_loop());
  EXPECT_EQ(source->jobs(), 1U);
  EXPECT_EQ(source->depth(0), 0U);
  EXPECT_EQ(source->total_requests(), 3U);
  EXPECT_EQ(source->total_bytes(), 32768U + 1024 + 4096);
  EXPECT_TRUE(source->notices().empty());
  const auto requests = all(*source);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].op, Op::kRead);
  EXPECT_EQ(requests[0].lba, Lba(383496192 / 512));
  EXPECT_EQ(requests[0].nlb, 64U);
  EXPECT_EQ(requests[0].arrival, 0_ps);
  EXPECT_EQ(requests[1].op, Op::kWrite);
  EXPECT_EQ(requests[1].lba, Lba(1));  // misaligned to 4 KiB, as recorded
  EXPECT_EQ(requests[1].arrival, 10_us);
  EXPECT_EQ(requests[2].arrival, 1'000_ms);
  const std::string described = source->describe();
  EXPECT_EQ(described.substr(described.find("t.csv")), "t.csv: 3 requests, 67 % writes, 37 KiB, span 1 s");
}

TEST(TraceTest, MsrHeaderIsSkipped) {
  const auto source =
      trace_of(TraceFormat::kMsr, "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n" + std::string(kMsr));
  EXPECT_EQ(source->total_requests(), 3U);
}

TEST(TraceTest, MqsimRecords) {
  const auto source = trace_of(TraceFormat::kMqsim, "1000 0 16 8 1\n1250 0 3 1 0\n\n5000\t0  24 16 0\n", options());
  const auto requests = all(*source);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].op, Op::kRead);
  EXPECT_EQ(requests[0].lba, Lba(16));
  EXPECT_EQ(requests[0].arrival, 0_ps);
  EXPECT_EQ(requests[1].op, Op::kWrite);
  EXPECT_EQ(requests[1].nlb, 1U);
  EXPECT_EQ(requests[1].arrival, 250_ns);
  EXPECT_EQ(requests[2].arrival, 4_us);
}

TEST(TraceTest, SpeedupDividesTheTimeExactly) {
  LoadOptions o = options();
  o.speedup = 4;
  EXPECT_EQ(arrival_of_second("0 0 0 8 1\n10 0 0 8 1\n", o), 2500_ps);
  o.speedup = 0.5;
  const auto slow = trace_of(TraceFormat::kMqsim, "0 0 0 8 1\n10 0 0 8 1\n", o);
  EXPECT_EQ(all(*slow)[1].arrival, 20_ns);
  EXPECT_NE(slow->describe().find("(time divided by 0.5)"), std::string::npos) << slow->describe();
  // A week keeps its picoseconds.
  o.speedup = 3;
  EXPECT_EQ(arrival_of_second("0 0 0 8 1\n604800000000001 0 0 8 1\n", o), Picoseconds(604'800'000'000'001'000 / 3));
  for (const double bad : {0.0, -1.0, 1e13}) {
    o.speedup = bad;
    EXPECT_EQ(errors(TraceFormat::kMqsim, "0 0 0 8 1\n", o).size(), 1U) << bad;
  }
}

TEST(TraceTest, OrderOfTheFileIsKept) {
  const auto source =
      trace_of(TraceFormat::kMqsim, "100 0 0 8 1\n300 0 8 8 1\n200 0 16 8 1\n50 0 24 8 1\n400 0 32 8 1\n");
  const auto requests = all(*source);
  ASSERT_EQ(requests.size(), 5U);
  EXPECT_EQ(requests[2].arrival, 200_ns);
  EXPECT_EQ(requests[3].arrival, 200_ns);
  EXPECT_EQ(requests[4].arrival, 300_ns);
  ASSERT_EQ(source->notices().size(), 1U);
  EXPECT_NE(source->notices()[0].find("2 records out of order"), std::string::npos) << source->notices()[0];
}

TEST(TraceTest, AddressesBeyondTheDriveWrapOrAreErrors) {
  LoadOptions o = options(1000);
  const std::string content = "0 0 2005 10 1\n1 0 995 10 0\n2 0 990 10 0\n";
  const auto source = trace_of(TraceFormat::kMqsim, content, o);
  const auto requests = all(*source);
  EXPECT_EQ(requests[0].lba, Lba(5));
  EXPECT_EQ(requests[1].lba, Lba(990));  // moved back to fit
  EXPECT_EQ(requests[2].lba, Lba(990));
  EXPECT_EQ(source->notices().size(), 2U);
  o.beyond_end = BeyondEnd::kError;
  const auto found = errors(TraceFormat::kMqsim, content, o);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].rfind("t.csv:1: error: LBA 2005 with 10 blocks ends beyond", 0), 0U) << found[0];
  EXPECT_EQ(found[1].rfind("t.csv:2: error: LBA 995", 0), 0U) << found[1];
  EXPECT_EQ(errors(TraceFormat::kMqsim, "0 0 0 1001 1\n", o).size(), 1U);
}

TEST(TraceTest, SeveralDevicesAreSaid) {
  const auto source = trace_of(TraceFormat::kMsr, "1,a,0,Read,0,512,0\n2,a,1,Read,0,512,0\n3,b,1,Read,0,512,0\n");
  ASSERT_EQ(source->notices().size(), 1U);
  EXPECT_NE(source->notices()[0].find("3 devices"), std::string::npos);
}

TEST(TraceTest, BadLinesAreNamed) {
  const auto msr = errors(TraceFormat::kMsr,
                          "1,a,0,Read,0,512,0\n1,a,0,Read,0,512\n1,a,0,Erase,0,512,0\nx,a,0,Read,0,512,0\n"
                          "1,a,0,Read,100,512,0\n1,a,0,Read,-512,512,0\n1,a,0,Read,0,512,?\n");
  ASSERT_EQ(msr.size(), 6U);
  const char* expected[] = {
      "t.csv:2: error: expected 7 fields",       "t.csv:3: error: expected Type Read or Write, found 'Erase'",
      "t.csv:4: error: expected Timestamp",      "t.csv:5: error: expected Offset in whole",
      "t.csv:6: error: expected Offset (bytes)", "t.csv:7: error: expected ResponseTime"};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(msr[i].rfind(expected[i], 0), 0U) << msr[i];
  const auto mqsim = errors(TraceFormat::kMqsim, "1 0 0 8\n1 0 0 8 2\n1 0 z 8 1\n");
  ASSERT_EQ(mqsim.size(), 3U);
  EXPECT_EQ(mqsim[1], "t.csv:2: error: expected type 0 (write) or 1 (read), found '2'");
  EXPECT_EQ(errors(TraceFormat::kMqsim, "\n\n").at(0), "t.csv: error: no records in the trace");
  EXPECT_EQ(errors(TraceFormat::kMqsim, "1 0 0 0 1\n").at(0),
            "t.csv: error: no requests in the trace, only 1 x requests of 0 bytes");
  EXPECT_EQ(errors(TraceFormat::kBlkparse, "8,0 0 1 0.1 7 C R 8 + 8 [0]\n").at(0),
            "t.csv: error: no requests in the trace, only 1 x action C");
  const auto late = errors(TraceFormat::kMqsim, "0 0 0 8 1\n18446744073709551615 0 0 8 1\n");
  EXPECT_NE(late.at(0).find("106 days"), std::string::npos);
}

TEST(TraceTest, RepetitionsFollowAfterTheMeanTime) {
  LoadOptions o = options();
  o.trace.loops = 3;
  const auto source = trace_of(TraceFormat::kMqsim, "100 0 0 8 1\n300 5 8 8 0\n500 0 16 8 1\n", o);
  EXPECT_EQ(source->total_requests(), 9U);
  EXPECT_EQ(source->total_bytes(), 9U * 4096);
  const auto requests = all(*source);
  ASSERT_EQ(requests.size(), 9U);
  // 400 ns of trace, 200 ns from its last request to the first of the next repetition.
  const std::int64_t expected[] = {0, 200, 400, 600, 800, 1000, 1200, 1400, 1600};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(requests[i].arrival, Picoseconds(expected[i] * 1000)) << i;
  EXPECT_EQ(requests[4].op, Op::kWrite);
  EXPECT_EQ(requests[4].device, 1U);
  EXPECT_NE(source->describe().find(", 3 times"), std::string::npos) << source->describe();
  o.trace.loops = 100'000'000'000'000;
  EXPECT_NE(errors(TraceFormat::kMqsim, "0 0 0 8 1\n400000 0 8 8 0\n", o).at(0).find("106 days"), std::string::npos);
}

// One loop has no gap behind it: a trace just below the limit of 106 days fits.
TEST(TraceTest, ATraceOfAHundredAndFourDaysIsTaken) {
  const auto source = trace_of(TraceFormat::kMsr, "0,a,0,Read,0,512,0\n90028800000000,a,0,Read,512,512,0\n");
  EXPECT_EQ(all(*source).back().arrival, Picoseconds(90'028'800'000'000 * 100'000));
}

TEST(TraceTest, ClosedLoopLooksAtNoTimes) {
  LoadOptions o = options();
  o.trace.queue_depth = 16;
  const auto source = trace_of(TraceFormat::kMqsim, "100 0 0 8 1\n300 0 8 8 0\n", o);
  EXPECT_FALSE(source->open_loop());
  EXPECT_EQ(source->depth(0), 16U);
  Request r;
  ASSERT_TRUE(source->next(0, 7_us, r));
  EXPECT_EQ(r.arrival, 7_us);
  o.speedup = 2;
  EXPECT_NE(errors(TraceFormat::kMqsim, "0 0 0 8 1\n", o).at(0).find("give one of them"), std::string::npos);
}

TEST(TraceTest, ScalingKeepsSequencesAndPlacesInAPage) {
  // A trace of 10 MiB on a drive of 4 MiB: eleven extents (the last one begun) become four.
  LoadOptions o = options(4 * 2048);
  o.beyond_end = BeyondEnd::kScale;
  const auto source = trace_of(TraceFormat::kMqsim, "0 0 0 8 1\n0 0 8 8 1\n0 0 10243 8 1\n0 0 20472 8 0\n", o);
  const auto requests = all(*source);
  EXPECT_EQ(requests[0].lba, Lba(0));
  EXPECT_EQ(requests[1].lba, Lba(8));
  EXPECT_EQ(requests[2].lba, Lba(2048 + 3));         // extent 5 of 11: 1 of 4
  EXPECT_EQ(requests[3].lba, Lba(3 * 2048 + 2040));  // extent 9 of 11: 3 of 4
  ASSERT_EQ(source->notices().size(), 1U);
  EXPECT_NE(source->notices()[0].find("addresses up to 10 MiB scaled to the drive's 4 MiB"), std::string::npos)
      << source->notices()[0];
  const auto fits = trace_of(TraceFormat::kMqsim, "0 0 2043 8 1\n", o);
  EXPECT_EQ(all(*fits)[0].lba, Lba(2043));
  EXPECT_TRUE(fits->notices().empty());
}

TEST(TraceTest, AFileThatChangesWhileItRunsIsAnError) {
  const ScratchFile file("changes.mqsim", "0 0 0 8 1\n1 0 0 8 1\n");
  LoadOptions o = options();
  o.trace.loops = 2;
  const auto source = make_trace_source(file.path(), TraceFormat::kMqsim, o);
  Request r;
  EXPECT_TRUE(source->next(0, {}, r));
  EXPECT_TRUE(source->next(0, {}, r));
  std::ofstream(file.path(), std::ios::binary) << "0 0 0 8 1\n";
  EXPECT_TRUE(source->next(0, {}, r));
  EXPECT_THROW(source->next(0, {}, r), WorkloadError);
}

class LoadTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) {
    files_.push_back(std::make_unique<ScratchFile>(name, content));
    return files_.back()->path();
  }
  static std::string error(const std::string& path, const LoadOptions& o = options()) {
    try {
      (void)load_workload(path, o);
    } catch (const WorkloadError& e) {
      return e.what();
    }
    return "";
  }

 private:
  std::vector<std::unique_ptr<ScratchFile>> files_;
};

TEST_F(LoadTest, FormatIsToldFromTheContent) {
  EXPECT_EQ(load_workload(write("a.csv", kMsr), options())->describe().rfind("MSR trace", 0), 0U);
  EXPECT_EQ(load_workload(write("a.txt", kMsr), options())->describe().rfind("MSR trace", 0), 0U);
  EXPECT_EQ(load_workload(write("b.mqsim", "\n1000 0 16 8 1\n"), options())->describe().rfind("MQSim trace", 0), 0U);
  EXPECT_EQ(load_workload(write("b.disksim", "1000 0 16 8 1\n"), options())->describe().rfind("DiskSim trace", 0), 0U);
  EXPECT_EQ(load_workload(write("b.txt", "1000.5 0 16 8 1\n"), options())->describe().rfind("DiskSim trace", 0), 0U);
  EXPECT_EQ(load_workload(write("c.fio", "[a]\nsize=1m\n"), options())->describe().rfind("fio job", 0), 0U);
  EXPECT_EQ(load_workload(write("c.job", "; comment\n[a]\nsize=1m\n"), options())->describe().rfind("fio job", 0), 0U);
}

TEST_F(LoadTest, WhatCouldBeOfTwoFormatsIsRefused) {
  // Whole numbers in five columns: nanoseconds of MQSim, or milliseconds of DiskSim.
  const std::string path = write("b.trace", "1000 0 16 8 1\n");
  EXPECT_NE(error(path).find("could be a trace of the format mqsim or disksim; say which by --trace-format"),
            std::string::npos)
      << error(path);
  LoadOptions o = options();
  o.trace.format = "disksim";
  EXPECT_EQ(load_workload(path, o)->describe().rfind("DiskSim trace", 0), 0U);
}

TEST_F(LoadTest, OptionsOfTracesAreRefusedElsewhere) {
  const std::string job = write("c.fio", "[a]\nsize=1m\n");
  LoadOptions o = options();
  o.trace.loops = 2;
  EXPECT_NE(error(job, o).find("options are for traces"), std::string::npos) << error(job, o);
  const std::string trace = write("a.csv", kMsr);
  o = options();
  o.trace.format = "iscsi";
  EXPECT_NE(error(trace, o).find("no trace format is called 'iscsi'; there are: msr spc"), std::string::npos);
  o.trace.format = "columns";
  EXPECT_NE(error(trace, o).find("needs --columns"), std::string::npos);
  o.trace = {};
  o.trace.format = "msr";
  o.trace.columns = "op";
  EXPECT_NE(error(trace, o).find("another one"), std::string::npos);
  o.trace = {};
  o.trace.loops = 0;
  EXPECT_NE(error(trace, o).find("--loop 0"), std::string::npos);
}

TEST_F(LoadTest, WhatCannotBeReadIsAnError) {
  const auto says = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
  EXPECT_TRUE(says(error("/nonexistent/x.fio"), "/nonexistent/x.fio: error: cannot open the workload file"));
  EXPECT_TRUE(says(error(::testing::TempDir()), "cannot be read"));
  EXPECT_TRUE(says(error(write("empty.fio", "\n \n")), "is empty"));
  EXPECT_TRUE(says(error(write("d.bin", "hello world\n")), ":1: error: not a workload that can be read"));
  EXPECT_NE(error(write("e.mqsim", "hello world\n")).find("expected 5 fields"), std::string::npos);
  LoadOptions none;
  EXPECT_NE(error(write("f.fio", "[a]\n"), none).find("no capacity"), std::string::npos);
}

}  // namespace
}  // namespace wordline::workload::trace_source_test
