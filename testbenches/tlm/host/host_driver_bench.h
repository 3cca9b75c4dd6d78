// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "testbenches/tlm/host/fake_controller.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/host/driver/host_driver.h"
#include "tlm/host/nvme_driver/nvme_path.h"
#include "tlm/observe/stage_clock.h"

/// The driver of the host against a controller that has only its registers and queues.
namespace wordline::host::driver_bench {

using namespace wordline::literals;
using testing::FakeController;
using testing::SeenCommand;
using workload::Op;

inline constexpr std::uint64_t kLpages = 4096;

/// Requests written down in the test: a list per job.
class Script final : public workload::Source {
 public:
  struct Job {
    unsigned depth;
    std::vector<workload::Request> requests;
    std::size_t position = 0;
  };
  std::vector<Job> list;
  bool open = false;

  unsigned jobs() const override { return static_cast<unsigned>(list.size()); }
  unsigned depth(unsigned job) const override { return list[job].depth; }
  bool open_loop() const override { return open; }
  bool next(unsigned job, Picoseconds now, workload::Request& out) override {
    if (list[job].position == list[job].requests.size()) return false;
    out = list[job].requests[list[job].position++];
    out.job = static_cast<std::uint16_t>(job);
    if (!open) out.arrival = std::max(now, out.arrival);
    return true;
  }
  std::uint64_t total_requests() const override { return 0; }
  std::uint64_t total_bytes() const override { return 0; }
  std::string describe() const override { return "script"; }
};

inline workload::Request request(Op op, std::uint64_t lba, std::uint32_t nlb, Picoseconds arrival = {}) {
  workload::Request r;
  r.op = op;
  r.lba = Lba(lba);
  r.nlb = nlb;
  r.arrival = arrival;
  return r;
}

inline config::Config configuration() {
  config::Config c{};
  c.host.model = config::HostModel::kNvme;
  c.host.queue_entries = 64;
  c.host.cores = 1;
  c.host.arbitration_burst = 7;
  c.host.coalescing_entries = 1;
  c.host.turnaround = 2_us;
  c.link.bandwidth = BytesPerSecond(4'000'000'000);
  c.link.latency = 300_ns;
  c.link.max_payload = Bytes(256);
  c.link.tlp_overhead = Bytes(24);
  c.nvme.tags = 64;
  c.nvme.max_transfer_lpages = 32;
  return c;
}

/// The driver and that controller.
struct Bench {
  explicit Bench(workload::Source& source, config::Config c = configuration(), DriverOptions options = {},
                 bool preconditioned = false)
      : config(std::move(c)),
        link(testing::context(), config.link),
        oracle(kLpages, preconditioned),
        cores(config.host),
        request_statistics(static_cast<std::size_t>(tlm_if::Stage::kCount)),
        controller("controller", memory, kLpages * 8),
        driver("driver", testing::context(), config, kLpages, source, request_statistics, oracle, memory, cores,
               nullptr, options) {
    driver.stage_clock.bind(clock);
    controller.stages.bind(clock);
    if (config.host.model == config::HostModel::kDirect) {
      driver.path.bind(controller);
    } else {
      nvme = std::make_unique<NvmePath>("nvme_driver", testing::context(), config, kLpages * 8, memory, cores, link);
      nvme->socket().bind(controller.socket);
      driver.path.bind(*nvme);
      controller.host = nvme.get();
    }
  }
  /// Runs until the driver is done, or nothing happens any more.
  void run(const sc_core::sc_time& limit = sc_core::sc_time(10, sc_core::SC_SEC)) { testing::run_until(limit); }
  [[nodiscard]] std::vector<SeenCommand> of(std::uint8_t opcode) const {
    std::vector<SeenCommand> result;
    std::copy_if(controller.commands.begin(), controller.commands.end(), std::back_inserter(result),
                 [&](const SeenCommand& c) { return c.opcode == opcode; });
    return result;
  }

  const config::Config config;
  HostMemory memory;
  PcieLink link;
  Oracle oracle;
  HostCores cores;
  results::RequestStatistics request_statistics;
  observe::StageClock clock{testing::context()};
  FakeController controller;
  HostDriver driver;
  std::unique_ptr<NvmePath> nvme;
};

/// Time of a doorbell from the host's write to its arrival on an idle link: 28 bytes, then the latency. A completion
/// queue doorbell of the same instant goes first.
inline constexpr Picoseconds kDoorbellWire = 7_ns;
inline constexpr Picoseconds kDoorbell = kDoorbellWire + 300_ns;

}  // namespace wordline::host::driver_bench
