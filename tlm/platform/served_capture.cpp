// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/served_capture.h"

#include <fmt/format.h>

namespace wordline::platform {

void ReplayedAnswers::was(const served::CapturedEvent& answer) {
  const Answer then{answer.error, answer.found, answer.at};
  const auto now = now_.find(answer.number);
  if (now == now_.end()) {
    then_[answer.number] = then;
    return;
  }
  compare(answer.number, then, now->second);
  now_.erase(now);
}

void ReplayedAnswers::answered(std::uint64_t number, const served::ClientRequest& /*request*/,
                               served::ClientError& error, std::uint64_t found, Picoseconds at) {
  const Answer now{error, found, at};
  const auto then = then_.find(number);
  if (then == then_.end()) {
    now_[number] = now;
    return;
  }
  compare(number, then->second, now);
  then_.erase(then);
}

void ReplayedAnswers::compare(std::uint64_t number, const Answer& then, const Answer& now) {
  ++compared_;
  const auto text = [](const Answer& answer) {
    return fmt::format("at {} ps with error {}, what was read {:016x}", answer.at.count(),
                       static_cast<std::uint32_t>(answer.error), answer.found);
  };
  if (then.error == now.error && then.found == now.found && then.at == now.at) return;
  if (differing_++ == 0) first_ = fmt::format("request {} was answered {}, and now {}", number, text(then), text(now));
}

std::string ReplayedAnswers::difference() const {
  const std::uint64_t missing = then_.size();
  if (differing_ == 0 && missing == 0) return {};
  return fmt::format("the replay differs from the capture in {} of {} answers{}: {}", differing_ + missing,
                     compared_ + missing, missing == 0 ? "" : fmt::format(", {} of which did not come", missing),
                     first_.empty() ? fmt::format("request {} was not answered", then_.begin()->first) : first_);
}

}  // namespace wordline::platform
