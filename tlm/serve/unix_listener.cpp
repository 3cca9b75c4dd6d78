// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/unix_listener.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace wordline::serve {

served::Descriptor bind_unix(const std::string& option, const std::string& path) {
  const auto failed = [&](const std::string& what) {
    return std::runtime_error(fmt::format("{} {}: error: {}", option, path, what));
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    throw failed(fmt::format("a socket's path has 1 to {} bytes, this one {}: give a shorter one",
                             sizeof address.sun_path - 1, path.size()));
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);
  struct stat there {};
  if (lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode)) throw failed("there is a file of this name, which is no socket: give another");
    const served::Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (probe.is_open() && connect(probe.get(), name, sizeof address) == 0)
      throw failed("another server listens there: give another path, or end that one");
    unlink(path.c_str());
  }
  served::Descriptor listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listening.is_open() || bind(listening.get(), name, sizeof address) != 0)
    throw failed(fmt::format("{}: give a path in a folder where you may write",
                             std::error_code(errno, std::generic_category()).message()));
  return listening;
}

}  // namespace wordline::serve
