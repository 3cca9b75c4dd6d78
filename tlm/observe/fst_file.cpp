// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/fst_file.h"

#include <fmt/core.h>
#include <fstapi.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace wordline::observe {
namespace {

// The writer keeps value changes in memory until a block is full, by default at 128 MiB, and then collects them signal
// by signal. A block that the processor's caches hold takes a fifth less of a traced run; the file is 1 % larger.
constexpr std::uint64_t kBlockBytes = 4ULL << 20;
// Index and length of one change, about.
constexpr std::uint64_t kChangeOverhead = 6;

/// Whether the file is a chain of blocks that ends where the file does, the signals' names and sizes among them. The
/// library reports no write that failed, and its reader opens files that were cut. A block is its type, a byte, and its
/// length, eight bytes of which the first is the highest, which count themselves and what follows.
bool is_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
  bool names = false, sizes = false;
  std::uint64_t at = 0;
  while (file && at < size) {
    std::array<unsigned char, 9> head{};
    file.seekg(static_cast<std::streamoff>(at));
    if (!file.read(reinterpret_cast<char*>(head.data()), head.size())) return false;
    std::uint64_t length = 0;
    for (std::size_t i = 1; i != head.size(); ++i) length = length << 8U | head[i];
    if (length < 8 || length > size - at - 1) return false;
    names = names || head[0] == FST_BL_HIER || head[0] == FST_BL_HIER_LZ4 || head[0] == FST_BL_HIER_LZ4DUO;
    sizes = sizes || head[0] == FST_BL_GEOM;
    at += 1 + length;
  }
  return at == size && names && sizes;
}

}  // namespace

/// A node of the hierarchy; children and signals in order of first appearance.
struct FstFile::Scope {
  std::string name;
  std::vector<std::unique_ptr<Scope>> children;
  std::vector<std::uint32_t> signals;

  Scope& child(std::string_view wanted) {
    for (const auto& c : children) {
      if (c->name == wanted) return *c;
    }
    children.push_back(std::make_unique<Scope>());
    children.back()->name = wanted;
    return *children.back();
  }
};

FstFile::FstFile(const std::string& path) : path_(path) {
  errno = 0;
  context_ = fstWriterCreate(path.c_str(), 1);
  if (context_ == nullptr) {
    const char* reason = errno != 0 ? std::strerror(errno) : "unknown reason";
    throw std::runtime_error(
        fmt::format("cannot write the waveform \"{}\": {}; give a file in an existing, writable folder", path, reason));
  }
  fstWriterSetTimescale(context_, -12);
  fstWriterSetPackType(context_, FST_WR_PT_LZ4);
  fstWriterSetVersion(context_, "Wordline");
  // The writer puts the wall clock here; equal runs give equal files.
  fstWriterSetDate(context_, "simulated time");
}

FstFile::~FstFile() {
  if (context_ != nullptr) fstWriterClose(context_);
}

void FstFile::close() {
  fstWriterClose(context_);
  context_ = nullptr;
  if (!is_whole(path_)) {
    throw std::runtime_error(
        fmt::format("the waveform \"{}\" is cut: no space left on the device, or a size limit?", path_));
  }
}

void FstFile::declare(const std::vector<WaveSignal>& signals) {
  handles_.resize(signals.size());
  Scope root;
  for (std::uint32_t i = 0; i < signals.size(); ++i) {
    Scope* scope = &root;
    std::string_view rest = signals[i].scope;
    while (!rest.empty()) {
      const auto dot = rest.find('.');
      scope = &scope->child(rest.substr(0, dot));
      rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    }
    scope->signals.push_back(i);
  }
  for (const std::uint32_t i : root.signals) declare_signal(i, signals[i]);
  for (const auto& child : root.children) declare_scope(*child, signals);
}

void FstFile::declare_scope(const Scope& scope, const std::vector<WaveSignal>& signals) {
  fstWriterSetScope(context_, FST_ST_VCD_MODULE, scope.name.c_str(), nullptr);
  for (const std::uint32_t i : scope.signals) declare_signal(i, signals[i]);
  for (const auto& child : scope.children) declare_scope(*child, signals);
  fstWriterSetUpscope(context_);
}

void FstFile::declare_signal(std::uint32_t index, const WaveSignal& signal) {
  fstVarType type = FST_VT_VCD_WIRE;
  std::uint32_t length = signal.bits;
  switch (signal.kind) {
    case SignalKind::kBit:
    case SignalKind::kVector:
      break;
    case SignalKind::kEnum:
      type = FST_VT_SV_ENUM;
      fstWriterEmitEnumTableRef(context_, enum_table(signal));
      break;
    case SignalKind::kText:
      type = FST_VT_GEN_STRING;
      length = 0;
      break;
    case SignalKind::kReal:
      type = FST_VT_VCD_REAL;
      length = 64;
      break;
  }
  handles_[index] = fstWriterCreateVar(context_, type, FST_VD_IMPLICIT, length, signal.name.c_str(), 0);
}

// Equal dies have equal tables: one table serves all of them.
std::uint32_t FstFile::enum_table(const WaveSignal& signal) {
  for (const Table& table : tables_) {
    if (table.names == signal.names) return table.handle;
  }
  std::vector<std::string> values;
  std::vector<const char*> value_pointers;
  std::vector<const char*> name_pointers;
  for (std::size_t v = 0; v < signal.names.size(); ++v) {
    std::string digits(signal.bits, '0');
    for (unsigned b = 0; b < signal.bits; ++b) {
      if ((v >> b & 1U) != 0) digits[signal.bits - 1 - b] = '1';
    }
    values.push_back(digits);
  }
  for (const std::string& value : values) value_pointers.push_back(value.c_str());
  for (const std::string& name : signal.names) name_pointers.push_back(name.c_str());
  const std::string table_name = fmt::format("{}_{}", signal.name, tables_.size());
  const std::uint32_t handle =
      fstWriterCreateEnumTable(context_, table_name.c_str(), static_cast<std::uint32_t>(values.size()), signal.bits,
                               name_pointers.data(), value_pointers.data());
  tables_.push_back({signal.names, handle});
  return handle;
}

void FstFile::time(std::uint64_t ps) {
  if (unflushed_ >= kBlockBytes) {
    fstWriterFlushContext(context_);
    unflushed_ = 0;
  }
  fstWriterEmitTimeChange(context_, ps);
}

void FstFile::bits(std::uint32_t signal, unsigned width, std::uint64_t value) {
  char digits[64];
  for (unsigned b = 0; b < width; ++b) digits[width - 1 - b] = (value >> b & 1U) != 0 ? '1' : '0';
  fstWriterEmitValueChange(context_, handles_[signal], digits);
  account(width);
}

void FstFile::unknown(std::uint32_t signal, unsigned width) {
  const std::string digits(width, 'x');
  fstWriterEmitValueChange(context_, handles_[signal], digits.c_str());
  account(width);
}

void FstFile::real(std::uint32_t signal, double value) {
  fstWriterEmitValueChange(context_, handles_[signal], &value);
  account(sizeof value);
}

void FstFile::text(std::uint32_t signal, std::string_view value) {
  fstWriterEmitVariableLengthValueChange(context_, handles_[signal], value.data(),
                                         static_cast<std::uint32_t>(value.size()));
  account(value.size());
}

void FstFile::account(std::uint64_t bytes) { unflushed_ += bytes + kChangeOverhead; }

}  // namespace wordline::observe
