// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/not_modelled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace wordline::config {

const std::vector<NotModelled>& not_modelled() {
  static const std::vector<NotModelled> kRows{
      {"Zoned namespaces (ZNS)",
       "Namespaces are conventional. Nearest: placement by the host with ftl.fdp.handles, and fio's zonemode=strided.",
       {"zns", "zone", "zones", "zoned", "zoned namespace", "zoned namespaces", "open channel", "open-channel"}},
      {"Thermal throttling",
       "The temperature of the cells is a constant that changes their errors (nand.aging.temperature_c); nothing slows "
       "down with it.",
       {"thermal", "throttling", "thermal throttling", "hctm", "heat"}},
      {"Power states",
       "The drive is in power state 0 for good. Energy is that of the flash alone, not of controller, DRAM and link.",
       {"power state", "power states", "apst", "low power", "l1.2", "aspm", "devsleep", "controller power"}},
      {"Compression and deduplication",
       "What data contain changes no time: the drive moves the address and version of each block in place of its "
       "bytes.",
       {"compression", "compress", "dedup", "deduplication", "data reduction"}},
      {"Encryption",
       "Data pass no cipher, and there are no security commands. Nearest: a block of your own in the data path "
       "(ecc.rtl.tap).",
       {"encryption", "encrypt", "aes", "opal", "tcg", "self-encrypting", "sed"}},
      {"Several controllers, virtualization",
       "One controller on one link. Nearest: several queue pairs and cores of the host with host.cores.",
       {"sr-iov", "sriov", "virtual function", "multi-path", "multipath", "dual port", "dual-port", "ana",
        "reservations"}},
      {"Streams directive, write hints",
       "They are not offered. Nearest: placement handles with ftl.fdp.handles.",
       {"streams", "stream directive", "write hint", "write hints", "multi-stream"}},
      {"Key-value and computational storage",
       "The drive takes block commands alone.",
       {"key-value", "kv", "kv ssd", "computational storage", "smart ssd", "in-storage"}},
      {"SATA, SAS, UFS, eMMC, NVMe over Fabrics",
       "The host talks NVMe over PCIe. Nearest: host.model = direct, commands without a protocol.",
       {"sata", "ahci", "sas", "ufs", "emmc", "nvme-of", "nvmeof", "fabrics", "rdma", "cxl"}},
      {"File system and page cache of the host",
       "Requests go to the drive as the workload has them; the host's own time is host.submission_cost and the like.",
       {"file system", "filesystem", "ext4", "page cache", "block layer", "kernel", "scheduler of the host"}},
      {"DRAM banks and refresh",
       "One port with bandwidth and latency (dram.bandwidth, dram.latency).",
       {"dram bank", "dram banks", "dram refresh", "row hit", "ddr4", "ddr5", "lpddr"}},
      {"Caches and pipeline of the cores",
       "With cpu.model = iss each instruction costs cycles by its class.",
       {"pipeline", "branch predictor", "icache", "dcache", "instruction cache", "data cache", "l1 cache", "l2 cache"}},
  };
  return kRows;
}

std::string why_not_there(const std::string& words) {
  std::string wanted = words;
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool all = wanted == "not modelled" || wanted == "not modeled";
  std::string text;
  for (const NotModelled& row : not_modelled()) {
    const auto searched = [&](const char* word) { return wanted == word; };
    if (!all && std::none_of(row.searched.begin(), row.searched.end(), searched)) continue;
    text += fmt::format("{}: not modelled. {}\n", row.feature, row.instead);
  }
  return text;
}

}  // namespace wordline::config
