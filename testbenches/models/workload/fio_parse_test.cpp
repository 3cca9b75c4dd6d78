// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/workload/fio.h"
#include "models/workload/fio_options.h"

namespace wordline::workload {
namespace {

using namespace wordline::literals;

FioJob job(const std::string& options) {
  const FioFile file = parse_fio("t.fio", "[a]\n" + options + "\n");
  EXPECT_EQ(file.jobs.size(), 1U);
  return file.jobs.at(0);
}

std::vector<std::string> errors_of(const std::string& content) {
  try {
    (void)parse_fio("dir/t.fio", content);
  } catch (const WorkloadError& error) {
    return error.errors();
  }
  return {};
}

/// The one error of a job with this option line, which is line 2.
std::string error(const std::string& option) {
  const auto errors = errors_of("[a]\n" + option + "\n");
  EXPECT_EQ(errors.size(), 1U) << option;
  return errors.empty() ? "" : errors[0];
}

TEST(FioParseTest, DefaultsAreFios) {
  const FioJob j = job("");
  EXPECT_EQ(j.name, "a");
  EXPECT_EQ(j.line, 1U);
  EXPECT_FALSE(j.random);
  EXPECT_EQ(j.ops, std::vector<Op>{Op::kRead});
  EXPECT_EQ(j.block_bytes[0], 4096U);
  EXPECT_EQ(j.iodepth, 1U);
  EXPECT_EQ(j.numjobs, 1U);
  EXPECT_EQ(j.read_percent, 50U);
  EXPECT_FALSE(j.size || j.io_size || j.number_ios || j.runtime || j.time_based || j.norandommap);
}

TEST(FioParseTest, EveryPattern) {
  struct Case {
    const char* name;
    bool random;
    std::vector<Op> ops;
  };
  const Case cases[] = {{"read", false, {Op::kRead}},       {"write", false, {Op::kWrite}},
                        {"trim", false, {Op::kTrim}},       {"randread", true, {Op::kRead}},
                        {"randwrite", true, {Op::kWrite}},  {"randtrim", true, {Op::kTrim}},
                        {"rw", false, {Op::kRead, Op::kWrite}}, {"readwrite", false, {Op::kRead, Op::kWrite}},
                        {"randrw", true, {Op::kRead, Op::kWrite}}};
  for (const Case& c : cases) {
    for (const char* option : {"rw=", "readwrite="}) {
      const FioJob j = job(option + std::string(c.name));
      EXPECT_EQ(j.random, c.random) << c.name;
      EXPECT_EQ(j.ops, c.ops) << c.name;
      EXPECT_EQ(j.mixed(), c.ops.size() == 2);
    }
  }
  EXPECT_NE(error("rw=randreed").find("found 'randreed'"), std::string::npos);
  EXPECT_NE(error("rw=read:8").find("without ':' modifiers"), std::string::npos);
}

TEST(FioParseTest, BytesAndPercentages) {
  const auto bs = [](const char* value) { return job(std::string("bs=") + value).block_bytes[0]; };
  EXPECT_EQ(bs("512"), 512U);
  EXPECT_EQ(bs("8k"), 8192U);
  EXPECT_EQ(bs("8K"), 8192U);
  EXPECT_EQ(bs("8kb"), 8192U);
  EXPECT_EQ(bs("2m"), 2U << 20);
  EXPECT_EQ(bs("1g"), 1U << 30);
  EXPECT_EQ(job("blocksize=16k").block_bytes[0], 16384U);
  EXPECT_EQ(job("size=3t").size->bytes, std::uint64_t{3} << 40);
  EXPECT_EQ(job("size=25%").size->percent, 25U);
  EXPECT_EQ(job("io_size=300k").io_size->bytes, 300U << 10);
  EXPECT_EQ(job("io_size=300%").io_size->percent, 300U);
  EXPECT_EQ(job("io_limit=4m").io_size->bytes, 4U << 20);
  EXPECT_EQ(job("offset=1m").offset.bytes, 1U << 20);
  EXPECT_EQ(job("offset=50%").offset.percent, 50U);
  EXPECT_EQ(job("offset_increment=64k").offset_increment, 65536U);
  for (const char* bad : {"bs=", "bs=0", "bs=100", "bs=4kib", "bs=4KiB", "bs=4x", "bs=-4k", "bs=4 k", "bs=2g", "bs=k",
                          "size=101%", "size=%", "size=1000", "offset=513", "offset_increment=1",
                          "size=99999999999999999999", "size=9999999t"}) {
    EXPECT_NE(error(bad).find("dir/t.fio:2: error: "), std::string::npos) << bad;
  }
}

TEST(FioParseTest, BlockSizesByDirection) {
  using Sizes = std::array<std::uint32_t, 3>;
  EXPECT_EQ(job("bs=8k").block_bytes, (Sizes{8192, 8192, 8192}));
  EXPECT_EQ(job("bs=8k,32k").block_bytes, (Sizes{8192, 32768, 32768}));
  EXPECT_EQ(job("bs=8k,32k,64k").block_bytes, (Sizes{8192, 32768, 65536}));
  EXPECT_EQ(job("bs=,8k").block_bytes, (Sizes{4096, 8192, 8192}));
  EXPECT_EQ(job("bs=8k,").block_bytes, (Sizes{8192, 4096, 4096}));
  EXPECT_NE(error("bs=1k,2k,3k,4k").find("at most three sizes"), std::string::npos);
}

TEST(FioParseTest, CountsTimesAndFlags) {
  EXPECT_EQ(job("iodepth=32").iodepth, 32U);
  EXPECT_EQ(job("numjobs=4").numjobs, 4U);
  EXPECT_EQ(job("number_ios=1000").number_ios, 1000U);
  EXPECT_EQ(job("randseed=99").randseed, 99U);
  EXPECT_EQ(job("rwmixread=70").read_percent, 70U);
  EXPECT_EQ(job("rwmixwrite=70").read_percent, 30U);
  EXPECT_EQ(job("runtime=10").runtime, 10'000_ms);
  EXPECT_EQ(job("runtime=10s").runtime, 10'000_ms);
  EXPECT_EQ(job("timeout=5ms").runtime, 5_ms);
  EXPECT_EQ(job("runtime=7us").runtime, 7_us);
  EXPECT_EQ(job("runtime=2m").runtime, 120'000_ms);
  EXPECT_EQ(job("runtime=1h").runtime, 3'600'000_ms);
  EXPECT_EQ(job("runtime=1d").runtime, 86'400'000_ms);
  EXPECT_FALSE(job("runtime=0").runtime);
  EXPECT_TRUE(job("time_based\nruntime=1").time_based);
  EXPECT_TRUE(job("time_based=1\nruntime=1").time_based);
  EXPECT_FALSE(job("time_based=0").time_based);
  EXPECT_TRUE(job("norandommap").norandommap);
  EXPECT_FALSE(job("norandommap=0").norandommap);
  EXPECT_EQ(job("description=any words at all").name, "a");
  for (const char* bad : {"iodepth=0", "iodepth=70000", "iodepth=x", "numjobs=0", "number_ios=0", "rwmixread=101",
                          "rwmixwrite=-1", "runtime=1.5", "runtime=5min", "time_based=2", "norandommap=maybe",
                          "randseed=", "runtime=200d"}) {
    EXPECT_NE(error(bad).find("dir/t.fio:2: error: "), std::string::npos) << bad;
  }
  EXPECT_NE(error("time_based").find("time_based needs runtime") , std::string::npos);
}

TEST(FioParseTest, Distributions) {
  EXPECT_EQ(job("random_distribution=random").distribution, Distribution::kRandom);
  EXPECT_EQ(job("random_distribution=zipf").distribution_parameter, 1.1);
  const FioJob zipf = job("random_distribution=zipf:0.9");
  EXPECT_EQ(zipf.distribution, Distribution::kZipf);
  EXPECT_EQ(zipf.distribution_parameter, 0.9);
  EXPECT_EQ(job("random_distribution=pareto:0.3").distribution, Distribution::kPareto);
  EXPECT_EQ(job("random_distribution=pareto").distribution_parameter, 0.2);
  EXPECT_EQ(job("random_distribution=normal:10").distribution, Distribution::kNormal);
  for (const char* bad : {"zipf:1", "zipf:0", "zipf:x", "zipf:11", "pareto:1", "pareto:0", "normal", "normal:0",
                          "normal:101", "zipf:1.1:0.5", "gauss", "zoned:50/5", "random:1"}) {
    EXPECT_NE(error("random_distribution=" + std::string(bad)).find("random_distribution: expected"), std::string::npos)
        << bad;
  }
}

TEST(FioParseTest, GlobalHoldsForTheJobsBelowIt) {
  const FioFile file = parse_fio("t.fio",
                                 "; a comment\n[global]\nbs=8k # and another\niodepth = 4\n\n[one]\nrw=randread\n"
                                 "[two]\r\niodepth=16\r\n[global]\nbs=64k\n[three]\n");
  ASSERT_EQ(file.jobs.size(), 3U);
  EXPECT_EQ(file.jobs[0].block_bytes[0], 8192U);
  EXPECT_EQ(file.jobs[0].iodepth, 4U);
  EXPECT_TRUE(file.jobs[0].random);
  EXPECT_EQ(file.jobs[1].iodepth, 16U);
  EXPECT_FALSE(file.jobs[1].random);
  EXPECT_EQ(file.jobs[1].name, "two");
  EXPECT_EQ(file.jobs[1].line, 8U);
  EXPECT_EQ(file.jobs[2].block_bytes[0], 65536U);
  EXPECT_EQ(file.jobs[2].iodepth, 4U);
}

TEST(FioParseTest, OptionsWithoutEffectAreNamedOnce) {
  const FioFile file = parse_fio("t.fio", "[global]\nioengine=libaio\ndirect=1\n[a]\nioengine=sync\ngroup_reporting\n");
  ASSERT_EQ(file.notices.size(), 1U);
  EXPECT_EQ(file.notices[0], "t.fio: no effect in a simulated drive: ioengine direct group_reporting");
  EXPECT_TRUE(parse_fio("t.fio", "[a]\nbs=4k\n").notices.empty());
}

TEST(FioParseTest, UnsupportedOptionsAreErrorsUnlessTheyAreOff) {
  EXPECT_EQ(error("stonewall"), "dir/t.fio:2: error: fio option 'stonewall' is not supported; remove it");
  EXPECT_EQ(error("verify=crc32c"), "dir/t.fio:2: error: fio option 'verify' is not supported; remove it");
  EXPECT_TRUE(errors_of("[a]\nfsync=0\n").empty());
}

TEST(FioParseTest, UnknownOptionNamesTheNearest) {
  EXPECT_EQ(error("iodepht=4"), "dir/t.fio:2: error: unknown option 'iodepht' (did you mean 'iodepth'?)");
  EXPECT_EQ(error("blocksise=4k"), "dir/t.fio:2: error: unknown option 'blocksise' (did you mean 'blocksize'?)");
  EXPECT_EQ(error("sizee=1m"), "dir/t.fio:2: error: unknown option 'sizee' (did you mean 'size'?)");
  EXPECT_EQ(error("qwertzuiop=1"), "dir/t.fio:2: error: unknown option 'qwertzuiop'");
  EXPECT_EQ(nearest_fio_option("rand_seed"), "randseed");
  EXPECT_EQ(nearest_fio_option("group_reportin"), "group_reporting");
}

TEST(FioParseTest, AllErrorsOfAFileWithTheirLines) {
  const auto errors = errors_of("bs=4k\n[global]\niodepth=0\n\n[a]\nsize=x\nfoo_bar_baz=1\ninclude other.fio\nbs=${BS}\n[b\n");
  ASSERT_EQ(errors.size(), 7U);
  const char* starts[] = {"dir/t.fio:1: error: option 'bs' before the first section", "dir/t.fio:3: error: iodepth: expected",
                          "dir/t.fio:6: error: size: expected", "dir/t.fio:7: error: unknown option 'foo_bar_baz'",
                          "dir/t.fio:8: error: include is not supported", "dir/t.fio:9: error: environment variables",
                          "dir/t.fio:10: error: expected a section [name]"};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(errors[i].rfind(starts[i], 0), 0U) << errors[i];
}

TEST(FioParseTest, FileWithoutJobIsAnError) {
  const auto errors = errors_of("[global]\nbs=4k\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0], "dir/t.fio: error: no [job] section: nothing to run");
}

TEST(FioParseTest, ThousandErrorsDoNotFillTheScreen) {
  std::string content = "[a]\n";
  for (int i = 0; i < 1000; ++i) content += "nonsense_option=1\n";
  const auto errors = errors_of(content);
  ASSERT_EQ(errors.size(), 21U);
  EXPECT_EQ(errors.back(), "dir/t.fio: and 980 more errors");
}

}  // namespace
}  // namespace wordline::workload
