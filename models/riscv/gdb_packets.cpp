// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/gdb_packets.h"

#include <fmt/core.h>

namespace wordline::riscv {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::uint8_t sum_of(std::string_view text) {
  std::uint8_t sum = 0;
  for (const char c : text) sum = static_cast<std::uint8_t>(sum + static_cast<unsigned char>(c));
  return sum;
}

}  // namespace

std::optional<GdbPackets::Event> GdbPackets::next() {
  while (!input_.empty()) {
    const char first = input_.front();
    if (first == '$') break;
    input_.erase(0, 1);
    if (first == '\x03') return Event{Kind::kInterrupt, {}};
    if (first == '-') return Event{Kind::kResend, {}};
  }
  const std::size_t end = input_.find('#');
  if (input_.empty() || end == std::string::npos || input_.size() < end + 3) return std::nullopt;
  const std::string body = input_.substr(1, end - 1);
  const int high = digit(input_[end + 1]), low = digit(input_[end + 2]);
  input_.erase(0, end + 3);
  if (high < 0 || low < 0 || sum_of(body) != high * 16 + low) return Event{Kind::kBadChecksum, {}};
  Event event{Kind::kPacket, {}};
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool escaped = body[i] == '}' && i + 1 < body.size();
    if (escaped) ++i;
    event.payload += escaped ? static_cast<char>(body[i] ^ 0x20) : body[i];
  }
  return event;
}

std::string GdbPackets::frame(std::string_view payload) {
  std::string body;
  for (const char c : payload) {
    const bool special = c == '$' || c == '#' || c == '}' || c == '*';
    if (special) body += '}';
    body += special ? static_cast<char>(c ^ 0x20) : c;
  }
  return fmt::format("${}#{:02x}", body, sum_of(body));
}

std::string hex_bytes(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string hex_word(std::uint32_t value) {
  char bytes[4];
  for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return hex_bytes({bytes, 4});
}

bool bytes_of_hex(std::string_view text, std::string& bytes) {
  bytes.clear();
  if (text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes += static_cast<char>(high * 16 + low);
  }
  return true;
}

bool take_hex(std::string_view& text, std::uint32_t& value) {
  value = 0;
  std::size_t used = 0;
  while (used < text.size() && digit(text[used]) >= 0)
    value = value << 4 | static_cast<std::uint32_t>(digit(text[used++]));
  text.remove_prefix(used);
  return used != 0;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace wordline::riscv
