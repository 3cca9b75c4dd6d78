// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/kept_states.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "models/checks/load.h"
#include "models/config/sha256.h"
#include "models/precondition/state_file.h"

namespace wordline::precondition {
namespace {

namespace fs = std::filesystem;

/// A smaller state is made faster than it is read.
constexpr std::uint64_t kWorthKeeping = 1U << 18;  // PPAs

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw config::ConfigError(fmt::format("--states: error: {}: {}", path, reason));
}

/// One process at a time is at this state; the others wait here.
class Lock {
 public:
  explicit Lock(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ < 0) refuse(path, fmt::format("cannot be written: {}", std::strerror(errno)));
    while (::flock(file_, LOCK_EX) != 0) {
      if (errno == EINTR) continue;
      const int why = errno;
      ::close(file_);
      refuse(path, fmt::format("cannot be locked: {}", std::strerror(why)));
    }
  }
  ~Lock() { ::close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

/// Another build of the program may make another state of the same recipe.
const std::string& this_program() {
  static const std::string hash = [] {
    std::ifstream in("/proc/self/exe", std::ios::binary | std::ios::ate);
    std::string bytes(in ? static_cast<std::size_t>(in.tellg()) : 0, '\0');
    in.seekg(0);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return config::sha256(bytes);
  }();
  return hash;
}

}  // namespace

KeptStates::KeptStates(std::string folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_)) {
    refuse(folder_, fmt::format("cannot be made: {}; name a folder that can be written", error.message()));
  }
}

DriveState KeptStates::state_of(const Recipe& recipe, std::string* note) const {
  if (recipe.geometry.ppas() < kWorthKeeping) return make_state(recipe).state;
  const std::string name = config::sha256(this_program() + recipe.text()).substr(0, 20);
  const std::string path = fmt::format("{}/{}.state", folder_, name);
  const Lock lock(fmt::format("{}/{}.lock", folder_, name));
  if (fs::exists(path)) {
    try {
      DriveState state = load_state(path, recipe.geometry);
      fs::last_write_time(path, fs::file_time_type::clock::now());  // used now
      return state;
    } catch (const config::ConfigError& error) {
      if (note != nullptr) *note = fmt::format("--states: {} is made again: {}", path, error.what());
    }
  }
  DriveState state = make_state(recipe).state;
  try {
    save_state(path, state);
    make_room(path);
  } catch (const std::exception& error) {
    refuse(folder_, error.what());
  }
  return state;
}

void KeptStates::make_room(const std::string& except) const {
  struct File {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  std::uint64_t all = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() != ".state") continue;
    std::error_code gone;  // by another process meanwhile
    const std::uint64_t bytes = entry.file_size(gone);
    const fs::file_time_type used = gone ? fs::file_time_type() : entry.last_write_time(gone);
    if (gone) continue;
    files.push_back({used, bytes, entry.path()});
    all += bytes;
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (all <= most_bytes_) return;
    if (file.path == except) continue;
    std::error_code gone;
    fs::remove(file.path, gone);
    all -= file.bytes;
  }
}

}  // namespace wordline::precondition
