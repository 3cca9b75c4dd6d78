// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/served/nbd_session.h"
#include "tlm/serve/request_gate.h"

namespace wordline::serve {

/// A socket with an NBD client at its other end, and the session on it. Nothing here waits.
class NbdConnection {
 public:
  /// What a client may hold: requests that are under way, and bytes of theirs and of answers that it has not read. The
  /// server reads nothing more of a client that holds so much.
  static constexpr std::uint32_t kMostRequests = 1024;
  static constexpr std::uint64_t kMostBytes = 64ULL << 20U;

  /// Takes the socket, which does not block. `id` names the connection in requests.
  NbdConnection(int socket, std::uint64_t id, const served::Export& device, RequestGate& gate);
  ~NbdConnection();
  NbdConnection(const NbdConnection&) = delete;
  NbdConnection& operator=(const NbdConnection&) = delete;

  /// Reads what has come, as much as `piece` takes, which is scratch; passes requests on, sends what can be sent.
  void readable(std::vector<char>& piece);
  void writable() { send(); }
  void answer(const served::Answer& answer);
  /// No further request is taken; those under way are answered.
  void refuse_more() { input_over_ = true; }

  /// The client has gone for good.
  void abandon() { broken_ = true; }

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] bool wants_input() const { return !input_over_ && !session_.closed() && !holds_too_much(); }
  [[nodiscard]] bool wants_output() const { return !broken_ && !session_.out().empty(); }
  /// Can be closed: the socket is of no use any more, or all is said.
  [[nodiscard]] bool over() const {
    return broken_ || ((input_over_ || session_.closed()) && requests_ == 0 && session_.out().empty());
  }
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] std::uint32_t requests_open() const { return requests_; }
  [[nodiscard]] const std::string& fault() const { return session_.fault(); }
  [[nodiscard]] bool transmitting() const { return session_.transmitting(); }

 private:
  [[nodiscard]] bool holds_too_much() const {
    return requests_ >= kMostRequests || held_ + session_.out().size() - sent_ >= kMostBytes;
  }
  void work();
  void send();

  const int socket_;
  const std::uint64_t id_;
  RequestGate& gate_;
  served::NbdSession session_;
  std::uint32_t requests_ = 0;
  std::uint64_t held_ = 0;
  std::size_t sent_ = 0;  // of the session's out()
  bool input_over_ = false;
  bool broken_ = false;
};

}  // namespace wordline::serve
