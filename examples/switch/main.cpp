// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two drives below a PCIe switch, of two configurations, and a host with a queue pair for each. The drives' DMA passes
// the switch's upstream port, which has less bandwidth than both links below it, so the drives have to share it. Both
// hosts read what was never written: no flash is in the way, and the switch decides.
//
// usage: switch [FIRST_CONFIG SECOND_CONFIG [FIRST_WEIGHT SECOND_WEIGHT]]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
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

/// The upstream port of a switch: what the drives write passes it upstream, by weighted round robin between the ports
/// below, a packet at a time; what they read passes it downstream, first come first served. An access begins when it
/// arrives, so that drives meet in the order of time.
class Switch final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket_tagged<Switch> first{"first"}, second{"second"};
  tlm_utils::simple_initiator_socket<Switch> upstream{"upstream"};

  Switch(const sc_core::sc_module_name& name, const std::array<unsigned, 2>& weights)
      : sc_module(name), weights_(weights) {
    first.register_b_transport(this, &Switch::b_transport, 0);
    second.register_b_transport(this, &Switch::b_transport, 1);
    SC_HAS_PROCESS(Switch);
    SC_THREAD(serve);
  }

 private:
  struct Waiting {
    std::uint32_t bytes;
    sc_core::sc_event passed;
  };

  static sc_time time_of(std::uint32_t bytes) { return {on_wire(bytes) / kBandwidth, sc_core::SC_SEC}; }

  void b_transport(int port, tlm::tlm_generic_payload& payload, sc_time& delay) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    if (payload.is_write()) {
      Waiting packet{payload.get_data_length(), {}};
      waiting_.at(static_cast<std::size_t>(port)).push_back(&packet);
      arrived_.notify();
      wait(packet.passed);
    }
    upstream->b_transport(payload, delay);
    if (!payload.is_read()) return;
    downstream_free_ = std::max(downstream_free_, sc_time_stamp()) + time_of(payload.get_data_length());
    wait(downstream_free_ - sc_time_stamp());
  }
  void serve() {
    std::size_t port = 0;
    for (unsigned turns = 0;;) {
      if (waiting_[0].empty() && waiting_[1].empty()) wait(arrived_);
      if (turns == weights_[port] || waiting_[port].empty()) {
        port = 1 - port;
        turns = 0;
        if (waiting_[port].empty()) continue;
      }
      ++turns;
      Waiting& packet = *waiting_[port].front();
      waiting_[port].pop_front();
      wait(time_of(packet.bytes));
      packet.passed.notify();
    }
  }

  const std::array<unsigned, 2> weights_;
  std::array<std::deque<Waiting*>, 2> waiting_;
  sc_core::sc_event arrived_;
  sc_time downstream_free_;
};

/// Reads, always as many at a time.
class Reader final : public NvmeHost {
 public:
  double iops = 0;
  bool done = false;

  Reader(const sc_core::sc_module_name& name, Memory& memory, std::uint64_t base) : NvmeHost(name, memory, base) {
    SC_HAS_PROCESS(Reader);
    SC_THREAD(run);
  }

 private:
  void run() {
    bring_up();
    wait(sc_time(5, sc_core::SC_MS) - sc_time_stamp());  // both begin together
    std::uint32_t next = 0;
    for (std::uint16_t slot = 0; slot < kDepth; ++slot) start(nvme::kRead, next++, slot);
    for (std::uint32_t i = 0; i < kRequests; ++i) {
      const std::uint16_t slot = completion(io_).cid;
      start(nvme::kRead, next++ % 1000, slot);  // goes on, so that the other is not alone
    }
    iops = kRequests / (sc_time_stamp() - sc_time(5, sc_core::SC_MS)).to_seconds();
    done = true;
    for (;;) start(nvme::kRead, next++ % 1000, completion(io_).cid);
  }

  static constexpr std::uint16_t kDepth = 32;
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
  const auto weight = [&](int argument) {
    return static_cast<unsigned>(argc > argument ? std::clamp(std::atoi(argv[argument]), 1, 16) : 1);
  };
  Memory memory("host_memory");
  Switch plx("switch", {weight(3), weight(4)});
  Reader first("first_host", memory, 0x1'0000'0000), second("second_host", memory, 0x2'0000'0000);
  const End end("end", first, second);
  first.registers.bind(one.registers);
  second.registers.bind(other.registers);
  one.interrupt().bind(first);
  other.interrupt().bind(second);
  one.memory().bind(plx.first);
  other.memory().bind(plx.second);
  plx.upstream.bind(memory.socket);

  sc_core::sc_start();
  // Each read is a page and a completion entry upstream, both ports below have some waiting, and the upstream port is
  // always busy: it is divided as the weights say.
  const double all = kBandwidth / (on_wire(kPage) + on_wire(kCompletion));
  const double share = static_cast<double>(weight(3)) / (weight(3) + weight(4));
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
