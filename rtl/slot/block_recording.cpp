// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/block_recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace wordline::rtl {

void RecordedLine::begin(const char* name) { text_ += fmt::format("{}\"{}\": ", text_.empty() ? "" : ", ", name); }

RecordedLine& RecordedLine::number(const char* name, std::uint64_t value) {
  begin(name);
  text_ += fmt::format("{}", value);
  return *this;
}

RecordedLine& RecordedLine::numbers(const char* name, const std::vector<std::uint64_t>& values) {
  begin(name);
  text_ += fmt::format("[{}]", fmt::join(values, ", "));
  return *this;
}

RecordedLine& RecordedLine::beats(const char* name, const std::uint64_t* values, std::size_t count) {
  begin(name);
  text_ += fmt::format("\"{:016x}\"", fmt::join(values, values + count, " "));
  return *this;
}

RecordedLine& RecordedLine::bytes(const char* name, const std::vector<std::uint8_t>& values) {
  begin(name);
  text_ += fmt::format("\"{:02x}\"", fmt::join(values, ""));
  return *this;
}

const std::vector<std::string>& BlockRecording::slots() {
  static const std::vector<std::string> all{"ecc_decoder",  "ecc_soft_decoder", "ecc_encoder",   "stream_tap",
                                            "engine_parse", "engine_l2p",       "engine_victim", "flash_sequencer"};
  return all;
}

BlockRecording::BlockRecording(std::string slot, std::string file)
    : slot_(std::move(slot)), file_(std::move(file)), out_(file_, std::ios::binary) {
  if (!out_) throw std::runtime_error(fmt::format("--record-block {}={}: the file cannot be made", slot_, file_));
  out_ << fmt::format("{{\"slot\": \"{}\", \"version\": 1}}\n", slot_);
}

void BlockRecording::add(const RecordedLine& line) {
  out_ << '{' << line.text_ << "}\n";
  ++lines_;
}

void BlockRecording::close() {
  out_.close();
  if (!out_) throw std::runtime_error(fmt::format("--record-block {}={}: the file cannot be written", slot_, file_));
  if (lines_ == 0) {
    throw std::runtime_error(
        fmt::format("--record-block {}={}: nothing went into the block in this run", slot_, file_));
  }
}

void BlockRecordings::open(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string slot = text.substr(0, equals);
  const std::vector<std::string>& slots = BlockRecording::slots();
  if (equals == std::string::npos || equals + 1 == text.size() ||
      std::find(slots.begin(), slots.end(), slot) == slots.end()) {
    throw std::invalid_argument(
        fmt::format("--record-block {}: expected SLOT=FILE with one of the slots {}", text, fmt::join(slots, ", ")));
  }
  if (of(slot) != nullptr) throw std::invalid_argument(fmt::format("--record-block {}: {} is there twice", text, slot));
  all_.push_back(std::make_unique<BlockRecording>(slot, text.substr(equals + 1)));
}

BlockRecording* BlockRecordings::of(const std::string& slot) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one->slot() == slot; });
  return found == all_.end() ? nullptr : found->get();
}

void BlockRecordings::close() {
  for (const auto& one : all_) one->close();
}

}  // namespace wordline::rtl
