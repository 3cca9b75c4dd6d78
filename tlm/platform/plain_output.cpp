// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/plain_output.h"

#include <fmt/format.h>

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

std::streamsize PlainOutput::xsputn(const char* text, std::streamsize count) {
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
