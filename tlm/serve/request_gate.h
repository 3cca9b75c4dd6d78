// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <utility>

#include "models/served/client_request.h"

namespace wordline::serve {

/// Where requests pass from the thread of the sockets to that of the simulation, in the order in which they came. The
/// simulation is asleep here while it has nothing to do.
class RequestGate {
 public:
  using Clock = std::chrono::steady_clock;

  void push(served::ClientRequest&& request) {
    {
      const std::lock_guard<std::mutex> hold(mutex_);
      requests_.push_back(std::move(request));
      filled_.store(true, std::memory_order_release);
    }
    something_.notify_one();
  }
  /// Something else has happened that the simulation is to look at.
  void wake() {
    {
      const std::lock_guard<std::mutex> hold(mutex_);
      woken_ = true;
    }
    something_.notify_one();
  }

  /// Takes all that have come, behind those in `to`. Cheap when there are none. False: there were none.
  bool take(std::deque<served::ClientRequest>& to) {
    if (!filled_.load(std::memory_order_acquire)) return false;
    const std::lock_guard<std::mutex> hold(mutex_);
    std::move(requests_.begin(), requests_.end(), std::back_inserter(to));
    requests_.clear();
    filled_.store(false, std::memory_order_relaxed);
    return true;
  }
  [[nodiscard]] bool empty() const { return !filled_.load(std::memory_order_acquire); }
  /// Until a request has come, wake(), or `limit`.
  void wait_until(Clock::time_point limit) {
    std::unique_lock<std::mutex> hold(mutex_);
    something_.wait_until(hold, limit, [&] { return woken_ || !requests_.empty(); });
    woken_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable something_;
  std::deque<served::ClientRequest> requests_;
  std::atomic<bool> filled_{false};
  bool woken_ = false;
};

/// Takes answers for clients, on any thread.
class AnswersIf {
 public:
  virtual void answer(served::Answer&& answer) = 0;

 protected:
  ~AnswersIf() = default;
};

}  // namespace wordline::serve
