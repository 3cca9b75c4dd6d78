// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/system/run_drive.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace wordline::testing {
namespace {

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

std::string scratch_folder() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  static int runs = 0;
  std::string name = std::string(info->test_suite_name()) + "." + info->name() + "." + std::to_string(runs++);
  for (char& c : name) c = c == '/' ? '_' : c;
  const auto folder = std::filesystem::path(WORDLINE_SCRATCH) / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder.string();
}

std::string scratch_file(const std::string& name, const std::string& text) {
  const std::string path = scratch_folder() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

CommandResult wordline(const std::vector<std::string>& arguments) {
  std::string command = std::string("cd ") + quoted(WORDLINE_SOURCE) + " && " + quoted(WORDLINE_PROGRAM);
  for (const auto& argument : arguments) command += " " + quoted(argument);
  command += " 2>&1";
  CommandResult result{};
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot start " << command;
    return result;
  }
  std::array<char, 4096> buffer{};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) result.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

RunResult run_drive(const Run& run) {
  RunResult result;
  result.folder = scratch_folder();
  const std::string workload =
      run.workload.find('\n') == std::string::npos ? run.workload : scratch_file("job.fio", run.workload);
  std::vector<std::string> arguments{"run", run.config, "--workload", workload, "--out", result.folder, "--quiet"};
  for (const auto& set : run.sets) {
    arguments.emplace_back("--set");
    arguments.push_back(set);
  }
  arguments.insert(arguments.end(), run.arguments.begin(), run.arguments.end());
  const CommandResult command = wordline(arguments);
  if (command.exit_code != 0) {
    ADD_FAILURE() << "exit code " << command.exit_code << "\n" << command.output;
    throw std::runtime_error("the run failed");
  }
  result.result_text = read_file(result.folder + "/result.json");
  result.result = nlohmann::json::parse(result.result_text);
  result.provenance = result.result.at("provenance");
  result.result.erase("provenance");
  // The last member: what is before it says what was simulated.
  result.result_text.resize(result.result_text.find(",\n  \"provenance\": {"));
  result.cost = nlohmann::json::parse(read_file(result.folder + "/cost.json"));
  return result;
}

}  // namespace wordline::testing
