// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/host_check.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "models/config/namespaces.h"
#include "models/config/schema.h"

namespace wordline::config {
namespace {

constexpr Picoseconds kCoalescingUnit{100'000'000};  // TIME of Features 08h counts 100 us
constexpr Picoseconds kReadyUnit{500'000'000'000};
constexpr std::uint64_t kPage = 4096, kEntry = 64;  // bytes: of the host's pages, of a submission entry

/// Of metadata of blocks, which lie with a logical page in buffers and on flash.
void metadata_conflicts(const Config& config, std::vector<Conflict>& found) {
  if (config.nvme.metadata == BlockMetadata::kNone) return;
  const auto refuse = [&found](std::vector<std::string_view> keys, std::string text) {
    keys.insert(keys.begin(), "nvme.metadata");
    found.push_back({std::move(keys), "nvme.metadata with " + std::move(text)});
  };
  const NandGeometry& g = config.nand.geometry;
  if (config.nvme.lba_size == LbaSize::k512 && !has_room_for_small_blocks(g)) {
    const std::uint64_t each = spare_of_small_blocks();
    refuse({"nvme.lba_size", "nand.spare"},
           fmt::format("nvme.lba_size = 512B and nand.spare = {}B, expected nand.spare >= {}B: {} bytes of CRC, "
                       "parity and metadata per 2 KiB of nand.page; or nvme.lba_size = 4KiB",
                       g.spare.count(), g.page / Bytes(LpageSize::kCodewordUserBytes) * each, each));
  }
  if (lpage_size_of(config).lbas() < kLbasPerHostPage) {
    refuse({"nand.page"},
           "nand.page = 2KiB, expected pages of 4 KiB or more: a block of 4 KiB and its metadata lie in "
           "one logical page");
  }
  if (config.ftl.recovery != Recovery::kNone) {
    refuse({"ftl.recovery"},
           "ftl.recovery = scan, expected ftl.recovery = none: what a mount finds on flash is content without the "
           "metadata that the host has put with it");
  }
  if (!config.engines[engines::EngineId::kParse].on) {
    refuse({"engines.parse"},
           "engines.parse = off, expected engines.parse = on: the firmware's parser knows no metadata");
  }
  if (config.ecc.model == EccModel::kRtl) {
    refuse({"ecc.model"},
           "ecc.model = rtl, expected ecc.model = calibrated: the codewords of the gates have no room for them");
  }
}

}  // namespace

std::vector<Conflict> host_conflicts(const Config& config) {
  const Host& host = config.host;
  const std::uint32_t pairs = host.queue_pairs == 0 ? host.cores : host.queue_pairs;
  std::vector<Conflict> found;
  if (host.queue_pairs > host.cores) {
    found.push_back({{"host.queue_pairs", "host.cores"},
                     fmt::format("host.queue_pairs = {} with host.cores = {}, expected host.queue_pairs <= host.cores: "
                                 "a core uses one pair, so the others would stay empty",
                                 host.queue_pairs, host.cores)});
  }
  if (host.completion_queues > pairs) {
    found.push_back(
        {{"host.completion_queues", "host.queue_pairs"},
         fmt::format("host.completion_queues = {} with {} queue pairs, expected host.completion_queues <= {}: a pair "
                     "completes in one queue, so the others would stay empty",
                     host.completion_queues, pairs, pairs)});
  }
  if (host.completion == HostCompletion::kPolling) {
    const auto needs_interrupts = [&found](const char* key) {
      found.push_back({{key, "host.completion"},
                       fmt::format("{} has no effect with host.completion = polling, expected host.completion = "
                                   "interrupt",
                                   key)});
    };
    if (host.interrupt_cost > Picoseconds(0)) needs_interrupts("host.interrupt_cost");
    if (host.coalescing_entries > 1) needs_interrupts("host.coalescing_entries");
  }
  if (!host.weights.empty() && host.weights.size() != 3) {
    found.push_back(
        {{"host.weights"},
         fmt::format("host.weights has {} of 3 weights, expected those of low, medium and high", host.weights.size())});
  }
  if (host.priorities.size() > pairs) {
    found.push_back({{"host.priorities", "host.queue_pairs"},
                     fmt::format("host.priorities has {} classes, expected at most {}: one for each queue pair",
                                 host.priorities.size(), pairs)});
  }
  if (host.coalescing_time.count() % kCoalescingUnit.count() != 0) {
    found.push_back({{"host.coalescing_time"}, "host.coalescing_time is no multiple of 100us, which NVMe counts in"});
  }
  if (config.nvme.cmb % kPage != 0)
    found.push_back({{"nvme.cmb"}, "nvme.cmb is no multiple of 4KiB, which NVMe counts in"});
  for (const auto& [key, bytes] : {std::pair{"nvme.hmb", config.nvme.hmb}, std::pair{"host.hmb", host.hmb}}) {
    if (static_cast<std::uint64_t>(bytes.count()) % kPage != 0)
      found.push_back({{key}, fmt::format("{} is no multiple of 4KiB, which NVMe counts in", key)});
  }
  if (config.nvme.hmb.count() == 0 && !is_default("host.hmb", config)) {
    found.push_back({{"host.hmb", "nvme.hmb"},
                     "host.hmb has no effect with nvme.hmb = 0B, expected nvme.hmb above 0B: the drive asks for none"});
  }
  if (config.nvme.hmb.count() != 0 && config.ftl.map_cache.count() == 0) {
    found.push_back(
        {{"nvme.hmb", "ftl.map_cache"},
         "nvme.hmb with ftl.map_cache = 0B, expected ftl.map_cache above 0B: copies of its map pages lie in "
         "host memory"});
  }
  if (config.nvme.hmb.count() != 0 && lpage_size_of(config).bytes() > kPage) {
    found.push_back({{"nvme.hmb", "ftl.logical_page"},
                     fmt::format("nvme.hmb with ftl.logical_page = {} KiB, expected 4KiB or auto: a copy of a map page "
                                 "lies in one page of host memory",
                                 lpage_size_of(config).bytes() / 1024)});
  }
  if (config.nvme.cmb == 0 && !is_default("nvme.cmb_latency", config)) {
    found.push_back({{"nvme.cmb_latency", "nvme.cmb"},
                     "nvme.cmb_latency has no effect with nvme.cmb = 0B, expected nvme.cmb above 0B"});
  }
  const std::uint64_t queue = (std::uint64_t{host.queue_entries} * kEntry + kPage - 1) / kPage * kPage;
  if (host.submission_queues == QueueMemory::kController && pairs * queue > config.nvme.cmb) {
    found.push_back({{"nvme.cmb", "host.submission_queues", "host.queue_entries"},
                     fmt::format("nvme.cmb = {}B with host.submission_queues = controller, expected at least {}KiB: {} "
                                 "submission queues of {} entries of 64 bytes, each in whole 4KiB",
                                 config.nvme.cmb, pairs * queue / 1024, pairs, host.queue_entries)});
  }
  metadata_conflicts(config, found);
  if (config.nvme.ready_timeout.count() % kReadyUnit.count() != 0) {
    found.push_back({{"nvme.ready_timeout"}, "nvme.ready_timeout is no multiple of 500ms, which CAP.TO counts in"});
  }
  if ((host.coalescing_entries > 1) != (host.coalescing_time > Picoseconds(0))) {
    found.push_back({{"host.coalescing_entries", "host.coalescing_time"},
                     fmt::format("host.coalescing_entries = {} with host.coalescing_time = {} us, expected both, or 1 "
                                 "and 0: NVMe coalesces only with a threshold and a time",
                                 host.coalescing_entries, host.coalescing_time.count() / 1'000'000)});
  }
  const std::vector<double>& shares = config.nvme.namespaces;
  if (shares.empty()) return found;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (std::abs(sum - 1) > 1e-6) {
    found.push_back(
        {{"nvme.namespaces"},
         fmt::format("nvme.namespaces are {} of the exported capacity together, expected 1: capacity that the "
                     "host does not see is ftl.over_provisioning",
                     sum)});
    return found;
  }
  const Layout layout = layout_of(config);
  std::uint32_t nsid = 0;
  for (const Namespace& own : namespaces_of(config, layout.lpage.first_lba(layout.user_lpages))) {
    ++nsid;
    if (own.lbas >= kNamespaceGrain) continue;
    found.push_back(
        {{"nvme.namespaces"},
         fmt::format("namespace {} has {} blocks of 512 bytes, expected at least {}: give it a larger share", nsid,
                     own.lbas, kNamespaceGrain)});
  }
  return found;
}

}  // namespace wordline::config
