// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// However a run ends, its folder says how, and holds nothing of an earlier run.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <thread>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::run_end_test {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

nlohmann::json result_of(const fs::path& folder) { return nlohmann::json::parse(read_file(folder / "result.json")); }

/// Waits, twenty minutes at most: a busy machine is slow.
bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 120'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// The program in the background.
class Program {
 public:
  explicit Program(const std::vector<std::string>& arguments, const std::string& temporary = {}) {
    std::vector<std::string> all{WORDLINE_PROGRAM};
    all.insert(all.end(), arguments.begin(), arguments.end());
    pid_ = fork();
    if (pid_ != 0) return;
    std::vector<char*> argv;
    for (auto& argument : all) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    if (!temporary.empty()) setenv("TMPDIR", temporary.c_str(), 1);
    if (chdir(WORDLINE_SOURCE) == 0) execv(argv[0], argv.data());
    _exit(127);
  }
  void send(int signal) const { kill(pid_, signal); }
  /// Sends the signal again and again until the program has ended. What ended it, as wait().
  int insist(int signal) const {
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) == 0) {
      send(signal);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  /// Exit code; negative: the signal that killed it.
  int wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
};

/// Processes whose command line contains `text`.
unsigned processes_with(const std::string& text) {
  unsigned found = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    if (!std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0]))) continue;
    try {
      if (read_file(entry.path() / "cmdline").find(text) != std::string::npos) ++found;
    } catch (const std::exception&) {  // it has ended meanwhile
    }
  }
  return found;
}

const char* const kLong = "[job]\nrw=randread\nbs=4k\niodepth=128\ntime_based\nruntime=100000\n";
const char* const kShort = "[job]\nrw=randrw\nbs=4k\niodepth=8\nnumber_ios=200\n";

/// Worn beyond what the decoder can do.
std::vector<std::string> worn(const std::vector<std::string>& more = {}) {
  std::vector<std::string> sets{"cpu.model=native", "nand.aging.pe_cycles=100000", "nand.aging.retention_days=3000",
                                "precondition.fill=sequential", "ecc.max_soft=0"};
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

std::vector<std::string> command(const std::string& folder, const std::string& job,
                                 const std::vector<std::string>& sets) {
  std::vector<std::string> arguments{
      "run", "configs/ssds/small.toml", "--workload", scratch_file("job.fio", job), "--out", folder};
  for (const auto& set : sets) {
    arguments.emplace_back("--set");
    arguments.push_back(set);
  }
  return arguments;
}

TEST(RunEnd, MediaErrorsAreCountedAndTheRunCompletes) {
  const std::string folder = scratch_folder();
  const auto run = wordline(command(folder, kShort, worn()));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  const auto result = result_of(folder);
  EXPECT_EQ(result["status"], "completed");
  EXPECT_TRUE(result["status_reason"].is_null());
  const auto lost = result["errors"]["read"]["unrecovered_read"].get<unsigned>();
  EXPECT_GT(lost, 50U);
  const auto done = [&](const char* op) { return result["ios"][op]["count"].get<unsigned>(); };
  EXPECT_EQ(done("read") + done("write") + lost, 200U);
  EXPECT_EQ(result["check"]["reads_checked"], result["ios"]["read"]["count"]);
  EXPECT_NE(run.output.find("Note: " + std::to_string(lost) + " requests (read) ended with an unrecovered read error"),
            std::string::npos)
      << run.output;
}

TEST(RunEnd, StopEndsAtTheFirstMediaErrorAndTheViewOpensThere) {
  const std::string folder = scratch_folder();
  const auto run = wordline(command(folder, kShort, worn({"host.on_error=stop", "observe.waves=true"})));
  EXPECT_EQ(run.exit_code, 1) << run.output;
  EXPECT_NE(run.output.find("unrecovered read error"), std::string::npos) << run.output;
  const auto result = result_of(folder);
  EXPECT_EQ(result["status"], "failed");
  EXPECT_NE(result["status_reason"].get<std::string>().find("unrecovered read error"), std::string::npos);
  EXPECT_EQ(result["errors"]["read"]["unrecovered_read"], 1U);
  const auto end = result["simulated_ps"].get<std::uint64_t>();
  const std::string view = read_file(folder + "/waves.gtkw");
  EXPECT_NE(view.find("[timestart] " + std::to_string(end - 80'000'000)), std::string::npos) << view;
  EXPECT_NE(view.find(" " + std::to_string(end) + " -1 -1"), std::string::npos) << "the marker";
  EXPECT_GT(fs::file_size(folder + "/waves.fst"), 1000U);
  EXPECT_FALSE(fs::exists(folder + "/waves.fst.hier")) << "the waveform was not closed";
}

TEST(RunEnd, NothingOfAnEarlierRunStaysInTheFolder) {
  const std::string folder = scratch_folder();
  auto arguments = command(folder, kShort, {"cpu.model=iss", "observe.waves=true"});
  arguments.emplace_back("--profile");
  ASSERT_EQ(wordline(arguments).exit_code, 0);
  for (const char* name : {"waves.fst", "waves.gtkw", "profile.txt", "profile.folded", "profile_utilisation.csv"}) {
    EXPECT_TRUE(fs::exists(folder + "/" + name)) << name;
  }
  std::ofstream(folder + "/notes.txt") << "mine\n";
  ASSERT_EQ(wordline(command(folder, kShort, {"cpu.model=native"})).exit_code, 0);
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder)) left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"config.toml", "cost.json", "notes.txt", "result.json"}));
  // A run that cannot even be built leaves no result of the one before it.
  arguments = command(folder, kShort, {"cpu.model=iss"});
  arguments.insert(arguments.end(), {"--firmware", "README.md"});
  EXPECT_EQ(wordline(arguments).exit_code, 1);
  EXPECT_EQ(result_of(folder)["status"], "failed");
  EXPECT_FALSE(fs::exists(folder + "/cost.json"));
}

class Interrupted : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_P(Interrupted, LeavesItsResultsAndAWholeWaveform) {
  const std::string folder = scratch_folder();
  const Program program(command(folder, kLong, {"cpu.model=native", "observe.waves=true"}));
  // The view is there from the start; some requests have left their marks.
  ASSERT_TRUE(comes_true([&] {
    std::error_code none;
    return fs::exists(folder + "/waves.gtkw") && fs::file_size(folder + "/waves.fst", none) > 1'000'000;
  }));
  program.send(GetParam());
  EXPECT_EQ(program.wait(), 128 + GetParam());
  const auto result = result_of(folder);
  EXPECT_EQ(result["status"], "interrupted");
  const char* const name = GetParam() == SIGINT ? "SIGINT" : GetParam() == SIGHUP ? "SIGHUP" : "SIGTERM";
  EXPECT_EQ(result["status_reason"].get<std::string>().rfind(name, 0), 0U);
  EXPECT_GT(result["ios"]["read"]["count"].get<unsigned>(), 100U);
  EXPECT_TRUE(fs::exists(folder + "/cost.json"));
  EXPECT_FALSE(fs::exists(folder + "/waves.fst.hier"));
}

TEST(RunEnd, AFolderBelongsToOneRunAtATime) {
  const std::string folder = scratch_folder();
  const Program program(command(folder, kLong, {"cpu.model=native"}));
  ASSERT_TRUE(comes_true([&] { return fs::exists(folder + "/config.toml"); }));
  const auto second = wordline(command(folder, kShort, {"cpu.model=native"}));
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_NE(second.output.find("another run writes its results there; name another folder"), std::string::npos)
      << second.output;
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
  EXPECT_EQ(wordline(command(folder, kShort, {"cpu.model=native"})).exit_code, 0);
}

TEST(RunEnd, TheSecondCtrlCEndsTheProgramAtOnce) {
  // Gates that never decode are slow: the slice of simulated time that is under way takes seconds.
  const std::string folder = scratch_folder();
  const Program program(command(folder, kLong, worn({"ecc.model=rtl", "channels.count=8"})));
  ASSERT_TRUE(comes_true([&] { return fs::exists(folder + "/config.toml"); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(program.insist(SIGINT), -SIGINT);
  EXPECT_FALSE(fs::exists(folder + "/result.json"));
}

TEST(RunEnd, OneSignalEndsARunWhoseBlockLoopsForEver) {
  const std::string folder = scratch_folder(), mark = folder + "/loops";
  setenv("WORDLINE_TEST_FAULT", "loops", 1);
  setenv("WORDLINE_TEST_MARK", mark.c_str(), 1);
  const Program program(
      command(folder, kLong,
              {"ecc.model=rtl", "cpu.model=native", "precondition.fill=sequential", "ecc.rtl.tier1=" FAULTY_BLOCK}));
  unsetenv("WORDLINE_TEST_FAULT");
  ASSERT_TRUE(comes_true([&] { return fs::exists(mark); }));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
}

std::vector<std::string> study() {
  return {"partition", "configs/ssds/small.toml", "--workload", scratch_file("job.fio", kLong), "--jobs", "2",
          "--set",     "cpu.model=native"};
}

TEST(RunEnd, AStudyThatIsEndedLeavesNeitherRunsNorFolder) {
  const std::string temporary = scratch_folder();
  const Program program(study(), temporary);
  ASSERT_TRUE(comes_true([&] { return processes_with(temporary) == 2; }));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
  EXPECT_EQ(processes_with(temporary), 0U);
  EXPECT_TRUE(fs::is_empty(temporary));
}

TEST(RunEnd, RunsOfAStudyDieWithIt) {
  const std::string temporary = scratch_folder();
  const Program program(study(), temporary);
  ASSERT_TRUE(comes_true([&] { return processes_with(temporary) == 2; }));
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(), -SIGKILL);
  EXPECT_TRUE(comes_true([&] { return processes_with(temporary) == 0; }));
}

TEST(RunEnd, AWaveformThatIsCutIsAnError) {
  const std::string out = scratch_folder(), messages = scratch_file("messages", "");
  const std::string job = scratch_file("job.fio", "[job]\nrw=randrw\nbs=16k\niodepth=16\nnumber_ios=2000\n");
  const std::string shell = std::string("cd '") + WORDLINE_SOURCE + "' && ulimit -f 256 && '" + WORDLINE_PROGRAM +
                            "' run configs/ssds/small.toml --workload '" + job + "' --quiet " +
                            "--set observe.waves=true --out '" + out + "' 2>'" + messages + "'";
  EXPECT_EQ(WEXITSTATUS(std::system(shell.c_str())), 1);
  std::stringstream text;
  text << std::ifstream(messages).rdbuf();
  EXPECT_NE(text.str().find("waves.fst\" is cut: no space left on the device, or a size limit?"), std::string::npos)
      << text.str();
}

TEST(RunEnd, WhatCannotBePrintedIsAnError) {
  for (const char* words : {"explain", "statistics", "onfi", "--help", "check configs/ssds/small.toml"}) {
    const std::string shell =
        std::string("cd '") + WORDLINE_SOURCE + "' && '" + WORDLINE_PROGRAM + "' " + words + " >/dev/full 2>/dev/null";
    EXPECT_EQ(WEXITSTATUS(std::system(shell.c_str())), 1) << words;
  }
}

}  // namespace
}  // namespace wordline::testing::run_end_test
