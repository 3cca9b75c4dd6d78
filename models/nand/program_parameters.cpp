// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/program_parameters.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace wordline::nand {

namespace {

constexpr double kCoupling = 0.04;  // coupling of a neighbour's shift; assumed
constexpr double kNeighbours = 2;
constexpr double kHalfWindowSigmas = 3;
constexpr double kCoarseSteps = 2;  // ISPP step of a coarse pass over that of the device; assumed

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("nand program parameters: " + what); }

void require(bool condition, const char* message) {
  if (!condition) refuse(message);
}

/// Whole loops nearest to `voltage`.
long loops_of(Millivolts voltage, Millivolts step) { return std::lround(voltage / step); }

/// Share of a state's cells that pass in loop `index` (from 0) of a window of `width` loops.
double pass_share(unsigned index, unsigned width) {
  const auto edge = [width](unsigned i) { return (2.0 * i / width - 1) * kHalfWindowSigmas; };
  const double all = 1 - 2 * normal_tail(kHalfWindowSigmas);
  return (normal_tail(edge(index)) - normal_tail(edge(index + 1))) / all;
}

/// Calls visitor(share, steps) for the cells of a state: `steps` too high (> 0) or too low (< 0).
template <class Visitor>
void for_each_offset(const ProgramScheme& scheme, unsigned state, Visitor&& visitor) {
  const int low = scheme.windows.min[state];
  const auto width = static_cast<unsigned>(scheme.windows.max[state] - low + 1);
  for (unsigned i = 0; i < width; ++i) {
    const int pass = low + static_cast<int>(i) - static_cast<int>(scheme.loops_dropped_at_start);
    const int seen = std::max<int>(pass, scheme.shape.first[state]);
    const int last = std::min<int>(seen, scheme.shape.loops);
    visitor(pass_share(i, width), last - pass);
  }
}

PassWindows windows_of(const IsppShape& shape, unsigned state_loops) {
  PassWindows windows;
  windows.loops = shape.loops;
  windows.states = shape.states;
  for (unsigned s = 1; s <= shape.states; ++s) {
    const unsigned width = std::min<unsigned>(state_loops, shape.last[s]);
    windows.max[s] = shape.last[s];
    windows.min[s] = static_cast<std::uint8_t>(shape.last[s] - width + 1);
  }
  return windows;
}

}  // namespace

PassWindows pass_windows(unsigned loops, unsigned states, unsigned state_loops) {
  return windows_of(default_shape(loops, states, state_loops), state_loops);
}

PassWindows cumulative_windows(unsigned states, const StateLoops& l_min, const StateLoops& l_max) {
  if (states < 1 || states >= kMaxStates) refuse(fmt::format("1 to 15 programmed states, not {}", states));
  PassWindows windows;
  windows.states = static_cast<std::uint8_t>(states);
  unsigned before = 0;
  for (unsigned s = 1; s <= states; ++s) {
    if (l_min[s] < 1 || l_min[s] > l_max[s]) refuse(fmt::format("Lmin of P{} must be 1 to its Lmax", s));
    windows.min[s] = static_cast<std::uint8_t>(before + l_min[s]);
    before += l_max[s];
    require(before <= 250, "more than 250 loops");
    windows.max[s] = static_cast<std::uint8_t>(before);
  }
  windows.loops = static_cast<std::uint8_t>(before);
  return windows;
}

StateLoops safe_skips(const PassWindows& windows) {
  StateLoops skips{};
  for (unsigned s = 1; s <= windows.states; ++s) skips[s] = static_cast<std::uint8_t>(windows.min[s] - 1);
  return skips;
}

ProgramScheme program_scheme(Millivolts device_step, Millivolts window, unsigned states, unsigned state_loops,
                             const ProgramParameters& parameters) {
  require(device_step.count() > 0 && parameters.step.count() >= 0, "the ISPP step must be above 0 mV");
  require(parameters.start_raise.count() >= 0 && parameters.final_cut.count() >= 0,
          "Vstart can only rise and Vfinal only fall");
  ProgramScheme scheme;
  scheme.step = parameters.step.count() > 0               ? parameters.step
                : parameters.pass == ProgramPass::kCoarse ? device_step * kCoarseSteps
                                                          : device_step;
  scheme.device_step = device_step;
  scheme.pass = parameters.pass;
  const long loops = std::clamp(loops_of(window, scheme.step), 1L, 251L);
  // The spread of program speed is a voltage: a finer step spreads it over more loops.
  const long spread = std::clamp(std::lround(state_loops * (device_step / scheme.step)), 1L, loops);
  const IsppShape uncut = default_shape(static_cast<unsigned>(loops), states, static_cast<unsigned>(spread));
  scheme.windows = windows_of(uncut, static_cast<unsigned>(spread));

  const long dropped = loops_of(parameters.start_raise + parameters.final_cut, scheme.step);
  const long at_start = std::min(dropped, loops_of(parameters.start_raise, scheme.step));
  if (dropped >= loops) refuse(fmt::format("start_raise and final_cut drop all {} loops", loops));
  scheme.loops_dropped_at_start = static_cast<unsigned>(at_start);
  scheme.shape.loops = static_cast<std::uint8_t>(loops - dropped);
  scheme.shape.states = static_cast<std::uint8_t>(states);
  for (unsigned s = 1; s <= states; ++s) {
    // The message is made only when it is needed: a controller asks for a plan per word line.
    if (parameters.skip[s] >= uncut.last[s]) {
      refuse(fmt::format("P{} has {} verifies; at least one must remain, not skip {}", s, uncut.last[s],
                         parameters.skip[s]));
    }
    const long last = std::clamp<long>(uncut.last[s] - at_start, 1, scheme.shape.loops);
    scheme.shape.last[s] = static_cast<std::uint8_t>(last);
    scheme.shape.first[s] = static_cast<std::uint8_t>(std::clamp<long>(parameters.skip[s] + 1 - at_start, 1, last));
  }
  return scheme;
}

ProgramScheme shifted_windows(ProgramScheme scheme, int loops) {
  for (unsigned s = 1; s <= scheme.windows.states; ++s) {
    const int max = std::clamp<int>(scheme.windows.max[s] + loops, 1, scheme.windows.loops);
    scheme.windows.max[s] = static_cast<std::uint8_t>(max);
    scheme.windows.min[s] = static_cast<std::uint8_t>(std::clamp<int>(scheme.windows.min[s] + loops, 1, max));
  }
  return scheme;
}

VthDistribution placed(VthDistribution vth, const ProgramScheme& scheme, double width) {
  const double step = scheme.step.count() / kMillivoltsPerUnit;
  const double device = scheme.device_step.count() / kMillivoltsPerUnit;
  for (unsigned s = 1; s < vth.states; ++s) {
    vth.sigma[s] =
        std::sqrt(std::max(1.0, vth.sigma[s] * vth.sigma[s] + width * width * (step * step - device * device) / 12));
    if (scheme.pass == ProgramPass::kCoarse) vth.mean[s] -= step;
  }
  return vth;
}

namespace {

/// Variance that over-programmed cells add to their neighbours.
double interference(const VthDistribution& vth, const ProgramScheme& scheme) {
  const double step = scheme.step.count() / kMillivoltsPerUnit;
  double lifted = 0;  // mean square of over-programming
  for (unsigned s = 1; s < vth.states; ++s) {
    for_each_offset(scheme, s, [&](double share, int steps) {
      if (steps > 0) lifted += share * steps * steps * step * step;
    });
  }
  return kNeighbours * kCoupling * kCoupling * lifted / vth.states;
}

Crossings crossings(const VthDistribution& vth, const ProgramScheme& scheme, double variance, unsigned r,
                    double level) {
  const double step = scheme.step.count() / kMillivoltsPerUnit;
  Crossings sum;
  const auto sigma = [&](unsigned s) { return std::sqrt(vth.sigma[s] * vth.sigma[s] + variance); };
  const double low = sigma(r - 1);
  const double high = sigma(r);
  if (r == 1) {
    sum.above = normal_tail((level - vth.mean[0]) / low);
  } else {
    for_each_offset(scheme, r - 1, [&](double share, int steps) {
      sum.above += share * normal_tail((level - vth.mean[r - 1] - steps * step) / low);
    });
  }
  for_each_offset(scheme, r, [&](double share, int steps) {
    sum.below += share * normal_tail((vth.mean[r] + steps * step - level) / high);
  });
  sum.above /= vth.states;
  sum.below /= vth.states;
  return sum;
}

}  // namespace

Crossings programmed_crossings(const VthDistribution& vth, const ProgramScheme& scheme, unsigned r, double level) {
  return crossings(vth, scheme, interference(vth, scheme), r, level);
}

double blocked_strings(const VthDistribution& vth, const ProgramScheme& scheme) {
  const double step = scheme.step.count() / kMillivoltsPerUnit;
  double high = 0;  // share of all cells
  for (unsigned s = 1; s < vth.states; ++s) {
    for_each_offset(scheme, s, [&](double share, int steps) {
      if (steps > 0) high += share * normal_tail((kConducts - vth.mean[s] - steps * step) / vth.sigma[s]);
    });
  }
  high /= vth.states;
  return 1 - std::pow(1 - high, scheme.string_cells - 1.0);
}

double programmed_rber(const VthDistribution& vth, const References& references, std::uint16_t mask,
                       const ProgramScheme& scheme) {
  const double variance = interference(vth, scheme);
  const double blocked = blocked_strings(vth, scheme);
  double errors = 0;
  for (unsigned r = 1; r < vth.states; ++r) {
    if ((mask >> r & 1U) == 0) continue;
    const Crossings c = crossings(vth, scheme, variance, r, references[r]);
    errors += c.above + c.below;
  }
  return errors + blocked * (0.5 - errors);  // half of the bits of a blocked string are those of the highest state
}

}  // namespace wordline::nand
