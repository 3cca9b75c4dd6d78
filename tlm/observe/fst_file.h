// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/observe/wave_file.h"
#include "tlm/observe/wave_signal.h"

namespace wordline::observe {

/// One open FST file with a time base of 1 ps. The only place that calls GTKWave's fstapi, so that a trace of RTL can
/// share the context: declare() first, then times in ascending order.
class FstFile final : public WaveFile {
 public:
  /// Throws std::runtime_error naming the path when the file cannot be made.
  explicit FstFile(const std::string& path);
  ~FstFile() override;
  FstFile(const FstFile&) = delete;
  FstFile& operator=(const FstFile&) = delete;

  /// Writes what is left and closes; the destructor does the same without a word. Throws std::runtime_error naming the
  /// path when the file is not whole: the writer reports no error, as on a full disk.
  void close() override;

  /// Declares all signals, each scope once, in order of first appearance. Signal i gets handle i.
  void declare(const std::vector<WaveSignal>& signals) override;

  /// Values that follow belong to `ps`; not before the last one.
  void time(std::uint64_t ps) override;
  void bits(std::uint32_t signal, unsigned width, std::uint64_t value) override;
  void unknown(std::uint32_t signal, unsigned width) override;
  void real(std::uint32_t signal, double value) override;
  void text(std::uint32_t signal, std::string_view value) override;

 private:
  struct Scope;
  void declare_scope(const Scope& scope, const std::vector<WaveSignal>& signals);
  void declare_signal(std::uint32_t index, const WaveSignal& signal);
  std::uint32_t enum_table(const WaveSignal& signal);
  void account(std::uint64_t bytes);

  std::string path_;
  void* context_;  // null: closed
  std::uint64_t unflushed_ = 0;
  std::vector<std::uint32_t> handles_;
  struct Table {
    std::vector<std::string> names;
    std::uint32_t handle;
  };
  std::vector<Table> tables_;
};

}  // namespace wordline::observe
