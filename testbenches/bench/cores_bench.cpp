// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// bench_cores: millions of firmware instructions per CPU second in six ways, in one run: a core of the drive inside
// SystemC (quantum 1 us, one core) and the same instruction-set model by itself, each with firmware translated into
// code of the host and interpreted, the model without its block cache (every instruction fetched and decoded anew), and
// Unicorn (QEMU's translator as a library). Hot: the firmware-like loop riscv_ftl.c. Cold: 8,192 blocks of 8
// instructions all over instruction memory, in scattered order.
//
// Each measurement is a process of its own, three times in turn; printed is the median.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unicorn/unicorn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "testbenches/bench/riscv_drive.h"
#include "testbenches/tlm/device/cpu/rig.h"
#include "testbenches/tlm/support/context.h"
#include "tlm/device/cpu/iss_core.h"

namespace {

using namespace wordline;

constexpr std::uint32_t kBlocks = 8192, kBlockBytes = 32, kCodeBytes = kBlocks * kBlockBytes;
constexpr std::uint32_t kTcm = 0x10000000, kTcmBytes = 0x100000, kDram = 0x80000000, kDramBytes = 1u << 20;

/// Block 0 counts the rounds in t6; a round is every block once.
std::vector<std::uint32_t> scattered_code() {
  constexpr std::uint32_t kStep = 5013;  // coprime to the number of blocks
  std::vector<std::uint32_t> words(kCodeBytes / 4);
  for (std::uint32_t n = 0; n < kBlocks; ++n) {
    for (std::uint32_t i = 0; i < 7; ++i)
      words[8 * n + i] = (n * 7 + i) % 31 << 20 | 10u << 15 | (10 + (n + i) % 6) << 7 | 0x13;  // addi
    if (n == 0) words[0] = 1u << 20 | 31u << 15 | 31u << 7 | 0x13;
    const std::uint32_t offset = ((n + kStep) % kBlocks - n) * kBlockBytes - 28;
    words[8 * n + 7] = (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 |
                       (offset >> 12 & 0xff) << 12 | 0x6f;
  }
  return words;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

/// MIPS of `step`, which returns the instructions so far, over about a second; the first call warms up.
double rate(const std::function<double()>& step) {
  const double first = step(), begin = cpu_seconds();
  double last = first, seconds = 0;
  while (seconds < 1.0) {
    last = step();
    seconds = cpu_seconds() - begin;
  }
  return (last - first) / seconds * 1e-6;
}

using wordline::testing::Drive;

double alone(bool hot, Drive::Mode mode) {
  Drive drive(mode);
  if (hot) {
    drive.load(WORDLINE_RISCV_FTL);
  } else {
    const auto words = scattered_code();
    std::memcpy(drive.code.data(), words.data(), kCodeBytes);
    drive.hart.reset(0);
  }
  return rate([&] {
    drive.hart.run(2'000'000);
    return static_cast<double>(drive.hart.instructions());
  });
}

double in_systemc(bool hot, bool translate) {
  const riscv::ElfFile image(WORDLINE_RISCV_FTL);
  wordline::testing::Rig rig(1);
  config::Cpu config = wordline::testing::cpu_config(Picoseconds(1'000'000));
  config.translate = translate;
  cpu::IssCore core("core0", wordline::testing::context(), config, 0, image, nullptr);
  core.socket.bind(rig.bus.cores[0]);
  core.interrupt.bind(rig.irq.lines[0]);
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_US));
  if (!hot) {
    const auto words = scattered_code();
    std::memcpy(rig.itcm.data(), words.data(), kCodeBytes);
    core.hart().invalidate_code();
    core.hart().set_pc(0);
  }
  return rate([&] {
    sc_core::sc_start(sc_core::sc_time(4, sc_core::SC_MS));
    return static_cast<double>(core.hart().instructions());
  });
}

/// Instructions that one count of progress takes: a command of the hot loop, a round of the cold one.
double instructions_per_count(bool hot) {
  if (!hot) return 8.0 * kBlocks;
  Drive drive(Drive::Mode::kTranslated);
  drive.load(WORDLINE_RISCV_FTL);
  std::uint32_t commands_at = 0, commands = 0;
  if (!riscv::ElfFile(WORDLINE_RISCV_FTL).symbol("commands", commands_at)) throw std::runtime_error("no `commands`");
  drive.hart.run(400'000'000);
  std::memcpy(&commands, drive.hart.host_pointer(commands_at, 4), 4);
  return static_cast<double>(drive.hart.instructions()) / commands;
}

double unicorn(bool hot) {
  const auto check = [](uc_err error) {
    if (error != UC_ERR_OK) throw std::runtime_error(uc_strerror(error));
  };
  uc_engine* engine = nullptr;
  check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine));
  std::vector<std::byte> code(kCodeBytes), tcm(kTcmBytes), dram(kDramBytes);
  check(uc_mem_map_ptr(engine, 0, code.size(), UC_PROT_ALL, code.data()));
  check(uc_mem_map_ptr(engine, kTcm, tcm.size(), UC_PROT_READ | UC_PROT_WRITE, tcm.data()));
  check(uc_mem_map_ptr(engine, kDram, dram.size(), UC_PROT_READ | UC_PROT_WRITE, dram.data()));
  std::uint32_t pc = 0, commands_at = 0;
  if (hot) {
    const riscv::ElfFile image(WORDLINE_RISCV_FTL);
    if (!image.symbol("commands", commands_at)) throw std::runtime_error("no `commands`");
    image.load([&](std::uint32_t address, std::uint32_t) {
      return address >= kTcm ? tcm.data() + (address - kTcm) : code.data() + address;
    });
    pc = image.entry();
  } else {
    const auto words = scattered_code();
    std::memcpy(code.data(), words.data(), kCodeBytes);
  }
  const double each = instructions_per_count(hot);
  // Once: a program counter that a timeout leaves is not always one to go on from.
  const double begin = cpu_seconds();
  check(uc_emu_start(engine, pc, 0xfffffffe, 1'500'000, 0));  // microseconds
  const double seconds = cpu_seconds() - begin;
  std::uint32_t count = 0;
  if (hot) {
    std::memcpy(&count, tcm.data() + (commands_at - kTcm), 4);
  } else {
    check(uc_reg_read(engine, UC_RISCV_REG_X31, &count));
  }
  return count * each / seconds * 1e-6;
}

/// In a child: SystemC builds one design per process.
double measured(const std::function<double()>& what) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    double value = -1;
    try {
      value = what();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "bench_cores: %s\n", error.what());
    }
    const bool written = write(ends[1], &value, sizeof value) == sizeof value;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  double value = -1;
  const bool complete = read(ends[0], &value, sizeof value) == sizeof value;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!complete || value < 0) throw std::runtime_error("a measurement failed");
  return value;
}

}  // namespace

int sc_main(int, char**) {
  struct Row {
    const char* name;
    std::function<double(bool hot)> run;
    std::vector<double> mips[2];
  };
  std::vector<Row> rows{{"core in SystemC, quantum 1 us", [](bool hot) { return in_systemc(hot, true); }, {}},
                        {"the same, interpreted", [](bool hot) { return in_systemc(hot, false); }, {}},
                        {"the model by itself", [](bool hot) { return alone(hot, Drive::Mode::kTranslated); }, {}},
                        {"the same, interpreted", [](bool hot) { return alone(hot, Drive::Mode::kInterpreted); }, {}},
                        {"decoding each time", [](bool hot) { return alone(hot, Drive::Mode::kEachTime); }, {}},
                        {"Unicorn", unicorn, {}}};
  const auto median = [](std::vector<double>& v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  };
  for (int round = 0; round < 3; ++round)
    for (Row& row : rows)
      for (const bool hot : {true, false}) row.mips[hot ? 0 : 1].push_back(measured([&] { return row.run(hot); }));
  std::printf("%-32s %10s %10s   (million instructions per CPU second)\n", "", "hot", "cold");
  for (Row& row : rows) std::printf("%-32s %10.0f %10.0f\n", row.name, median(row.mips[0]), median(row.mips[1]));
  const auto against = [&](std::size_t i, int kind) { return rows[0].mips[kind][1] / rows[i].mips[kind][1]; };
  std::printf(
      "core in SystemC against decoding each time: %.1fx hot, %.1fx cold; against Unicorn: %.1fx hot, %.1fx cold\n",
      against(4, 0), against(4, 1), against(5, 0), against(5, 1));
  return 0;
}
