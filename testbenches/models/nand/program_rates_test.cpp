// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/program_rates.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "testbenches/models/nand/devices.h"

namespace wordline::nand::program_rates_test {
namespace {

/// Rates of a worn TLC device, with data of `ages` days.
struct Rates {
  explicit Rates(const std::vector<double>& ages = {}, bool page_age = false)
      : nand(testing::device(config::CellType::kTlc, config::ProgramGranularity::kWordLine).nand) {
    nand.aging.pe_cycles = 2000;
    nand.aging.retention_days = 30;
    nand.aging.page_age = page_age;
    cells = std::make_shared<const CellModel>(nand, ages);
    rates = std::make_unique<ProgramRates>(nand, *cells);
  }
  [[nodiscard]] References middle(const ReadParameters& parameters) const {
    References references = cells->references(parameters.step);
    for (unsigned r = 1; r < kMaxStates; ++r)
      references[r] += parameters.offset[r] * kReferenceStepMillivolts / kMillivoltsPerUnit;
    return references;
  }
  [[nodiscard]] SoftChannel soft(const ProgramRates::WordLineState& place, unsigned type,
                                 const ReadParameters& parameters, std::uint32_t reads,
                                 ProgramRates::Set set = ProgramRates::kDefault) const {
    return rates->soft_channel(set, place, type, parameters, middle(parameters), reads);
  }
  /// Of a hard read: exact at the knots, on a line between them.
  [[nodiscard]] double hard(const ProgramRates::WordLineState& place, unsigned type, const ReadParameters& parameters,
                            std::uint32_t reads, ProgramRates::Set set = ProgramRates::kDefault) const {
    CellModel::ReadKnots row{};
    CellModel::for_each_knot([&](unsigned knot, std::uint32_t count) {
      row[knot] = rates->rber_at(set, place, type, middle(parameters), count);
    });
    return CellModel::between(row, reads);
  }
  config::Nand nand;
  std::shared_ptr<const CellModel> cells;
  std::unique_ptr<ProgramRates> rates;
};

TEST(ProgramRatesTest, SoftSensesMakeTheErrorsOfAHardReadInTheirMiddle) {
  Rates r;
  for (const std::uint32_t reads : {0U, 25'000U, 50'000U, 100'000U, 125'000U, 400'000U, 1'000'000U, 3'000'000U}) {
    for (unsigned type = 0; type < 3; ++type) {
      for (const unsigned senses : {1U, 3U, 5U, 7U}) {
        ReadParameters parameters;
        parameters.senses = static_cast<std::uint8_t>(senses);
        parameters.offset[3] = -5;
        parameters.offset[5] = 2;
        const ProgramRates::WordLineState place{7, 0, 120, 0};
        const double hard = r.hard(place, type, parameters, reads);
        const SoftChannel channel = r.soft(place, type, parameters, reads);
        EXPECT_EQ(channel.bins, senses);
        EXPECT_NEAR(channel.error_rate(), hard, 1e-9 * hard) << reads << " reads, page type " << type;
      }
    }
  }
}

TEST(ProgramRatesTest, SoftSensesAreTheSameAfterManyOthers) {
  Rates r;
  ReadParameters parameters;
  parameters.senses = 3;
  const ProgramRates::WordLineState place{3, 0, 0, 0};
  const SoftChannel before = r.soft(place, 1, parameters, 777);
  for (int a = -20; a < 20; ++a) {  // more others than are kept
    for (int b = -20; b < 20; ++b) {
      for (unsigned layer = 0; layer < 11; ++layer) {
        ReadParameters other = parameters;
        other.offset[2] = static_cast<std::int8_t>(a);
        other.offset[4] = static_cast<std::int8_t>(b);
        (void)r.soft({layer, 0, 0, 0}, 1, other, 777);
      }
    }
  }
  const SoftChannel after = r.soft(place, 1, parameters, 777);
  EXPECT_EQ(after.wrong, before.wrong);
  EXPECT_EQ(after.right, before.right);
}

// Whatever a channel hangs on tells two apart: kept ones are not taken for another.
TEST(ProgramRatesTest, EachConditionHasItsOwn) {
  std::vector<double> ages;
  for (int i = 0; i < 60; ++i) ages.push_back(1 + 6 * i);
  Rates r(ages);
  ProgramParameters cut;
  cut.final_cut = Millivolts(360);
  const ProgramRates::Set set = r.rates->number(cut);
  ASSERT_NE(set, ProgramRates::kDefault);
  ReadParameters parameters;
  parameters.senses = 3;
  const auto expect_own = [&](const ProgramRates::WordLineState& place, unsigned type, ProgramRates::Set of) {
    for (const std::uint32_t reads : {0U, 60'000U}) {
      const double hard = r.hard(place, type, parameters, reads, of);
      EXPECT_NEAR(r.soft(place, type, parameters, reads, of).error_rate(), hard, 1e-9 * hard);
      EXPECT_NEAR(r.rates->rber(of, place, type, 0, reads), hard, 1e-9 * hard);
    }
  };
  for (unsigned region = 0; region < ages.size(); ++region) {
    const unsigned age = r.cells->region_age(region);
    for (const std::uint32_t erases : {0U, 5000U}) {
      for (const unsigned layer : {0U, 47U}) {
        for (const int shift : {-1, 0, 1}) {
          for (const ProgramRates::Set of : {ProgramRates::kDefault, set})
            expect_own({layer, shift, erases, age}, 2, of);
        }
      }
    }
  }
}

}  // namespace
}  // namespace wordline::nand::program_rates_test
