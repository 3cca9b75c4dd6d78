// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/self_test.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/nand/timing.h"

namespace wordline::host::nvme {
namespace {

constexpr double kReadsAtATime = 8;
constexpr double kMinute = 60e12;  // ps

}  // namespace

std::uint16_t extended_self_test_minutes(const config::Config& config, std::uint64_t lbas) {
  const config::Layout layout = config::layout_of(config);
  const nand::ArrayPlans plans(config.nand, layout);
  std::uint64_t reads_ps = 0;  // one of each page type
  for (unsigned type = 0; type < layout.page_types; ++type)
    reads_ps += static_cast<std::uint64_t>(plans.read(type).total().count());
  const double lpages = static_cast<double>(lbas * 512) / static_cast<double>(layout.lpage.bytes());
  const double ps = lpages / kReadsAtATime * static_cast<double>(reads_ps) / layout.page_types;
  return static_cast<std::uint16_t>(std::min(std::floor(ps / kMinute) + 1, 65535.0));
}

Status place_self_test(SubmissionEntry& sqe, const Namespaces& namespaces) {
  const std::uint32_t code = sqe.cdw10 & 0xfU;
  if (code != kSelfTestShort && code != kSelfTestExtended && code != kSelfTestAbort) return kInvalidField;
  const bool one = namespaces.has(sqe.nsid);
  if (!one && sqe.nsid != 0 && sqe.nsid != kAllNamespaces) return namespaces.refusal(sqe.nsid);
  const std::uint64_t first = one ? namespaces.at(sqe.nsid).first : 0;
  const std::uint64_t blocks = one ? namespaces.at(sqe.nsid).lbas : sqe.nsid == 0 ? 0 : namespaces.capacity();
  sqe.cdw12 = static_cast<std::uint32_t>(first);
  sqe.cdw13 = static_cast<std::uint32_t>(first >> 32);
  sqe.cdw14 = static_cast<std::uint32_t>(blocks);
  sqe.cdw15 = static_cast<std::uint32_t>(blocks >> 32);
  return kSuccess;
}

void name_blocks_of_self_tests(std::byte* log, const Namespaces& namespaces) {
  using namespace self_test_log;
  for (std::size_t i = 0; i != kMost; ++i) {
    std::byte* result = log + kResults + i * kResultBytes;
    if ((std::to_integer<std::uint8_t>(result[kValid]) & kLbaValid) == 0) continue;
    std::uint64_t block = 0;
    std::memcpy(&block, result + kLba, sizeof block);
    for (std::uint32_t nsid = 1; nsid <= namespaces.last(); ++nsid) {
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
