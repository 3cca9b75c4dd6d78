// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/workload/trace/record.h"

namespace wordline::workload {

/// The fields of a line, without the blanks around them; more than there is room for are counted only.
struct Fields {
  static constexpr std::size_t kKept = 16;
  std::array<std::string_view, kKept> kept;
  std::size_t count = 0;

  const std::string_view& operator[](std::size_t i) const { return kept[i]; }
  void split(std::string_view line, char separator);
  void split_blanks(std::string_view line);
};

/// RWBS of blkparse (blktrace's fill_rwbs()): F first is a flush before the request, then R, W, D or nothing, then
/// flags, of which F is FUA. Sets operation and flags; a word of F alone is a FLUSH. False: it is no read, write or
/// discard.
[[nodiscard]] bool take_rwbs(std::string_view rwbs, TraceRecord& out);

/// "12.345" in units of 10^-digits, what lies beyond them dropped; nothing when it is no such number or does not fit.
[[nodiscard]] std::optional<std::uint64_t> to_fixed(std::string_view s, unsigned digits);

/// Reads the lines of one text format, in the order of the file.
class LineParser {
 public:
  enum class Verdict : std::uint8_t {
    kRequest,  // `out` is the request
    kNone,     // no request by the definition of the format: a header, an event of another kind
    kWrong     // problem() says why
  };

  virtual ~LineParser() = default;
  /// `line` is not empty and has no blanks around it.
  virtual Verdict parse(std::string_view line, TraceRecord& out) = 0;
  [[nodiscard]] virtual std::uint64_t ps_per_tick() const = 0;
  /// False: the trace says nothing of when its requests arrived. Known when all lines were parsed.
  [[nodiscard]] virtual bool has_times() const { return true; }

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::size_t devices() const { return devices_.count(); }
  [[nodiscard]] const LeftOut& left_out() const { return left_out_; }

 protected:
  Verdict wrong(std::string problem) {
    problem_ = std::move(problem);
    return Verdict::kWrong;
  }
  /// False, with the problem, when `field` is not what is named.
  bool number(std::string_view field, const char* what, std::uint64_t& value);
  bool fixed(std::string_view field, const char* what, unsigned digits, std::uint64_t& value);
  bool device(std::string_view name, std::uint16_t& value);
  /// Bytes to whole blocks; false, with the problem, when they are not whole.
  bool whole_lbas(std::uint64_t offset, std::uint64_t bytes, TraceRecord& out);
  /// Of requests that would move nothing, in every format.
  static constexpr const char* kNoBytes = "requests of 0 bytes";
  Verdict leave_out(const std::string& what) {
    ++left_out_[what];
    return Verdict::kNone;
  }

 private:
  std::string problem_;
  DeviceNumbers devices_;
  LeftOut left_out_;
};

}  // namespace wordline::workload
