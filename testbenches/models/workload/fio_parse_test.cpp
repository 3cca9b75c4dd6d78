// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "models/workload/fio/options.h"
#include "models/workload/fio/parse.h"
#include "models/workload/source.h"

namespace wordline::workload::fio::fio_parse_test {
namespace {

using namespace wordline::literals;

Job job(const std::string& options) {
  const File file = parse("t.fio", "[a]\n" + options + "\n");
  EXPECT_EQ(file.jobs.size(), 1U);
  return file.jobs.at(0);
}

std::vector<std::string> errors_of(const std::string& content) {
  try {
    (void)parse("dir/t.fio", content);
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
  const Job j = job("");
  EXPECT_EQ(j.name, "a");
  EXPECT_EQ(j.line, 1U);
  EXPECT_FALSE(j.pattern.random);
  EXPECT_EQ(j.pattern.ops, std::vector<Op>{Op::kRead});
  EXPECT_EQ(j.blocks[0].min, 4096U);
  EXPECT_EQ(j.iodepth, 1U);
  EXPECT_EQ(j.numjobs, 1U);
  EXPECT_EQ(j.pattern.read_percent, 50U);
  EXPECT_FALSE(j.amount.size || j.amount.io_size || j.amount.number_ios || j.amount.runtime || j.amount.time_based ||
               j.pattern.norandommap);
}

TEST(FioParseTest, EveryPattern) {
  struct Case {
    const char* name;
    bool random;
    std::vector<Op> ops;
  };
  const Case cases[] = {{"read", false, {Op::kRead}},
                        {"write", false, {Op::kWrite}},
                        {"trim", false, {Op::kTrim}},
                        {"randread", true, {Op::kRead}},
                        {"randwrite", true, {Op::kWrite}},
                        {"randtrim", true, {Op::kTrim}},
                        {"rw", false, {Op::kRead, Op::kWrite}},
                        {"readwrite", false, {Op::kRead, Op::kWrite}},
                        {"randrw", true, {Op::kRead, Op::kWrite}}};
  for (const Case& c : cases) {
    for (const char* option : {"rw=", "readwrite="}) {
      const Job j = job(option + std::string(c.name));
      EXPECT_EQ(j.pattern.random, c.random) << c.name;
      EXPECT_EQ(j.pattern.ops, c.ops) << c.name;
      EXPECT_EQ(j.pattern.mixed(), c.ops.size() == 2);
    }
  }
  EXPECT_NE(error("rw=randreed").find("found 'randreed'"), std::string::npos);
  EXPECT_EQ(job("rw=randread:8").pattern.every, 8U);
  EXPECT_EQ(job("rw=write:8k").pattern.skip_bytes, 8192);
  EXPECT_EQ(job("rw=read:-8k").pattern.skip_bytes, -8192);
  EXPECT_TRUE(job("rw=randtrimwrite").pattern.trim_write);
  EXPECT_EQ(job("rw=trimwrite").pattern.ops, (std::vector<Op>{Op::kTrim, Op::kWrite}));
  for (const char* bad : {"rw=read:", "rw=read:8", "rw=randread:0", "rw=randread:x", "rw=trimwrite:4k"}) {
    EXPECT_NE(error(bad).find("dir/t.fio:2: error: "), std::string::npos) << bad;
  }
}

TEST(FioParseTest, BytesAndPercentages) {
  const auto bs = [](const char* value) { return job(std::string("bs=") + value).blocks[0].min; };
  EXPECT_EQ(bs("512"), 512U);
  EXPECT_EQ(bs("8k"), 8192U);
  EXPECT_EQ(bs("8K"), 8192U);
  EXPECT_EQ(bs("8kb"), 8192U);
  EXPECT_EQ(bs("0x1000"), 4096U);
  EXPECT_EQ(bs("1.5k"), 1536U);
  EXPECT_EQ(bs("$pagesize"), 4096U);
  EXPECT_EQ(bs("2*(4096-1024)"), 6144U);
  EXPECT_EQ(bs("2m"), 2U << 20);
  EXPECT_EQ(bs("1g"), 1U << 30);
  EXPECT_EQ(job("blocksize=16k").blocks[0].min, 16384U);
  EXPECT_EQ(job("size=3t").amount.size->bytes, std::uint64_t{3} << 40);
  EXPECT_EQ(job("size=20000").amount.size->bytes, 20000U);
  EXPECT_EQ(job("size=25%").amount.size->percent, 25U);
  EXPECT_EQ(job("size=100%%").amount.size->percent, 100U);  // of a template of another program
  EXPECT_EQ(job("io_size=300k").amount.io_size->bytes, 300U << 10);
  EXPECT_EQ(job("io_size=300%").amount.io_size->percent, 300U);
  EXPECT_EQ(job("io_limit=4m").amount.io_size->bytes, 4U << 20);
  EXPECT_EQ(job("offset=1m").amount.offset.bytes, 1U << 20);
  EXPECT_EQ(job("offset=50%").amount.offset.percent, 50U);
  EXPECT_EQ(job("offset_increment=64k").amount.offset_increment.bytes, 65536U);
  for (const char* bad :
       {"bs=", "bs=0", "bs=100", "bs=4kib", "bs=4x", "bs=-4k", "bs=4 k", "bs=2g", "bs=k", "size=101%", "size=%",
        "size=99999999999999999999", "size=9999999t", "size=1e9", "size=5*", "size=(((1", "size=1/0", "bs=0x"}) {
    EXPECT_NE(error(bad).find("dir/t.fio:2: error: "), std::string::npos) << bad;
  }
}

TEST(FioParseTest, OtherNamesOfLibaioAreLibaio) {
  for (const char* name : {"aio", "linuxaio", "aiox"}) {
    const Job other = job("ioengine=" + std::string(name) + "\niodepth=8");
    EXPECT_EQ(other.engine, "libaio");
    EXPECT_EQ(other.depth(), 8U);
  }
  EXPECT_NE(error("ioengine=aoi").find("expected an engine of fio"), std::string::npos);
}

TEST(FioParseTest, AJobMayNameItself) {
  const File file = parse("t.fio", "[global]\nname=all\n[a]\n[b]\nname=second\n[c]\nwait_for=second\n");
  EXPECT_EQ(file.jobs[0].name, "a");  // fio forgets the name of [global]
  EXPECT_EQ(file.jobs[1].name, "second");
  EXPECT_EQ(file.notices, std::vector<std::string>{"t.fio: no effect in a simulated drive: name"});
}

TEST(FioParseTest, EverySectionThatBeginsSoIsGlobal) {
  const File file = parse("t.fio", "[global]\nbs=8k\n[a]\n[global-2]\nbs=16k\n[b]\n");
  ASSERT_EQ(file.jobs.size(), 2U);
  EXPECT_EQ(file.jobs[0].blocks[0].min, 8192U);
  EXPECT_EQ(file.jobs[1].blocks[0].min, 16384U);
}

TEST(FioParseTest, PercentilesOfTheReport) {
  const Job asked = job("percentile_list=99.9:50\nlat_percentiles=1\nclat_percentiles=0");
  EXPECT_EQ(asked.reporting.percentiles.list, (std::vector<double>{50, 99.9}));
  EXPECT_TRUE(asked.reporting.percentiles.lat);
  EXPECT_FALSE(asked.reporting.percentiles.clat);
  EXPECT_NE(error("percentile_list=50:101").find("expected a number from 0 to 100"), std::string::npos);
}

TEST(FioParseTest, ARefusedModeOfZonesIsTheOnlyError) {
  EXPECT_EQ(errors_of("[a]\nrw=randwrite\nzonemode=zbd\nzonesize=1m\nzoneskip=1m\n").size(), 1U);
  EXPECT_EQ(errors_of("[a]\nrw=randwrite\nzonemode=strided\nzonesize=1m\n").size(), 1U);
}

TEST(FioParseTest, UnitsFollowKbBaseWhereverItStands) {
  EXPECT_EQ(job("size=4m").amount.size->bytes, 4U << 20);
  EXPECT_EQ(job("size=4MiB").amount.size->bytes, 4'000'000U);  // fio: the other base
  EXPECT_EQ(job("size=4m\nkb_base=1000").amount.size->bytes, 4'000'000U);
  EXPECT_EQ(job("kb_base=1000\nsize=4MiB\nbs=4kib").amount.size->bytes, 4U << 20);
  EXPECT_EQ(job("kb_base=1000\nbs=4kib").blocks[0].min, 4096U);
  // Only with b at its end does a word turn the base around (fio 3.33).
  EXPECT_EQ(job("bs=1Mi").blocks[0].min, 1U << 20);
  EXPECT_EQ(job("bs=4ki").blocks[0].min, 4096U);
  EXPECT_EQ(job("kb_base=1000\nsize=4Mi").amount.size->bytes, 4'000'000U);
  EXPECT_NE(error("kb_base=1023").find("expected 1000 or 1024"), std::string::npos);
}

TEST(FioParseTest, NumbersHaveLimitsFarFromOverflow) {
  for (const char* option : {"ramp_time", "runtime", "startdelay", "thinktime", "ss_dur", "rate_cycle", "flow_sleep"}) {
    for (const char* value : {"9223372036854775807", "9223372s", "106d", "21d", "18446744073709551615d", "9e9"}) {
      if (std::string(option) == "thinktime" && std::string(value) == "9223372036854775807") continue;
      EXPECT_NE(error(std::string(option) + "=" + value).find("error: " + std::string(option) + ": expected"),
                std::string::npos)
          << option << "=" << value;
    }
  }
  EXPECT_EQ(job("ramp_time=20d").amount.ramp_time, kLongest);
  for (const char* bad : {"number_ios=18446744073709551615", "loops=5000000000", "rate_iops=99999999999999",
                          "iodepth=4g", "numjobs=-1", "verify_backlog=2000000000g", "flow=1001"}) {
    EXPECT_NE(error(bad).find("expected"), std::string::npos) << bad;
  }
}

TEST(FioParseTest, BlockSizesByDirection) {
  using Sizes = std::array<std::uint32_t, 3>;
  const auto sizes = [](const char* options) {
    const Job j = job(options);
    return Sizes{j.blocks[0].min, j.blocks[1].min, j.blocks[2].min};
  };
  EXPECT_EQ(sizes("bs=8k"), (Sizes{8192, 8192, 8192}));
  EXPECT_EQ(sizes("bs=8k,32k"), (Sizes{8192, 32768, 32768}));
  EXPECT_EQ(sizes("bs=8k,32k,64k"), (Sizes{8192, 32768, 65536}));
  EXPECT_EQ(sizes("bs=,8k"), (Sizes{4096, 8192, 8192}));
  EXPECT_EQ(sizes("bs=8k,"), (Sizes{8192, 4096, 4096}));
  EXPECT_NE(error("bs=1k,2k,3k,4k").find("at most three values"), std::string::npos);
}

TEST(FioParseTest, CountsTimesAndFlags) {
  EXPECT_EQ(job("iodepth=32").iodepth, 32U);
  EXPECT_EQ(job("numjobs=4").numjobs, 4U);
  EXPECT_EQ(job("number_ios=1000").amount.number_ios, 1000U);
  EXPECT_EQ(job("randseed=99").pattern.randseed, 99U);
  EXPECT_EQ(job("rwmixread=70").pattern.read_percent, 70U);
  EXPECT_EQ(job("rwmixwrite=70").pattern.read_percent, 30U);
  EXPECT_EQ(job("runtime=10").amount.runtime, 10'000_ms);
  EXPECT_EQ(job("runtime=10s").amount.runtime, 10'000_ms);
  EXPECT_EQ(job("timeout=5ms").amount.runtime, 5_ms);
  EXPECT_EQ(job("runtime=7us").amount.runtime, 7_us);
  EXPECT_EQ(job("runtime=2m").amount.runtime, 120'000_ms);
  EXPECT_EQ(job("runtime=1h").amount.runtime, 3'600'000_ms);
  EXPECT_EQ(job("runtime=1d").amount.runtime, 86'400'000_ms);
  EXPECT_FALSE(job("runtime=0").amount.runtime);
  EXPECT_TRUE(job("time_based\nruntime=1").amount.time_based);
  EXPECT_TRUE(job("time_based=1\nruntime=1").amount.time_based);
  EXPECT_FALSE(job("time_based=0").amount.time_based);
  EXPECT_TRUE(job("norandommap").pattern.norandommap);
  EXPECT_FALSE(job("norandommap=0").pattern.norandommap);
  EXPECT_EQ(job("description=any words at all").name, "a");
  for (const char* bad :
       {"iodepth=0", "iodepth=70000", "iodepth=x", "numjobs=0", "number_ios=0", "rwmixread=101", "rwmixwrite=-1",
        "runtime=5min", "time_based=2", "norandommap=maybe", "randseed=", "runtime=200d"}) {
    EXPECT_NE(error(bad).find("dir/t.fio:2: error: "), std::string::npos) << bad;
  }
  EXPECT_EQ(job("runtime=1.5").amount.runtime, 1'500_ms);
  const File alone = parse("t.fio", "[a]\ntime_based\n");
  EXPECT_FALSE(alone.jobs[0].amount.time_based);
  EXPECT_EQ(alone.notices, std::vector<std::string>{"t.fio: job 'a': time_based without runtime has no effect"});
}

TEST(FioParseTest, Distributions) {
  EXPECT_EQ(job("random_distribution=random").pattern.distribution, Distribution::kRandom);
  EXPECT_EQ(job("random_distribution=zipf").pattern.distribution_parameter, 1.1);
  EXPECT_EQ(job("random_distribution=zipf:1.2:0.5").pattern.distribution_center, 0.5);
  EXPECT_LT(job("random_distribution=zipf:1.2").pattern.distribution_center, 0);
  const Job zipf = job("random_distribution=zipf:0.9");
  EXPECT_EQ(zipf.pattern.distribution, Distribution::kZipf);
  EXPECT_EQ(zipf.pattern.distribution_parameter, 0.9);
  EXPECT_EQ(job("random_distribution=pareto:0.3").pattern.distribution, Distribution::kPareto);
  EXPECT_EQ(job("random_distribution=pareto").pattern.distribution_parameter, 0.2);
  EXPECT_EQ(job("random_distribution=normal:10").pattern.distribution, Distribution::kNormal);
  EXPECT_EQ(job("random_distribution=normal").pattern.distribution, Distribution::kNormal);
  EXPECT_EQ(job("random_distribution=normal").pattern.distribution_parameter, 0);
  for (const char* bad :
       {"zipf:1", "zipf:0", "zipf:x", "zipf:11", "pareto:1", "pareto:0", "normal:100", "normal:-1", "normal:101",
        "zipf:1.1:1.5", "zipf:1.1:x", "gauss", "zoned:50/5", "zoned:101/5", "zoned:50/60:50/60", "zoned", "random:1"}) {
    EXPECT_NE(error("random_distribution=" + std::string(bad)).find("random_distribution: expected"), std::string::npos)
        << bad;
  }
}

TEST(FioParseTest, GlobalHoldsForTheJobsBelowIt) {
  const File file = parse("t.fio",
                          "; a comment\n[global]\nbs=8k # and another\niodepth = 4\n\n[one]\nrw=randread\n"
                          "[two]\r\niodepth=16\r\n[global]\nbs=64k\n[three]\n");
  ASSERT_EQ(file.jobs.size(), 3U);
  EXPECT_EQ(file.jobs[0].blocks[0].min, 8192U);
  EXPECT_EQ(file.jobs[0].iodepth, 4U);
  EXPECT_TRUE(file.jobs[0].pattern.random);
  EXPECT_EQ(file.jobs[1].iodepth, 16U);
  EXPECT_FALSE(file.jobs[1].pattern.random);
  EXPECT_EQ(file.jobs[1].name, "two");
  EXPECT_EQ(file.jobs[1].line, 8U);
  EXPECT_EQ(file.jobs[2].blocks[0].min, 65536U);
  EXPECT_EQ(file.jobs[2].iodepth, 4U);
}

TEST(FioParseTest, OptionsWithoutEffectAreNamedOnce) {
  const File file = parse("t.fio", "[global]\ninvalidate=1\ndirect=1\n[a]\ninvalidate=0\nthread\n");
  ASSERT_EQ(file.notices.size(), 1U);
  EXPECT_EQ(file.notices[0], "t.fio: no effect in a simulated drive: invalidate direct thread");
  EXPECT_TRUE(parse("t.fio", "[a]\nbs=4k\n").notices.empty());
}

TEST(FioParseTest, RefusedOptionsSayWhyUnlessTheyAreOff) {
  EXPECT_EQ(error("latency_target=500"),
            "dir/t.fio:2: error: fio option 'latency_target=500' is refused: latency targets would have to change the "
            "queue depth while the job runs; run the depths one by one");
  EXPECT_EQ(error("ioengine=net"),
            "dir/t.fio:2: error: fio option 'ioengine=net' is refused: it sends over a network; no drive takes part");
  EXPECT_NE(error("zonemode=zbd").find("is refused: zbd is of a device with zones"), std::string::npos);
  EXPECT_NE(error("size=8z").find("is refused: z counts the zones"), std::string::npos);
  EXPECT_NE(error("ioengine=nosuch").find("ioengine: expected an engine of fio"), std::string::npos);
  EXPECT_EQ(job("ioengine=spdk_bdev\nspdk_json_conf=a.json\nspdk_mem=512").engine, "spdk_bdev");
  for (const char* library : {"external:/usr/lib/x.so", "/usr/lib/spdk_nvme", "./x.so"}) {
    EXPECT_EQ(job(std::string("ioengine=") + library).engine, "external") << library;
    EXPECT_FALSE(job(std::string("ioengine=") + library).synchronous);
  }
  EXPECT_TRUE(errors_of("[a]\nlatency_target=0\n").empty());
  EXPECT_TRUE(errors_of("[a]\nfsync=0\nverify=0\nzonemode=none\n").empty());
}

TEST(FioParseTest, EveryOptionIsInOneTable) {
  std::vector<std::string_view> names;
  for (const auto& rows : {pattern_options(), amount_options(), pacing_options()}) {
    for (const auto& row : rows) names.push_back(row.name);
  }
  for (const auto& row : noted_options()) names.push_back(row);
  for (const auto& row : refused_options()) {
    names.push_back(row.name);
    EXPECT_FALSE(row.reason.empty()) << row.name;
  }
  EXPECT_GT(names.size(), 350U);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  EXPECT_EQ(twice, names.end()) << *twice;
}

TEST(FioParseTest, EnginesThatWaitKeepOneRequestInFlight) {
  for (const char* engine : {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"}) {
    const File file = parse("t.fio", std::string("[a]\niodepth=32\nioengine=") + engine + "\n");
    EXPECT_EQ(file.jobs[0].depth(), 1U) << engine;
    ASSERT_EQ(file.notices.size(), 1U) << engine;
    EXPECT_EQ(file.notices[0],
              std::string("t.fio: job 'a': ") + engine + " keeps one request in flight, whatever iodepth says");
  }
  for (const char* engine : {"libaio", "io_uring", "null", "posixaio"}) {
    EXPECT_EQ(job(std::string("iodepth=32\nioengine=") + engine).depth(), 32U) << engine;
  }
  EXPECT_EQ(job("iodepth=32\nioengine=psync\nio_submit_mode=offload").depth(), 32U);
  const File none = parse("t.fio", "[a]\niodepth=32\n");
  EXPECT_EQ(none.jobs[0].depth(), 32U);
  ASSERT_EQ(none.notices.size(), 1U);
  EXPECT_NE(none.notices[0].find("no ioengine is given: iodepth 32 is kept"), std::string::npos);
}

TEST(FioParseTest, SplitsAndRangesOfSizes) {
  const Job split = job("bssplit=4k/50:8k/:16k/,32k/100");
  ASSERT_EQ(split.blocks[0].split.size(), 3U);
  EXPECT_EQ(split.blocks[0].split[2].percent, 25);
  EXPECT_EQ(split.blocks[0].min, 4096U);
  EXPECT_EQ(split.blocks[0].max, 16384U);
  EXPECT_EQ(split.blocks[2].min, 32768U);
  const Job range = job("bsrange=1k-4k,8k:2k");
  EXPECT_EQ(range.blocks[0].max, 4096U);
  EXPECT_EQ(range.blocks[1].min, 2048U);
  EXPECT_EQ(range.blocks[2].max, 8192U);
  for (const char* bad : {"bssplit=4k/60:8k/60", "bssplit=4k/x", "bssplit=100/50", "bssplit=4k/0", "bsrange=4k",
                          "bsrange=0-4k", "bsrange=4k-5000"}) {
    EXPECT_NE(error(bad).find("expected"), std::string::npos) << bad;
  }
}

TEST(FioParseTest, RatesAndTheirMinima) {
  const Job j = job("rate=1m,500k,\nrate_min=100k");
  EXPECT_EQ(j.pacing.rate, (ByOp<std::uint64_t>{1 << 20, 500 << 10, 0}));
  EXPECT_EQ(j.pacing.rate_min[2], 100U << 10);
  EXPECT_NE(error("rate=1m\nrate_iops=5").find("exclude each other"), std::string::npos);
  EXPECT_NE(error("rate_iops=5\nrate_iops_min=6").find("is more than their rate"), std::string::npos);
}

TEST(FioParseTest, JobsWaitForJobsAboveThem) {
  EXPECT_EQ(errors_of("[a]\nwait_for=b\n[b]\n"),
            std::vector<std::string>{"dir/t.fio:1: error: job 'a': wait_for=b: no job above it has this name"});
  EXPECT_TRUE(errors_of("[b]\n[a]\nwait_for=b\n").empty());
}

TEST(FioParseTest, EnvironmentVariablesAreReplacedAndAMissingOneIsNamed) {
  ASSERT_EQ(setenv("WORDLINE_FIO_TEST", "16", 1), 0);
  EXPECT_EQ(job("bs=${WORDLINE_FIO_TEST}k").blocks[0].min, 16384U);
  EXPECT_EQ(error("bs=${WORDLINE_FIO_TEST_NOT}"),
            "dir/t.fio:2: error: environment variable 'WORDLINE_FIO_TEST_NOT' is not set; set it: "
            "WORDLINE_FIO_TEST_NOT=VALUE wordline ...");
  EXPECT_NE(error("bs=${WORDLINE").find("expected '}'"), std::string::npos);
  // What has no effect here needs no value.
  EXPECT_TRUE(errors_of("[a]\ndirectory=${WORDLINE_FIO_TEST_NOT}\nuri=${WORDLINE_FIO_TEST_NOT}\n").empty());
  EXPECT_TRUE(errors_of("[a]\ncpus_allowed=0-$ncpus\n").empty());
  EXPECT_NE(error("size=$mb_memory").find("would make results depend on the machine"), std::string::npos);
}

TEST(FioParseTest, IncludesAreReadBesideTheFile) {
  const std::string folder = testing::TempDir() + "fio_include";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/common.fio") << "; shared\nbs=16k\niodepth=4\n";
  std::ofstream(folder + "/circle.fio") << "include circle.fio\n";
  const File file = parse(folder + "/t.fio", "[global]\ninclude common.fio\n[a]\nioengine=libaio\n");
  EXPECT_EQ(file.jobs[0].blocks[0].min, 16384U);
  EXPECT_EQ(file.jobs[0].iodepth, 4U);
  const auto include = [&](const std::string& name) -> std::string {
    try {
      (void)parse(folder + "/t.fio", "[a]\ninclude " + name + "\n");
    } catch (const WorkloadError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(include("none.fio").find("/t.fio:2: error: include none.fio: "), std::string::npos) << include("none.fio");
  EXPECT_NE(include("circle.fio").find("is there a circle?"), std::string::npos);
}

TEST(FioParseTest, OptionsAreKeptAsWrittenForResults) {
  const File file = parse("t.fio", "[global]\nbs=8k\nthread\n[a]\niodepth=4\nioengine=libaio\n");
  EXPECT_EQ(file.globals, (OptionList{{"bs", "8k"}, {"thread", "1"}}));
  EXPECT_EQ(file.jobs[0].options, (OptionList{{"iodepth", "4"}, {"ioengine", "libaio"}}));
}

TEST(FioParseTest, UnknownOptionNamesTheNearest) {
  EXPECT_EQ(error("iodepht=4"), "dir/t.fio:2: error: unknown option 'iodepht' (did you mean 'iodepth'?)");
  EXPECT_EQ(error("blocksise=4k"), "dir/t.fio:2: error: unknown option 'blocksise' (did you mean 'blocksize'?)");
  EXPECT_EQ(error("sizee=1m"), "dir/t.fio:2: error: unknown option 'sizee' (did you mean 'size'?)");
  EXPECT_EQ(error("qwertzuiop=1"), "dir/t.fio:2: error: unknown option 'qwertzuiop'");
  EXPECT_EQ(nearest_option("rand_seed"), "randseed");
  EXPECT_EQ(nearest_option("group_reportin"), "group_reporting");
}

TEST(FioParseTest, AllErrorsOfAFileWithTheirLines) {
  auto errors = errors_of(
      "bs=4k\n[global]\niodepth=0\n\n[a]\nsize=x\nfoo_bar_baz=1\ninclude other.fio\nbs=${BS_OF_NOBODY}\n[b\n");
  std::sort(errors.begin(), errors.end());
  std::vector<std::string> starts = {"dir/t.fio:1: error: option 'bs' before the first section",
                                     "dir/t.fio:3: error: iodepth: expected",
                                     "dir/t.fio:6: error: size: expected",
                                     "dir/t.fio:7: error: unknown option 'foo_bar_baz'",
                                     "dir/t.fio:8: error: include other.fio: ",
                                     "dir/t.fio:9: error: environment variable 'BS_OF_",
                                     "dir/t.fio:10: error: expected a section [name]"};
  std::sort(starts.begin(), starts.end());
  ASSERT_EQ(errors.size(), starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) EXPECT_EQ(errors[i].rfind(starts[i], 0), 0U) << errors[i];
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
}  // namespace wordline::workload::fio::fio_parse_test
