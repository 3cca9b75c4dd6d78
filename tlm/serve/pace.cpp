// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/pace.h"

#include <fmt/format.h>

#include <charconv>

namespace wordline::serve {
namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

}  // namespace

std::optional<Pace> Pace::parse(const std::string& text) {
  static const std::string kDilated = "dilated:";
  Pace pace;
  if (text == "free") return pace;
  if (text == "lockstep") {
    pace.lockstep_ = true;
    return pace;
  }
  if (text == "wall") {
    pace.factor_ = 1;
    return pace;
  }
  if (text.compare(0, kDilated.size(), kDilated) != 0) return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data() + kDilated.size(), end, pace.factor_);
  if (error != std::errc() || behind != end || pace.factor_ < 1 || pace.factor_ > 1'000'000) return std::nullopt;
  return pace;
}

Picoseconds Pace::simulated_at(Clock::time_point wall) const {
  const std::int64_t passed = std::chrono::duration_cast<std::chrono::nanoseconds>(wall - wall_).count();
  // A day of a clock in picoseconds is 2^56.
  return simulated_ + Picoseconds(passed * kPicosecondsPerNanosecond / factor_);
}

Pace::Clock::time_point Pace::wall_at(Picoseconds simulated) const {
  const std::int64_t passed = (simulated - simulated_).count();
  return wall_ + std::chrono::nanoseconds(
                     static_cast<std::int64_t>(static_cast<double>(passed) * factor_ / kPicosecondsPerNanosecond));
}

void Pace::left(Picoseconds simulated, Clock::time_point wall) {
  if (factor_ == 0) return;
  const std::int64_t late = std::chrono::duration_cast<std::chrono::nanoseconds>(wall - wall_at(simulated)).count();
  lateness_.add(Picoseconds(late * kPicosecondsPerNanosecond));
}

std::string Pace::meaning() const {
  if (is_free())
    return "Time: free. The drive is simulated as fast as it goes, and its time stands still while no request is "
           "open.\n"
           "A client's clock says how fast this simulator is, nothing about the drive: the latencies above are the "
           "drive's.\n";
  if (lockstep_)
    return "Time: lockstep. The guest's clock counts its instructions and stands still while the drive works it out: a "
           "guest\nmeasures the drive, and on top of it the instructions of its own path, the same in every run on "
           "every machine.\n";
  if (factor_ == 1)
    return "Time: wall. An answer leaves when the client's clock has reached the drive's time, so a client measures "
           "the "
           "drive,\nand on top of it the socket, its own threads, and what the answers were late.\n";
  return fmt::format(
      "Time: dilated. A second of the drive takes {0} s of the client's clock: divide a client's latencies by {0}, "
      "multiply its\nrates by {0}. Socket, threads and lateness are then divided, too.\n",
      factor_);
}

std::string Pace::lateness_text() const {
  if (lateness_.count() == 0) return {};
  const auto us = [](Picoseconds time) { return static_cast<double>(time.count()) * 1e-6; };
  return fmt::format(
      "Answers left late by {:.1f} us in the mean, p50 {:.1f}, p99 {:.1f}, at most {:.1f} us of the client's clock.\n",
      us(lateness_.mean()), us(lateness_.percentile(50)), us(lateness_.percentile(99)), us(lateness_.max()));
}

}  // namespace wordline::serve
