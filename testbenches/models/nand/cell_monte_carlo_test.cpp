// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cells drawn one by one against the closed form: own tables, own Gray code, own reading. Nothing is shared but the
// question.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "models/nand/cell_model.h"
#include "models/nand/program_parameters.h"

namespace wordline::nand::cell_monte_carlo_test {
namespace {

// Cai et al., Proc. IEEE 2017, table 5, 2,000 P/E cycles, typed in again; references as the optimum of day 1, rounded.
constexpr double kMean[2][8] = {{-92.7, 66.6, 128.1, 191.9, 254.9, 318.3, 384.3, 448.1},
                                {-69.4, 76.6, 134.2, 195.2, 255.3, 316.0, 379.6, 440.8}};
constexpr double kSigma[2][8] = {{48.2, 9.7, 9.7, 9.4, 9.3, 9.1, 9.5, 9.1},
                                 {45.9, 12.8, 12.4, 12.0, 12.0, 11.9, 12.3, 12.4}};
constexpr double kDayReferences[7] = {35.5, 97.3, 160.5, 223.6, 286.9, 350.6, 416.8};
constexpr double kYearReferences[7] = {39.7, 105.8, 165.2, 225.2, 285.8, 347.3, 410.0};
// LSB, CSB, MSB of ER, P1 .. P7: the 2-3-2 code.
constexpr unsigned kCode[8][3] = {{1, 1, 1}, {0, 1, 1}, {0, 0, 1}, {0, 0, 0},
                                  {0, 1, 0}, {1, 1, 0}, {1, 0, 0}, {1, 0, 1}};

unsigned read_state(double vth, const double (&references)[7]) {
  unsigned state = 0;
  while (state < 7 && vth > references[state]) ++state;
  return state;
}

struct PageRates {
  double rate[3] = {0, 0, 0};
};

constexpr unsigned kCells = 3'000'000;

PageRates simulate(const double (&mean)[8], const double (&sigma)[8], const double (&references)[7]) {
  std::mt19937_64 random(20);
  std::normal_distribution<double> normal;
  PageRates rates;
  for (unsigned cell = 0; cell < kCells; ++cell) {
    const unsigned state = cell & 7U;
    const unsigned read = read_state(mean[state] + sigma[state] * normal(random), references);
    for (unsigned page = 0; page < 3; ++page) {
      if (kCode[state][page] != kCode[read][page]) rates.rate[page] += 1.0 / kCells;
    }
  }
  return rates;
}

References as_references(const double (&references)[7]) {
  References r{};
  for (unsigned i = 0; i < 7; ++i) r[i + 1] = references[i];
  return r;
}

/// Four standard deviations of the count, and 2 % for cells that skip a state, which the closed form leaves out.
double tolerance(double rate) { return 4 * std::sqrt(rate / kCells) + 0.02 * rate; }

TEST(CellMonteCarloTest, PageRatesAgreeWithTheClosedForm) {
  const auto masks = page_references(config::CellType::kTlc, {});
  for (unsigned age = 0; age < 2; ++age) {
    const VthDistribution vth = vth_distribution(config::CellType::kTlc, Millivolts(180), 2000, age == 0 ? 1 : 365, 30);
    for (const bool reoptimised : {false, true}) {
      const auto& references = reoptimised ? kYearReferences : kDayReferences;
      const PageRates cells = simulate(kMean[age], kSigma[age], references);
      for (unsigned page = 0; page < 3; ++page) {
        const double closed = page_rber(vth, as_references(references), masks[page]);
        EXPECT_NEAR(cells.rate[page], closed, tolerance(closed)) << "age " << age << " page " << page;
      }
    }
  }
}

TEST(CellMonteCarloTest, OverProgrammedCellsAgreeWithTheClosedForm) {
  // Pulses one by one: nine loops of 180 mV (14.4 units); a cell passes in the loop its speed says, and takes pulses
  // until a verify of its state sees it. P3 (loops 3 to 5) is looked at from loop 5 on, and Vstart is one loop higher.
  ProgramParameters parameters;
  parameters.skip[3] = 4;
  parameters.start_raise = Millivolts(180);
  const ProgramScheme scheme = program_scheme(Millivolts(180), Millivolts(1624), 7, 3, parameters);
  std::mt19937_64 random(21);
  std::normal_distribution<double> normal;
  double errors = 0;
  double lift = 0;  // sum of squares
  std::array<double, 2> share{};
  for (const unsigned pass : {0U, 1U}) {
    // Neighbours follow the mean square of the lift, so the first round measures it and the second reads.
    const double interference = pass == 0 ? 0 : 2 * 0.04 * 0.04 * lift / kCells;
    for (unsigned cell = 0; cell < kCells; ++cell) {
      const unsigned state = cell & 7U;
      double over = 0;
      if (state > 0) {
        double speed = normal(random);
        while (std::fabs(speed) > 3) speed = normal(random);
        const int needs = static_cast<int>(state) + (speed < -1 ? 0 : speed < 1 ? 1 : 2);  // pulses from default Vstart
        const int first_look = state == 3 ? 4 : 1;  // in loops of the raised start
        int given = 1;                              // loop 1 is worth two pulses
        while (given + 1 < needs || given < first_look) ++given;
        over = (given + 1 - needs) * 14.4;
      }
      if (pass == 0) {
        lift += over * over;
        share[over > 0 ? 1 : 0] += 1.0 / kCells;
        continue;
      }
      const double sigma = std::sqrt(kSigma[0][state] * kSigma[0][state] + interference);
      const unsigned read = read_state(kMean[0][state] + over + sigma * normal(random), kDayReferences);
      for (unsigned page = 0; page < 3; ++page) errors += kCode[state][page] != kCode[read][page] ? 1 : 0;
    }
  }
  EXPECT_GT(share[1], 0.05);  // the case is not the trivial one
  const VthDistribution vth = vth_distribution(config::CellType::kTlc, Millivolts(180), 2000, 1, 30);
  const double closed = programmed_rber(vth, as_references(kDayReferences), 0xfe, scheme);
  EXPECT_NEAR(errors / kCells, closed, tolerance(closed));
}

TEST(CellMonteCarloTest, StringsBlockedByOverProgrammedTopCellsAgreeWithTheClosedForm) {
  // P7 (loops 7 to 9) is looked at from loop 9 on. Cells of 48 word lines hang on one string; a string with another
  // cell above 498 units does not conduct and reads as P7.
  ProgramParameters parameters;
  parameters.skip[7] = 8;
  const ProgramScheme scheme = program_scheme(Millivolts(180), Millivolts(1624), 7, 3, parameters);
  std::mt19937_64 random(22);
  std::normal_distribution<double> normal;
  constexpr unsigned kStrings = 40'000;
  double errors = 0;
  double own = 0;  // errors of P7 cells and of cells taken for P7
  const auto draw = [&](unsigned& state, bool& lifted) {
    state = static_cast<unsigned>(random() & 7U);
    double over = 0;
    if (state == 7) {
      double speed = normal(random);
      while (std::fabs(speed) > 3) speed = normal(random);
      over = (speed < -1 ? 2 : speed < 1 ? 1 : 0) * 14.4;
    }
    lifted = over > 0;
    return kMean[1][state] + over + kSigma[1][state] * normal(random);
  };
  for (unsigned n = 0; n < kStrings; ++n) {
    std::array<double, 48> vth{};
    std::array<unsigned, 48> state{};
    unsigned high = 0;
    bool high_cell[48] = {};
    for (unsigned i = 0; i < 48; ++i) {
      bool lifted = false;
      vth[i] = draw(state[i], lifted);
      high_cell[i] = lifted && vth[i] > 498;
      high += high_cell[i] ? 1U : 0U;
    }
    for (unsigned i = 0; i < 48; ++i) {
      const bool blocked = high > (high_cell[i] ? 1U : 0U);
      const unsigned read = blocked ? 7 : read_state(vth[i], kYearReferences);
      for (unsigned page = 0; page < 3; ++page) errors += kCode[state[i]][page] != kCode[read][page] ? 1 : 0;
      if (state[i] == 7 || read == 7) own += state[i] != read ? 1 : 0;
    }
  }
  const VthDistribution vth = vth_distribution(config::CellType::kTlc, Millivolts(180), 2000, 365, 30);
  const References references = as_references(kYearReferences);
  double closed = 0;
  for (const std::uint16_t mask : page_references(config::CellType::kTlc, {})) {
    closed += programmed_rber(vth, references, mask, scheme);
  }
  // Errors of one string come together: four standard deviations of the number of blocked strings, each wrong in half
  // of its 144 bits, and those of the other errors.
  const double blocked = blocked_strings(vth, scheme);
  EXPECT_GT(blocked, 0.005);
  const double noise =
      4 * 1.5 * std::sqrt(blocked / kStrings) + 4 * std::sqrt(closed / (48.0 * kStrings)) + 0.02 * closed;
  EXPECT_LT(noise, 0.2 * closed);
  EXPECT_NEAR(errors / (48.0 * kStrings), closed, noise);
  const ProgramScheme plain = program_scheme(Millivolts(180), Millivolts(1624), 7, 3, {});
  EXPECT_GT(closed, 1.2 * programmed_rber(vth, references, 0xfe, plain));
  EXPECT_GT(own, 0);
}

}  // namespace
}  // namespace wordline::nand::cell_monte_carlo_test
