// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tlm/platform/crash_test_command.h"

namespace wordline::platform {

/// One drive of `wordline crash-test`, from erased flash on: runs that end in a cut, each beginning with what the one
/// before has left, and a last one that reads everything.
class CrashLife {
 public:
  /// `cuts`: after so many comes the last run. `span_ps`: how long the workload runs on erased flash.
  CrashLife(const CrashTestOptions& options, std::uint64_t seed, std::uint64_t cuts, std::filesystem::path folder,
            std::uint64_t span_ps);

  /// Chooses what the next run is to meet; its arguments.
  [[nodiscard]] std::vector<std::string> next_run();
  [[nodiscard]] std::filesystem::path log() const;
  /// Empty: it did what it should.
  [[nodiscard]] std::string ended(int exit_code);

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  /// So many cuts of a life repeat it up to the run that is under way.
  [[nodiscard]] std::uint64_t cuts_to_here() const { return is_last() ? cuts_ : runs_ + 1; }
  [[nodiscard]] std::string what() const;
  [[nodiscard]] std::uint64_t mount_ps() const { return mount_ps_; }
  /// Instants of its cuts, that of the run under way included. Empty: a run was shut down, so instants alone do not
  /// repeat them.
  [[nodiscard]] std::vector<std::uint64_t> instants() const;

  struct Counts {
    std::uint64_t cuts = 0, in_mounts = 0, interrupted = 0, torn = 0;
    std::uint64_t shutdowns = 0, in_shutdowns = 0, clean_mounts = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void choose();
  void count_cut();
  [[nodiscard]] bool is_last() const { return runs_ == cuts_; }
  [[nodiscard]] std::string image(std::uint64_t run) const;
  std::uint64_t draw();

  const CrashTestOptions& options_;
  const std::uint64_t seed_, cuts_;
  const std::filesystem::path folder_;
  const std::uint64_t span_ps_;
  Counts counts_;
  std::uint64_t runs_ = 0, draws_ = 0, mount_ps_ = 0, at_ps_ = 0;
  std::vector<std::uint64_t> cut_at_;  // of the runs before; 0: it was shut down
  std::uint32_t nested_ = 0;
  std::uint64_t clean_ps_ = 0;  // as mount_ps_, of one from a checkpoint
  bool in_mount_ = false, done_ = false;
  bool shuts_down_ = false;  // the run ends with a shutdown, if no cut comes before
  bool again_ = false;       // ... and is repeated, with a cut in it
  bool sealed_ = false;      // the last run has shut the drive down, and no mount has ended since
};

}  // namespace wordline::platform
