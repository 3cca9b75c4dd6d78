// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What a drive gave to the block of a slot, and what is right of it, in a file for benches of a block of the user's
/// own (docs/own_rtl.md): JSON, an object a line, the first one of the file itself. It keeps what it is given.
#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace wordline::rtl {

/// A line: names and values in the order in which they are added.
class RecordedLine {
 public:
  RecordedLine& number(const char* name, std::uint64_t value);
  RecordedLine& numbers(const char* name, const std::vector<std::uint64_t>& values);
  /// Beats of a stream: 16 hexadecimal digits each, the first beat first.
  template <std::size_t count>
  RecordedLine& beats(const char* name, const std::array<std::uint64_t, count>& values) {
    return beats(name, values.data(), count);
  }
  RecordedLine& beats(const char* name, const std::uint64_t* values, std::size_t count);
  /// Two hexadecimal digits each, the first byte first.
  RecordedLine& bytes(const char* name, const std::vector<std::uint8_t>& values);

 private:
  friend class BlockRecording;
  void begin(const char* name);
  std::string text_;
};

class BlockRecording {
 public:
  /// The slots of which it knows what goes in.
  [[nodiscard]] static const std::vector<std::string>& slots();

  /// `slot` is one of slots(). Throws std::runtime_error when the file cannot be made.
  BlockRecording(std::string slot, std::string file);

  [[nodiscard]] const std::string& slot() const { return slot_; }
  void add(const RecordedLine& line);
  [[nodiscard]] std::uint64_t lines() const { return lines_; }  ///< without the first one
  /// Writes what is left. Throws std::runtime_error when the file is not whole, or nothing came.
  void close();

 private:
  const std::string slot_, file_;
  std::ofstream out_;
  std::uint64_t lines_ = 0;
};

/// Those of a run, one a slot.
class BlockRecordings {
 public:
  /// "SLOT=FILE". Throws std::invalid_argument where that is none, the slot is not among slots(), or is
  /// there already; std::runtime_error as BlockRecording().
  void open(const std::string& text);
  /// Null: that slot is not recorded.
  [[nodiscard]] BlockRecording* of(const std::string& slot) const;
  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// As BlockRecording::close().
  void close();

 private:
  std::vector<std::unique_ptr<BlockRecording>> all_;
};

}  // namespace wordline::rtl
