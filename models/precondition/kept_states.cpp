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
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "models/checks/load.h"
#include "models/config/sha256.h"
#include "models/precondition/file_identity.h"
#include "models/precondition/state_image.h"
#include "models/results/report.h"

namespace wordline::precondition {
namespace {

using config::Digest;

namespace fs = std::filesystem;

/// A smaller state is made faster than it is read.
constexpr std::uint64_t kWorthKeeping = 1U << 18;  // PPAs
constexpr std::size_t kNameBytes = 10;             // of the key, in the name of a file

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

constexpr std::string_view kImage = ".image", kMark = ".checked";

fs::path mark_of(const fs::path& image) { return fs::path(image).replace_extension(kMark); }

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The image in `path`, checked, now or before.
std::unique_ptr<const InitialState> open_image(const fs::path& path, const StateImage::Key& key) {
  auto image = std::make_unique<const StateImage>(path.string(), key);
  const std::string identity = image->identity();
  if (identity.empty() || content_of(mark_of(path)) != identity) {
    image->check();
    results::write_file(mark_of(path).string(), identity);
  } else {
    std::error_code error;  // another process has removed it: it counts as old then
    fs::last_write_time(mark_of(path), fs::file_time_type::clock::now(), error);
  }
  return std::make_unique<const InitialState>(std::move(image));
}

/// Another build of the program may make another state of the same recipe. Reading all of it would take longer than all
/// else that is done here.
std::string this_program() {
  constexpr const char* kProgram = "/proc/self/exe";
  const std::string identity = file_identity(kProgram);
  if (identity.empty()) refuse(kProgram, "cannot be read, so that builds cannot be told apart: mount /proc");
  return identity;
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

std::unique_ptr<const InitialState> KeptStates::state_of(const Recipe& recipe, std::uint32_t map_page,
                                                         std::string* note) const {
  const auto make = [&recipe] { return make_state(recipe).state; };
  if (recipe.geometry.ppas() < kWorthKeeping) return std::make_unique<const InitialState>(make(), map_page);
  return image_of(recipe.text(), map_page, make, note);
}

std::unique_ptr<const InitialState> KeptStates::of_file(const config::Config& config, const config::Layout& layout,
                                                        std::string* note) const {
  const std::uint32_t map_page = layout.map_page;
  const auto load = [&] { return load_state_of(config, layout); };
  const Geometry g = geometry_of(config, layout);
  const std::string file = file_identity(config.precondition.file);
  if (g.ppas() < kWorthKeeping || file.empty()) return std::make_unique<const InitialState>(load(), map_page);
  const std::string drive = fmt::format(
      "dies {} planes {} blocks {} pages {} sectors_per_page {} pages_per_program {} user_sectors {} "
      "sector_bytes {} map_pages {}",
      g.dies, g.planes, g.blocks, g.pages, g.lpages_per_page, g.pages_per_program, g.user_lpages, g.lpage_bytes,
      g.map_pages);
  return image_of(fmt::format("{} {}", file, drive), map_page, load, note);
}

/// `what`: all that the state depends on, but the build of the program, which may make another one of the same recipe.
std::unique_ptr<const InitialState> KeptStates::image_of(const std::string& what, std::uint32_t map_page,
                                                         const Make& make, std::string* note) const {
  Digest digest;
  for (const std::string& part : {this_program(), what, fmt::format(" map_page {}", map_page)}) {
    digest.add(part.data(), part.size());
  }
  const StateImage::Key key = digest.value();
  std::string name;
  for (std::size_t i = 0; i < kNameBytes; ++i) name += fmt::format("{:02x}", key[i]);
  const std::string path = fmt::format("{}/{}{}", folder_, name, kImage);
  const Lock lock(fmt::format("{}/{}.lock", folder_, name));
  if (fs::exists(path)) {
    try {
      return open_image(path, key);
    } catch (const std::runtime_error& error) {
      if (note != nullptr) *note = fmt::format("--states: {} is made again: it {}", path, error.what());
    }
  }
  const DriveState state = make();
  try {
    StateImage::write(path, key, state, map_page);
    auto image = std::make_unique<const StateImage>(path, key);
    results::write_file(mark_of(path).string(), image->identity());
    make_room(path);
    return std::make_unique<const InitialState>(std::move(image));
  } catch (const std::runtime_error& error) {
    refuse(folder_, error.what());
  }
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
    if (entry.path().extension() != kImage) continue;
    std::error_code gone, unmarked;  // gone by another process meanwhile
    const std::uint64_t bytes = entry.file_size(gone);
    fs::file_time_type used = fs::last_write_time(mark_of(entry.path()), unmarked);
    if (unmarked) used = fs::file_time_type::min();
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
    fs::remove(mark_of(file.path), gone);
    all -= file.bytes;
  }
}

}  // namespace wordline::precondition
