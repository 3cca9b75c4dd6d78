// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A host of your own before a drive: it writes and reads back 1,000 logical pages, eight at a time, over NVMe. The
// drive is reached by TLM-2.0 alone: registers by an initiator socket, DMA by a target socket, so both kinds of traffic
// are there to be watched, counted or delayed by any SystemC module between.
//
// usage: own_host [CONFIG [resolution=1fs|10ps|1ns] [memory=waits:NS|annotates:NS] [depth=1..8]
//                  [reset=function|subsystem] [out=FOLDER] [KEY=VALUE...]]
//
// reset=...: between the writes and the reads, with commands in flight; what was written is there afterwards.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "host.h"
#include "models/results/report.h"
#include "tlm/platform/drive_endpoint.h"

namespace {

using namespace own_host;

class Host final : public NvmeHost {
 public:
  bool failed = true;           // until the end was reached
  std::function<void()> reset;  // of the function; nothing: none
  bool resets_subsystem = false;

  Host(const sc_core::sc_module_name& name, Memory& memory, std::uint16_t depth)
      : NvmeHost(name, memory, 0x1'0000'0000), depth_(depth) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }

 private:
  static constexpr std::uint32_t kDeepest = 8, kPages = 1000;
  static constexpr std::uint32_t kVersion = 2;  // of what this host writes

  /// Page `n` of all, in host page `slot`.
  void begin(std::uint8_t opcode, std::uint32_t n, std::uint16_t slot) {
    for (std::uint32_t i = 0; i < kBlocks; ++i) {
      memory_.stamp(data_page(slot) + 512 * i) =
          opcode == nvme::kWrite ? LbaStamp(wordline::Lba(n * kBlocks + i), kVersion) : LbaStamp();
    }
    pages_[slot] = n;
    started_[slot] = sc_time_stamp();
    start(opcode, n, slot);
  }

  void run_all(std::uint8_t opcode, const char* name) {
    std::vector<sc_time> latencies;
    std::uint32_t next = 0;
    for (std::uint16_t slot = 0; slot < depth_; ++slot) begin(opcode, next++, slot);
    while (latencies.size() < kPages) {
      const std::uint16_t slot = completion(io_).cid;
      latencies.push_back(sc_time_stamp() - started_.at(slot));
      for (std::uint32_t i = 0; opcode == nvme::kRead && i < kBlocks; ++i) {
        const LbaStamp expected(wordline::Lba(pages_[slot] * kBlocks + i), kVersion);
        if (memory_.stamp(data_page(slot) + 512 * i) != expected) SC_REPORT_ERROR("own_host", "wrong data");
      }
      if (next < kPages) begin(opcode, next++, slot);
    }
    std::sort(latencies.begin(), latencies.end());
    std::printf("%u %s: p50 %.3f us, p99 %.3f us\n", kPages, name, in_us(latencies[kPages / 2]),
                in_us(latencies[kPages * 99 / 100]));
  }

  /// Their completions never come.
  void reset_under_load() {
    for (std::uint16_t slot = 0; slot < depth_; ++slot) begin(nvme::kRead, slot, slot);
    wait(20, sc_core::SC_US);
    resets_subsystem ? write(nvme::kRegNssr, nvme::kSubsystemResetKey) : reset();
    while ((read(nvme::kRegCsts) & nvme::kCstsReady) != 0) wait(10, sc_core::SC_US);
    bring_up();
    const bool told = (read(nvme::kRegCsts) & nvme::kCstsSubsystemReset) != 0;
    if (told != resets_subsystem) SC_REPORT_ERROR("own_host", "CSTS.NSSRO says something else");
  }

  void run() {
    bring_up();
    run_all(nvme::kWrite, "writes");
    if (reset || resets_subsystem) reset_under_load();
    run_all(nvme::kRead, "reads");
    failed = false;
    sc_core::sc_stop();
  }

  const std::uint16_t depth_;  // commands in flight
  std::array<std::uint32_t, kDeepest> pages_{};
  std::array<sc_time, kDeepest> started_{};
};

/// "waits:300", "annotates:300", in nanoseconds.
void set_memory(Memory& memory, const std::string& text) {
  const auto colon = text.find(':');
  memory.waits = text.substr(0, colon) == "waits";
  if (colon == std::string::npos || (!memory.waits && text.substr(0, colon) != "annotates")) {
    throw std::invalid_argument("memory=" + text + ": expected waits:NS or annotates:NS");
  }
  memory.each = sc_time(std::atof(text.c_str() + colon + 1), sc_core::SC_NS);
}

}  // namespace

int sc_main(int argc, char** argv) try {
  wordline::platform::DriveOptions options;
  std::string takes;
  std::string resets;
  std::uint16_t depth = 8;
  options.config = argc > 1 ? argv[1] : CONFIGS "/ssds/small.toml";
  for (int i = 2; i < argc; ++i) {
    // The simulation is this program's, and so are its ticks: the drive counts in picoseconds, or in parts of them.
    if (std::string_view(argv[i]) == "resolution=1fs") {
      sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    } else if (std::string_view(argv[i]) == "resolution=10ps") {
      sc_core::sc_set_time_resolution(10, sc_core::SC_PS);  // refused
    } else if (std::string_view(argv[i]) == "resolution=1ns") {
      sc_core::sc_set_time_resolution(1, sc_core::SC_NS);  // refused
    } else if (std::string_view(argv[i]).substr(0, 7) == "memory=") {
      takes = argv[i] + 7;
    } else if (std::string_view(argv[i]).substr(0, 6) == "depth=") {
      depth = static_cast<std::uint16_t>(std::clamp(std::atoi(argv[i] + 6), 1, 8));
    } else if (std::string_view(argv[i]).substr(0, 6) == "reset=") {
      resets = argv[i] + 6;
    } else if (std::string_view(argv[i]).substr(0, 4) == "out=") {
      options.out = argv[i] + 4;
    } else {
      options.sets.emplace_back(argv[i]);
    }
  }
  options.firmware = WORDLINE_FIRMWARE;
  wordline::platform::DriveEndpoint drive("drive", options);
  Memory memory("host_memory");
  if (!takes.empty()) set_memory(memory, takes);
  Host host("host", memory, depth);
  if (!resets.empty() && resets != "function" && resets != "subsystem") {
    throw std::invalid_argument("reset=" + resets + ": expected function or subsystem");
  }
  host.resets_subsystem = resets == "subsystem";
  if (resets == "function") host.reset = [&drive] { drive.function_level_reset(); };
  host.registers.bind(drive.registers);
  drive.memory().bind(memory.socket);
  drive.interrupt().bind(host);

  sc_core::sc_start();
  std::printf("%llu accesses of registers; DMA: %llu reads, %llu writes, %llu bytes\n",
              static_cast<unsigned long long>(host.accesses), static_cast<unsigned long long>(memory.reads),
              static_cast<unsigned long long>(memory.writes), static_cast<unsigned long long>(memory.bytes));
  // What the drive can say by itself: a result.json without requests, which are this host's matter.
  const auto& statistics = drive.statistics();
  std::printf("the drive: %llu commands, %llu bytes written, write amplification %.3f\n",
              static_cast<unsigned long long>(statistics.get<std::uint64_t>("drive.commands")),
              static_cast<unsigned long long>(statistics.get<std::uint64_t>("drive.bytes_written")),
              statistics.get<double>("flash.waf"));
  if (!options.out.empty()) {
    wordline::results::write_file(options.out + "/result.json", wordline::results::to_json(statistics));
  }
  if (host.failed) std::fprintf(stderr, "own_host: the drive has nothing more to do, and the host waits\n");
  return host.failed ? 1 : 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
