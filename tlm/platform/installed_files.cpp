// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/installed_files.h"

#include <fmt/core.h>

#include <stdexcept>
#include <system_error>

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;

constexpr const char* kImage = "firmware/firmware.elf";
constexpr const char* kImageWithPort = "firmware/firmware_port.elf";

/// The program's folder; links to the program are followed.
fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

/// True for a file that is there; what cannot be looked at is not.
bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string image_called(const char* name) {
  const fs::path program = program_folder();
  // Tools and tests of a build lie some folders below its image.
  for (fs::path folder = program; !folder.empty(); folder = folder.parent_path()) {
    if (is_file(folder / name)) return (folder / name).string();
    if (folder == folder.parent_path()) break;
  }
  const fs::path share = share_folder();
  if (!share.empty()) return (share / name).string();
  throw std::runtime_error(
      fmt::format("no firmware image: expected {} in {} or a folder above it, or {}; name one (wordline run --firmware "
                  "FILE), or run with cpu.model = native",
                  name, program.string(), (program.parent_path() / "share/wordline" / name).string()));
}

}  // namespace

fs::path share_folder() {
  const fs::path share = program_folder().parent_path() / "share" / "wordline";
  return is_file(share / kImage) ? share : fs::path();
}

std::string firmware_image() { return image_called(kImage); }

fs::path shipped_path(const std::string& name) {
  std::error_code error;
  const fs::path share = share_folder();
  if (!share.empty() && fs::exists(share / name, error)) return share / name;
  for (fs::path folder = program_folder(); !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / name, error)) return folder / name;
    if (folder == folder.parent_path()) break;
  }
  return {};
}

std::string shipped_file(const std::string& path) {
  std::error_code error;
  if (path.empty() || fs::path(path).is_absolute() || fs::exists(path, error)) return path;
  const fs::path share = share_folder();
  return !share.empty() && is_file(share / path) ? (share / path).string() : path;
}

std::string firmware_for(const config::Config& config, const std::string& given) {
  if (config.cpu.model != config::CpuModel::kIss) return {};
  if (!given.empty()) return given;
  return image_called(config.ftl.has_large_map() ? kImageWithPort : kImage);
}

}  // namespace wordline::platform
