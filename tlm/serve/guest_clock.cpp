// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/guest_clock.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "tlm/serve/unix_listener.h"

namespace wordline::serve {

GuestClock::GuestClock(const std::string& path) : path_(path), listening_(bind_unix("--time lockstep", path)) {
  if (listen(listening_.get(), 1) != 0)
    throw std::runtime_error(
        fmt::format("--time lockstep {}: error: {}", path, std::error_code(errno, std::generic_category()).message()));
}

GuestClock::~GuestClock() {
  if (listening_.is_open()) unlink(path_.c_str());
}

int GuestClock::file() const { return guest_.is_open() ? guest_.get() : gone_ ? -1 : listening_.get(); }

void GuestClock::let_in() {
  guest_ = served::Descriptor(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!guest_.is_open()) return;
  listening_.close();
  unlink(path_.c_str());
}

void GuestClock::hang_up(const std::string& fault) {
  guest_.close();
  gone_ = true;
  fault_ = fault;
}

std::optional<wl_clock_request> GuestClock::next() {
  if (gone_) return std::nullopt;
  if (!guest_.is_open()) let_in();
  if (!guest_.is_open()) return std::nullopt;
  const ssize_t got = recv(guest_.get(), bytes_.data() + came_, bytes_.size() - came_, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return std::nullopt;
  if (got <= 0) {
    hang_up(came_ == 0 ? "" : "it went in the middle of a request");
    return std::nullopt;
  }
  came_ += static_cast<std::size_t>(got);
  if (came_ != bytes_.size()) return std::nullopt;
  came_ = 0;
  wl_clock_request request;
  std::memcpy(&request, bytes_.data(), sizeof request);
  const bool hello = request.operation == WL_CLOCK_HELLO && request.argument == WL_CLOCK_VERSION;
  const bool known = request.operation == WL_CLOCK_TIME || request.operation == WL_CLOCK_STORE;
  if (greeted_ ? !known : !hello) {
    hang_up(fmt::format("it sent operation {} of version {}, where {} was expected: is its plugin of this Wordline?",
                        request.operation, request.argument, greeted_ ? "TIME or STORE" : "HELLO"));
    return std::nullopt;
  }
  greeted_ = true;
  return request;
}

void GuestClock::answer(const wl_clock_answer& answer) {
  // It waits for the answer, so there is room for it.
  const ssize_t sent = send(guest_.get(), &answer, sizeof answer, MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(sizeof answer)) hang_up("");
}

}  // namespace wordline::serve
