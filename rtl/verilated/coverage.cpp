// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Only with WORDLINE_RTL_COVERAGE (cmake/Verilate.cmake).
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "rtl/verilated/verilated_top.h"
#include "verilated_cov.h"

namespace wordline::rtl {
namespace {

/// The counts of all blocks of this program: a point as Verilator's file has it, and how often it was met.
class Counts {
 public:
  Counts() {
    if (const char* const named = std::getenv("WORDLINE_RTL_COVERAGE")) file_ = named;
  }
  ~Counts() {
    if (file_.empty()) return;
    std::ofstream out(file_);
    out << "# SystemC::Coverage-3\n";
    for (const auto& [point, count] : counts_) out << point << ' ' << count << '\n';
  }
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;

  void add(VerilatedContext& context) {
    if (file_.empty()) return;
    const std::string of_block = file_ + "." + std::to_string(getpid());  // Verilator gives them by a file only
    context.coveragep()->write(of_block.c_str());
    std::ifstream in(of_block);
    for (std::string line; std::getline(in, line);) {
      const std::size_t end = line.rfind(' ');
      if (line[0] == 'C') counts_[line.substr(0, end)] += std::stoull(line.substr(end + 1));
    }
    std::remove(of_block.c_str());
  }

 private:
  std::string file_;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace

void keep_coverage(VerilatedContext& context) {
  static Counts counts;
  counts.add(context);
}

}  // namespace wordline::rtl
