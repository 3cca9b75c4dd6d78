// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/live_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "tlm/serve/unix_listener.h"

namespace wordline::serve {

LiveSocket::LiveSocket(const std::string& path)
    : path_(path), listening_(bind_unix("--live", path)), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (listen(listening_.get(), SOMAXCONN) != 0) {
    throw std::runtime_error(
        fmt::format("--live {}: error: {}", path_, std::error_code(errno, std::generic_category()).message()));
  }
  // Signals are the simulation's.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LiveSocket::~LiveSocket() {
  over_ = true;
  ring();
  thread_.join();
  unlink(path_.c_str());
}

void LiveSocket::ring() {
  const std::uint64_t one = 1;
  // A bell that has rung so often that it cannot ring once more has been heard of.
  [[maybe_unused]] const ssize_t rung = write(bell_.get(), &one, sizeof one);
}

void LiveSocket::publish(std::string json, std::string text) {
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    json_ = std::move(json);
    text_ = std::move(text);
    fresh_ = true;
  }
  ring();
}

void LiveSocket::accept_all(std::vector<Watcher>& watchers) {
  while (true) {
    served::Descriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) return;
    if (watchers.size() < kMostWatchers) watchers.push_back({std::move(socket), false});
  }
}

bool LiveSocket::hear(Watcher& watcher) {
  std::array<char, 64> said{};
  const ssize_t bytes = recv(watcher.socket.get(), said.data(), said.size(), MSG_DONTWAIT);
  if (bytes < 0) return errno == EAGAIN || errno == EINTR;
  if (std::string_view(said.data(), static_cast<std::size_t>(bytes)).find("text") != std::string_view::npos)
    watcher.wants_text = true;
  return bytes != 0;
}

void LiveSocket::send_all(std::vector<Watcher>& watchers) {
  std::string json, text;
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (!fresh_) return;
    fresh_ = false;
    json = json_ + '\n';
    text = text_ + '\f';
  }
  const auto gone = [&](Watcher& watcher) {
    const std::string& frame = watcher.wants_text ? text : json;
    return send(watcher.socket.get(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL) !=
           static_cast<ssize_t>(frame.size());
  };
  watchers.erase(std::remove_if(watchers.begin(), watchers.end(), gone), watchers.end());
}

void LiveSocket::run() {
  std::vector<Watcher> watchers;
  while (!over_) {
    std::vector<pollfd> sockets{{listening_.get(), POLLIN, 0}, {bell_.get(), POLLIN, 0}};
    for (const Watcher& watcher : watchers) sockets.push_back({watcher.socket.get(), POLLIN, 0});
    if (poll(sockets.data(), sockets.size(), -1) < 0) continue;
    std::uint64_t rung = 0;
    [[maybe_unused]] const ssize_t heard = read(bell_.get(), &rung, sizeof rung);
    for (std::size_t i = watchers.size(); i-- != 0;) {
      if (sockets[i + 2].revents != 0 && !hear(watchers[i]))
        watchers.erase(watchers.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (sockets[0].revents != 0) accept_all(watchers);
    send_all(watchers);
    watchers_ = static_cast<std::uint32_t>(watchers.size());
  }
}

}  // namespace wordline::serve
