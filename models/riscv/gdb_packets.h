// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wordline::riscv {

/// The framing of gdb's remote serial protocol: "$payload#checksum", '}' escapes, '+' and '-' acknowledgements, 03h as
/// interrupt. Source: "Debugging with GDB", appendix E.1.
class GdbPackets {
 public:
  enum class Kind : std::uint8_t { kPacket, kBadChecksum, kInterrupt, kResend };
  struct Event {
    Kind kind;
    std::string payload;  // payload of kPacket, unescaped
  };

  /// Bytes as they come from the connection.
  void feed(std::string_view bytes) { input_.append(bytes); }
  /// The next complete event; nothing when more bytes are needed. Acknowledgements and noise are dropped.
  [[nodiscard]] std::optional<Event> next();

  /// A payload as it goes onto the connection.
  [[nodiscard]] static std::string frame(std::string_view payload);

 private:
  std::string input_;
};

/// Two digits per byte. Words are sent in the target's byte order, so little-endian here.
[[nodiscard]] std::string hex_bytes(std::string_view bytes);
[[nodiscard]] std::string hex_word(std::uint32_t value);
/// False when `text` is not an even number of hex digits.
[[nodiscard]] bool bytes_of_hex(std::string_view text, std::string& bytes);
/// A number in hex digits, most significant first, taken off the front of `text`. False: there is none.
[[nodiscard]] bool take_hex(std::string_view& text, std::uint32_t& value);
/// `c` taken off the front of `text`; false when it is not there.
[[nodiscard]] bool take(std::string_view& text, char c);

}  // namespace wordline::riscv
