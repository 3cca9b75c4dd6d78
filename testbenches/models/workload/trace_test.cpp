// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace wordline::workload {
namespace {

using namespace wordline::literals;

LoadOptions options(std::uint64_t lbas = 1'000'000) {
  LoadOptions o;
  o.drive_lbas = lbas;
  return o;
}

std::vector<Request> all(Source& source) {
  std::vector<Request> requests;
  Request r;
  while (source.next(0, {}, r)) requests.push_back(r);
  return requests;
}

std::vector<std::string> errors(TraceFormat format, const std::string& content, const LoadOptions& o = options()) {
  try {
    (void)read_trace(format, "dir/t.csv", content, o);
  } catch (const WorkloadError& error) {
    return error.errors();
  }
  return {};
}

constexpr const char* kMsr =
    "128166372003061629,hm,1,Read,383496192,32768,413\n"
    "128166372003061729,hm,1,Write,512,1024,99\n"
    "128166372013061629,hm,1,write,4096,4096,0\r\n";

TEST(TraceTest, MsrRecords) {
  const auto source = read_trace(TraceFormat::kMsr, "dir/t.csv", kMsr, options());
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
  EXPECT_EQ(requests[0].blocks, 64U);
  EXPECT_EQ(requests[0].arrival, 0_ps);
  EXPECT_EQ(requests[1].op, Op::kWrite);
  EXPECT_EQ(requests[1].lba, Lba(1));  // misaligned to 4 KiB, as recorded
  EXPECT_EQ(requests[1].arrival, 10_us);
  EXPECT_EQ(requests[2].arrival, 1'000_ms);
  EXPECT_EQ(source->describe(), "MSR trace t.csv: 3 requests, 67 % writes, 37 KiB, span 1 s");
}

TEST(TraceTest, MsrHeaderIsSkipped) {
  const auto source = read_trace(TraceFormat::kMsr, "t.csv",
                                 "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n" + std::string(kMsr), options());
  EXPECT_EQ(source->total_requests(), 3U);
}

TEST(TraceTest, MqsimRecords) {
  const auto source = read_trace(TraceFormat::kMqsim, "t.mqsim", "1000 0 16 8 1\n1250 0 3 1 0\n\n5000\t0  24 16 0\n", options());
  const auto requests = all(*source);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].op, Op::kRead);
  EXPECT_EQ(requests[0].lba, Lba(16));
  EXPECT_EQ(requests[0].arrival, 0_ps);
  EXPECT_EQ(requests[1].op, Op::kWrite);
  EXPECT_EQ(requests[1].blocks, 1U);
  EXPECT_EQ(requests[1].arrival, 250_ns);
  EXPECT_EQ(requests[2].arrival, 4_us);
}

TEST(TraceTest, SpeedupDividesTheTimeExactly) {
  LoadOptions o = options();
  o.speedup = 4;
  EXPECT_EQ(all(*read_trace(TraceFormat::kMqsim, "t", "0 0 0 8 1\n10 0 0 8 1\n", o))[1].arrival, 2500_ps);
  o.speedup = 0.5;
  const auto slow = read_trace(TraceFormat::kMqsim, "t", "0 0 0 8 1\n10 0 0 8 1\n", o);
  EXPECT_EQ(all(*slow)[1].arrival, 20_ns);
  EXPECT_NE(slow->describe().find("(time divided by 0.5)"), std::string::npos) << slow->describe();
  // A week keeps its picoseconds.
  o.speedup = 3;
  EXPECT_EQ(all(*read_trace(TraceFormat::kMqsim, "t", "0 0 0 8 1\n604800000000001 0 0 8 1\n", o))[1].arrival,
            Picoseconds(604'800'000'000'001'000 / 3));
  for (const double bad : {0.0, -1.0, 1e13}) {
    o.speedup = bad;
    EXPECT_EQ(errors(TraceFormat::kMqsim, "0 0 0 8 1\n", o).size(), 1U) << bad;
  }
}

TEST(TraceTest, OrderOfTheFileIsKept) {
  const auto source = read_trace(TraceFormat::kMqsim, "t", "100 0 0 8 1\n300 0 8 8 1\n200 0 16 8 1\n50 0 24 8 1\n400 0 32 8 1\n", options());
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
  const auto source = read_trace(TraceFormat::kMqsim, "t", content, o);
  const auto requests = all(*source);
  EXPECT_EQ(requests[0].lba, Lba(5));
  EXPECT_EQ(requests[1].lba, Lba(990));  // moved back to fit
  EXPECT_EQ(requests[2].lba, Lba(990));
  EXPECT_EQ(source->notices().size(), 2U);
  o.beyond_end = BeyondEnd::kError;
  const auto found = errors(TraceFormat::kMqsim, content, o);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].rfind("dir/t.csv:1: error: LBA 2005 with 10 blocks ends beyond", 0), 0U) << found[0];
  EXPECT_EQ(found[1].rfind("dir/t.csv:2: error: LBA 995", 0), 0U) << found[1];
  EXPECT_EQ(errors(TraceFormat::kMqsim, "0 0 0 1001 1\n", o).size(), 1U);
}

TEST(TraceTest, SeveralDevicesAreSaid) {
  const auto source = read_trace(TraceFormat::kMsr, "t", "1,a,0,Read,0,512,0\n2,a,1,Read,0,512,0\n3,b,1,Read,0,512,0\n", options());
  ASSERT_EQ(source->notices().size(), 1U);
  EXPECT_NE(source->notices()[0].find("3 devices"), std::string::npos);
}

TEST(TraceTest, BadLinesAreNamed) {
  const auto msr = errors(TraceFormat::kMsr,
                          "1,a,0,Read,0,512,0\n1,a,0,Read,0,512\n1,a,0,Erase,0,512,0\nx,a,0,Read,0,512,0\n"
                          "1,a,0,Read,100,512,0\n1,a,0,Read,0,0,0\n1,a,0,Read,-512,512,0\n1,a,0,Read,0,512,?\n");
  ASSERT_EQ(msr.size(), 7U);
  const char* expected[] = {"dir/t.csv:2: error: expected 7 fields", "dir/t.csv:3: error: expected Type Read or Write, found 'Erase'",
                            "dir/t.csv:4: error: expected Timestamp", "dir/t.csv:5: error: expected Offset in whole",
                            "dir/t.csv:6: error: expected a size of at least", "dir/t.csv:7: error: expected Offset (bytes)",
                            "dir/t.csv:8: error: expected ResponseTime"};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(msr[i].rfind(expected[i], 0), 0U) << msr[i];
  const auto mqsim = errors(TraceFormat::kMqsim, "1 0 0 8\n1 0 0 8 2\n1 0 z 8 1\n1 0 0 0 1\n");
  ASSERT_EQ(mqsim.size(), 4U);
  EXPECT_EQ(mqsim[1], "dir/t.csv:2: error: expected type 0 (write) or 1 (read), found '2'");
  EXPECT_EQ(errors(TraceFormat::kMqsim, "\n\n").at(0), "dir/t.csv: error: no records in the trace");
  EXPECT_NE(errors(TraceFormat::kMqsim, "0 0 0 8 1\n18446744073709551615 0 0 8 1\n").at(0).find("106 days"), std::string::npos);
}

class LoadTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) {
    const std::string path = ::testing::TempDir() + "wordline_" + name;
    std::ofstream(path, std::ios::binary) << content;
    paths_.push_back(path);
    return path;
  }
  ~LoadTest() override {
    for (const auto& path : paths_) std::remove(path.c_str());
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
  std::vector<std::string> paths_;
};

TEST_F(LoadTest, FormatIsToldFromTheContent) {
  EXPECT_EQ(load_workload(write("a.csv", kMsr), options())->describe().rfind("MSR trace", 0), 0U);
  EXPECT_EQ(load_workload(write("a.txt", kMsr), options())->describe().rfind("MSR trace", 0), 0U);
  EXPECT_EQ(load_workload(write("b.trace", "\n1000 0 16 8 1\n"), options())->describe().rfind("MQSim trace", 0), 0U);
  EXPECT_EQ(load_workload(write("c.fio", "[a]\nsize=1m\n"), options())->describe().rfind("fio job", 0), 0U);
  EXPECT_EQ(load_workload(write("c.job", "; comment\n[a]\nsize=1m\n"), options())->describe().rfind("fio job", 0), 0U);
}

TEST_F(LoadTest, WhatCannotBeReadIsAnError) {
  EXPECT_NE(error("/nonexistent/x.fio").find("/nonexistent/x.fio: error: cannot open the workload file"), std::string::npos);
  EXPECT_NE(error(write("empty.fio", "\n \n")).find("is empty"), std::string::npos);
  EXPECT_NE(error(write("d.bin", "hello world\n")).find(":1: error: not a workload that can be read"), std::string::npos);
  EXPECT_NE(error(write("e.mqsim", "hello world\n")).find("expected 5 fields"), std::string::npos);
  LoadOptions none;
  EXPECT_NE(error(write("f.fio", "[a]\n"), none).find("no capacity"), std::string::npos);
}

}  // namespace
}  // namespace wordline::workload
