// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "models/served/descriptor.h"
#include "models/served/guest_clock_wire.h"

namespace wordline::serve {

/// A UNIX socket on which the clock of one guest comes to the drive: requests of fixed size, each with an answer. On
/// the thread of its caller, which waits for file() to have something to read.
class GuestClock {
 public:
  /// As the socket of NbdServer, and listens. Throws std::runtime_error.
  explicit GuestClock(const std::string& path);
  ~GuestClock();
  GuestClock(const GuestClock&) = delete;
  GuestClock& operator=(const GuestClock&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// What is to be waited for; -1: nothing will come any more.
  [[nodiscard]] int file() const;
  /// A request that has come whole. The first is a HELLO of this version: others end the connection. A second guest is
  /// not let in.
  [[nodiscard]] std::optional<wl_clock_request> next();
  void answer(const wl_clock_answer& answer);
  /// It was there, and has gone.
  [[nodiscard]] bool gone() const { return gone_; }
  /// Why it is not let in, or was sent away; empty: it went by itself.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  void let_in();
  void hang_up(const std::string& fault);

  const std::string path_;
  served::Descriptor listening_, guest_;
  std::array<std::byte, sizeof(wl_clock_request)> bytes_{};  // of a request that has not come whole
  std::size_t came_ = 0;
  bool greeted_ = false, gone_ = false;
  std::string fault_;
};

}  // namespace wordline::serve
