// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// my_sequencer through the door that the drive uses, with a die made by hand: what command, page data in, status and
// page data out are at the pins, in SDR and with DQS. Times are for the drive to check.
#include <string>

#include "bench.h"

namespace {

enum Kind : unsigned { kCommand, kDataIn, kDataOut, kStatus };
constexpr unsigned kLatency = 4, kWarmUp = 2;  // clocks to a strobe of the die; transfers before page data

struct Seen {
  std::vector<unsigned> cycles;  // 1xxh: of a command, 2xxh: of an address
  std::vector<unsigned> in;      // bytes that the die has latched
  std::vector<unsigned> out;     // bytes that came out of the block
  unsigned result = 0;
};

struct Channel {
  Bench& bench;
  bool sdr;

  void write(unsigned address, unsigned data) {
    bench.set("psel_i", 1);
    bench.set("pwrite_i", 1);
    bench.set("pstrb_i", 0xf);
    bench.set("paddr_i", address);
    bench.set("pwdata_i", data);
    bench.clock();
    bench.set("penable_i", 1);
    bench.clock();
    bench.set("psel_i", 0);
    bench.set("penable_i", 0);
  }

  /// The registers in their order: CONTROL, then the times.
  void set_times() {
    const unsigned times[] = {sdr ? 1U : 0U,     4, 8, 4, 8, 4, 20, 30, 12, 10, 16, 5, 3, 2, 3, kLatency, 2,
                              sdr ? 0 : kWarmUp, 1};
    for (unsigned i = 0; i < sizeof times / sizeof times[0]; ++i) write(4 * i, times[i]);
  }

  /// From the offer to done. `answers`: what the die drives, a byte for each of the block's edges.
  Seen carry(Kind kind, unsigned opcode, unsigned addresses, unsigned bytes,
             const std::vector<unsigned>& answers = {}) {
    Seen seen;
    bench.set("segment_kind_i", kind);
    bench.set("segment_chip_i", 1);
    bench.set("segment_opcode_i", opcode);
    bench.set("segment_addresses_i", addresses);
    bench.set("segment_address_i", 0x0504030201);
    bench.set("segment_bytes_i", bytes);
    bench.set("segment_valid_i", 1);
    bench.set("s_axis_tvalid_i", kind == kDataIn ? 1 : 0);
    unsigned sent = 0, asked = 0;
    bool we = true, re = true, dqs = false, preamble = true;
    std::vector<std::pair<std::uint64_t, unsigned>> strobes;  // the clock in which the die answers, and with what
    while (true) {
      bench.set("s_axis_tdata_i", 0x40 + sent);
      for (const auto& [clock, byte] : strobes) {
        if (clock != bench.clocks) continue;
        bench.set("dq_i", byte);
        if (!sdr) bench.set("dqs_i", bench.get("dqs_i") ^ 1);
      }
      bench.evaluate();
      const bool taken = bench.get("segment_ready_o") != 0, byte_taken = bench.get("s_axis_tready_o") != 0;
      bench.clock();
      bench.evaluate();
      if (taken) bench.set("segment_valid_i", 0);
      if (byte_taken && ++sent == bytes) bench.set("s_axis_tvalid_i", 0);
      if (bench.get("m_axis_tvalid_o") != 0) seen.out.push_back(static_cast<unsigned>(bench.get("m_axis_tdata_o")));
      if (bench.get("done_o") != 0) break;
      if (bench.get("ce_no") == 0xff) continue;
      const bool new_we = bench.get("we_no") != 0, new_re = bench.get("re_no") != 0, new_dqs = bench.get("dqs_o") != 0;
      const auto dq = static_cast<unsigned>(bench.get("dq_o"));
      const bool cle = bench.get("cle_o") != 0, ale = bench.get("ale_o") != 0;
      if (!we && new_we && (cle || ale)) seen.cycles.push_back((cle ? 0x100 : 0x200) | dq);
      if (!we && new_we && !cle && !ale) seen.in.push_back(dq);
      if (bench.get("dqs_oe_o") != 0 && new_dqs != dqs) seen.in.push_back(dq);
      if (re != new_re && !sdr && preamble) {
        preamble = false;  // the die drives DQS low from now on
        bench.set("dqs_i", 0);
      } else if (sdr ? re && !new_re : re != new_re) {
        const unsigned byte = asked < answers.size() ? answers[asked] : 0;
        strobes.emplace_back(bench.clocks + (sdr ? 0 : kLatency), byte);
        ++asked;
      }
      we = new_we;
      re = new_re;
      dqs = new_dqs;
    }
    if (bench.get("done_short_o") != 0) std::printf("a strobe is missing\n");
    seen.result = static_cast<unsigned>(bench.get("done_data_o")) | (bench.get("done_short_o") != 0 ? 0x100 : 0);
    return seen;
  }
};

int compare(const char* what, const std::vector<unsigned>& seen, const std::vector<unsigned>& expected) {
  std::printf("  %-20s", what);
  for (const unsigned value : seen) std::printf(" %02x", value);
  std::printf(seen == expected ? "\n" : "   wrong\n");
  return seen == expected ? 0 : 1;
}

int play(Bench& bench, bool sdr) {
  Channel channel{bench, sdr};
  channel.set_times();
  std::printf(sdr ? "SDR\n" : "with DQS\n");
  int problems = compare("command and address", channel.carry(kCommand, 0x80, 5, 0).cycles,
                         {0x180, 0x201, 0x202, 0x203, 0x204, 0x205});
  std::vector<unsigned> expected{0x40, 0x41, 0x42, 0x43};
  if (!sdr) expected.insert(expected.begin(), kWarmUp, 0);
  problems += compare("page data in", channel.carry(kDataIn, 0, 0, 4).in, expected);
  const Seen status = channel.carry(kStatus, 0x70, 0, 0, {0xe0, 0xe0});
  problems += compare("status command", status.cycles, {0x170}) + compare("status", {status.result}, {0xe0});
  std::vector<unsigned> answers{0x11, 0x22, 0x33, 0x44};
  expected = answers;
  if (!sdr) answers.insert(answers.begin(), kWarmUp, 0);
  return problems + compare("page data out", channel.carry(kDataOut, 0, 0, 4, answers).out, expected);
}

}  // namespace

int main() {
  Bench bench;
  bench.set("rb_ni", 0xff);
  for (int i = 0; i < 4; ++i) bench.clock();
  int problems = play(bench, true);
  problems += play(bench, false);
  bench.print_counters();
  return verdict(problems);
}
