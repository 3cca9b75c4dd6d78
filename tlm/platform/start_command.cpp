// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/start_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>

#include "models/results/report.h"
#include "tlm/platform/installed_files.h"
#include "tlm/platform/terminal.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlaceholder = "start_policy";
constexpr std::size_t kLongestName = 32;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
  return text;
}

std::string start_of(const std::string& name) {
  const fs::path path = shipped_path("configs/start/" + name);
  if (path.empty()) {
    throw std::runtime_error(
        fmt::format("configs/start/{}: not found beside this program; run it from a build or an installation", name));
  }
  return content_of(path);
}

void write_new(const fs::path& path, const std::string& text) {
  if (fs::exists(path)) throw std::runtime_error(fmt::format("{}: is there already; name a new file", path.string()));
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  results::write_file(path.string(), text);
}

/// A name that C and the configuration take: lower case, digits, underscores, a letter first.
bool is_name(const std::string& name) {
  const auto fine = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= kLongestName && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), fine);
}

/// Of each class of drives what the first line of its start says.
std::map<std::string, std::string> drive_classes() {
  std::map<std::string, std::string> found;
  const fs::path folder = shipped_path("configs/start");
  if (folder.empty()) return found;
  const std::string prefix = "drive_";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string stem = entry.path().stem().string();
    if (stem.compare(0, prefix.size(), prefix) != 0) continue;
    const std::string text = content_of(entry.path());
    found.emplace(stem.substr(prefix.size()), text.substr(2, text.find('\n') - 2));
  }
  return found;
}

}  // namespace

int list_drive_classes() {
  for (const auto& [name, text] : drive_classes()) std::cout << fmt::format("{:<14} {}\n", name, text);
  return 0;
}

int new_config(const std::string& kind, const std::string& file, const std::string& of_class) {
  if (!of_class.empty() && drive_classes().count(of_class) == 0) {
    throw std::runtime_error(of_class + ": no class of drives; wordline new drive --list prints them");
  }
  if (kind == "drive" && drive_classes().count(file) != 0) {  // a file of that name would hold the plain start
    throw std::runtime_error(
        fmt::format("{} is a class of drives: wordline new drive {}.toml --class {}", file, file, file));
  }
  write_new(file, start_of(kind + (of_class.empty() ? "" : "_" + of_class) + ".toml"));
  std::cout << as_called(fmt::format("wrote {}; next:\n  wordline check {}\n", file, file));
  return 0;
}

int new_policy(const std::string& name) {
  if (!is_name(name)) {
    throw std::runtime_error(
        fmt::format("{}: no name of a policy: expected lower-case letters, digits and _, a letter first, {} at most",
                    name, kLongestName));
  }
  const fs::path rows = shipped_path("models/firmware/policy/policies.def");
  if (rows.empty()) {
    throw std::runtime_error("a policy is built into the firmware: run this from a clone of the sources");
  }
  const std::string known = content_of(rows);
  if (known.find(fmt::format("WL_POLICY({},", name)) != std::string::npos) {
    throw std::runtime_error(fmt::format("{}: has a policy of this name already", rows.string()));
  }
  std::string text = start_of("policy.c");
  for (std::size_t at = text.find(kPlaceholder); at != std::string::npos; at = text.find(kPlaceholder, at)) {
    text.replace(at, kPlaceholder.size(), name);
  }
  const fs::path file = rows.parent_path() / (name + ".c");
  write_new(file, text);
  results::write_file(
      rows.string(),
      known + fmt::format("WL_POLICY({0}, \"{0}\", \"as page_greedy, with small writes apart\")\n", name));
  std::cout << as_called(
      fmt::format("wrote {}\nand its row in {}; next:\n"
                  "  ./scripts/build release wordline\n"
                  "  wordline run DRIVE.toml --workload JOB --set ftl.policy={}\n"
                  "To ship it, docs/extending.md says what else belongs to a policy.\n",
                  file.string(), rows.string(), name));
  return 0;
}

}  // namespace wordline::platform
