// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "tlm/observe/wave_writer.h"

namespace wordline::observe {

/// A thread in which a WaveWriter takes what the simulation gives it, in the same order: the file is the same as
/// without one. Few changes wait at a time; a simulation that is faster than the writer waits for it.
class WaveThread {
 public:
  /// `writer` outlives the object, and nobody else uses it before wait(). Throws std::system_error when the host gives
  /// no thread.
  explicit WaveThread(WaveWriter& writer);
  /// Leaves what has not been written.
  ~WaveThread();
  WaveThread(const WaveThread&) = delete;
  WaveThread& operator=(const WaveThread&) = delete;

  /// Takes the changes, and leaves none. What the writer threw is thrown here, or by wait().
  void give(WaveChanges& changes);
  /// Until all is written.
  void wait();

 private:
  static constexpr std::size_t kMost = 4;  // waiting

  void work();
  void rethrow();

  WaveWriter& writer_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<WaveChanges> waiting_;  // the first is being written
  std::vector<WaveChanges> spare_;   // have their memory
  std::exception_ptr failed_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace wordline::observe
