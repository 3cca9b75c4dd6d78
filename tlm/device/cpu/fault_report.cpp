// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/fault_report.h"

#include <fmt/core.h>

#include <cstring>

#include "models/firmware/contract/contract.h"
#include "models/riscv/disassemble.h"
#include "tlm/device/cpu/core.h"

namespace wordline::cpu {
namespace {

/// "release + 0x1c", or "no function of the image".
std::string function_text(const riscv::ElfFile& image, std::uint32_t pc) {
  const riscv::Function* function = image.function_at(pc);
  if (function == nullptr) return "no function of the image";
  return fmt::format("{} + {:#x}", function->name, pc - function->address);
}

std::string memory_text(const FaultPlace& place, std::uint32_t address, bool store) {
  for (std::size_t core = 0; core < place.stacks.size(); ++core) {
    const StackArea& stack = place.stacks[core];
    if (address < stack.guard || address >= stack.bottom) continue;
    return fmt::format("in the guard below the stack of core {} ({:#010x} to {:#010x}, {} bytes): stack overflow", core,
                       stack.bottom, stack.top, stack.top - stack.bottom);
  }
  if (address < WL_ITCM_BASE + WL_ITCM_SIZE) {
    return store ? "instruction memory is read-only for the cores; a null pointer?" : "instruction memory";
  }
  if (address - WL_TCM_BASE < WL_TCM_SIZE) return "tightly coupled memory";
  if (address - WL_MMIO_BASE - WL_APB_OFFSET < WL_APB_SIZE) {
    return "a register of a block of your own: cpu.apb.block names none, or it answers with an error; a firmware that "
           "was "
           "built with WORDLINE_OWN_DRIVER needs the block (docs/own_rtl.md)";
  }
  if (address - WL_MMIO_BASE < WL_MMIO_SIZE) {
    return "no such register, or not a whole aligned word of one (models/registers/wordline.rdl)";
  }
  if (address >= WL_DRAM_BASE) return "beyond the end of the DRAM that the firmware may use";
  return "there is nothing at this address (memory map: models/firmware/contract/)";
}

/// The instruction at the hart's pc, as bits and in words.
std::string instruction_text(const riscv::Hart& hart) {
  const std::uint32_t pc = hart.pc();
  std::uint32_t raw = 0;
  const std::byte* code = hart.host_pointer(pc, 2);
  if (code == nullptr) return "nothing can be fetched here";
  std::memcpy(&raw, code, 2);
  if ((raw & 3U) != 3U) return fmt::format("{:#06x}  {}", raw, riscv::disassemble(raw, pc));
  code = hart.host_pointer(pc, 4);
  if (code == nullptr) return fmt::format("{:#06x}, cut off by the end of memory", raw);
  std::memcpy(&raw, code, 4);
  return fmt::format("{:#010x}  {}", raw, riscv::disassemble(raw, pc));
}

}  // namespace

std::vector<StackArea> stacks_of(const riscv::ElfFile& image, unsigned cores) {
  std::uint32_t top = 0, bytes = 0, guard = 0;
  std::vector<StackArea> stacks;
  if (!image.symbol("__stack_top", top) || !image.symbol("__stack_bytes", bytes)) return stacks;
  if (!image.symbol("__stack_guard_bytes", guard) || guard >= bytes) return stacks;
  if ((top | bytes | guard) % 4 != 0 || top - WL_TCM_BASE > WL_TCM_SIZE) return stacks;
  if (std::uint64_t{bytes} * cores > top - WL_TCM_BASE) return stacks;
  for (unsigned core = 0; core < cores; ++core) {
    const std::uint32_t lowest = top - (core + 1) * bytes;
    stacks.push_back({lowest, lowest + guard, lowest + bytes});
  }
  return stacks;
}

std::string describe_exception(const FaultPlace& place, std::uint32_t cause, std::uint32_t tval) {
  const char* const name = riscv::cause_name(cause);
  switch (cause) {
    case riscv::kCauseLoadMisaligned:
    case riscv::kCauseLoadFault:
      return fmt::format("{} at {:#010x}: {}", name, tval, memory_text(place, tval, false));
    case riscv::kCauseStoreMisaligned:
    case riscv::kCauseStoreFault:
      return fmt::format("{} at {:#010x}: {}", name, tval, memory_text(place, tval, true));
    case riscv::kCauseFetchFault:
      return fmt::format("{} at {:#010x}: no code can run there; a wild function pointer or return address?", name,
                         tval);
    case riscv::kCauseIllegal:
      return fmt::format("{}: the cores execute RV32IMAC with Zba, Zbb, Zicsr and Zifencei (docs/cpu.md)", name);
    default:
      return name;
  }
}

std::string describe_place(const FaultPlace& place) {
  const riscv::Hart& hart = place.hart;
  const riscv::ElfFile& image = place.image;
  const std::uint32_t tag = hart.tag(), pc = hart.pc(), ra = hart.reg(1);
  const std::string task = tag < WL_COST_COUNT ? std::string(cost_tag_name(tag)) : std::to_string(tag);
  std::string out =
      fmt::format("\n  at {:.6f} ms, task {}, in {}\n  {:#010x}: {}", static_cast<double>(place.at.count()) * 1e-9,
                  task, function_text(image, pc), pc, instruction_text(hart));
  if (image.function_at(ra) != nullptr) {
    out += fmt::format("\n  return address: {:#010x}, {}", ra, function_text(image, ra));
  }
  out += "\n  registers:";
  for (unsigned i = 1; i < 32; ++i) {
    out += fmt::format("{}{:>4} {:08x}", i % 8 == 1 ? "\n   " : " ", riscv::register_name(i), hart.reg(i));
  }
  out += fmt::format("\n  source lines: riscv64-unknown-elf-addr2line -fie {} {:#010x} {:#010x}", image.path(), pc, ra);
  return out;
}

}  // namespace wordline::cpu
