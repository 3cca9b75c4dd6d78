// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What the lock-steps of the engines in gates share: random numbers, a memory that answers late and is not always
/// ready, how many requests a run has, and what it prints.
#pragma once

#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>

namespace wordline::testing::engines {

/// Splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(next() >> 32); }
  /// 0 to `end` - 1.
  std::uint32_t below(std::uint32_t end) {
    return static_cast<std::uint32_t>((std::uint64_t{word()} * std::uint64_t{end}) >> 32);
  }
  /// In `rate` of 256 calls.
  bool chance(std::uint32_t rate) { return (word() & 255U) < rate; }

 private:
  std::uint64_t state_;
};

/// How ready a neighbour is, and how late it answers.
struct Pace {
  std::uint32_t ready = 256;  // in 256 clocks
  std::uint32_t latency = 1;  // clocks, at least
  std::uint32_t jitter = 0;   // up to so many more
  std::uint32_t errors = 0;   // in 65,536 answers

  static Pace random(Random& random) {
    Pace pace;
    switch (random.below(4)) {
      case 0:
        return pace;  // as fast as it can be
      case 1:
        pace.ready = 20 + random.below(230);
        break;
      case 2:
        pace.latency = 1 + random.below(30);
        break;
      default:
        pace.ready = 20 + random.below(230);
        pace.latency = 1 + random.below(12);
        pace.jitter = random.below(12);
    }
    if (random.below(16) == 0) pace.errors = 1500;
    return pace;
  }
};

/// When a port that answers in order is ready, and when its answers come. What they say is its user's.
template <class Request>
class LateMemory {
 public:
  LateMemory(Random& random, Pace pace) : random_(random), pace_(pace) {}

  /// Before each clock: whether a request is taken in it; and whether an answer comes.
  void begin_clock() {
    ++now_;
    ready_ = random_.chance(pace_.ready);
    answers_ = !requests_.empty() && requests_.front().due <= now_;
    fails_ = answers_ && (random_.word() & 0xffffU) < pace_.errors;
  }
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] bool answers() const { return answers_; }
  [[nodiscard]] bool fails() const { return fails_; }
  [[nodiscard]] const Request& answered() const { return requests_.front().request; }

  /// At its end: the answer was taken; `request`, if it is valid, was.
  void end_clock(bool valid, const Request& request) {
    if (answers_) requests_.pop_front();
    if (!valid || !ready_) return;
    const std::uint64_t after = requests_.empty() ? 0 : requests_.back().due + 1;
    const std::uint64_t due = now_ + pace_.latency + random_.below(pace_.jitter + 1);
    requests_.push_back({due > after ? due : after, request});
  }
  [[nodiscard]] bool idle() const { return requests_.empty(); }

 private:
  struct Waiting {
    std::uint64_t due;
    Request request;
  };
  Random& random_;
  const Pace pace_;
  std::deque<Waiting> requests_;
  std::uint64_t now_ = 0;
  bool ready_ = false, answers_ = false, fails_ = false;
};

/// WORDLINE_LOCK_STEP=1000000 in the environment: so many requests instead of `few`.
inline std::uint64_t lock_step_requests(std::uint64_t few) {
  const char* const many = std::getenv("WORDLINE_LOCK_STEP");
  return many == nullptr ? few : std::strtoull(many, nullptr, 10);
}

/// Counts a lock-step, and prints it at its end.
class Tally {
 public:
  explicit Tally(const char* block) : block_(block), begin_(std::chrono::steady_clock::now()) {}
  ~Tally() {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
    fmt::print("{}: {} requests, {} clocks in lock-step, {} differences, {:.2f} million clocks a second\n", block_,
               requests, clocks, differences, static_cast<double>(clocks) / seconds.count() / 1e6);
  }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  std::uint64_t requests = 0, clocks = 0, differences = 0;

 private:
  const char* const block_;
  const std::chrono::steady_clock::time_point begin_;
};

}  // namespace wordline::testing::engines
