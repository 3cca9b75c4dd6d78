// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "models/served/capture.h"
#include "tlm/serve/served_requests.h"

namespace wordline::platform {

/// Writes down what clients ask and are told.
class ServedCapture final : private serve::ServedListenerIf {
 public:
  ServedCapture(const std::string& path, const served::CapturedDrive& drive) : writer_(path, drive) {}

  /// It outlives `requests`.
  void listen_to(serve::ServedRequests& requests) { requests.listen(*this); }
  [[nodiscard]] served::CaptureWriter& writer() { return writer_; }

 private:
  void arrived(std::uint64_t number, const served::ClientRequest& request, Picoseconds at) override {
    writer_.request(number, request, at);
  }
  void answered(std::uint64_t number, const served::ClientRequest& /*request*/, served::ClientError& error,
                std::uint64_t found, Picoseconds at) override {
    writer_.answer(number, error, found, at);
  }

  served::CaptureWriter writer_;
};

/// Holds the answers of a replay against those of the capture: when they came, and what reads found.
class ReplayedAnswers final : private serve::ServedListenerIf {
 public:
  /// It outlives `requests`.
  void listen_to(serve::ServedRequests& requests) { requests.listen(*this); }
  /// So it was.
  void was(const served::CapturedEvent& answer);
  /// After the replay: what differs first, and how much does; empty: nothing.
  [[nodiscard]] std::string difference() const;
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  struct Answer {
    served::ClientError error = served::ClientError::kNone;
    std::uint64_t found = 0;
    Picoseconds at{};
  };
  void answered(std::uint64_t number, const served::ClientRequest& request, served::ClientError& error,
                std::uint64_t found, Picoseconds at) override;
  void compare(std::uint64_t number, const Answer& then, const Answer& now);

  std::unordered_map<std::uint64_t, Answer> then_, now_;  // that wait for the other
  std::uint64_t compared_ = 0, differing_ = 0;
  std::string first_;
};

}  // namespace wordline::platform
