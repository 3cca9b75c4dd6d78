// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/agcr_check.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "models/config/boot_info.h"
#include "models/config/read_forecast.h"
#include "models/config/schema.h"

namespace wordline::config {
namespace {

constexpr double kMaxLoops = 251;  // an ISPP plan counts loops in eight bits

FtlAgcr default_agcr() {
  Config c{};
  for (const Key& key : schema()) {
    if (table_of(key.name) == "ftl.agcr") key.set(c, default_value(key));
  }
  return c.ftl.agcr;
}

class AgcrCheck {
 public:
  AgcrCheck(const Config& config, std::string_view policy) : c_(config), a_(config.ftl.agcr), policy_(policy) {}

  std::vector<Conflict> run() {
    used();
    if (policy_ != "agcr") return std::move(found_);
    step("ftl.agcr.coarse_step", a_.coarse_step);
    step("ftl.agcr.fine_step", a_.fine_step);
    return std::move(found_);
  }

 private:
  void add(std::vector<std::string_view> keys, std::string text) {
    found_.push_back({std::move(keys), std::move(text)});
  }

  void used() {
    static const FtlAgcr d = default_agcr();
    const bool history = a_.classes == ProgramStep::kHistory;
    unused("ftl.agcr.coarse_step", a_.coarse_step != d.coarse_step);
    unused("ftl.agcr.fine_step", a_.fine_step != d.fine_step);
    unused("ftl.agcr.classes", a_.classes != d.classes);
    unused("ftl.agcr.window", a_.window != d.window);
    if (policy_ == "agcr" && !history && a_.window != d.window) {
      add({"ftl.agcr.window", "ftl.agcr.classes"},
          "ftl.agcr.window has no effect with one class of data, expected ftl.agcr.classes = history");
    }
  }
  void unused(std::string_view key, bool differs) {
    if (!differs || policy_ == "agcr") return;
    add({key, "ftl.policy"},
        fmt::format("{} has no effect with ftl.policy = {}, expected ftl.policy = agcr", key, policy_));
  }

  /// Its loops can be counted, and a fresh page that was programmed so can be read.
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
  std::vector<Conflict> found_;
};

}  // namespace

std::vector<Conflict> agcr_conflicts(const Config& config, std::string_view policy) {
  return AgcrCheck(config, policy).run();
}

}  // namespace wordline::config
