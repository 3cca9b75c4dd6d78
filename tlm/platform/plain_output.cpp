// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/plain_output.h"

#include <fmt/format.h>

#include "tlm/platform/terminal.h"

namespace wordline::platform {
namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
}

}  // namespace

PlainOutput::int_type PlainOutput::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char c = traits_type::to_char_type(character);
  return xsputn(&c, 1) == 1 ? character : traits_type::eof();
}

bool PlainOutput::put(const std::string& text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return target_->sputn(text.data(), size) == size;
}

bool PlainOutput::end_line() {
  const bool good = put(folded(line_, width_) + "\n");
  line_.clear();
  return good;
}

int PlainOutput::sync() {
  const bool good = line_.empty() || put(line_);
  line_.clear();
  return good ? target_->pubsync() : -1;
}

std::streamsize PlainOutput::xsputn(const char* text, std::streamsize count) {
  if (width_ != 0) {
    for (std::streamsize i = 0; i < count; ++i) {
      if (text[i] == '\n') {
        if (!end_line()) return i;
      } else {
        line_ += is_control(text[i]) ? fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]))
                                     : std::string(1, text[i]);
      }
    }
    return count;
  }
  std::streamsize done = 0;
  while (done < count) {
    std::streamsize plain = done;
    while (plain < count && !is_control(text[plain])) ++plain;
    if (target_->sputn(text + done, plain - done) != plain - done) return done;
    done = plain;
    if (done == count) break;
    const std::string shown = fmt::format("\\x{:02x}", static_cast<unsigned char>(text[done]));
    const auto size = static_cast<std::streamsize>(shown.size());
    if (target_->sputn(shown.data(), size) != size) return done;
    ++done;
  }
  return count;
}

}  // namespace wordline::platform
