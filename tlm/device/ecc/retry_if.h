// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The read-retry controller of one die as the channel controller uses it: the calls of ecc::ReadRetry, whose header is
/// the specification, with times. Times of one object never fall; they may lie ahead of the present.
#pragma once

#include "models/ecc/retry/read_retry.h"
#include "models/units/quantity.h"

namespace wordline::ecc {

class RetryIf {
 public:
  /// What it offers or waits for, and from when on.
  struct Offer {
    RetryAction action = RetryAction::kNothing;
    Picoseconds at{};
  };

  virtual ~RetryIf() = default;
  virtual void start(const RetryRequest& request, Picoseconds at) = 0;
  /// Lets the clock run from `at` until a command or a result is offered or an answer is awaited. The command that
  /// it named last is taken first.
  virtual Offer next(Picoseconds at) = 0;
  virtual void flash_done(bool ok, Picoseconds at) = 0;
  virtual void verdict(const CodewordVerdict& verdict, Picoseconds at) = 0;
  virtual void abort(Picoseconds at) = 0;
  /// After kResult; the controller is then idle.
  virtual RetryResult take_result(Picoseconds at) = 0;

  [[nodiscard]] virtual bool idle() const = 0;
  [[nodiscard]] virtual RetryState state() const = 0;
  [[nodiscard]] virtual FlashCommand flash_command() const = 0;    // offered or under way
  [[nodiscard]] virtual DecodeCommand decode_command() const = 0;  // offered or under way
};

}  // namespace wordline::ecc
