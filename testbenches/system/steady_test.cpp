// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a run says rightly how far its numbers can be trusted. Over many drives: interval_coverage_test.py.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::steady_test {
namespace {

using Json = nlohmann::json;

std::string job(const std::string& rw, std::uint64_t requests, const std::string& more = {}) {
  return "[a]\nrw=" + rw + "\nbs=4k\niodepth=32\nnorandommap\nio_size=100000%\nnumber_ios=" + std::to_string(requests) +
         "\n" + more;
}

// The write buffer of 4,096 pages swallows 5,000 writes: 443,000 IOPS of a drive that does 92,000.
TEST(SteadyState, IsNotThatOfAWriteBufferThatFillsUp) {
  const std::vector<std::string> keys{"cpu.model=native", "channels.count=2"};
  const Json swallowed = run_drive({"configs/ssds/ref_tlc32.toml", job("randwrite", 5000), keys, {}}).result;
  EXPECT_EQ(swallowed["steady"]["class"], "too_short");
  EXPECT_NE(swallowed["steady"]["reason"].get<std::string>().find("the warm-up went on until request"),
            std::string::npos);
  const Json full = run_drive({"configs/ssds/ref_tlc32.toml", job("randwrite", 60'000), keys, {}}).result;
  EXPECT_EQ(full["steady"]["class"], "before_gc");
  const double truth = full["ios"]["write"]["interval"]["iops"]["value"];
  EXPECT_GT(swallowed["ios"]["write"]["iops"].get<double>(), 4 * truth);
  std::vector<std::string> until = keys;
  until.emplace_back("run.until=2%");
  // The job's own 5,000 requests are not its end then.
  const Json sure = run_drive({"configs/ssds/ref_tlc32.toml", job("randwrite", 5000), until, {}}).result;
  EXPECT_EQ(sure["steady"]["class"], "before_gc");
  EXPECT_NEAR(sure["ios"]["write"]["iops"].get<double>(), truth, 0.02 * truth);
  EXPECT_GT(sure["window"]["ramp_requests"].get<double>(), 3000) << "the fill of the buffer is not measured";
  EXPECT_LT(sure["ios"]["write"]["count"].get<double>(), 30'000);
  EXPECT_EQ(sure["bottleneck"]["resource"], "dies");
}

TEST(SteadyState, BeginsAsADriveAtWork) {
  const std::vector<std::string> keys{"cpu.model=native", "precondition.fill=steady", "ftl.over_provisioning=0.25"};
  // Three superblocks of 768 pages.
  const Json begin = run_drive({"configs/ssds/small.toml", job("randwrite", 1000), keys, {}}).result;
  const Json later = run_drive({"configs/ssds/small.toml", job("randwrite", 30'000), keys, {}}).result;
  const double waf = begin["steady"]["waf_of_state"];
  EXPECT_NEAR(waf, 3.1, 0.2);
  EXPECT_EQ(later["steady"]["waf_of_state"], waf);
  EXPECT_NEAR(later["steady"]["waf"].get<double>(), waf, 0.1 * waf);
  EXPECT_GT(begin["gc"]["superblocks"].get<double>(), 2) << "GC is at work from the first writes on";
  EXPECT_LE(begin["gc"]["free_superblocks"].get<double>(), 2);
  // The write buffer alone is empty at the begin.
  const double buffered = begin["flash"]["buffered_sectors"];
  const double programmed = begin["flash"]["sectors_programmed"];
  EXPECT_NEAR((programmed + buffered * waf) / 1000, waf, 0.2 * waf);
}

TEST(SteadyState, SaysHowManySuperblocksAreMissing) {
  const std::vector<std::string> keys{"cpu.model=native", "precondition.fill=steady"};
  const Json run = run_drive({"configs/ssds/small.toml", job("randwrite", 3000), keys, {}}).result;
  EXPECT_NE(run["steady"]["class"], "steady");
  const Json state = run_drive({"configs/ssds/small.toml", job("randread", 3000, "iodepth=4\n"), keys, {}}).result;
  EXPECT_EQ(state["steady"]["class"], "steady") << "reads need none";
  EXPECT_TRUE(state["steady"]["waf"].is_null());
}

// Skewed writes make another state than that of the uniform ones, with nearly the same write amplification for a while:
// a run of 9,000 was told steady and had 5 % less in the end. So do long ones: 2 to 5 % more.
TEST(SteadyState, WritesThatAreNotOverTheWholeDriveTurnItOverFirst) {
  const std::vector<std::string> keys{"cpu.model=native", "precondition.fill=steady"};
  const auto needed = [&](const std::string& more) {
    const Json run = run_drive({"configs/ssds/small.toml", job("randwrite", 3000, more), keys, {}}).result;
    return run["steady"]["superblocks_needed"].get<std::uint64_t>();
  };
  EXPECT_EQ(needed(""), 4U + 16U);
  for (const char* other : {"random_distribution=zipf:0.5\n", "size=50%\n", "offset=50%\n", "rw=write\n", "bs=64k\n"}) {
    EXPECT_EQ(needed(other), 3U * 64U + 16U) << other;
  }
}

// GC turns a drive of little spare over seven times while the host writes it anew once, and only the host gathers what
// becomes stale together: after three turns write amplification was still off by 12 %, and the rate by 6 %.
TEST(SteadyState, LongWritesWriteTheDriveAnewFirst) {
  const std::vector<std::string> keys{"cpu.model=native", "precondition.fill=steady"};
  const auto reason = [&](const std::string& more) {
    const Json run =
        run_drive({"configs/ssds/small.toml", job("randwrite", 6500, "iodepth=4\n" + more), keys, {}}).result;
    EXPECT_EQ(run["steady"]["class"], "not_steady");
    return run["steady"]["reason"].get<std::string>();
  };
  for (const char* other :
       {"bs=64k\n", "bs=64k\nrandom_distribution=zipf:0.5\n", "bs=64k\nsize=50%\nio_size=100000%\n"}) {
    EXPECT_NE(reason(other).find(" of " + std::to_string(3 * 42'740) + " pages written"), std::string::npos)
        << reason(other);
  }
  // A unit of the map at a time, all over the drive: there GC parts what is hot from what is not.
  EXPECT_EQ(reason("random_distribution=zipf:0.5\n").find("pages written"), std::string::npos);
}

TEST(Until, TheSameRunTwiceAndNoLongerThanAsked) {
  // Of eight seeds one, the first, is judged not steady at the end.
  const std::vector<std::string> keys{"cpu.model=native", "precondition.fill=steady", "run.seed=3", "run.until=5%"};
  const auto once = run_drive({"configs/ssds/small.toml", job("randrw", 100), keys, {}});
  const auto again = run_drive({"configs/ssds/small.toml", job("randrw", 100), keys, {}});
  EXPECT_EQ(once.result_text, again.result_text);
  const Json& r = once.result;
  EXPECT_EQ(r["steady"]["class"], "steady") << r["steady"]["reason"];
  for (const char* op : {"read", "write"}) {
    const Json& mean = r["ios"][op]["interval"]["mean_ps"];
    EXPECT_LE(mean["high"].get<double>(), 1.05 * mean["value"].get<double>()) << op;
    EXPECT_GE(mean["low"].get<double>(), 0.95 * mean["value"].get<double>()) << op;
  }
  EXPECT_GE(r["steady"]["superblocks_collected"], 20);
  std::vector<std::string> few = keys;
  few.back() = "run.until=0.1%";
  few.emplace_back("run.until_requests=20000");
  const Json given_up = run_drive({"configs/ssds/small.toml", job("randrw", 100), few, {}}).result;
  EXPECT_NEAR(given_up["steady"]["since_requests"].get<double>() + given_up["steady"]["requests"].get<double>(), 20'000,
              1500);
}

TEST(Until, APercentileCanBeAskedFor) {
  std::vector<std::string> keys{"cpu.model=native", "precondition.fill=sequential", "run.until=5%"};
  const Json mean = run_drive({"configs/ssds/small.toml", job("randread", 100), keys, {}}).result;
  keys.emplace_back("run.until_percentile=99");
  const Json tail = run_drive({"configs/ssds/small.toml", job("randread", 100), keys, {}}).result;
  EXPECT_GT(tail["ios"]["read"]["count"].get<double>(), mean["ios"]["read"]["count"].get<double>());
  const Json& p99 = tail["ios"]["read"]["interval"]["p99_ps"];
  EXPECT_LE(p99["high"].get<double>(), 1.05 * p99["value"].get<double>());
  EXPECT_GE(p99["low"].get<double>(), 0.95 * p99["value"].get<double>());
}

TEST(Until, AReadRateThatTheDriveDoesNotReachIsOverload) {
  const std::vector<std::string> keys{"cpu.model=native", "precondition.fill=sequential", "run.until=5%"};
  const Json over =
      run_drive({"configs/ssds/small.toml", job("randread", 100, "rate_iops=10000000\n"), keys, {}}).result;
  EXPECT_EQ(over["steady"]["class"], "overload");
  EXPECT_EQ(over["steady"]["offered_iops"], 10'000'000.0);
  const Json under = run_drive({"configs/ssds/small.toml", job("randread", 100, "rate_iops=1000\n"), keys, {}}).result;
  EXPECT_EQ(under["steady"]["class"], "steady") << under["steady"]["reason"];
  EXPECT_NEAR(under["ios"]["read"]["iops"].get<double>(), 1000, 5);
}

TEST(Until, JobsThatWaitForEachOtherAreRefused) {
  const std::string two =
      scratch_file("two.fio", job("randread", 100) + "[b]\nstonewall\nrw=randwrite\nbs=4k\nnumber_ios=10\n");
  const auto run = wordline({"run", "configs/ssds/small.toml", "-w", two, "--until", "5%"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.output.find("job [b] waits for another one"), std::string::npos) << run.output;
  const auto bad = wordline({"run", "configs/ssds/small.toml", "-w", two, "--until", "5"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.output.find("run.until is \"5\", expected \"end\", \"snia\" or how narrow"), std::string::npos)
      << bad.output;
}

}  // namespace
}  // namespace wordline::testing::steady_test
