// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <streambuf>
#include <string>

namespace wordline::platform {

/// Shows control characters that come to a stream as \x1b, but for the ends of lines and tabs, as long as it exists:
/// messages and reports quote input, and a terminal would obey what is in there. Lines that are longer than a terminal
/// is wide are broken at blanks.
class PlainOutput final : private std::streambuf {
 public:
  /// `width`: columns of the terminal behind the stream; 0: lines stay as they are.
  explicit PlainOutput(std::ostream& stream, std::size_t width = 0)
      : stream_(stream), target_(stream.rdbuf(this)), width_(width) {}
  ~PlainOutput() override {
    sync();
    stream_.rdbuf(target_);
  }
  PlainOutput(const PlainOutput&) = delete;
  PlainOutput& operator=(const PlainOutput&) = delete;

 private:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;
  bool put(const std::string& text);
  bool end_line();

  std::ostream& stream_;
  std::streambuf* target_;
  std::size_t width_;
  std::string line_;  // with a width: what has come of the present line
};

}  // namespace wordline::platform
