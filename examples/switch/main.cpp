// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two drives below a PCIe switch, of two configurations, and a host with a queue pair for each. The drives' DMA passes
// the switch's upstream port, which has less bandwidth than both links below it, so the drives have to share it. Both
// hosts read what was never written: no flash is in the way, and the switch decides.
//
// usage: switch [FIRST_CONFIG SECOND_CONFIG [FIRST_DEPTH SECOND_DEPTH]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <systemc>

#include "host.h"
#include "tlm/platform/drive_endpoint.h"

namespace {

using namespace own_host;

constexpr double kBandwidth = 400e6;       // bytes per second, each way
constexpr std::uint32_t kHeader = 24;      // bytes around the data of a packet
constexpr std::uint32_t kLargest = 256;    // bytes of data in a packet
constexpr std::uint32_t kCompletion = 16;  // bytes of a completion entry
constexpr std::uint32_t kRequests = 4000;  // of each drive

/// Bytes on the wire.
std::uint32_t on_wire(std::uint32_t bytes) { return bytes + (bytes + kLargest - 1) / kLargest * kHeader; }

/// The upstream port of a switch: what the drives write passes it upstream, what they read downstream, first come first
/// served each way. An access begins when it arrives, so drives meet in the order of time.
class Switch final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket_tagged<Switch> first{"first"}, second{"second"};
  tlm_utils::simple_initiator_socket<Switch> upstream{"upstream"};

  explicit Switch(const sc_core::sc_module_name& name) : sc_module(name) {
    first.register_b_transport(this, &Switch::b_transport, 0);
    second.register_b_transport(this, &Switch::b_transport, 1);
  }

 private:
  void b_transport(int /*drive*/, tlm::tlm_generic_payload& payload, sc_time& delay) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    if (payload.is_write()) pass(upstream_free_, payload.get_data_length());
    upstream->b_transport(payload, delay);
    if (payload.is_read()) pass(downstream_free_, payload.get_data_length());
  }
  void pass(sc_time& free, std::uint32_t bytes) {
    free = std::max(free, sc_time_stamp()) + sc_time(on_wire(bytes) / kBandwidth, sc_core::SC_SEC);
    wait(free - sc_time_stamp());
  }

  sc_time upstream_free_, downstream_free_;
};

/// Reads, always as many at a time.
class Reader final : public NvmeHost {
 public:
  double iops = 0;
  bool done = false;

  Reader(const sc_core::sc_module_name& name, Memory& memory, std::uint64_t base, std::uint16_t depth)
      : NvmeHost(name, memory, base), depth_(depth) {
    SC_HAS_PROCESS(Reader);
    SC_THREAD(run);
  }

 private:
  void run() {
    bring_up();
    wait(sc_time(5, sc_core::SC_MS) - sc_time_stamp());  // both begin together
    std::uint32_t next = 0;
    for (std::uint16_t slot = 0; slot < depth_; ++slot) start(nvme::kRead, next++, slot);
    for (std::uint32_t i = 0; i < kRequests; ++i) {
      const std::uint16_t slot = completion(io_).cid;
      start(nvme::kRead, next++ % 1000, slot);  // goes on, so that the other is not alone
    }
    iops = kRequests / (sc_time_stamp() - sc_time(5, sc_core::SC_MS)).to_seconds();
    done = true;
    for (;;) start(nvme::kRead, next++ % 1000, completion(io_).cid);
  }

  const std::uint16_t depth_;
};

/// Ends the simulation when both have measured.
class End final : public sc_core::sc_module {
 public:
  End(const sc_core::sc_module_name& name, const Reader& one, const Reader& other)
      : sc_module(name), one_(one), other_(other) {
    SC_HAS_PROCESS(End);
    SC_THREAD(run);
  }

 private:
  void run() {
    while (!one_.done || !other_.done) wait(100, sc_core::SC_US);
    sc_core::sc_stop();
  }
  const Reader &one_, &other_;
};

wordline::platform::DriveOptions options(const std::string& config) {
  wordline::platform::DriveOptions of_drive;
  of_drive.config = config;
  of_drive.firmware = WORDLINE_FIRMWARE;
  return of_drive;
}

}  // namespace

int sc_main(int argc, char** argv) try {
  wordline::platform::DriveEndpoint one("drive_one", options(argc > 2 ? argv[1] : CONFIGS "/ssds/small.toml"));
  wordline::platform::DriveEndpoint other("drive_two", options(argc > 2 ? argv[2] : CONFIGS "/ssds/default.toml"));
  const auto depth = [&](int argument) {
    return static_cast<std::uint16_t>(argc > argument ? std::clamp(std::atoi(argv[argument]), 1, 60) : 16);
  };
  Memory memory("host_memory");
  Switch plx("switch");
  Reader first("first_host", memory, 0x1'0000'0000, depth(3)), second("second_host", memory, 0x2'0000'0000, depth(4));
  const End end("end", first, second);
  first.registers.bind(one.registers);
  second.registers.bind(other.registers);
  one.interrupt().bind(first);
  other.interrupt().bind(second);
  one.memory().bind(plx.first);
  other.memory().bind(plx.second);
  plx.upstream.bind(memory.socket);

  sc_core::sc_start();
  // Each read is a page and a completion entry upstream, and the port is always busy. First come first served: who has
  // more reads in flight has more of the port.
  const double all = kBandwidth / (on_wire(kPage) + on_wire(kCompletion));
  const double share = static_cast<double>(depth(3)) / (depth(3) + depth(4));
  std::printf("first drive:  %.0f reads per second, %.0f by the closed form\n", first.iops, all * share);
  std::printf("second drive: %.0f reads per second, %.0f by the closed form\n", second.iops, all * (1 - share));
  const double off =
      std::max(std::abs(first.iops / (all * share) - 1), std::abs(second.iops / (all * (1 - share)) - 1));
  std::printf("apart by %.2f %% at most\n", 100 * off);
  return off < 0.02 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
