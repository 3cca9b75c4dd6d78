// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "models/units/quantity.h"

namespace wordline::observe {

/// A row of a timeline: slices of one thread do not overlap, but may lie within each other.
struct TraceTrack {
  std::uint32_t process = 0, thread = 0;
};

/// A timeline in the Trace Event Format of Chrome, which Perfetto reads: JSON, written as the run goes on. Times are
/// microseconds with six decimals: exact to the picosecond.
///
/// The file stops to grow at `limit` bytes, with a last event that says so; it is whole JSON all the same.
class TraceFile {
 public:
  /// Throws std::runtime_error naming the path when the file cannot be made.
  TraceFile(std::string path, std::uint64_t limit);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile();

  void name_process(std::uint32_t process, std::string_view name);
  void name_thread(TraceTrack track, std::string_view name);
  /// `arguments`: the inside of a JSON object, or nothing.
  void slice(TraceTrack track, std::string_view name, Picoseconds from, Picoseconds to,
             std::string_view arguments = {});
  enum class Flow : char { kBegins = 's', kGoesOn = 't', kEnds = 'f' };
  /// A point of the way `id`, in the slice of the track that holds then.
  void flow(TraceTrack track, Flow flow, std::uint64_t id, Picoseconds at);

  /// Throws std::runtime_error naming the path when the file is not whole; the destructor closes without a word.
  void close();
  /// Whether something was left out; and the end of the last event before that.
  [[nodiscard]] bool cut() const { return cut_; }
  [[nodiscard]] Picoseconds complete_until() const { return until_; }

 private:
  void event(std::string_view text);
  void write_block();
  void finish();

  const std::string path_;
  const std::uint64_t limit_;
  std::ofstream file_;
  std::string block_;  // not yet in the file
  std::string line_;   // the event being put together
  std::uint64_t written_ = 0;
  bool closed_ = false, cut_ = false;
  Picoseconds until_{};
};

// Events are many, so their parts are appended to a line that is kept.
void append_number(std::string& line, std::int64_t number);
/// Microseconds with six decimals, of a time that is not negative.
void append_microseconds(std::string& line, Picoseconds time);
/// In quotes, as JSON has it.
void append_json(std::string& line, std::string_view text);
/// Text in quotes, as JSON has it.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace wordline::observe
