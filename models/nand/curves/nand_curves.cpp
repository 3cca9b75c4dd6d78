// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Prints what the NAND model says as CSV, for scripts/plot_nand and for people: nand_curves SECTION [DEVICE.toml]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/checks/load.h"
#include "models/config/config.h"
#include "models/config/schema.h"
#include "models/nand/cell_model.h"
#include "models/nand/die.h"
#include "models/nand/program_order.h"
#include "models/nand/program_parameters.h"
#include "models/nand/timing.h"

namespace {

using namespace wordline;
using namespace wordline::nand;

struct Device {
  config::Config config;
  config::Layout layout;

  [[nodiscard]] config::CellType cell() const { return config.nand.geometry.cell; }
  [[nodiscard]] unsigned states() const { return 1U << bits_per_cell(cell()); }
  [[nodiscard]] VthDistribution vth(double pe, double days) const {
    return vth_distribution(cell(), config.nand.ispp.step, pe, days, 30,
                            config.nand.geometry.layers > 1 ? kEarliest3dDays : kEarliestPlanarDays);
  }
  [[nodiscard]] ProgramScheme scheme(const ProgramParameters& p) const {
    ProgramScheme s =
        program_scheme(config.nand.ispp.step, config.nand.ispp.window, states() - 1, config.nand.ispp.state_loops, p);
    if (config.nand.geometry.layers > 1) s.string_cells = config.nand.geometry.layers;
    return s;
  }
  [[nodiscard]] config::Nand aged(std::uint32_t pe, double days) const {
    config::Nand nand = config.nand;
    nand.aging.pe_cycles = pe;
    nand.aging.retention_days = days;
    return nand;
  }
};

/// Densities of all states together, and the references of the first and the year's step, at 2,000 P/E cycles.
void vth_section(const Device& d) {
  std::puts("days,volts,density");
  for (const double days : {1.0, 30.0, 365.0}) {
    const VthDistribution v = d.vth(2000, days);
    for (double x = -250; x <= 512; x += 1) {
      double density = 0;
      for (unsigned s = 0; s < v.states; ++s) {
        const double z = (x - v.mean[s]) / v.sigma[s];
        density += std::exp(-0.5 * z * z) / (v.sigma[s] * 2.5066282746) / v.states;
      }
      std::printf("%g,%.4f,%.6e\n", days, x * kMillivoltsPerUnit / 1000, density);
    }
  }
}

void references_section(const Device& d) {
  std::puts("step,reference,volts");
  for (const unsigned step : {0U, kYearStep}) {
    const References r = retry_references(d.cell(), step);
    for (unsigned i = 1; i < d.states(); ++i) {
      std::printf("%u,%u,%.4f\n", step, i, r[i] * kMillivoltsPerUnit / 1000);
    }
  }
}

void age_section(const Device& d) {
  std::puts("pe_cycles,days,frozen,best");
  for (const double pe : {500.0, 2000.0}) {
    for (double days = 7.0 / 1440; days <= 366; days *= 1.15) {
      const VthDistribution v = d.vth(pe, days);
      std::printf("%g,%.5f,%.5e,%.5e\n", pe, days, mean_rber(v, retry_references(d.cell(), 0)),
                  mean_rber(v, optimal_references(v)));
    }
  }
}

void layer_section(const Device& d) {
  std::puts("pe_cycles,days,layer,rber");
  const std::pair<std::uint32_t, double> ages[] = {{0, 1}, {2000, 30}, {2000, 365}};
  for (const auto& [pe, days] : ages) {
    const CellModel cells(d.aged(pe, days));
    for (unsigned layer = 0; layer < d.config.nand.geometry.layers; ++layer) {
      const VthDistribution& v = cells.cells(layer, 0).vth;
      std::printf("%u,%g,%u,%.5e\n", pe, days, layer, mean_rber(v, optimal_references(v)));
    }
  }
}

ProgramParameters safe(const Device& d) {
  ProgramParameters p;
  p.skip = safe_skips(d.scheme({}).windows);
  return p;
}

void ispp_section(const Device& d) {
  std::puts("program,begin_us,duration_us,kind,state,volts");
  const Die die(d.config.nand, d.layout, DieId(0), 1, {});
  ProgramParameters cut = safe(d);
  cut.start_raise = cut.final_cut = d.config.nand.ispp.step;
  const std::pair<const char*, ProgramParameters> programs[] = {
      {"default", {}}, {"safe skip", safe(d)}, {"safe skip and two loops less", cut}};
  for (const auto& [name, parameters] : programs) {
    const Plan plan = die.plan_program(BlockId(0), PageId(0), parameters);
    plan.for_each([&, label = name](Picoseconds begin, const MicroOp& op) {
      std::printf("%s,%.3f,%.3f,%s,%u,%.3f\n", label, static_cast<double>(begin.count()) * 1e-6,
                  static_cast<double>(op.duration.count()) * 1e-6, op.kind == MicroOpKind::kPulse ? "pulse" : "verify",
                  unsigned{op.state}, op.voltage.count() / 1000);
    });
  }
}

/// 2,000 P/E cycles and a year, references re-optimised; one state skips, the others do not.
void skip_section(const Device& d) {
  std::puts("state,skipped,safe,rber_over_default");
  const VthDistribution v = d.vth(2000, 365);
  const References r = optimal_references(v);
  const double base = programmed_rber(v, r, 0xfffe, d.scheme({}));
  const StateLoops safe_ones = safe(d).skip;
  const ProgramScheme uncut = d.scheme({});
  for (unsigned s = 1; s < d.states(); ++s) {
    for (unsigned skipped = 0; skipped < uncut.shape.last[s]; ++skipped) {
      ProgramParameters p;
      p.skip[s] = static_cast<std::uint8_t>(skipped);
      std::printf("%u,%u,%u,%.6f\n", s, skipped, unsigned{safe_ones[s]},
                  programmed_rber(v, r, 0xfffe, d.scheme(p)) / base);
    }
  }
}

void reads_section(const Device& d) {
  std::puts("pe_cycles,reads,page_type,rber");
  const auto masks = page_references(d.cell(), d.config.nand.timing.senses_per_page);
  const References r = retry_references(d.cell(), 0);
  for (const double pe : {500.0, 2000.0}) {
    for (double reads = 0; reads <= 1e6; reads += 2e4) {
      const VthDistribution v = read_disturbed(d.vth(pe, 1), pe, reads);
      for (unsigned type = 0; type < masks.size(); ++type) {
        std::printf("%g,%g,%s,%.5e\n", pe, reads, page_type_name(d.cell(), type).c_str(), page_rber(v, r, masks[type]));
      }
    }
  }
}

/// What soft sensing says of an LSB page, by age.
void soft_section(const Device& d) {
  std::puts("days,senses,t_r_us,rber,information");
  for (const double days : {30.0, 365.0}) {
    const Die die(d.aged(2000, days), d.layout, DieId(0), 1, {});
    for (const std::uint8_t senses : {1, 2, 3, 5, 7}) {
      ReadParameters read;
      read.senses = senses;
      const SoftChannel channel = die.soft_channel(PlaneId(0), BlockId(0), PageId(0), read);
      std::printf("%g,%u,%.3f,%.5e,%.6f\n", days, unsigned{senses},
                  static_cast<double>(die.plan_read(BlockId(0), PageId(0), read).total().count()) * 1e-6,
                  channel.error_rate(), channel.information());
    }
  }
}

/// Share of pages that lie above a limit with the default references, and still do at the best retry step: 40 blocks.
void retry_section(const Device& d) {
  std::puts("pe_cycles,days,limit,over_at_default,over_at_best_step");
  const std::pair<std::uint32_t, double> ages[] = {{0, 1}, {2000, 30}, {2000, 365}};
  const std::uint32_t blocks = std::min(40U, d.config.nand.geometry.blocks_per_plane);
  for (const auto& [pe, days] : ages) {
    const Die die(d.aged(pe, days), d.layout, DieId(0), 1, {});
    for (const double limit : {2.5e-3, 5e-3}) {
      unsigned first = 0;
      unsigned best = 0;
      for (std::uint32_t block = 0; block < blocks; ++block) {
        for (std::uint32_t page = 0; page < d.layout.pages_per_block; ++page) {
          double least = 1;
          for (unsigned step = 0; step < kRetrySteps; ++step) {
            least = std::min(least, die.rber(PlaneId(0), BlockId(block), PageId(page), step));
            if (step == 0) first += least > limit ? 1U : 0U;
          }
          best += least > limit ? 1U : 0U;
        }
      }
      const double pages = static_cast<double>(blocks) * d.layout.pages_per_block;
      std::printf("%u,%g,%g,%.4f,%.4f\n", pe, days, limit, first / pages, best / pages);
    }
  }
}

/// Mean over the pages of a word line, each at its best step of the retry table.
double word_line_rate(const Die& die, const Device& d, std::uint32_t block, std::uint32_t word_line) {
  double sum = 0;
  for (std::uint32_t type = 0; type < d.layout.page_types; ++type) {
    double least = 1;
    for (unsigned step = 0; step < kRetrySteps; ++step) {
      const PageId page(word_line * d.layout.page_types + type);
      least = std::min(least, die.rber(PlaneId(0), BlockId(block), page, step));
    }
    sum += least / d.layout.page_types;
  }
  return sum;
}

/// Every word line of some blocks, at the three ages of Shim, SNU 2020.
void word_line_section(const Device& d) {
  std::puts("pe_cycles,days,block,layer,v_layer,rber");
  const config::NandGeometry& g = d.config.nand.geometry;
  const std::pair<std::uint32_t, double> ages[] = {{0, 0}, {2000, 30}, {2000, 365}};
  for (const auto& [pe, days] : ages) {
    const Die die(d.aged(pe, days), d.layout, DieId(0), 1, {});
    for (std::uint32_t block = 0; block < std::min(6U, g.blocks_per_plane); ++block) {
      for (std::uint32_t w = 0; w < d.layout.wls_per_block; ++w) {
        const WordLinePosition at = word_line_position(g.order, g.layers, g.wls_per_layer, w);
        std::printf("%u,%g,%u,%u,%u,%.5e\n", pe, days, block, at.layer, at.v_layer, word_line_rate(die, d, block, w));
      }
    }
  }
}

/// What programs with other parameters do to the second word line of a layer, by what the first one has measured, at
/// 2,000 P/E cycles and a year. Device files that program word lines at once, layer by layer or in mixed order.
void follower_section(const Device& d) {
  std::puts("program,block,layer,t_prog_us,rber,t_prog_default_us,rber_default");
  const config::NandGeometry& g = d.config.nand.geometry;
  if (d.layout.pages_per_program != d.layout.page_types || g.wls_per_layer < 2 ||
      g.order == config::ProgramOrder::kVertical) {
    throw std::invalid_argument(
        "followers: expected a device with nand.program = wordline, two word lines in a layer "
        "and nand.program_order = horizontal or mixed");
  }
  const auto window = [](double start, double final_cut) {
    ProgramParameters p;
    p.start_raise = Millivolts(start);
    p.final_cut = Millivolts(final_cut);
    return p;
  };
  ProgramParameters coarse;
  coarse.step = Millivolts(d.config.nand.ispp.step.count() * 4 / 3);
  struct Kind {
    const char* name;
    ProgramParameters parameters;
    bool skips;
  };
  const Kind kinds[] = {{"default", {}, false},
                        {"skip", {}, true},
                        {"both 320 mV", window(160, 160), false},
                        {"skip and both 320 mV", window(160, 160), true},
                        {"Vstart 320 mV", window(320, 0), false},
                        {"Vfinal 320 mV", window(0, 320), false},
                        {"Vfinal 130 mV", window(0, 130), false},
                        {"step 4/3", coarse, false}};
  const std::vector<StoredLpage> lpages(d.layout.lpages_per_program);
  const std::uint32_t all_planes = (1U << g.planes) - 1;
  for (const Kind& kind : kinds) {
    Die die(d.aged(2000, 365), d.layout, DieId(0), 1, {});
    for (std::uint32_t block = 0; block < std::min(6U, g.blocks_per_plane); ++block) {
      const auto program = [&](std::uint32_t word_line, const ProgramParameters& parameters) {
        const PageId page(word_line * d.layout.page_types);
        const Plan plan = die.plan_program(BlockId(block), page, parameters);
        if (die.commit_program(all_planes, BlockId(block), page, lpages.data(), parameters) != OperationStatus::kOk) {
          throw std::logic_error("followers: a program failed");
        }
        return static_cast<double>(plan.total().count()) * 1e-6;
      };
      for (std::uint32_t leader = 0; leader < d.layout.wls_per_block; leader += g.wls_per_layer) {
        const double t_default = program(leader, {});
        ProgramParameters parameters = kind.parameters;
        if (kind.skips) {
          const PageId page(leader * d.layout.page_types);
          parameters.skip = safe_skips(die.program_report(PlaneId(0), BlockId(block), page).windows);
        }
        const double t_prog = program(leader + 1, parameters);
        for (std::uint32_t w = 2; w < g.wls_per_layer; ++w) program(leader + w, {});
        std::printf("%s,%u,%u,%.3f,%.5e,%.3f,%.5e\n", kind.name, block, leader / g.wls_per_layer, t_prog,
                    word_line_rate(die, d, block, leader + 1), t_default, word_line_rate(die, d, block, leader));
      }
    }
  }
}

/// Times of blocks by the size of their pages (Kim et al., TVLSI 2016, Fig. 4): the means over the page types.
void page_section(const Device& d) {
  std::puts("page_kib,t_r_us,t_prog_us,t_bers_us");
  const auto mean = [&](auto total_of) {
    double sum = 0;
    for (unsigned type = 0; type < d.layout.page_types; ++type)
      sum += static_cast<double>(total_of(type).count()) * 1e-6;
    return sum / d.layout.page_types;
  };
  for (int kib = 2; kib <= 64; kib *= 2) {
    const ArrayPlans plans(d.config.nand, d.layout, Bytes(1024) * kib);
    std::printf("%d,%.3f,%.3f,%.3f\n", kib, mean([&](unsigned type) { return plans.read(type).total(); }),
                mean([&](unsigned type) { return plans.program(type).total(); }),
                static_cast<double>(plans.erase().total().count()) * 1e-6);
  }
}

int run(int count, char** arguments) {
  const std::map<std::string, std::function<void(const Device&)>> sections{{"vth", vth_section},
                                                                           {"references", references_section},
                                                                           {"age", age_section},
                                                                           {"layers", layer_section},
                                                                           {"ispp", ispp_section},
                                                                           {"skip", skip_section},
                                                                           {"reads", reads_section},
                                                                           {"soft", soft_section},
                                                                           {"retry", retry_section},
                                                                           {"wordlines", word_line_section},
                                                                           {"followers", follower_section},
                                                                           {"pages", page_section}};
  const auto section = count > 1 ? sections.find(arguments[1]) : sections.end();
  if (section == sections.end() || count > 3) {
    std::string names;
    for (const auto& known : sections) names += " " + known.first;
    std::fprintf(stderr, "usage: nand_curves SECTION [DEVICE.toml]\nsections:%s\n", names.c_str());
    return 2;
  }
  Device d{};
  if (count > 2) {
    d.config = config::load(arguments[2], {}).config;
  } else {
    for (const config::Key& key : config::schema()) key.set(d.config, config::default_value(key));
  }
  d.layout = config::layout_of(d.config);
  section->second(d);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nand_curves: %s\n", error.what());
    return 1;
  }
}
