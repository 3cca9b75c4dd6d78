// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/self_test.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "models/units/quantity.h"

namespace wordline::host::nvme {
namespace {

constexpr std::uint64_t kReadsAtATime = 8;
constexpr std::uint64_t kMinute = 60'000'000'000'000;  // ps

}  // namespace

std::uint16_t SelfTest::extended_minutes(const config::Config& config, std::uint64_t lbas) {
  const auto& t_r = config.nand.timing.t_r;
  const std::uint64_t sum =
      std::accumulate(t_r.begin(), t_r.end(), std::uint64_t{0},
                      [](std::uint64_t all, Picoseconds one) { return all + static_cast<std::uint64_t>(one.count()); });
  const std::uint64_t read = t_r.empty() ? 0 : sum / t_r.size();
  const std::uint64_t pages = lbas * 512 / lpage_size_of(config).bytes();
  const std::uint64_t minutes = (pages / kReadsAtATime) * (read / 1'000'000) / (kMinute / 1'000'000) + 1;
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(minutes, 0xffff));
}

void SelfTest::name_blocks(std::byte* log, const Namespaces& namespaces) {
  using namespace self_test_log;
  for (std::size_t i = 0; i != kMost; ++i) {
    std::byte* result = log + kResults + i * kResultBytes;
    if ((std::to_integer<std::uint8_t>(result[kValid]) & kLbaValid) == 0) continue;
    std::uint64_t block = 0;
    std::memcpy(&block, result + kLba, sizeof block);
    for (std::uint32_t nsid = 1; nsid <= namespaces.count(); ++nsid) {
      const config::Namespace& own = namespaces.at(nsid);
      if (block < own.first || block >= own.end()) continue;
      const std::uint64_t lba = (block - own.first) >> namespaces.shift();
      std::memcpy(result + kLba, &lba, sizeof lba);
      std::memcpy(result + kNsid, &nsid, sizeof nsid);
      result[kValid] |= std::byte{kNsidValid};
    }
  }
}

}  // namespace wordline::host::nvme
