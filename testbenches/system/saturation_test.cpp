// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// More writes than flash takes, in a closed loop: how long each of them waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::saturation_test {
namespace {

constexpr double kQueue = 256;

struct Saturated {
  double iops, p50, p99;  // seconds
};

/// The write buffer is as large as the queue of the host; the queue is twice that.
Saturated saturate(std::vector<std::string> more) {
  std::vector<std::string> sets{"cpu.model=native",      "precondition.fill=steady", "ftl.over_provisioning=0.2",
                                "ftl.write_buffer=2MiB", "channels.suspend=both",    "host.queue_entries=1024",
                                "nvme.tags=512"};
  std::move(more.begin(), more.end(), std::back_inserter(sets));
  const auto run = run_drive({"configs/ssds/small.toml",
                              "[w]\nioengine=libaio\nrw=randwrite\nbs=4k\niodepth=256\nnorandommap\ntime_based\n"
                              "ramp_time=2\nruntime=4\n",
                              sets,
                              {}});
  const auto& write = run.result["ios"]["write"];
  const auto seconds = [&write](const char* name) { return write["lat_ps"][name].get<double>() * 1e-12; };
  return {write["iops"].get<double>(), seconds("p50"), seconds("p99")};
}

// Each write waits as long as the others: the queue over the rate, whatever flash does meanwhile; and the rate is that
// of a drive that takes what it can.
TEST(Admission, AtTheMeanRateEveryWriteWaitsEquallyLong) {
  const Saturated free = saturate({});
  const Saturated mean = saturate({"ftl.admission=mean_rate"});
  EXPECT_GT(free.p99 / free.p50, 1.25) << "else there is nothing to even out";
  EXPECT_LT(mean.p99 / mean.p50, 1.1);
  EXPECT_NEAR(mean.p99 * mean.iops / kQueue, 1, 0.05);
  EXPECT_NEAR(mean.iops / free.iops, 1, 0.03);
}

}  // namespace
}  // namespace wordline::testing::saturation_test
