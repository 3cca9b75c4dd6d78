// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle.h"

namespace wordline::persist_model {

struct Conditions {
  std::optional<Rule> broken;
  Damage damage;
};

/// A line that says all: the broken rule, the damage, then the actions. parse() of it is the same again.
struct Schedule {
  Conditions conditions;
  std::vector<Action> actions;

  [[nodiscard]] std::string line() const;
  /// Throws std::invalid_argument with the word it does not know.
  static Schedule parse(const std::string& line);
};

/// A drive that a schedule is carried out on.
class Drive {
 public:
  explicit Drive(const Conditions& conditions);
  Failure act(Action action);
  [[nodiscard]] const Ftl& ftl() const { return *ftl_; }
  [[nodiscard]] std::uint64_t cuts() const { return cuts_; }
  [[nodiscard]] std::uint64_t cuts_in_mount() const { return cuts_in_mount_; }

 private:
  void host(Action action);
  Failure cut(std::uint32_t key);
  Failure become_quiet(std::uint32_t key);
  Failure after_step();

  Conditions conditions_;
  Flash flash_;
  Oracle oracle_;
  std::optional<Ftl> ftl_;
  bool checked_ = true;  // since the last mount
  int version_ = 0;
  std::uint64_t cuts_ = 0, cuts_in_mount_ = 0;
};

struct Outcome {
  Failure failure = Failure::kNone;
  Schedule schedule;  // what was done, up to the failure
  std::uint64_t cuts = 0, cuts_in_mount = 0;
};
/// A random schedule of three power cuts with writes between them, of which half are cut again while they mount.
[[nodiscard]] Outcome run(const Conditions& conditions, std::uint64_t seed);
/// Actions that are not possible are left out.
[[nodiscard]] Outcome replay(const Schedule& schedule);
/// Actions are left out while the schedule still fails.
[[nodiscard]] Schedule shrunk(Schedule failing);

}  // namespace wordline::persist_model
