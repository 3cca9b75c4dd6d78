// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/blktrace_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace wordline::workload {
namespace {

constexpr std::size_t kEventBytes = 48;
constexpr std::uint32_t kMagic = 0x65617400;
constexpr std::uint32_t kVersion = 7;
constexpr std::uint32_t kQueue = 1, kIssue = 7;  // the action, in the low half of its word
constexpr std::uint32_t kActionMask = 0xFF;      // bit 8 only says that the event names a cgroup
// Categories, in the high half.
constexpr std::uint32_t kRead = 1U << 16U, kWrite = 1U << 17U, kFlush = 1U << 18U, kNotify = 1U << 26U,
                        kDiscard = 1U << 29U, kFua = 1U << 31U;

/// Reads the fields of an event in the byte order of the machine that wrote it.
class Event {
 public:
  explicit Event(const char* bytes) : bytes_(bytes) {
    const std::uint32_t first = magic();
    if (first >> 8U != kMagic >> 8U) swapped_ = true;
  }
  [[nodiscard]] std::uint32_t magic() const { return get<std::uint32_t>(0); }
  [[nodiscard]] std::uint64_t time() const { return get<std::uint64_t>(8); }
  [[nodiscard]] std::uint64_t sector() const { return get<std::uint64_t>(16); }
  [[nodiscard]] std::uint32_t bytes() const { return get<std::uint32_t>(24); }
  [[nodiscard]] std::uint32_t action() const { return get<std::uint32_t>(28); }
  [[nodiscard]] std::uint32_t device() const { return get<std::uint32_t>(36); }
  [[nodiscard]] std::uint16_t payload_bytes() const { return get<std::uint16_t>(46); }

 private:
  template <class T>
  [[nodiscard]] T get(std::size_t at) const {
    std::array<char, sizeof(T)> raw{};
    std::copy_n(bytes_ + at, sizeof(T), raw.begin());
    if (swapped_) std::reverse(raw.begin(), raw.end());
    T value;
    std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  const char* bytes_;
  bool swapped_ = false;
};

}  // namespace

bool BlktraceReader::begins(std::string_view first_bytes) {
  return first_bytes.size() >= kEventBytes && Event(first_bytes.data()).magic() >> 8U == kMagic >> 8U;
}

bool BlktraceReader::skip(std::size_t bytes) {
  std::array<char, 4096> ignored;
  while (bytes != 0) {
    const std::size_t step = std::min(bytes, ignored.size());
    if (input_.read(ignored.data(), step) != step) return false;
    bytes -= step;
  }
  return true;
}

bool BlktraceReader::next(TraceRecord& out, text::Errors& errors) {
  const auto stop = [&](const std::string& why) {
    errors.add(fmt::format("event {}: {}", number_, why));
    ended_ = true;  // where the next event begins is not known
    return false;
  };
  std::array<char, kEventBytes> raw;
  while (!ended_) {
    const std::size_t got = input_.read(raw.data(), raw.size());
    if (got == 0) break;
    ++number_;
    if (got != raw.size()) return stop("the file ends within it");
    const Event event(raw.data());
    if (event.magic() != (kMagic | kVersion)) {
      return stop(fmt::format("expected an event of blktrace, version 7, found 0x{:08x}", event.magic()));
    }
    if (!skip(event.payload_bytes())) return stop("the file ends within it");
    const std::uint32_t action = event.action();
    if ((action & kNotify) != 0) {
      ++left_out_["notifications"];
      continue;
    }
    if ((action & kActionMask) != (issued_ ? kIssue : kQueue)) {
      ++left_out_[issued_ ? "events of other actions than issue" : "events of other actions than queue"];
      continue;
    }
    const bool sized = event.bytes() != 0;
    if (event.bytes() % kLbaBytes != 0) {
      errors.add(fmt::format("event {}: expected whole 512-byte blocks, found {} bytes", number_, event.bytes()));
      continue;
    }
    if ((action & kDiscard) != 0 && sized) {
      out.op = Op::kTrim;
    } else if ((action & kFlush) != 0 && !sized) {
      out.op = Op::kFlush;
    } else if ((action & (kRead | kWrite)) != 0 && sized) {
      out.op = (action & kWrite) != 0 ? Op::kWrite : Op::kRead;
    } else {
      ++left_out_["queued commands that are no read, write or discard"];
      continue;
    }
    out.preflush = (action & kFlush) != 0 && sized;
    out.fua = (action & kFua) != 0 && sized;
    out.ticks = event.time();
    out.lba = out.op == Op::kFlush ? 0 : event.sector();
    out.nlb = event.bytes() / kLbaBytes;
    const auto device = devices_.of(std::to_string(event.device()));
    if (!device) return stop("more than 65,536 devices in one trace");
    out.device = *device;
    return true;
  }
  return false;
}

}  // namespace wordline::workload
