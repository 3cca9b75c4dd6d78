// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/nbd_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace wordline::serve {
namespace {

bool again(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

NbdConnection::NbdConnection(int socket, std::uint64_t id, const served::Export& device, RequestGate& gate)
    : socket_(socket), id_(id), gate_(gate), session_(device) {
  send();
}

NbdConnection::~NbdConnection() { close(socket_); }

void NbdConnection::readable(std::vector<char>& piece) {
  const ssize_t got = recv(socket_, piece.data(), piece.size(), MSG_DONTWAIT);
  if (got < 0) {
    if (!again(errno)) broken_ = true;
    return;
  }
  if (got == 0) {
    input_over_ = true;  // it may still read what it is owed
    return;
  }
  session_.take({piece.data(), static_cast<std::size_t>(got)});
  work();
  send();
}

/// Passes on the requests that have come whole.
void NbdConnection::work() {
  while (!input_over_ && !holds_too_much()) {
    served::ClientRequest request;
    if (session_.step(request) != served::NbdSession::Step::kRequest) return;
    request.client = id_;
    request.arrived = RequestGate::Clock::now();
    held_ += served::cost_of(request.op, request.length);
    ++requests_;
    gate_.push(std::move(request));
  }
}

void NbdConnection::answer(const served::Answer& answer) {
  session_.answer(answer);
  --requests_;
  held_ -= answer.cost;
  work();
  send();
}

void NbdConnection::send() {
  std::string& out = session_.out();
  while (sent_ != out.size()) {
    const ssize_t sent = ::send(socket_, out.data() + sent_, out.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (!again(errno)) broken_ = true;
      return;
    }
    sent_ += static_cast<std::size_t>(sent);
    if (sent_ > (std::size_t{1} << 20U)) {
      out.erase(0, sent_);
      sent_ = 0;
    }
  }
  out.clear();
  sent_ = 0;
}

}  // namespace wordline::serve
