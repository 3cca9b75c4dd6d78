// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace wordline::testing {
namespace {

struct Result {
  int exit_code;
  std::string output;
};

Result riscv_run(const std::string& programs) {
  Result result{-1, {}};
  FILE* pipe = popen((RISCV_RUN " " + programs + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[512];
  while (fgets(buffer, sizeof buffer, pipe) != nullptr) result.output += buffer;
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

TEST(RiscvRun, Pass) {
  const Result result = riscv_run(PROGRAMS "pass.elf");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("pass.elf: pass\n1 of 1 pass"), std::string::npos) << result.output;
}

TEST(RiscvRun, SignatureIsWrittenAWordALine) {
  const std::string file = PROGRAMS "pass.elf.signature";
  std::remove(file.c_str());
  EXPECT_EQ(riscv_run("--signature " PROGRAMS "pass.elf").exit_code, 0);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, "12345678\nfedcba98\n");
  EXPECT_EQ(riscv_run("--signature").exit_code, 2);
  EXPECT_EQ(riscv_run("--signatures " PROGRAMS "pass.elf").exit_code, 2);
}

TEST(RiscvRun, MisalignedAccessesTrapWhenTheyAreToldTo) {
  EXPECT_EQ(riscv_run(PROGRAMS "misaligned.elf").exit_code, 0);
  const Result result = riscv_run("--signature --trap-misaligned " PROGRAMS "misaligned.elf");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("misaligned.elf: FAIL test 4\n"), std::string::npos) << result.output;
}

TEST(RiscvRun, FailureNamesTheTestAndTheOthersStillRun) {
  const Result result = riscv_run(PROGRAMS "fail_3.elf " PROGRAMS "pass.elf");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("fail_3.elf: FAIL test 3\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("pass.elf: pass\n1 of 2 pass"), std::string::npos) << result.output;
}

TEST(RiscvRun, EndlessLoopIsAFailure) {
  const Result result = riscv_run(PROGRAMS "endless.elf");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("FAIL: not done after"), std::string::npos) << result.output;
}

TEST(RiscvRun, TrapWithoutHandlerIsAFailure) {
  const Result result = riscv_run(PROGRAMS "lockup.elf");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("FAIL: trap without a handler at 0x00000000"), std::string::npos) << result.output;
}

TEST(RiscvRun, WhatCannotRunIsExitCode2) {
  EXPECT_EQ(riscv_run("").exit_code, 2);
  EXPECT_EQ(riscv_run("/no/such.elf").exit_code, 2);
  const Result result = riscv_run(PROGRAMS "no_tohost.elf " PROGRAMS "pass.elf");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.output.find("no symbol tohost"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace wordline::testing
