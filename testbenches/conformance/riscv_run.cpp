// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// riscv_run [--signature] [--trap-misaligned] ELF...: runs programs made in the manner of riscv-tests ("-p"
// environment) on models/riscv and says of each whether it passes. Such a program is loaded at 0x80000000, starts at
// its entry and ends with a store to the word `tohost`: 1 = pass, (n << 1) | 1 = test n failed. With --signature the
// words between the symbols begin_signature and end_signature go to ELF.signature, one a line, as riscv-arch-test
// compares them. With --trap-misaligned misaligned loads and stores trap. Each runs twice, interpreted and translated
// into code of the host. Exit code: 0 all pass, 1 some do not, 2 nothing could be run.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/riscv/elf_loader.h"
#include "models/riscv/hart.h"
#include "models/units/hex.h"

namespace {

using wordline::hex_address;
using wordline::riscv::Bus;
using wordline::riscv::ElfFile;
using wordline::riscv::Hart;
using wordline::riscv::HartConfig;
using wordline::riscv::StopReason;

constexpr std::uint32_t kMemoryBase = 0x80000000, kMemorySize = 0x400000;
constexpr std::uint64_t kSlice = 1000, kLimit = 20'000'000;  // cycles; the longest public test takes some 100 000

class NoBus final : public Bus {
 public:
  bool read(std::uint32_t, unsigned, std::uint32_t&) override { return false; }
  bool write(std::uint32_t, unsigned, std::uint32_t) override { return false; }
};

void write_signature(const ElfFile& image, const Hart& hart) {
  std::uint32_t begin = 0, end = 0;
  if (!image.symbol("begin_signature", begin) || !image.symbol("end_signature", end) || begin > end)
    throw std::runtime_error(image.path() + ": has no signature (symbols begin_signature, end_signature)");
  std::ofstream out(image.path() + ".signature");
  for (std::uint32_t address = begin; address < end; address += 4) {
    const std::byte* at = hart.host_pointer(address, 4);
    if (at == nullptr) throw std::runtime_error(image.path() + ": the signature is not in memory");
    std::uint32_t word = 0;
    std::memcpy(&word, at, 4);
    out << hex_address(word).substr(2) << '\n';
  }
  if (!out.flush()) throw std::runtime_error(image.path() + ".signature: cannot be written");
}

/// "pass", or what went wrong.
std::string run(const std::string& path, bool signature, bool trap_misaligned, bool translate) {
  const ElfFile image(path);
  std::uint32_t tohost = 0;
  if (!image.symbol("tohost", tohost)) throw std::runtime_error(path + ": has no symbol tohost");
  NoBus bus;
  HartConfig config;
  config.stop_on_ebreak = false;  // a breakpoint exception, as on hardware
  config.trap_misaligned = trap_misaligned;
  config.translate = translate;
  config.translate_after = 1;
  Hart hart(config, bus);
  std::vector<std::byte> memory(kMemorySize);
  hart.add_region({kMemoryBase, kMemorySize, memory.data(), 1, 1, true, true});
  image.load([&hart](std::uint32_t address, std::uint32_t bytes) { return hart.host_pointer(address, bytes); });
  hart.reset(image.entry());
  const std::byte* word = hart.host_pointer(tohost, 4);
  if (word == nullptr) throw std::runtime_error(path + ": tohost is not in memory");
  const auto where = [&] { return " at " + hex_address(hart.pc()) + " (" + image.function_name(hart.pc()) + ")"; };
  while (hart.cycles() < kLimit) {
    const StopReason reason = hart.run(kSlice);
    std::uint32_t value = 0;
    std::memcpy(&value, word, 4);
    if (value == 1 && signature) write_signature(image, hart);
    if (value == 1) return "pass";
    if (value != 0) return "FAIL test " + std::to_string(value >> 1);
    // Nothing else would ever wake it.
    if (reason == StopReason::kWfi) hart.set_interrupt(wordline::riscv::kIrqSoftware, true);
    if (reason == StopReason::kLockup) return "FAIL: trap without a handler" + where();
  }
  return "FAIL: not done after " + std::to_string(kLimit) + " cycles" + where();
}

}  // namespace

int main(int argc, char** argv) {
  bool signature = false, trap_misaligned = false, known = true;
  int first = 1;
  for (; known && first < argc && std::strncmp(argv[first], "--", 2) == 0; ++first) {
    const std::string option = argv[first];
    known = option == "--signature" || option == "--trap-misaligned";
    signature = signature || option == "--signature";
    trap_misaligned = trap_misaligned || option == "--trap-misaligned";
  }
  if (!known || argc <= first) {
    std::fprintf(stderr, "usage: riscv_run [--signature] [--trap-misaligned] ELF...\n");
    return 2;
  }
  int passed = 0;
  bool unusable = false;
  for (int i = first; i < argc; ++i) {
    try {
      std::string verdict = run(argv[i], signature, trap_misaligned, false);
      if (verdict == "pass") {
        verdict = run(argv[i], signature, trap_misaligned, true);
        if (verdict != "pass") verdict += ", but only when it is translated";
      }
      passed += verdict == "pass" ? 1 : 0;
      std::printf("%s: %s\n", argv[i], verdict.c_str());
    } catch (const std::exception& error) {
      std::printf("%s: cannot run: %s\n", argv[i], error.what());
      unusable = true;
    }
  }
  std::printf("%d of %d pass\n", passed, argc - first);
  if (unusable) return 2;
  return passed == argc - first ? 0 : 1;
}
