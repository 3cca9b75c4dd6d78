// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A SystemC program with a drive in it: 1,000 sequential reads of 4 KiB, eight at a time, and a module that watches.
// usage: consumer [CONFIG [KEY=VALUE...]], where out=FOLDER is the folder of its waveform
#include <cstdio>
#include <exception>
#include <systemc>

#include "tlm/platform/drive_module.h"

namespace {

using wordline::Picoseconds;
namespace workload = wordline::workload;

/// Where the requests come from: the host driver asks for the next one whenever fewer than eight are in flight.
class Reads final : public workload::Source {
 public:
  [[nodiscard]] unsigned jobs() const override { return 1; }
  [[nodiscard]] unsigned depth(unsigned) const override { return 8; }
  [[nodiscard]] bool open_loop() const override { return false; }
  bool next(unsigned job, Picoseconds now, workload::Request& out) override {
    if (issued_ == kRequests) return false;
    out.op = workload::Op::kRead;
    out.lba = wordline::Lba(issued_++ * kBlocks);
    out.nlb = kBlocks;
    out.arrival = now;
    out.job = static_cast<std::uint16_t>(job);
    return true;
  }
  [[nodiscard]] std::uint64_t total_requests() const override { return kRequests; }
  [[nodiscard]] std::uint64_t total_bytes() const override { return kRequests * kBlocks * 512; }
  [[nodiscard]] std::string describe() const override { return "sequential reads"; }

 private:
  static constexpr std::uint64_t kRequests = 1000;
  static constexpr std::uint32_t kBlocks = 8;  // of 512 bytes
  std::uint64_t issued_ = 0;
};

/// Any module of your own, in the same simulation.
class Watcher final : public sc_core::sc_module {
 public:
  Watcher(const sc_core::sc_module_name& name, const sc_core::sc_event& started) : sc_module(name) {
    SC_HAS_PROCESS(Watcher);
    SC_METHOD(report);
    sensitive << started;
    dont_initialize();
  }

 private:
  void report() { std::printf("first request at %s\n", sc_core::sc_time_stamp().to_string().c_str()); }
};

}  // namespace

int sc_main(int argc, char** argv) try {
  wordline::platform::DriveOptions options;
  options.config = argc > 1 ? argv[1] : CONFIGS "/ssds/small.toml";
  for (int i = 2; i < argc; ++i) {
    const std::string set = argv[i];
    if (set.rfind("out=", 0) == 0)
      options.out = set.substr(4);
    else
      options.sets.push_back(set);
  }
  options.firmware = WORDLINE_FIRMWARE;
  wordline::platform::DriveModule drive("drive", options,
                                        [](const workload::LoadOptions&) { return std::make_unique<Reads>(); });
  const Watcher watcher("watcher", drive.host().driver.started_event());

  const wordline::platform::Ending ending = drive.run();
  if (ending.status != wordline::platform::Ending::Status::kCompleted) {
    std::fprintf(stderr, "consumer: %s\n", ending.reason.c_str());
    return 1;
  }
  const auto reads = drive.statistics().get<std::uint64_t>("ios.read.count");
  const auto mean = drive.statistics().get<Picoseconds>("ios.read.lat_ps.mean");
  std::printf("%llu reads, mean latency %lld ps\n", static_cast<unsigned long long>(reads),
              static_cast<long long>(mean.count()));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
