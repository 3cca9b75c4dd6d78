// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/vfio_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "tlm/serve/unix_listener.h"

namespace wordline::serve {
namespace {

using namespace served::vfio;
using served::Descriptor;
using served::VfioMessage;

constexpr std::size_t kMostOthers = 16;
/// Messages that a client may have sent ahead. Further ones stay on the socket.
constexpr std::size_t kMostAhead = 256;
/// Files that one call can take: more than may come, so that those that are too many are noticed.
constexpr std::size_t kRoomForFiles = 64;

bool again(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

int accept_at(const Descriptor& listening) {
  return accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/// Waits for the socket; false: in vain.
bool ready(int socket, short what, std::chrono::milliseconds limit) {
  pollfd one{socket, what, 0};
  return poll(&one, 1, static_cast<int>(limit.count())) == 1;
}

}  // namespace

VfioSocket::VfioSocket(const std::string& path) : path_(path), listening_(bind_unix("--vfio-user", path)) {}

VfioSocket::~VfioSocket() { unlink(path_.c_str()); }

void VfioSocket::start() {
  if (listen(listening_.get(), SOMAXCONN) == 0) return;
  throw std::runtime_error(
      fmt::format("--vfio-user {}: error: {}", path_, std::error_code(errno, std::generic_category()).message()));
}

void VfioSocket::wait(std::chrono::microseconds limit, int other) {
  // What has been taken from the socket is there already.
  if (!messages_.empty()) limit = {};
  std::vector<pollfd> sockets{{listening_.get(), POLLIN, 0}};
  if (other >= 0) sockets.push_back({other, POLLIN, 0});
  if (client_.is_open()) sockets.push_back({client_.get(), POLLIN, 0});
  for (const Descriptor& one : others_) sockets.push_back({one.get(), POLLIN, 0});
  const timespec time{limit.count() / 1'000'000, limit.count() % 1'000'000 * 1000};
  if (ppoll(sockets.data(), sockets.size(), &time, nullptr) <= 0) return;
  if (client_.is_open()) receive();
  refuse_others();
  accept_all();
}

void VfioSocket::accept_all() {
  // While a client that has gone is still served, the next one waits at the door.
  while (others_.size() < kMostOthers && taken_ == client_.is_open()) {
    Descriptor socket(accept_at(listening_));
    if (!socket.is_open()) return;
    if (taken_) {
      others_.push_back(std::move(socket));
      continue;
    }
    client_ = std::move(socket);
    taken_ = true;
    bytes_.clear();
    files_.clear();
    most_data_ = kMostData;
    ++clients_;
    receive();
  }
}

/// Each with the identifier of its first message, so that it takes the answer for one.
void VfioSocket::refuse_others() {
  const auto refused = [this](const Descriptor& other) {
    Header header;
    const ssize_t got = recv(other.get(), &header, sizeof header, MSG_PEEK);
    if (got < 0 && again(errno)) return false;
    if (got > 0 && static_cast<std::size_t>(got) < sizeof header) return false;
    if (got > 0) {
      const served::VfioReply busy = served::VfioSession::error_reply(header, EBUSY);
      (void)::send(other.get(), busy.bytes.data(), busy.bytes.size(), MSG_NOSIGNAL);
      ++refused_;
    }
    return true;
  };
  others_.erase(std::remove_if(others_.begin(), others_.end(), refused), others_.end());
}

/// No byte beyond the message that is coming: so its files are known.
void VfioSocket::receive() {
  while (client_.is_open() && messages_.size() < kMostAhead) {
    std::size_t want = sizeof(Header);
    if (bytes_.size() >= sizeof(Header)) {
      Header header;
      std::memcpy(&header, bytes_.data(), sizeof header);
      if (header.size < sizeof header || header.size > kMostMessage)
        return hang_up(fmt::format("a message says it has {} bytes", header.size));
      want = header.size;
    }
    if (want == bytes_.size()) {
      take_whole();
      continue;
    }
    const std::size_t had = bytes_.size();
    bytes_.resize(want);
    iovec into{bytes_.data() + had, want - had};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kRoomForFiles * sizeof(int))> control;
    msghdr message{};
    message.msg_iov = &into;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = recvmsg(client_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    bytes_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && again(errno)) return;
    if (got <= 0) return hang_up("");
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
      if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i != count; ++i) {
        int file = -1;
        std::memcpy(&file, CMSG_DATA(part) + i * sizeof file, sizeof file);
        files_.emplace_back(file);
      }
    }
    if (files_.size() > kMostFiles || (message.msg_flags & MSG_CTRUNC) != 0)
      return hang_up(
          fmt::format("a message came with more than {} files, or more than this process may open", kMostFiles));
  }
}

void VfioSocket::take_whole() {
  VfioMessage message;
  std::memcpy(&message.header, bytes_.data(), sizeof message.header);
  message.body.assign(bytes_.begin() + sizeof(Header), bytes_.end());
  message.files = std::move(files_);
  bytes_.clear();
  files_.clear();
  const std::uint32_t type = message.header.flags & kTypeMask;
  if (type == kTypeCommand) {
    messages_.push_back(std::move(message));
  } else if (type == kTypeReply && asking_ && message.header.id == asked_ && !answer_) {
    answer_ = std::move(message);
  } else {
    hang_up(fmt::format("a message of type {}, where there was no question", type));
  }
}

std::optional<VfioMessage> VfioSocket::next() {
  if (messages_.empty()) return std::nullopt;
  VfioMessage message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

bool VfioSocket::send(const std::vector<std::byte>& bytes, int file) {
  std::size_t sent = 0;
  while (sent != bytes.size() && client_.is_open()) {
    iovec from{const_cast<std::byte*>(bytes.data()) + sent, bytes.size() - sent};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &from;
    message.msg_iovlen = 1;
    if (file >= 0 && sent == 0) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* const part = CMSG_FIRSTHDR(&message);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(sizeof file);
      std::memcpy(CMSG_DATA(part), &file, sizeof file);
    }
    const ssize_t done = sendmsg(client_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done > 0) {
      sent += static_cast<std::size_t>(done);
    } else if (done < 0 && again(errno)) {
      if (!ready(client_.get(), POLLOUT, kPatience)) hang_up("the client does not read its replies");
    } else {
      hang_up("");
    }
  }
  return sent == bytes.size();
}

void VfioSocket::reply(const served::VfioReply& reply) {
  if (!reply.bytes.empty()) (void)send(reply.bytes, reply.file);
}

void VfioSocket::hang_up(const std::string& fault) {
  if (!client_.is_open()) return;
  client_.close();
  bytes_.clear();
  files_.clear();
  messages_.clear();
  if (!fault.empty() && faults_++ == 0) first_fault_ = fault;
}

bool VfioSocket::ask(std::uint16_t command, std::uint64_t address, std::size_t bytes, const std::byte* from,
                     std::byte* to) {
  const served::vfio::DmaAccess access{address, bytes};
  std::vector<std::byte> message(sizeof(Header) + sizeof access);
  if (from != nullptr) message.insert(message.end(), from, from + bytes);
  const Header header{++asked_, command, static_cast<std::uint32_t>(message.size()), kTypeCommand, 0};
  std::memcpy(message.data(), &header, sizeof header);
  std::memcpy(message.data() + sizeof header, &access, sizeof access);
  answer_.reset();
  if (!send(message, -1)) return false;
  asking_ = true;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (client_.is_open() && !answer_) {
    if (messages_.size() >= kMostAhead || std::chrono::steady_clock::now() >= end) {
      hang_up("the client does not answer a DMA_READ or DMA_WRITE");
    } else if (ready(client_.get(), POLLIN, std::chrono::seconds(1))) {
      receive();
    }
  }
  asking_ = false;
  if (!answer_) return false;
  const VfioMessage answer = std::move(*answer_);
  answer_.reset();
  if (answer.header.command != command || (answer.header.flags & kError) != 0) return false;
  if (to == nullptr) return true;
  if (answer.body.size() != sizeof access + bytes) return false;
  std::memcpy(to, answer.body.data() + sizeof access, bytes);
  return true;
}

bool VfioSocket::read_memory(std::uint64_t address, std::byte* to, std::size_t bytes) {
  for (std::size_t done = 0; done != bytes;) {
    const std::size_t part = std::min<std::size_t>(bytes - done, most_data_);
    if (!client_.is_open() || !ask(kDmaRead, address + done, part, nullptr, to + done)) return false;
    done += part;
  }
  return true;
}

bool VfioSocket::write_memory(std::uint64_t address, const std::byte* from, std::size_t bytes) {
  for (std::size_t done = 0; done != bytes;) {
    const std::size_t part = std::min<std::size_t>(bytes - done, most_data_);
    if (!client_.is_open() || !ask(kDmaWrite, address + done, part, from + done, nullptr)) return false;
    done += part;
  }
  return true;
}

}  // namespace wordline::serve
