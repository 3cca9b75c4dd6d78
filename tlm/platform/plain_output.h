// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <streambuf>

namespace wordline::platform {

/// Shows control characters that come to a stream as \x1b, but for the ends of lines and tabs, as long as it exists:
/// messages and reports quote input, and a terminal would obey what is in there.
class PlainOutput final : private std::streambuf {
 public:
  explicit PlainOutput(std::ostream& stream) : stream_(stream), target_(stream.rdbuf(this)) {}
  ~PlainOutput() override { stream_.rdbuf(target_); }
  PlainOutput(const PlainOutput&) = delete;
  PlainOutput& operator=(const PlainOutput&) = delete;

 private:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override { return target_->pubsync(); }

  std::ostream& stream_;
  std::streambuf* target_;
};

}  // namespace wordline::platform
