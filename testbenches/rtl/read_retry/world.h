// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "testbenches/rtl/read_retry/lockstep.h"

namespace wordline::testing {

/// Habits of a random world, each a share of 256 unless it says otherwise.
struct Habits {
  unsigned ready = 200;         // a command is taken in a clock
  unsigned delay = 6;           // clocks until an answer comes, at most
  unsigned good_codeword = 90;  // a codeword decodes at a step, a tier, a level
  unsigned bad_crc = 0;
  unsigned flash_error = 0;
  unsigned lost = 0;       // an answer that does not come, until after its time-out
  unsigned abort = 0;      // in a clock, of 65536
  unsigned access = 0;     // a register access is begun in a clock
  unsigned codewords = 8;  // of a read, at most
};

/// Die, decoders, firmware and host around the controller, by chance. Every random value is a function of the seed
/// and of a place or clock.
class World {
 public:
  World(Lockstep& lockstep, std::uint64_t seed, const Habits& habits)
      : lockstep_(lockstep), seed_(seed), habits_(habits) {}

  /// Random settings, through the registers.
  void set_up();
  /// One read, to its result. Throws Mismatch, or std::runtime_error when the read does not end.
  void read();
  void set_habits(const Habits& habits) { habits_ = habits; }
  /// States in which an abort was asked for, and time-outs happened.
  [[nodiscard]] const std::array<std::uint64_t, 17>& aborts() const { return aborts_; }
  [[nodiscard]] const std::array<std::uint64_t, 17>& time_outs() const { return time_outs_; }

 private:
  struct Pending {
    unsigned tag;
    std::uint64_t due;  // clock
    bool lost;
    unsigned codeword;  // of a verdict
  };

  [[nodiscard]] std::uint64_t random(unsigned purpose, std::uint64_t place) const;
  [[nodiscard]] bool happens(unsigned share, unsigned purpose) const {
    return (random(purpose, lockstep_.clocks()) & 255) < share;
  }
  [[nodiscard]] ecc::RetryRequest request() const;
  [[nodiscard]] ecc::CodewordVerdict verdict(unsigned codeword) const;
  [[nodiscard]] rtl::ReadRetry::ApbTransfer transfer() const;
  void note_commands(const Stimulus& s);
  void answer(Stimulus& s);

  Lockstep& lockstep_;
  std::uint64_t seed_;
  Habits habits_;
  std::uint64_t reads_ = 0;
  std::vector<Pending> answers_;
  std::vector<Pending> verdicts_;
  std::uint64_t flash_taken_ = 0;  // commands
  std::uint64_t decode_taken_ = 0;
  std::vector<std::pair<std::uint64_t, Pending>> late_;  // number of the command, answer that was lost
  std::array<std::uint64_t, 17> aborts_{};
  std::array<std::uint64_t, 17> time_outs_{};
};

}  // namespace wordline::testing
