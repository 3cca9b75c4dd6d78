// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/policy_conflicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "models/checks/agcr_check.h"
#include "models/checks/boot_info.h"
#include "models/checks/map_cache_check.h"
#include "models/checks/parity_check.h"
#include "models/checks/placement_check.h"
#include "models/checks/recovery_check.h"
#include "models/checks/region_check.h"
#include "models/checks/slc_cache_check.h"
#include "models/checks/upkeep_check.h"
#include "models/config/policy_names.h"
#include "models/config/schema.h"
#include "models/firmware/firmware.h"
#include "models/nand/program_parameters.h"
#include "models/nand/vth.h"

namespace wordline::config {
namespace {

constexpr double kFeatureGrain = 10;  // mV, of Vstart and Vfinal (program_tables.h)

class PolicyChecker {
 public:
  explicit PolicyChecker(const Config& config) : c_(config), g_(config.nand.geometry) {}

  std::vector<Conflict> run() {
    keys_of_other_policies();
    if (declared_.by_word_line && g_.order != ProgramOrder::kMixed) {
      add({"ftl.policy", "nand.program_order"},
          fmt::format("ftl.policy = {} chooses among the word lines of an h-layer, expected nand.program_order = mixed",
                      name_));
    }
    if (has_policy(name_, "ppb")) virtual_blocks();
    if (has_policy(name_, "cube")) cube();
    if (name_ == "vert") vert();
    for (Conflict& conflict : agcr_conflicts(c_, name_)) found_.push_back(std::move(conflict));
    for (Conflict& conflict : region_conflicts(c_, name_)) found_.push_back(std::move(conflict));
    for (Conflict& conflict : recovery_conflicts(c_, name_)) found_.push_back(std::move(conflict));
    for (Conflict& conflict : placement_conflicts(c_, name_)) found_.push_back(std::move(conflict));
    for (Conflict& conflict : parity_conflicts(c_, name_)) found_.push_back(std::move(conflict));
    for (Conflict& conflict : slc_cache_conflicts(c_, name_)) found_.push_back(std::move(conflict));
    for (Conflict& conflict : map_cache_conflicts(c_, name_)) found_.push_back(std::move(conflict));
    for (Conflict& conflict : upkeep_conflicts(c_, name_)) found_.push_back(std::move(conflict));
    return std::move(found_);
  }

 private:
  void add(std::vector<std::string_view> keys, std::string text) {
    found_.push_back({std::move(keys), std::move(text)});
  }

  void keys_of_other_policies() {
    for (const Key& key : schema()) {
      if (key.policy.empty() || has_keys_of(name_, key.policy) || is_default(key.name, c_)) continue;
      std::vector<std::string_view> suited;
      std::copy_if(policy_names().begin(), policy_names().end(), std::back_inserter(suited),
                   [&key](std::string_view policy) { return has_keys_of(policy, key.policy); });
      add({key.name, "ftl.policy"}, fmt::format("{} has no effect with ftl.policy = {}, expected ftl.policy = {}",
                                                key.name, name_, fmt::join(suited, " or ")));
    }
  }

  /// `key` has no effect because of what `other` says.
  void unused(std::string_view key, std::string_view other, std::string_view says, std::string_view expected) {
    if (is_default(key, c_)) return;
    add({key, other}, fmt::format("{} has no effect with {} = {}, expected {}", key, other, says, expected));
  }

  void virtual_blocks() {
    if (g_.layers < c_.ftl.ppb.virtual_blocks) {
      add({"ftl.ppb.virtual_blocks", "nand.layers"},
          fmt::format("ftl.policy = {} with ftl.ppb.virtual_blocks = {} and nand.layers = {}, expected at least as "
                      "many layers: a virtual block is a group of h-layers",
                      name_, c_.ftl.ppb.virtual_blocks, g_.layers));
    }
    const bool by_word_line = declared_.by_word_line;  // then both are refused elsewhere
    if (by_word_line && c_.ftl.ppb.half_full_blocks > 1) {
      add({"ftl.ppb.half_full_blocks", "ftl.policy"},
          fmt::format(
              "ftl.ppb.half_full_blocks = {} with ftl.policy = {}, expected 0 or 1: where word lines are chosen, "
              "a class has one open superblock",
              c_.ftl.ppb.half_full_blocks, name_));
    }
    if (!by_word_line &&
        (g_.order == ProgramOrder::kVertical || c_.ftl.word_line_order != WordLineOrder::kHorizontal)) {
      add({"ftl.policy", "nand.program_order", "ftl.word_line_order"},
          fmt::format("ftl.policy = {} with another order of word lines than h-layer by h-layer, expected "
                      "nand.program_order = horizontal or mixed, and ftl.word_line_order = horizontal: a virtual block "
                      "is written before the next one",
                      name_));
    }
    if (c_.ftl.ppb.hot_write_size.count() % kHostPageBytes != 0) {
      add({"ftl.ppb.hot_write_size"}, fmt::format("ftl.ppb.hot_write_size is {} bytes, expected a multiple of 4 KiB",
                                                  c_.ftl.ppb.hot_write_size.count()));
    }
  }

  void vert() {
    const double cut = c_.ftl.vert.final_cut.count();
    if (std::fmod(cut, kFeatureGrain) != 0) {
      add({"ftl.vert.final_cut"},
          fmt::format("ftl.vert.final_cut = {}mV, expected a multiple of {} mV, as the feature of the die has it", cut,
                      kFeatureGrain));
    }
    can_program("ftl.vert.final_cut", {{}, {}, c_.ftl.vert.final_cut});
  }

  void cube() {
    const FtlCube& cube = c_.ftl.cube;
    if (name_ != "cube") {
      unused("ftl.cube.active_blocks", "ftl.policy", name_,
             "ftl.policy = cube: with classes of data each has one superblock of the host");
    }
    if (cube.allocation == FtlCube::Allocation::kHorizontal && cube.gc_uses == FtlCube::Moves::kAny) {
      unused("ftl.cube.demand_threshold", "ftl.cube.allocation", "horizontal", "ftl.cube.allocation = demand");
    }
    if (cube.programs == FtlCube::Programs::kBoth || cube.programs == FtlCube::Programs::kWindow) {
      const Millivolts half(cube.most_voltage.count() / 2);
      can_program("ftl.cube.most_voltage", {{}, half, half});
      if (has_policy(name_, "agcr")) {
        can_program("ftl.cube.most_voltage", {agcr_step(c_.ftl.agcr.coarse_step, c_.nand.ispp.step), half, half});
        can_program("ftl.cube.most_voltage", {agcr_step(c_.ftl.agcr.fine_step, c_.nand.ispp.step), half, half});
      }
    }
    if (c_.ftl.word_line_order != WordLineOrder::kHorizontal) {
      add({"ftl.word_line_order", "ftl.policy"},
          fmt::format("ftl.word_line_order has no effect with ftl.policy = {}, expected horizontal: the policy chooses "
                      "word lines itself",
                      name_));
    }
  }

  /// The channel refuses a parameter set that leaves no loop.
  void can_program(std::string_view key, const nand::ProgramParameters& parameters) {
    const auto& ispp = c_.nand.ispp;
    try {
      (void)nand::program_scheme(ispp.step, ispp.window, (1U << nand::bits_per_cell(g_.cell)) - 1, ispp.state_loops,
                                 parameters);
    } catch (const std::invalid_argument& e) {
      add({key, "nand.ispp.window"}, fmt::format("{} cannot be programmed: {}, expected less", key, e.what()));
    }
  }

  const Config& c_;
  const NandGeometry& g_;
  const std::string_view name_ = policy_names().at(c_.ftl.policy);
  const wl_declared declared_ = wl_policy_declares(c_.ftl.policy);
  std::vector<Conflict> found_;
};

}  // namespace

std::vector<Conflict> policy_conflicts(const Config& config) { return PolicyChecker(config).run(); }

}  // namespace wordline::config
