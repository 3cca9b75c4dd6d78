// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Reads a 32-bit little-endian RISC-V executable. Everything wrong with the file is a std::runtime_error that names
/// the file and what to do. Only the program headers decide what is loaded; symbols are for names.
namespace wordline::riscv {

struct Segment {
  std::uint32_t address;  // physical (load) address, p_paddr
  std::vector<std::byte> bytes;
  std::uint32_t zero_bytes;  // follow the bytes (.bss)
  bool executable, writable;
};

struct Function {
  std::uint32_t address, size;
  std::string name;
};

class ElfFile {
 public:
  explicit ElfFile(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint32_t entry() const { return entry_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  /// Functions in order of address.
  [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }
  /// The function that holds `address`, null when none does.
  [[nodiscard]] const Function* function_at(std::uint32_t address) const;
  /// The name of the function, or "0x..." when no function holds the address.
  [[nodiscard]] std::string function_name(std::uint32_t address) const;
  /// Address of any symbol; false when there is none.
  [[nodiscard]] bool symbol(const std::string& name, std::uint32_t& address) const;

  /// Copies the segments and clears their zero bytes. `at` returns the host address of `bytes` bytes, or null when that
  /// range is not memory: then this throws and names the segment. E.g. Hart::host_pointer.
  void load(const std::function<std::byte*(std::uint32_t address, std::uint32_t bytes)>& at) const;

 private:
  struct Symbol {
    std::string name;
    std::uint32_t address;
  };
  std::string path_;
  std::uint32_t entry_ = 0;
  std::vector<Segment> segments_;
  std::vector<Function> functions_;
  std::vector<Symbol> symbols_;  // symbols by name
};

}  // namespace wordline::riscv
