// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/cell_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nand/normal_quantiles.h"

namespace wordline::nand {

namespace {

constexpr double kSecondsPerDay = 86'400;

// Ages of data written in the run, in days. Simulated time is seconds, rarely minutes; the later ones serve long runs.
constexpr double kWrittenDays[] = {0, 1.0 / 24, 3.0 / 24, 1, 7, 30};
// ... and runs in which data age faster (nand.aging.acceleration).
constexpr double kLaterDays[] = {60, 90, 135, 180, 270, 365, 545, 730, 1095, 1825, 3650};

}  // namespace

const CellModel::Average& CellModel::average(unsigned condition) const {
  std::unique_ptr<const Average>& known = averages_[condition];
  if (known) return *known;
  Average made{};
  made.pe = pe_ + kBuckets[condition % kBuckets.size()];
  made.days = days_[condition / kBuckets.size()];
  const double earliest = nand_.aging.early_loss && layers_ > 1 ? kEarliest3dDays : kEarliestPlanarDays;
  made.vth = vth_distribution(nand_.geometry.cell, nand_.ispp.step, made.pe, made.days, nand_.aging.temperature_c,
                              earliest, nand_.aging.young_cycles);
  for (unsigned layer = 0; layer < layers_; ++layer) {
    made.factor += layer_factor(layer, layers_, made.pe, made.days, nand_.aging.temperature_c) / layers_;
  }
  known = std::make_unique<const Average>(made);
  return *known;
}

const CellModel::Layer& CellModel::make(std::size_t number) const {
  const bool disturbed = number % 2 != 0;
  const auto layer = static_cast<unsigned>(number / 2 % layers_);
  const Average& average = this->average(static_cast<unsigned>(number / 2 / layers_));
  Layer made;
  if (disturbed) {
    made.cells = numbered(number - 1).cells;
  } else {
    const double factor = layer_factor(layer, layers_, average.pe, average.days, nand_.aging.temperature_c);
    made.cells.width = width_for_ratio(average.vth, factor / average.factor);
    made.cells.vth = widened(average.vth, made.cells.width);
  }
  made.table.resize(static_cast<std::size_t>(page_types_) * kRetrySteps);
  for_each_knot([&](unsigned knot, double reads) {
    if (knot > 1 && !disturbed) return;
    const VthDistribution read = read_disturbed(made.cells.vth, average.pe, reads);
    for (unsigned type = 0; type < page_types_; ++type) {
      for (unsigned step = 0; step < kRetrySteps; ++step) {
        made.table[type * kRetrySteps + step][knot] = page_rber(read, references_[step], masks_[type]);
      }
    }
  });
  made_.push_back(std::make_unique<const Layer>(std::move(made)));
  numbered_[number] = made_.back().get();
  return *made_.back();
}

CellModel::CellModel(const config::Nand& nand, const std::vector<double>& region_days)
    : nand_(nand),
      page_types_(bits_per_cell(nand.geometry.cell)),
      layers_(std::max(1U, nand.geometry.layers)),
      pe_(nand.aging.pe_cycles),
      page_age_(nand.aging.page_age),
      masks_(page_references(nand.geometry.cell, nand.timing.senses_per_page)),
      normal_(kNormalQuantiles) {
  for (unsigned step = 0; step < kRetrySteps; ++step) references_[step] = retry_references(nand.geometry.cell, step);

  days_ = {nand.aging.retention_days};
  if (page_age_) days_.insert(days_.end(), std::begin(kWrittenDays), std::end(kWrittenDays));
  if (page_age_ && nand.aging.acceleration > 1) days_.insert(days_.end(), std::begin(kLaterDays), std::end(kLaterDays));
  written_ages_ = static_cast<unsigned>(days_.size()) - 1;
  first_region_ = days_.size();
  days_.insert(days_.end(), region_days.begin(), region_days.end());
  just_written_ = static_cast<unsigned>(days_.size());
  days_.push_back(0);
  averages_.resize(days_.size() * kBuckets.size());
  numbered_.resize(averages_.size() * layers_ * 2);
  for (std::size_t i = 0; i < normal_.size(); ++i) {
    block_factors_[i] = std::exp(0.08 * normal_[i]);
    noise_factors_[i] = std::exp(0.005 * normal_[i]);
  }
}

double CellModel::rber_at(unsigned page_type, unsigned layer, const References& references, std::uint32_t erase_count,
                          std::uint32_t reads, unsigned age) const {
  return page_rber(read_disturbed(cells(layer, erase_count, age).vth, pe_cycles(erase_count), reads), references,
                   masks_[page_type]);
}

unsigned CellModel::age_of(std::uint32_t seconds) const {
  if (!page_age_) return 0;
  const double days = seconds / kSecondsPerDay;
  unsigned age = 1;
  while (age < written_ages_ && days >= days_[age + 1]) ++age;
  return age;
}

unsigned CellModel::age_after(unsigned age, std::uint32_t seconds) const {
  if (!(nand_.aging.acceleration > 1)) return age;
  const double days = days_[age] + seconds / kSecondsPerDay;
  unsigned later = age;
  for (unsigned known = 1; known <= written_ages_; ++known) {
    if (days_[known] <= days && days_[known] > days_[later]) later = known;
  }
  return later;
}

}  // namespace wordline::nand
