// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Process similarity (Shim, SNU 2020) in the NAND model: which h-layers have more errors, how these grow, what margin
// they leave to programs. The ids in the comments are those of the thesis' statements in the list of figures that
// docs/cube.md answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "models/nand/cell_model.h"
#include "models/nand/die.h"
#include "models/nand/program_parameters.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::process_similarity_test {
namespace {

constexpr std::uint32_t kBothPlanes = 3;
constexpr PlaneId kPlane0(0);
constexpr std::uint32_t kLayers = 48, kWordLines = 4;
constexpr unsigned kAlpha = 0, kBeta = 14, kKappa = 38, kOmega = 47;
constexpr unsigned kBits = 18'592;  // of a codeword
constexpr unsigned kCodewords = 8;  // of a page

struct Age {
  double pe_cycles, days;
};
constexpr Age kFresh{0, 0}, kMonth{2000, 30}, kYear{2000, 365};

testing::Device device_of(const Age& age) {
  testing::Device d = testing::tlc();
  d.nand.aging.pe_cycles = age.pe_cycles;
  d.nand.aging.retention_days = age.days;
  return d;
}

/// A die of 48 h-layers of four word lines.
struct Chip {
  testing::Device device;
  Die die;

  explicit Chip(const Age& age, std::uint64_t seed = 1)
      : device(device_of(age)), die(device.nand, device.layout, DieId(0), seed, {}) {}
  static PageId page(std::uint32_t layer, std::uint32_t word_line, std::uint32_t type = 0) {
    return PageId((layer * kWordLines + word_line) * 3 + type);
  }
  void program(std::uint32_t block, std::uint32_t layer, std::uint32_t word_line, const ProgramParameters& p = {}) {
    const std::vector<StoredLpage> lpages(device.layout.lpages_per_program);
    ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(block), page(layer, word_line), lpages.data(), p),
              OperationStatus::kOk);
  }
  void fill(std::uint32_t block) {
    for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
      for (std::uint32_t w = 0; w < kWordLines; ++w) program(block, layer, w);
    }
  }
  ProgramReport report(std::uint32_t block, std::uint32_t layer, std::uint32_t word_line = 0) const {
    return die.program_report(kPlane0, BlockId(block), page(layer, word_line));
  }
  /// Errors per cell: a cell has a bit in each of the three pages.
  double ber(std::uint32_t block, std::uint32_t layer, std::uint32_t word_line, unsigned step = 0) const {
    double sum = 0;
    for (std::uint32_t type = 0; type < 3; ++type) {
      sum += die.rber(kPlane0, BlockId(block), page(layer, word_line, type), step);
    }
    return sum;
  }
  /// Errors of one reading of the word line.
  unsigned errors(std::uint32_t block, std::uint32_t layer, std::uint32_t word_line) const {
    unsigned sum = 0;
    for (std::uint32_t type = 0; type < 3; ++type) {
      for (unsigned codeword = 0; codeword < kCodewords; ++codeword) {
        sum += die.bit_errors(kPlane0, BlockId(block), page(layer, word_line, type), codeword, kBits, 0);
      }
    }
    return sum;
  }
};

double spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most / *least;
}

// cube.def.nret, cube.def.ber: errors of a word line after so many cycles and so long, and these over its cells.
TEST(ProcessSimilarity, ErrorsOfAWordLineAreCountedAfterCyclesAndRetention) {
  const double cells = kBits * kCodewords;
  double last = 0;
  for (const Age& age : {Age{1000, 30}, Age{2000, 30}, Age{2000, 90}, kYear}) {
    const Chip chip(age);
    double counted = 0, expected = 0;
    for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
      counted += chip.errors(0, layer, 1);
      expected += chip.ber(0, layer, 1) * cells;
    }
    EXPECT_NEAR(counted / expected, 1, 0.02);
    EXPECT_GT(counted, 1.1 * last) << age.pe_cycles << " cycles, " << age.days << " days";
    last = counted;
  }
}

// cube.def.dh, cube.def.dv: worst over best word line, within h-layers virtually 1, along v-layers 1.6 to 2.3.
TEST(ProcessSimilarity, WordLinesAreAlikeWithinLayersAndNotBetweenThem) {
  const std::pair<Age, double> cases[] = {{kFresh, 1.6}, {kYear, 2.3}};
  for (const auto& [age, between] : cases) {
    const Chip chip(age);
    const unsigned step = age.days > 0 ? kYearStep : 0;
    for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
      std::vector<double> in_layer;
      for (std::uint32_t w = 0; w < kWordLines; ++w) in_layer.push_back(chip.ber(3, layer, w, step));
      EXPECT_LT(spread(in_layer), 1.03) << layer;
      EXPECT_GT(spread(in_layer), 1) << layer;
    }
    for (std::uint32_t w = 0; w < kWordLines; ++w) {
      std::vector<double> along;
      for (std::uint32_t layer = 0; layer < kLayers; ++layer) along.push_back(chip.ber(3, layer, w, step));
      EXPECT_NEAR(spread(along), between, 0.08) << w;
    }
  }
}

// cube.layer.alpha_omega, cube.layer.beta, cube.layer.kappa: at all ages beta is the best layer and kappa the worst;
// both edges are nearer to kappa.
TEST(ProcessSimilarity, EdgesAndOneLayerBetweenThemAreBad) {
  for (const Age& age : {kFresh, kMonth, kYear}) {
    const auto factor = [&](unsigned layer) { return layer_factor(layer, kLayers, age.pe_cycles, age.days, 30); };
    EXPECT_DOUBLE_EQ(factor(kBeta), 1);
    for (unsigned layer = 0; layer < kLayers; ++layer) {
      EXPECT_GE(factor(layer), factor(kBeta));
      EXPECT_LE(factor(layer), factor(kKappa));
    }
    for (const unsigned edge : {kAlpha, kOmega}) EXPECT_GT(factor(edge), 0.5 * (1 + factor(kKappa))) << edge;
  }
}

// cube.layer.nonlinear, cube.layer.alpha_omega: the worse a layer is, the faster it ages.
TEST(ProcessSimilarity, BadLayersAgeFaster) {
  const CellModel young(device_of(kFresh).nand), old(device_of(kYear).nand);
  const auto growth = [&](unsigned layer) {
    double before = 0, after = 0;
    for (unsigned type = 0; type < 3; ++type) {
      before += young.rber(type, layer, 0, 0);
      after += old.rber(type, layer, kYearStep, 0);
    }
    return after / before;
  };
  for (const unsigned layer : {kAlpha, kKappa, kOmega}) EXPECT_GT(growth(layer), 1.3 * growth(kBeta)) << layer;
}

// cube.physics.isolation: programs of other word lines of the layer, however harsh, do nothing to one that has been
// programmed.
TEST(ProcessSimilarity, VLayersDoNotDisturbEachOther) {
  Chip chip(kYear);
  chip.program(5, 0, 0);
  const double before = chip.ber(5, 0, 0), report = chip.report(5, 0).ber_ep1;
  ProgramParameters harsh;
  harsh.step = Millivolts(360);
  harsh.final_cut = Millivolts(360);
  for (std::uint32_t w = 1; w < kWordLines; ++w) chip.program(5, 0, w, harsh);
  EXPECT_GT(chip.ber(5, 0, 1), 1.5 * before);
  EXPECT_EQ(chip.ber(5, 0, 0), before);
  EXPECT_EQ(chip.report(5, 0).ber_ep1, report);
}

// cube.maxloop.ep1_predicts: a layer with more BER_EP1 right after its program has more errors after a year.
TEST(ProcessSimilarity, ErrorsRightAfterTheProgramFollowThoseOfRetention) {
  Chip chip(kYear);
  chip.fill(2);
  std::vector<double> ep1, later;
  for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
    ep1.push_back(chip.report(2, layer).ber_ep1);
    later.push_back(chip.ber(2, layer, 0, kYearStep));
  }
  EXPECT_GT(spread(ep1), 1.4);
  for (std::uint32_t a = 0; a < kLayers; ++a) {
    for (std::uint32_t b = 0; b < kLayers; ++b) {
      if (ep1[a] >= 0.95 * ep1[b]) continue;
      EXPECT_LT(later[a], later[b]) << "layers " << a << " and " << b;
    }
  }
}

// cube.maxloop.dynamic: of one layer BER_EP1 grows with wear, so the margin that is left shrinks; and it differs from
// block to block.
TEST(ProcessSimilarity, TheMarginOfALayerChangesWithAgeAndBlock) {
  Chip chip(kFresh);
  std::vector<double> blocks;
  for (std::uint32_t block = 0; block < 8; ++block) {
    chip.fill(block);
    blocks.push_back(chip.report(block, kBeta).ber_ep1);
  }
  EXPECT_GT(spread(blocks), 1.1);
  const double fresh = blocks[0];
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(chip.die.commit_erase(kBothPlanes, BlockId(0)), OperationStatus::kOk);
  chip.fill(0);
  EXPECT_GT(chip.report(0, kBeta).ber_ep1, 1.3 * fresh);
}

// cube.skip.static_worse, cube.layer.profile_unpredictable: numbers of skips that are safe in every block leave out
// fewer verifies than those measured in each.
TEST(ProcessSimilarity, SkipsFixedBeforehandLeaveMarginUnused) {
  constexpr std::uint32_t kBlocks = 20;
  Chip chip(kMonth);
  std::array<StateLoops, kLayers> fixed{};
  std::uint64_t measured = 0;
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    chip.fill(block);
    for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
      const StateLoops skips = safe_skips(chip.report(block, layer).windows);
      for (unsigned s = 1; s <= 7; ++s) {
        measured += skips[s];
        fixed[layer][s] = block == 0 ? skips[s] : std::min(fixed[layer][s], skips[s]);
      }
    }
  }
  std::uint64_t static_ones = 0;
  unsigned layers_below = 0;
  for (const StateLoops& skips : fixed) {
    for (unsigned s = 1; s <= 7; ++s) static_ones += std::uint64_t{skips[s]} * kBlocks;
    layers_below += skips[4] < pass_windows(9, 7, 3).min[4] - 1 ? 1 : 0;
  }
  EXPECT_LT(static_ones, measured);
  EXPECT_GT(layers_below, 0U) << "layers that are early in some block";
  EXPECT_LT(layers_below, kLayers);
}

/// Errors of layers programmed with a narrower window, relative to what the device has to stand: the worst layer with
/// the device's own parameters after 2,000 P/E cycles and 1 year.
class Margins : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kBlock = 4;

  static ProgramParameters cut(double start, double final) {
    ProgramParameters p;
    p.start_raise = Millivolts(start);
    p.final_cut = Millivolts(final);
    return p;
  }
  /// Of each layer.
  static std::vector<double> programmed(const Age& age, const ProgramParameters& p) {
    Chip chip(age);
    std::vector<double> all;
    for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
      for (std::uint32_t w = 0; w < kWordLines; ++w) chip.program(kBlock, layer, w, w == 1 ? p : ProgramParameters{});
      all.push_back(chip.ber(kBlock, layer, 1, age.days > 0 ? kYearStep : 0));
    }
    return all;
  }
  const double limit_ = 1.03 * programmed(kYear, {})[kKappa];  // noise is up to 3 %
};

// cube.maxloop.defaults_worst, cube.layer.kappa: with the default window kappa needs all of the limit in the end; all
// other layers, and kappa before, leave margin.
TEST_F(Margins, DefaultsAreThoseOfTheWorstLayerInTheEnd) {
  const std::vector<double> old = programmed(kYear, {});
  for (unsigned layer = 0; layer < kLayers; ++layer) EXPECT_LE(old[layer], limit_) << layer;
  EXPECT_GT(std::count_if(old.begin(), old.end(), [&](double rate) { return rate < 0.8 * limit_; }), kLayers / 2);
  const std::vector<double> young = programmed(kFresh, {});
  EXPECT_LT(*std::max_element(young.begin(), young.end()), 0.5 * limit_);
  EXPECT_GT(programmed(kYear, cut(0, 180))[kKappa], limit_);
}

// cube.maxloop.still_correctable: beta with a Vfinal lower by 130 mV, for life.
TEST_F(Margins, ARelaxedLayerStaysUnderTheLimit) {
  const double relaxed = programmed(kYear, cut(0, 130))[kBeta];
  EXPECT_GT(relaxed, 1.01 * programmed(kYear, {})[kBeta]);
  EXPECT_LT(relaxed, limit_);
}

// cube.maxloop.layer_margins: of Vstart and of Vfinal, beta permits more than kappa.
TEST_F(Margins, LayersPermitDifferentWindows) {
  for (const bool start : {true, false}) {
    std::array<unsigned, kLayers> loops{};
    for (unsigned dropped = 1; dropped <= 3; ++dropped) {
      const double mv = 180.0 * dropped;
      const std::vector<double> rates = programmed(kYear, start ? cut(mv, 0) : cut(0, mv));
      for (unsigned layer = 0; layer < kLayers; ++layer) {
        if (rates[layer] <= limit_ && loops[layer] == dropped - 1) loops[layer] = dropped;
      }
    }
    EXPECT_EQ(loops[kKappa], 0U) << (start ? "Vstart" : "Vfinal");
    EXPECT_GT(loops[kBeta], 0U) << (start ? "Vstart" : "Vfinal");
  }
}

// cube.read.shift_example: retention takes the highest state of MLC below its reference; there lie the errors until the
// reference goes down, too.
TEST(ProcessSimilarity, RetentionTakesAStateBelowItsReference) {
  const auto vth = [](double days) {
    return vth_distribution(config::CellType::kMlc, Millivolts(300), 2000, days, 30);
  };
  const VthDistribution young = vth(1), old = vth(365);
  const References before = optimal_references(young), after = optimal_references(old);
  constexpr std::uint16_t kP3 = 1U << 3;
  EXPECT_LT(old.mean[3], young.mean[3]);
  EXPECT_LT(after[3], before[3]);
  EXPECT_GT(page_rber(old, before, kP3), 3 * page_rber(young, before, kP3));
  EXPECT_LT(page_rber(old, after, kP3), 0.8 * page_rber(old, before, kP3));
}

}  // namespace
}  // namespace wordline::nand::process_similarity_test
