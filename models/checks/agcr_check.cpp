// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/agcr_check.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "models/checks/boot_info.h"
#include "models/checks/read_forecast.h"
#include "models/config/policy_names.h"
#include "models/config/schema.h"

namespace wordline::config {
namespace {

constexpr double kMaxLoops = 251;  // an ISPP plan counts loops in eight bits

class AgcrCheck {
 public:
  AgcrCheck(const Config& config, std::string_view policy) : c_(config), a_(config.ftl.agcr), policy_(policy) {}

  std::vector<Conflict> run() {
    if (!agcr_ && policy_ != "agcr_li") return {};  // refused where keys of other policies are
    used();
    senses();
    step("ftl.agcr.coarse_step", a_.coarse_step);
    step("ftl.agcr.fine_step", a_.fine_step);
    return std::move(found_);
  }

 private:
  void add(std::vector<std::string_view> keys, std::string text) {
    found_.push_back({std::move(keys), std::move(text)});
  }

  void used() {
    for (const char* key : {"ftl.agcr.classes", "ftl.agcr.window", "ftl.agcr.rewrite"}) {
      if (!agcr_) needs_policy(key, "agcr");
    }
    if (policy_ != "agcr") needs_policy("ftl.agcr.busy_only", "agcr");
    if (policy_ != "agcr_li" && !a_.busy_only)
      needs_policy("ftl.agcr.queue", "agcr_li, or agcr with ftl.agcr.busy_only");
    if (policy_ == "ppb+agcr" && a_.rewrite == FtlAgcr::Rewrite::kOff && !is_default("ftl.agcr.window", c_)) {
      add({"ftl.agcr.window", "ftl.agcr.rewrite"},
          "ftl.agcr.window has no effect with ftl.policy = ppb+agcr and ftl.agcr.rewrite = off, expected "
          "ftl.agcr.rewrite = coarse or all: classes are levels of ppb, the window says what is written anew");
    }
    if (agcr_ && a_.rewrite != FtlAgcr::Rewrite::kOff && c_.ftl.idle_after == Picoseconds(0)) {
      add({"ftl.agcr.rewrite", "ftl.idle_after"},
          "ftl.agcr.rewrite has no effect with ftl.idle_after = 0s, expected a time: idle work never begins");
    }
  }
  void needs_policy(std::string_view key, std::string_view policy) {
    if (is_default(key, c_)) return;
    add({key, "ftl.policy"},
        fmt::format("{} has no effect with ftl.policy = {}, expected ftl.policy = {}", key, policy_, policy));
  }
  void senses() {
    if (a_.read_levels != FtlAgcr::ReadLevels::kAssumed) return;
    const std::pair<std::string_view, std::uint32_t> keys[] = {{"ftl.agcr.fine_senses", a_.fine_senses},
                                                               {"ftl.agcr.default_senses", a_.default_senses},
                                                               {"ftl.agcr.coarse_senses", a_.coarse_senses}};
    bool soft = false;
    for (const auto& [key, senses] : keys) {
      soft = soft || senses > 1;
      if (senses == 4 || senses == 6) add({key}, fmt::format("{} is {}, expected 1, 2, 3, 5 or 7", key, senses));
    }
    if (!soft || c_.ecc.model != EccModel::kRtl || !c_.engines.on(engines::EngineId::kRetry)) return;
    add({"ftl.agcr.read_levels", "ecc.model", "engines.retry"},
        "ftl.agcr.read_levels = assumed with ecc.model = rtl: the read-retry controller in gates begins every read "
        "with "
        "one sense, expected ftl.agcr.read_levels = measured, ecc.model = calibrated or engines.retry = off");
  }

  /// The loops of the step can be counted, and a fresh page that was programmed so can be read.
  void step(std::string_view key, double times) {
    const Millivolts step = agcr_step(times, c_.nand.ispp.step);
    const double loops = step.count() > 0 ? std::floor(c_.nand.ispp.window / step + 0.5) : 0;
    if (loops < 1 || loops > kMaxLoops) {
      add({key, "nand.ispp.step", "nand.ispp.window"},
          fmt::format("{} = {} makes steps of {} mV, {} in nand.ispp.window, expected 1 to {} of at least 1 mV", key,
                      times, step.count(), loops, kMaxLoops));
      return;
    }
    if (!c_.ecc.table.empty() || !is_gray_code(c_.nand.geometry.cell, c_.nand.timing.senses_per_page)) return;
    Config programmed = c_;
    programmed.nand.ispp.step = step;
    const ReadForecast forecast = read_forecast(programmed);
    if (forecast.fresh * kWorstBlock <= forecast.capability) return;
    add({key, "nand.ispp.step", "nand.cell"},
        fmt::format("{} = {} makes steps of {} mV, which leave a fresh page up to {:.0f} bit errors in a codeword, "
                    "expected at most the {:.0f} that the decoder corrects: finer steps",
                    key, times, step.count(), forecast.fresh * kWorstBlock, forecast.capability));
  }

  const Config& c_;
  const FtlAgcr& a_;
  std::string_view policy_;
  const bool agcr_ = has_policy(policy_, "agcr");
  std::vector<Conflict> found_;
};

}  // namespace

std::vector<Conflict> agcr_conflicts(const Config& config, std::string_view policy) {
  return AgcrCheck(config, policy).run();
}

}  // namespace wordline::config
