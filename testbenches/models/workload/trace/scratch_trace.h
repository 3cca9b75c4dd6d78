// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/workload/source.h"
#include "models/workload/trace/trace_source.h"

namespace wordline::workload {

/// A file of one test, gone with it. Tests run side by side, each as a process.
class ScratchFile {
 public:
  ScratchFile(const std::string& name, const std::string& content)
      : path_(::testing::TempDir() + std::to_string(getpid()) + "_" + name) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~ScratchFile() { std::remove(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A trace with its file, which it reads again for every repetition.
class ScratchTrace {
 public:
  ScratchTrace(TraceFormat format, const std::string& content, const LoadOptions& options)
      : file_("t.csv", content), source_(make_trace_source(file_.path(), format, options)) {}

  Source& operator*() const { return *source_; }
  Source* operator->() const { return source_.get(); }

 private:
  ScratchFile file_;
  std::unique_ptr<Source> source_;
};

inline LoadOptions drive_of(std::uint64_t lbas) {
  LoadOptions options;
  options.drive_lbas = lbas;
  return options;
}

inline std::vector<Request> all(Source& source) {
  std::vector<Request> requests;
  Request r;
  while (source.next(0, {}, r)) requests.push_back(r);
  return requests;
}

/// The errors of `attempt`, without what stands before `from` in each.
template <class Attempt>
std::vector<std::string> errors_of(Attempt&& attempt, const std::string& from) {
  try {
    attempt();
  } catch (const WorkloadError& error) {
    std::vector<std::string> lines = error.errors();
    for (std::string& line : lines) line.erase(0, std::min(line.size(), line.find(from)));
    return lines;
  }
  return {};
}

}  // namespace wordline::workload
