// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fit/fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/workload/fit/targets.h"

namespace wordline::workload {
namespace {

constexpr int kTurns = 3;
constexpr int kSteps = 6;            // steps of one parameter in one turn
constexpr double kPart = 0.25;       // this part of the tolerance is near enough
constexpr double kProbe = 0.1;       // first step, of the value
constexpr double kLeastStep = 0.02;  // least step of shares, where a tenth of the value is less

const ParameterKey& key_of(const std::string& name) {
  const auto& keys = parameter_keys();
  return *std::find_if(keys.begin(), keys.end(), [&](const ParameterKey& key) { return key.name == name; });
}

/// The search: values tried, the best of them.
class Search {
 public:
  Search(const std::string& path, const Profile& profile, const LoadOptions& options,
         const std::function<void(const std::string&)>& step)
      : path_(path), profile_(profile), options_(options), step_(step), best_(profile.generator) {}

  GeneratorParameters run() {
    values_ = statistics_by_name(path_, profile_, options_);
    keep();
    for (int turn = 0; turn < kTurns && worst_ > kPart; ++turn) {
      for (const Fit& fit : profile_.fits) vary(fit);
    }
    return best_;
  }

 private:
  const Target& target_of(const Fit& fit) const {
    return *std::find_if(profile_.targets.begin(), profile_.targets.end(),
                         [&](const Target& target) { return target.statistic == fit.statistic; });
  }

  /// In units of the tolerance.
  double deviation(const Fit& fit) const {
    const Target& target = target_of(fit);
    const double wanted = wanted_at(target, options_.footprint);
    const auto found = values_.find(fit.statistic);
    if (found == values_.end()) return 1e9;
    return (found->second / wanted - 1) / tolerance_of(target);
  }

  void keep() {
    double worst = 0;
    for (const Fit& fit : profile_.fits) worst = std::max(worst, std::abs(deviation(fit)));
    if (worst < worst_) {
      worst_ = worst;
      best_ = profile_.generator;
    }
  }

  /// Deviation at another value of the parameter. Values that contradict each other are as bad as can be.
  double at(const Fit& fit, double value) {
    const ParameterKey& key = key_of(fit.parameter);
    double& field = key.at(profile_.generator);
    const double before = field;
    field = std::clamp(value, key.min, key.max);
    if (key.kind == config::Kind::kInteger) field = std::round(field);
    try {
      values_ = statistics_by_name(path_, profile_, options_);
    } catch (const WorkloadError&) {
      field = before;
      return 1e9;
    }
    const double result = deviation(fit);
    step_(fmt::format("{} = {:.6g}: {} {:+.1f} % off", fit.parameter, field, fit.statistic,
                      result * tolerance_of(target_of(fit)) * 100));
    keep();
    return result;
  }

  void vary(const Fit& fit) {
    double x0 = key_of(fit.parameter).at(profile_.generator);
    double e0 = deviation(fit);
    if (std::abs(e0) <= kPart) return;
    const double probe = std::max(x0 * kProbe, key_of(fit.parameter).max <= 1 ? kLeastStep : 0.0);
    double x1 = x0 + probe <= key_of(fit.parameter).max ? x0 + probe : x0 - probe;
    double e1 = at(fit, x1);
    for (int i = 1; i < kSteps && std::abs(e1) > kPart && e1 != e0; ++i) {
      // Not much farther than doubles the value: far away the slope is another.
      const double reach = std::max({std::abs(x1), std::abs(x0), 5 * kLeastStep});
      const double next = x1 + std::clamp(-e1 * (x1 - x0) / (e1 - e0), -reach, reach);
      if (std::abs(e1) < std::abs(e0)) {
        x0 = x1;
        e0 = e1;
      }
      x1 = next;
      e1 = at(fit, x1);
    }
    if (std::abs(e1) > std::abs(e0)) (void)at(fit, x0);
  }

  std::string path_;
  Profile profile_;
  LoadOptions options_;
  const std::function<void(const std::string&)>& step_;
  std::map<std::string, double> values_;
  GeneratorParameters best_;
  double worst_ = 1e18;
};

}  // namespace

GeneratorParameters fitted(const std::string& path, const Profile& profile, const LoadOptions& options,
                           const std::function<void(const std::string&)>& step) {
  return Search(path, profile, options, step).run();
}

}  // namespace wordline::workload
