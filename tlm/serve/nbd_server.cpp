// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/nbd_server.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "tlm/serve/unix_listener.h"

namespace wordline::serve {
namespace {

// Names of what is no connection, in epoll.
constexpr std::uint64_t kListening = 0, kBell = 1, kFirstConnection = 2;
/// How long clients have to read their last answers.
constexpr std::chrono::seconds kLastWords(2);

}  // namespace

NbdServer::NbdServer(const std::string& path, const served::Export& device, RequestGate& gate)
    : path_(path), device_(device), gate_(gate), listening_(bind_unix("--nbd", path)) {
  poll_ = epoll_create1(EPOLL_CLOEXEC);
  bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kBell;
  epoll_ctl(poll_, EPOLL_CTL_ADD, bell_, &event);
}

NbdServer::~NbdServer() {
  stop();
  for (const int file : {poll_, bell_})
    if (file >= 0) close(file);
  unlink(path_.c_str());
}

void NbdServer::start() {
  if (listen(listening_.get(), SOMAXCONN) != 0) {
    throw std::runtime_error(
        fmt::format("--nbd {}: error: {}", path_, std::error_code(errno, std::generic_category()).message()));
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kListening;
  epoll_ctl(poll_, EPOLL_CTL_ADD, listening_.get(), &event);
  // Signals are the simulation's.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void NbdServer::ring() {
  const std::uint64_t one = 1;
  // A bell that has rung so often that it cannot ring once more has been heard of.
  [[maybe_unused]] const ssize_t rung = write(bell_, &one, sizeof one);
}

void NbdServer::answer(served::Answer&& answer) {
  bool first = false;
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    first = answers_.empty();
    answers_.push_back(std::move(answer));
  }
  if (first) ring();
}

void NbdServer::refuse_more() {
  if (!thread_.joinable() || wanted_ != Phase::kServing) return;
  wanted_ = Phase::kRefusing;
  ring();
  while (reached_ == Phase::kServing) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void NbdServer::stop() {
  if (!thread_.joinable()) return;
  wanted_ = Phase::kStopping;
  ring();
  thread_.join();
}

void NbdServer::run() {
  std::array<epoll_event, 64> events;
  auto give_up = RequestGate::Clock::time_point::max();
  for (;;) {
    const int count = epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 100);
    const Phase wanted = wanted_;
    if (wanted != reached_) {
      if (reached_ == Phase::kServing) {
        epoll_ctl(poll_, EPOLL_CTL_DEL, listening_.get(), nullptr);
        for (auto& [id, connection] : connections_) {
          connection->refuse_more();
          watch(*connection);
        }
      }
      if (wanted == Phase::kStopping) give_up = RequestGate::Clock::now() + kLastWords;
      reached_ = wanted;
    }
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.u64 == kListening) {
        if (reached_ == Phase::kServing) accept_all();
      } else if (event.data.u64 == kBell) {
        std::uint64_t rung = 0;
        [[maybe_unused]] const ssize_t got = read(bell_, &rung, sizeof rung);
      } else {
        serve(event.data.u64, event.events);
      }
    }
    take_answers();
    if (reached_ == Phase::kStopping && (all_said() || RequestGate::Clock::now() >= give_up)) break;
  }
  connections_.clear();
  connected_ = 0;
}

bool NbdServer::all_said() const {
  for (const auto& [id, connection] : connections_)
    if (connection->wants_output()) return false;
  return true;
}

void NbdServer::accept_all() {
  for (;;) {
    const int socket = accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) {
      // No file left: until a connection ends. Otherwise this would be reported again and again.
      if (errno == EMFILE || errno == ENFILE) {
        epoll_ctl(poll_, EPOLL_CTL_DEL, listening_.get(), nullptr);
        accepting_ = false;
      }
      return;
    }
    if (connections_.size() >= kMostClients) {
      close(socket);
      continue;
    }
    const std::uint64_t id = kFirstConnection + clients_;
    auto connection = std::make_unique<NbdConnection>(socket, id, device_, gate_);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = id;
    epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &event);
    connections_.emplace(id, std::move(connection));
    connected_ = connections_.size();
    ++clients_;  // behind the other: who asks for both must not find a client that has gone before it was there
  }
}

void NbdServer::take_answers() {
  std::vector<served::Answer> answers;
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    answers.swap(answers_);
  }
  for (const served::Answer& answer : answers) {
    const auto found = connections_.find(answer.client);
    if (found == connections_.end()) continue;  // it has gone without waiting
    found->second->answer(answer);
    close_if_over(answer.client);
  }
}

void NbdServer::serve(std::uint64_t id, std::uint32_t events) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  NbdConnection& connection = *found->second;
  if ((events & EPOLLIN) != 0) connection.readable(piece_);
  if ((events & EPOLLOUT) != 0) connection.writable();
  // Both directions are closed: nobody is there for an answer. What has come before has been read.
  if ((events & (EPOLLHUP | EPOLLERR)) != 0 && (events & EPOLLIN) == 0) connection.abandon();
  close_if_over(id);
}

void NbdServer::close_if_over(std::uint64_t id) {
  const auto found = connections_.find(id);
  NbdConnection& connection = *found->second;
  if (!connection.over()) {
    watch(connection);
    return;
  }
  if (!connection.fault().empty() && faults_++ == 0) first_fault_ = connection.fault();
  connections_.erase(found);
  connected_ = connections_.size();
  if (!accepting_ && reached_ == Phase::kServing) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = kListening;
    epoll_ctl(poll_, EPOLL_CTL_ADD, listening_.get(), &event);
    accepting_ = true;
  }
  gate_.wake();
}

void NbdServer::watch(const NbdConnection& connection) {
  epoll_event event{};
  if (connection.wants_input()) event.events |= EPOLLIN;
  if (connection.wants_output()) event.events |= EPOLLOUT;
  event.data.u64 = connection.id();
  epoll_ctl(poll_, EPOLL_CTL_MOD, connection.socket(), &event);
}

}  // namespace wordline::serve
