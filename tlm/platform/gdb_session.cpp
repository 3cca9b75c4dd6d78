// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/gdb_session.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "tlm/device/cpu/iss_core.h"
#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

std::vector<riscv::Hart*> harts_of(device::Drive& drive) {
  std::vector<riscv::Hart*> harts;
  for (const auto& core : drive.cores) {
    auto* iss = dynamic_cast<cpu::IssCore*>(core.get());
    if (iss == nullptr) throw std::logic_error("gdb needs cores with cpu.model = iss");
    harts.push_back(&iss->hart());
  }
  return harts;
}

struct Socket {
  int value;
  ~Socket() {
    if (value >= 0) ::close(value);
  }
};

}  // namespace

GdbSession::GdbSession(device::Drive& drive, std::uint16_t port)
    : server_(harts_of(drive), [this](const std::string& stop_reply) { serve(stop_reply); }) {
  accept_from(port);
  server_.halt(riscv::GdbServer::Stop::kReset);
}

GdbSession::~GdbSession() { ended(1); }

void GdbSession::accept_from(std::uint16_t port) {
  const auto fail = [port](const char* what) {
    return std::runtime_error(fmt::format("--gdb: port {} of localhost: {}: {}", port, what, std::strerror(errno)));
  };
  const Socket listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (listener.value < 0) throw fail("no socket");
  const int on = 1;
  ::setsockopt(listener.value, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* where = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.value, where, sizeof(address)) != 0) throw fail("cannot be used");
  if (::listen(listener.value, 1) != 0) throw fail("cannot listen");
  socklen_t size = sizeof(address);
  if (::getsockname(listener.value, where, &size) != 0) throw fail("has no name");
  std::cerr << "waiting for gdb: target remote localhost:" << ntohs(address.sin_port) << std::endl;
  do {
    connection_ = ::accept4(listener.value, nullptr, nullptr, SOCK_CLOEXEC);
  } while (connection_ < 0 && errno == EINTR && StopSignal::received() == 0);
  if (connection_ < 0) throw fail("no connection");
  ::setsockopt(connection_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void GdbSession::disconnect() {
  if (connection_ >= 0) ::close(connection_);
  connection_ = -1;
  server_.detach();
}

void GdbSession::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (connection_ >= 0 && sent < bytes.size()) {
    const ssize_t n = ::send(connection_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return disconnect();
    sent += static_cast<std::size_t>(n);
  }
}

void GdbSession::send_packet(const std::string& payload) {
  last_ = riscv::GdbPackets::frame(payload);
  send(last_);
}

bool GdbSession::receive(bool wait) {
  char buffer[4096];
  ssize_t n = 0;
  do {
    n = ::recv(connection_, buffer, sizeof(buffer), wait ? 0 : MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR && StopSignal::received() == 0);
  if (n > 0) packets_.feed({buffer, static_cast<std::size_t>(n)});
  return n > 0 || (n < 0 && !wait && (errno == EAGAIN || errno == EWOULDBLOCK));
}

void GdbSession::poll() {
  if (connection_ < 0) return;
  if (!receive(false)) return disconnect();
  while (const auto event = packets_.next()) {
    if (event->kind == riscv::GdbPackets::Kind::kInterrupt) server_.halt();
    if (event->kind == riscv::GdbPackets::Kind::kResend) send(last_);
    // Packets do not come while the cores run: gdb waits for the stop reply.
  }
}

void GdbSession::serve(const std::string& stop_reply) {
  using Kind = riscv::GdbPackets::Kind;
  using Action = riscv::GdbServer::Action;
  if (!first_) send_packet(stop_reply);  // the first time gdb asks
  first_ = false;
  while (connection_ >= 0) {
    const auto event = packets_.next();
    if (!event) {
      if (!receive(true)) disconnect();  // gdb has gone: run on
      continue;
    }
    if (event->kind == Kind::kBadChecksum) send("-");
    if (event->kind == Kind::kResend) send(last_);
    if (event->kind != Kind::kPacket) continue;
    send("+");
    const auto answer = server_.command(event->payload);
    if (answer.action == Action::kResume) return;
    if (answer.action == Action::kKill) {
      disconnect();
      SC_REPORT_ERROR("wordline/gdb", "gdb has ended the run (kill)");
      return;
    }
    send_packet(answer.reply);
    if (answer.action == Action::kDetach) disconnect();
  }
}

void GdbSession::ended(unsigned exit_code) {
  if (connection_ >= 0) send_packet(exit_code == 0 ? "W00" : "W01");
  disconnect();
}

}  // namespace wordline::platform
