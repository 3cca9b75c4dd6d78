// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// nvme.namespaces: one behind the other, whole 64 KiB, nothing left over.
#include <gtest/gtest.h>

#include "models/config/namespaces.h"
#include "models/units/keyed_random.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::namespaces_test {
namespace {

class Namespaces : public DriveFile {};

TEST_F(Namespaces, SharesAreOneTogether) {
  EXPECT_EQ(with({"nvme.namespaces=[0.5, 0.25, 0.25]"}), "");
  EXPECT_EQ(with({"nvme.namespaces=[1.0]"}), "");
  EXPECT_EQ(with({"nvme.namespaces=[0.3333333, 0.3333333, 0.3333334]"}), "");
  EXPECT_EQ(with({"nvme.namespaces=[0.5, 0.25]"}),
            "--set nvme.namespaces=[0.5, 0.25]: error: nvme.namespaces are 0.75 of the exported capacity together, "
            "expected 1: capacity that the host does not see is ftl.over_provisioning");
  EXPECT_NE(with({"nvme.namespaces=[0.000001, 0.999999]", "nand.blocks_per_plane=32", "ftl.over_provisioning=0.4"})
                .find("namespace 1 has 0 blocks of 512 bytes, expected at "
                      "least 128: give it a larger share"),
            std::string::npos);
  EXPECT_NE(with({"nvme.namespaces=[0.5, 0.5]", "host.model=direct"}).find("host.model = nvme"), std::string::npos);
}

TEST(NamespacesOf, CoverTheDriveWithoutAGap) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    config::Config config{};
    const unsigned count = 1 + static_cast<unsigned>(keyed_hash(seed, 1) % 32);
    double sum = 0;
    for (unsigned i = 0; i < count; ++i) {
      config.nvme.namespaces.push_back(1 + static_cast<double>(keyed_hash(seed, 2, i) % 100));
      sum += config.nvme.namespaces.back();
    }
    for (double& share : config.nvme.namespaces) share /= sum;
    const std::uint64_t lbas = 1'000'000 + keyed_hash(seed, 3) % (1ULL << 32);
    const std::vector<config::Namespace> all = config::namespaces_of(config, lbas);
    ASSERT_EQ(all.size(), count);
    EXPECT_EQ(all.front().first, 0U);
    EXPECT_EQ(all.back().end(), lbas);
    for (unsigned i = 0; i < count; ++i) {
      EXPECT_EQ(all[i].first % config::kNamespaceGrain, 0U);
      EXPECT_EQ(all[i].first, i == 0 ? 0 : all[i - 1].end());
      EXPECT_NEAR(static_cast<double>(all[i].lbas), config.nvme.namespaces[i] * static_cast<double>(lbas),
                  config::kNamespaceGrain + 1.0);
    }
  }
}

}  // namespace
}  // namespace wordline::testing::namespaces_test
