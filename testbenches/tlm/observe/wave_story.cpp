// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/observe/wave_story.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace wordline::testing {

using namespace wordline::literals;
using Signal = tlm_if::RecorderIf::Signal;

namespace {

enum FirmwareTask { kIdle, kHost, kFtl, kFlash, kDone };
enum BusPhase { kBusIdle, kCommand, kAddress, kDataOut, kDataIn, kStatus };
enum DieOperation { kReady, kSense, kDischarge, kPulse, kVerify };

struct Die {
  Signal operation;
  Signal ready_busy;
  Signal row;
};

}  // namespace

Picoseconds tell_story(tlm_if::RecorderIf& r) {
  const Signal command = r.add_text("ssd.host", "command");
  const Signal doorbell = r.add_bit("ssd.host", "doorbell");
  const Signal level = r.add_vector("ssd.host", "queue_level", 8);
  const Signal task = r.add_enum("ssd.cpu.core0", "task", {"idle", "host", "ftl", "flash", "complete"});
  const Signal load = r.add_real("ssd.cpu.core0", "load");
  const Signal phase = r.add_enum("ssd.channel0", "phase", {"idle", "CMD", "ADDR", "DATA OUT", "DATA IN", "STATUS"});
  const Signal cycle = r.add_text("ssd.channel0", "transaction");
  const Signal dq = r.add_vector("ssd.channel0", "dq", 8);
  const Signal dram = r.add_bit("ssd.dram", "busy");
  Die dies[2] = {};
  for (int d = 0; d < 2; ++d) {
    const std::string scope = "ssd.channel0.die" + std::to_string(d);
    dies[d].operation = r.add_enum(scope, "operation", {"ready", "sense", "discharge", "pulse", "verify"});
    dies[d].ready_busy = r.add_bit(scope, "ready_busy_n");
    dies[d].row = r.add_vector(scope, "row", 24);
    r.set(dies[d].ready_busy, 0_ps, 1);
  }

  Picoseconds t = 2_us;
  Picoseconds end = t;
  std::vector<std::pair<Picoseconds, int>> queue;
  for (int i = 0; i < 4; ++i) {
    const Die& die = dies[i % 2];
    const bool program = i == 3;
    r.set_text(command, t, (program ? "WRITE lba 0x" : "READ lba 0x") + std::to_string(1000 + 8 * i) + " len 8");
    r.set(doorbell, t, 1);
    r.set(doorbell, t + 200_ns, 0);
    queue.emplace_back(t, 1);
    r.set(task, t + 500_ns, kHost);
    r.set(task, t + 900_ns, kFtl);
    r.set(task, t + 1700_ns, kFlash);
    r.set(task, t + 2100_ns, kIdle);
    r.set_real(load, t + 500_ns, 1.0);
    r.set_real(load, t + 2100_ns, 0.25 * i);

    const Picoseconds bus = t + 2100_ns;
    r.set_text(cycle, bus, (program ? "80h-10h die " : "00h-30h die ") + std::to_string(i % 2));
    r.set(phase, bus, kCommand);
    r.set(dq, bus, program ? 0x80 : 0x00);
    r.set(phase, bus + 100_ns, kAddress);
    r.set(dq, bus + 100_ns, static_cast<std::uint64_t>(0x40 + i));
    r.set(phase, bus + 600_ns, program ? kDataIn : kBusIdle);
    r.set(phase, bus + 4_us, kBusIdle);
    r.set_text(cycle, bus + 4_us, "");

    const Picoseconds array = program ? bus + 4_us : bus + 700_ns;
    r.set(die.row, array, static_cast<std::uint64_t>(0x1200 + i));
    r.set(die.ready_busy, array, 0);
    Picoseconds done = array;
    if (program) {
      for (int loop = 0; loop < 6; ++loop) {
        r.set(die.operation, done, kPulse);
        done += 6_us;
        r.set(die.operation, done, kVerify);
        done += 3_us;
      }
    } else {
      r.set(die.operation, done, kSense);
      done += 12_us;
      r.set(die.operation, done, kDischarge);
      done += 2_us;
    }
    r.set(die.operation, done, kReady);
    r.set(die.ready_busy, done, 1);
    if (!program) {
      r.set(phase, done, kDataOut);
      r.set_text(cycle, done, "data out, die " + std::to_string(i % 2));
      r.set(dram, done, 1);
      done += 4_us;
      r.set(dram, done, 0);
      r.set(phase, done, kBusIdle);
      r.set_text(cycle, done, "");
    }
    r.set(task, done + 300_ns, kDone);
    r.set(task, done + 900_ns, kIdle);
    queue.emplace_back(done + 1_us, -1);
    end = std::max(end, done + 2_us);
    t += i == 1 ? 30_us : 7_us;
  }
  std::sort(queue.begin(), queue.end());
  int depth = 0;
  for (const auto& [at, step] : queue) {
    depth += step;
    r.set(level, at, static_cast<std::uint64_t>(depth));
  }
  return end;
}

}  // namespace wordline::testing
