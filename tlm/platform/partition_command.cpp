// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/partition_command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "models/config/load.h"
#include "models/engines/partition.h"
#include "models/results/report.h"
#include "models/workload/source.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error(path.string() + ": cannot be read");
  return text.str();
}

/// A folder of its own, removed at the end unless the user wants to keep it.
class Folder {
 public:
  explicit Folder(const std::string& keep) : keep_(!keep.empty()) {
    if (keep_) {
      path_ = keep;
      fs::create_directories(path_);
      return;
    }
    std::string name = (fs::temp_directory_path() / "wordline-partition-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error(name + ": cannot make a folder for the runs: " + std::strerror(errno));
    }
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!keep_) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  bool keep_;
  fs::path path_;
};

/// This program again, with `arguments`; what it says goes to `log`. Returns its process id.
pid_t start(const std::vector<std::string>& arguments, const fs::path& log) {
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) throw std::runtime_error(log.string() + ": cannot be written: " + std::strerror(errno));
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  close(file);
  if (child < 0) throw std::runtime_error(std::string("cannot start a run: ") + std::strerror(errno));
  return child;
}

std::vector<std::string> settings_of(const PartitionOptions& options, const engines::Placement& placement) {
  std::vector<std::string> sets = options.sets;
  const std::vector<std::string> own = placement.settings();
  sets.insert(sets.end(), own.begin(), own.end());
  return sets;
}

}  // namespace

int partition_command(const PartitionOptions& options) {
  const std::vector<engines::Placement> placements = options.placements.empty()  ? engines::default_placements()
                                                     : options.placements == "all" ? engines::all_placements()
                                                                                   : engines::read_placements(options.placements);
  // Every placement is checked before the first one runs.
  std::vector<config::Config> configs;
  for (const engines::Placement& placement : placements) {
    try {
      configs.push_back(config::load(options.config, settings_of(options, placement)).config);
    } catch (const config::ConfigError& error) {
      throw config::ConfigError("placement \"" + placement.name + "\":\n" + error.what());
    }
  }
  if (!fs::exists(options.workload)) {
    throw workload::WorkloadError({options.workload + ": error: no such file, expected a fio job file or a trace"});
  }
  const Folder folder(options.out);
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  const auto run_folder = [&folder](std::size_t i) { return folder.path() / ("placement" + std::to_string(i + 1)); };
  const auto log_file = [&folder](std::size_t i) { return folder.path() / ("placement" + std::to_string(i + 1) + ".log"); };

  std::map<pid_t, std::size_t> running;
  std::vector<int> exit_codes(placements.size(), 0);
  std::size_t next = 0, done = 0;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  bool failed = false;
  while (!running.empty() || (next < placements.size() && !failed)) {
    while (running.size() < jobs && next < placements.size() && !failed) {
      std::vector<std::string> arguments{"wordline", "run", options.config, "--workload", options.workload, "--quiet", "--out",
                                         run_folder(next).string()};
      for (const std::string& set : settings_of(options, placements[next])) {
        arguments.emplace_back("--set");
        arguments.push_back(set);
      }
      running.emplace(start(arguments, log_file(next)), next);
      ++next;
    }
    int status = 0;
    const pid_t child = waitpid(-1, &status, 0);
    if (child < 0) {
      if (errno == EINTR) continue;
      throw std::runtime_error(std::string("cannot wait for a run: ") + std::strerror(errno));
    }
    const auto found = running.find(child);
    if (found == running.end()) continue;
    exit_codes[found->second] = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    failed = failed || exit_codes[found->second] != 0;
    running.erase(found);
    if (terminal) std::cerr << '\r' << ++done << " of " << placements.size() << " placements" << std::flush;
  }
  if (terminal) std::cerr << '\n';
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (exit_codes[i] == 0) continue;
    std::cerr << "placement \"" << placements[i].name << "\" failed:\n" << read_file(log_file(i));
    return exit_codes[i];
  }

  std::vector<engines::PartitionRow> rows;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    rows.push_back(engines::partition_row(placements[i], configs[i], read_file(run_folder(i) / "result.json")));
  }
  if (!options.json.empty()) {
    results::write_file(options.json, engines::partition_json(rows, {{"version", WORDLINE_VERSION},
                                                                     {"config", options.config},
                                                                     {"workload", fs::path(options.workload).filename().string()}}));
  }
  std::cout << engines::partition_text(rows);
  return 0;
}

}  // namespace wordline::platform
