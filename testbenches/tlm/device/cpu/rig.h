// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "testbenches/tlm/device/memory/bus_master.h"
#include "testbenches/tlm/support/context.h"
#include "testbenches/tlm/support/stage_clock_stub.h"
#include "tlm/device/cpu/interrupt_controller.h"
#include "tlm/device/cpu/log.h"
#include "tlm/device/cpu/timer.h"
#include "tlm/device/memory/dram.h"
#include "tlm/device/memory/interconnect.h"
#include "tlm/device/memory/tcm.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::testing {

inline constexpr Hertz kClock(500'000'000);
inline constexpr Picoseconds kCycle(2'000);
inline constexpr Picoseconds kBus(static_cast<std::int64_t>(memory::kRegisterAccessCycles) * 2'000);

inline config::Cpu cpu_config(Picoseconds quantum) {
  config::Cpu cpu{};
  cpu.model = config::CpuModel::kIss;
  cpu.cores = 1;
  cpu.clock = kClock;
  cpu.quantum = quantum;
  cpu.load_tcm_cycles = 2;
  cpu.load_dram_cycles = 30;
  cpu.store_dram_cycles = 3;
  cpu.mul_cycles = 2;
  cpu.div_cycles = 18;
  cpu.branch_cycles = 1;
  cpu.branch_taken_cycles = 3;
  cpu.jump_cycles = 2;
  cpu.jump_register_cycles = 3;
  cpu.csr_cycles = 1;
  cpu.atomic_cycles = 1;
  cpu.trap_cycles = 4;
  return cpu;
}

/// Everything around the cores; the registers of NVMe, the flash back end and one channel are probes.
struct Rig {
  explicit Rig(unsigned cores) : bus("bus", cores, 1, kBus), irq("irq", testing::context(), cores) {
    bus.itcm.bind(itcm.socket);
    bus.tcm.bind(tcm.socket);
    bus.dram.bind(dram.socket);
    bus.nvme.bind(nvme.socket);
    bus.flash.bind(flash.socket);
    bus.channels[0].bind(channel.socket);
    bus.irq.bind(irq.socket);
    bus.timer.bind(timer.socket);
    bus.uart.bind(log.socket);
    timer.interrupt.bind(irq);
  }

  memory::Interconnect bus;
  memory::Tcm itcm{"itcm", WL_ITCM_BASE, WL_ITCM_SIZE};
  memory::Tcm tcm{"tcm", WL_TCM_BASE, WL_TCM_SIZE};
  memory::Dram dram{"dram", testing::context(), {BytesPerSecond(1'000'000'000), Picoseconds(50'000)}, 1U << 20};
  RegisterProbe nvme{"nvme"}, flash{"flash"}, channel{"channel0"};
  cpu::InterruptController irq;
  cpu::Timer timer{"timer", testing::context()};
  std::vector<std::pair<Picoseconds, std::string>> lines;
  cpu::Log log{"log", testing::context(),
               [this](Picoseconds at, std::string_view line) { lines.emplace_back(at, line); }};
};

/// Stage clock that only remembers what cores tell it.
struct WorkProbe final : StageClockStub {
  struct Work {
    std::uint16_t tag;
    Picoseconds from, to;
  };
  struct Wait {
    unsigned waiter, pool;
    Picoseconds at;
  };
  std::vector<Work> works;  // stretches that touch are one
  std::vector<Wait> waits;
  void work(std::uint16_t tag, Picoseconds from, Picoseconds to) override {
    if (!works.empty() && works.back().tag == tag && works.back().to == from) {
      works.back().to = to;
    } else {
      works.push_back({tag, from, to});
    }
  }
  void pool(unsigned waiter, unsigned pool, Picoseconds at) override { waits.push_back({waiter, pool, at}); }
};

/// Recorder that keeps what is shown of a core's tasks: (time, name of the value).
struct TaskProbe final : tlm_if::RecorderIf {
  static constexpr Signal shown = 0, other = 1;
  std::vector<std::string> signals;
  std::vector<std::string> names;
  std::vector<std::pair<Picoseconds, std::string>> values;
  Signal add_enum(std::string_view scope, std::string_view name,
                  std::initializer_list<std::string_view> enum_names) override {
    if (name != "task") return other;
    signals.push_back(std::string(scope) + "." + std::string(name));
    names.assign(enum_names.begin(), enum_names.end());
    return shown;
  }
  Signal add_bit(std::string_view, std::string_view) override { return other; }
  Signal add_vector(std::string_view, std::string_view, unsigned) override { return other; }
  Signal add_text(std::string_view, std::string_view) override { return other; }
  Signal add_real(std::string_view, std::string_view) override { return other; }
  void set(Signal signal, Picoseconds at, std::uint64_t value) override {
    EXPECT_GE(at, tlm_if::kernel_time()) << "the past cannot be recorded";
    if (signal != shown) return;
    values.emplace_back(at, names.at(value));
  }
  void set_real(Signal, Picoseconds, double) override {}
  void set_text(Signal, Picoseconds, std::string_view) override {}
  [[nodiscard]] bool active() const override { return true; }
};

}  // namespace wordline::testing
