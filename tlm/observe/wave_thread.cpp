// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/wave_thread.h"

#include <utility>

namespace wordline::observe {

WaveThread::WaveThread(WaveWriter& writer) : writer_(writer), thread_([this] { work(); }) {}

WaveThread::~WaveThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void WaveThread::give(WaveChanges& changes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < kMost || failed_ != nullptr; });
  rethrow();
  waiting_.push_back(std::move(changes));
  changes = {};
  if (!spare_.empty()) {
    changes = std::move(spare_.back());
    spare_.pop_back();
  }
  changed_.notify_all();
}

void WaveThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() || failed_ != nullptr; });
  rethrow();
}

void WaveThread::rethrow() {
  if (failed_ != nullptr) std::rethrow_exception(failed_);
}

void WaveThread::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    // References into a deque outlive what is appended meanwhile.
    WaveChanges& changes = waiting_.front();
    lock.unlock();
    std::exception_ptr failed;
    try {
      writer_.take(changes);
    } catch (...) {
      failed = std::current_exception();
    }
    lock.lock();
    if (failed != nullptr) failed_ = failed;
    changes.clear();
    spare_.push_back(std::move(changes));
    waiting_.pop_front();
    changed_.notify_all();
    if (failed != nullptr) return;
  }
}

}  // namespace wordline::observe
