// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "models/served/descriptor.h"

namespace wordline::serve {

/// A UNIX socket on which others watch a served drive: each gets every frame that is published while it is there, as
/// lines of JSON, or as text after it has sent a line "text". A thread of its own speaks with them; who does not read
/// is let go, and nobody holds up the simulation.
class LiveSocket {
 public:
  static constexpr std::size_t kMostWatchers = 64;

  /// Binds `path`, as bind_unix(), and listens. Throws std::runtime_error.
  explicit LiveSocket(const std::string& path);
  ~LiveSocket();
  LiveSocket(const LiveSocket&) = delete;
  LiveSocket& operator=(const LiveSocket&) = delete;

  /// Somebody watches: a frame is worth making.
  [[nodiscard]] bool watched() const { return watchers_ != 0; }
  /// `json`: one line. `text`: as a terminal shows it; it ends with a form feed on the socket.
  void publish(std::string json, std::string text);

 private:
  struct Watcher {
    served::Descriptor socket;
    bool wants_text = false;
  };

  void run();
  void accept_all(std::vector<Watcher>& watchers);
  void send_all(std::vector<Watcher>& watchers);
  /// False: it has gone.
  static bool hear(Watcher& watcher);
  void ring();

  const std::string path_;
  served::Descriptor listening_, bell_;
  std::mutex mutex_;
  std::string json_, text_;  // of the last frame
  bool fresh_ = false;       // it has not been sent
  std::atomic<bool> over_{false};
  std::atomic<std::uint32_t> watchers_{0};
  std::thread thread_;
};

}  // namespace wordline::serve
