// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/top_command.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

#include "models/served/descriptor.h"

namespace wordline::platform {
namespace {

constexpr std::string_view kWantsText = "text\n";

int failed(const TopOptions& options, const std::string& why) {
  std::cerr << fmt::format(
      "wordline top: {}: {}; expected the socket of a drive: wordline serve CONFIG --live SOCKET\n", options.socket,
      why);
  return 2;
}

std::string why(int error) { return std::error_code(error, std::generic_category()).message(); }

}  // namespace

int top_command(const TopOptions& options) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (options.socket.size() >= sizeof address.sun_path) return failed(options, "the path is too long for a socket");
  std::memcpy(address.sun_path, options.socket.data(), options.socket.size());
  const served::Descriptor server(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failed(options, why(errno));
  if (!options.json && send(server.get(), kWantsText.data(), kWantsText.size(), MSG_NOSIGNAL) < 0)
    return failed(options, why(errno));
  const char end = options.json ? '\n' : '\f';
  const bool redraws = !options.json && !options.once && isatty(STDOUT_FILENO) != 0;
  std::string frame;
  bool any = false;
  std::array<char, 4096> piece{};
  for (ssize_t bytes = 0; (bytes = recv(server.get(), piece.data(), piece.size(), 0)) > 0;) {
    frame.append(piece.data(), static_cast<std::size_t>(bytes));
    for (std::size_t at = 0; (at = frame.find(end)) != std::string::npos; frame.erase(0, at + 1)) {
      if (redraws) std::cout << "\033[H\033[J";
      std::cout << frame.substr(0, at) << (redraws ? "" : "\n") << std::flush;
      any = true;
      if (options.once) return 0;
    }
  }
  if (!any) return failed(options, "it has ended before a frame came, or 64 others watch it already");
  return 0;
}

}  // namespace wordline::platform
