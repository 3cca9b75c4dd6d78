// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// `wordline run --gdb` with the real gdb-multiarch (a Debian package; without it these tests are skipped).
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::gdb_test {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

constexpr int kTries = 60'000;  // of 20 ms, for what stands still: a busy machine is slow

/// A run that waits for gdb, and a gdb with `commands` on it. Gives what gdb printed, then what the run printed and its
/// exit code.
std::string debug(const std::vector<std::string>& commands, const std::string& run_arguments = {}) {
  const std::string folder = scratch_folder();
  std::ofstream(folder + "/job.fio") << "[job]\nrw=randwrite\nbs=4k\niodepth=8\nnumber_ios=300\n";
  std::ofstream(folder + "/gdb") << [&commands] {
    std::string lines = "set pagination off\nset confirm off\nset debuginfod enabled off\n";
    for (const auto& command : commands) lines += command + "\n";
    return lines;
  }();
  std::string run = "cd '" WORDLINE_SOURCE "' && { timeout 1200 '" WORDLINE_PROGRAM
                    "' run configs/ssds/small.toml --workload '" +
                    folder + "/job.fio' --set cpu.model=iss --quiet --gdb 0 " + run_arguments + " --out '" + folder +
                    "/out' > '" + folder + "/run' 2>&1; echo \"exit code $?\" >> '" + folder + "/run'; } &";
  EXPECT_EQ(std::system(run.c_str()), 0);
  const std::string words = "target remote localhost:";
  std::string port;
  for (int tries = 0; tries < kTries && port.empty(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::string said = text_of(folder + "/run");
    const auto at = said.find(words);
    if (at != std::string::npos && said.find('\n', at) != std::string::npos) {
      port = said.substr(at + words.size(), said.find('\n', at) - at - words.size());
    }
  }
  EXPECT_FALSE(port.empty()) << text_of(folder + "/run");
  const std::string gdb =
      "timeout 1200 gdb-multiarch -nx -batch '" FIRMWARE_ELF "' -ex 'target remote localhost:" + port + "' -x '" +
      folder + "/gdb' > '" + folder + "/log' 2>&1 < /dev/null";
  EXPECT_EQ(std::system(gdb.c_str()), 0);
  for (int tries = 0; tries < kTries && text_of(folder + "/run").find("exit code") == std::string::npos; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return text_of(folder + "/log") + text_of(folder + "/run");
}

class Gdb : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v gdb-multiarch > /dev/null") != 0) {
      GTEST_SKIP() << "gdb-multiarch is not installed (Debian package of that name)";
    }
  }
  static void expect(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "missing: " << part << "\nin: " << text;
  }
};

// The firmware as shipped, with boot information that it refuses.
TEST_F(Gdb, APanicNamesFileAndLine) {
  const std::string said = debug({"set {unsigned}0x10000000 = 0", "continue"});
  expect(said, "ssd.core0: firmware panic at models/firmware/boot.c:");
  expect(said, "exit code 1");
}

TEST_F(Gdb, OneCoreByItself) {
  const std::string said = debug({"tbreak wl_mover_read_run",
                                  "break wl_write_step",
                                  "continue",
                                  "set $core = $_thread",
                                  "thread 3",
                                  "print $minstret",
                                  "print $pc",
                                  "thread $core",
                                  "set scheduler-locking on",
                                  "stepi 200",
                                  "print $minstret > 0",
                                  "thread 3",
                                  "print $minstret",
                                  "print $pc",
                                  "set scheduler-locking off",
                                  "delete",
                                  "thread $core",
                                  "tbreak program_done",
                                  "continue",
                                  "thread 3",
                                  "print $minstret",
                                  "delete",
                                  "continue"});
  const auto value = [&said](int n) {
    const std::string key = "$" + std::to_string(n) + " = ";
    const auto at = said.find(key);
    return at == std::string::npos ? std::string("none")
                                   : said.substr(at + key.size(), said.find('\n', at) - at - key.size());
  };
  EXPECT_EQ(said.find("not defined"), std::string::npos) << said;
  EXPECT_NE(value(1), "none") << said;
  EXPECT_EQ(value(1), value(4)) << said;
  EXPECT_EQ(value(2), value(5)) << said;
  EXPECT_NE(value(4), value(6)) << "it goes on with all: " << said;
  expect(said, "exit code 0");
}

TEST_F(Gdb, StopsAtResetAndAtABreakpointWithSourceAndThreads) {
  const std::string said = debug({"info threads", "break wl_firmware_boot", "continue", "backtrace", "delete",
                                  "print/x $mcause", "print $mhartid", "x/1xw 0x10000000", "continue"});
  expect(said, "Thread 1 (core 0)");
  expect(said, "Thread 2 (core 1)");
  expect(said, "Breakpoint 1, wl_firmware_boot");
  expect(said, "in wl_main (core=0)");
  expect(said, "$1 = 0x0\n");
  expect(said, "$2 = 0\n");
  expect(said, "0x10000000:\t0x574c4254");  // the boot information's magic word
  expect(said, "exited normally");
  expect(said, "exit code 0");
}

TEST_F(Gdb, StepsAndWatches) {
  const std::string said = debug({"stepi", "stepi", "print/x $pc", "print/x $t0", "watch *(int*)0x107ffffc", "continue",
                                  "print/x $sp", "delete", "detach"});
  expect(said, "$1 = 0x8\n");
  expect(said, "Hardware watchpoint 1");
  expect(said, "Old value =");
  expect(said, "exit code 0");
}

TEST_F(Gdb, FaultIsASignalAndThenEndsTheRun) {
  const std::string said =
      debug({"continue", "print/x $sp >= 0x107fe000", "continue"}, "--firmware '" BAD_FIRMWARE "null_store.elf'");
  expect(said, "received signal SIGSEGV");
  expect(said, "$1 = 0x1");
  expect(said, "in defect + 0x");
  expect(said, "exit code 1");
  expect(debug({"continue"}, "--firmware '" BAD_FIRMWARE "illegal.elf'"), "received signal SIGILL");
}

TEST_F(Gdb, KillEndsTheRun) {
  const std::string said = debug({"kill"});
  expect(said, "gdb has ended the run");
  expect(said, "exit code 1");
}

TEST(GdbOption, NeedsInstructionsAndAPort) {
  const std::vector<std::string> run{"run", "configs/ssds/small.toml", "--workload",
                                     "configs/workloads/demo_waves.fio"};
  auto native = run;
  native.insert(native.end(), {"--set", "cpu.model=native", "--gdb", "0"});
  const auto result = wordline(native);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.output.find("cpu.model=iss"), std::string::npos) << result.output;
  auto port = run;
  port.insert(port.end(), {"--set", "cpu.model=iss", "--gdb", "70000"});
  EXPECT_EQ(wordline(port).exit_code, 2);
}

}  // namespace
}  // namespace wordline::testing::gdb_test
