// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/cell_model.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <tuple>
#include <utility>

#include "nand/normal_quantiles.h"

namespace wordline::nand {

namespace {

// Ages of data written in the run, in days. Simulated time is seconds, rarely minutes; the later ones serve long runs.
constexpr double kWrittenDays[] = {0, 1.0 / 24, 3.0 / 24, 1, 7, 30};

}  // namespace

std::vector<WordLineCells> CellModel::layers_at(double pe, double days) const {
  const double earliest = nand_.aging.early_loss && layers_ > 1 ? kEarliest3dDays : kEarliestPlanarDays;
  const VthDistribution vth =
      vth_distribution(nand_.geometry.cell, nand_.ispp.step, pe, days, nand_.aging.temperature_c, earliest);
  const auto factor = [&](unsigned layer) { return layer_factor(layer, layers_, pe, days, nand_.aging.temperature_c); };
  double mean = 0;
  for (unsigned layer = 0; layer < layers_; ++layer) mean += factor(layer) / layers_;
  std::vector<WordLineCells> layers(layers_);
  for (unsigned layer = 0; layer < layers_; ++layer) {
    layers[layer].width = width_for_ratio(vth, factor(layer) / mean);
    layers[layer].vth = widened(vth, layers[layer].width);
  }
  return layers;
}

const CellModel::Condition& CellModel::make(unsigned number) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const Condition* const made = conditions_[number].load(std::memory_order_relaxed)) return *made;
  const double pe = pe_ + kBuckets[number % kBuckets.size()];
  Condition condition;
  condition.cells = layers_at(pe, days_[number / kBuckets.size()]);
  condition.table.resize(static_cast<std::size_t>(layers_) * page_types_ * kRetrySteps);
  for (unsigned layer = 0; layer < layers_; ++layer) {
    for_each_knot([&](unsigned knot, double reads) {
      const VthDistribution read = read_disturbed(condition.cells[layer].vth, pe, reads);
      for (unsigned type = 0; type < page_types_; ++type) {
        for (unsigned step = 0; step < kRetrySteps; ++step) {
          ReadKnots& row = condition.table[(layer * page_types_ + type) * kRetrySteps + step];
          row[knot] = page_rber(read, references_[step], masks_[type]);
        }
      }
    });
  }
  made_.push_back(std::make_unique<const Condition>(std::move(condition)));
  conditions_[number].store(made_.back().get(), std::memory_order_release);
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
  first_region_ = days_.size();
  days_.insert(days_.end(), region_days.begin(), region_days.end());
  just_written_ = static_cast<unsigned>(days_.size());
  days_.push_back(0);
  conditions_ = std::vector<std::atomic<const Condition*>>(days_.size() * kBuckets.size());
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

unsigned CellModel::age_of(Picoseconds written) const {
  if (!page_age_) return 0;
  const double days = static_cast<double>(written.count()) / (86'400 * 1e12);
  unsigned age = 1;
  while (age < std::size(kWrittenDays) && days >= kWrittenDays[age]) ++age;
  return age;
}

std::shared_ptr<const CellModel> CellModel::shared(const config::Nand& nand, const std::vector<double>& region_days) {
  using Key = std::tuple<config::CellType, std::uint32_t, std::vector<std::uint32_t>, double, std::uint32_t, double,
                         double, bool, bool, std::vector<double>>;
  static std::mutex mutex;
  static std::vector<std::pair<Key, std::weak_ptr<const CellModel>>> models;
  const Key key{nand.geometry.cell,          nand.geometry.layers,
                nand.timing.senses_per_page, nand.ispp.step.count(),
                nand.aging.pe_cycles,        nand.aging.retention_days,
                nand.aging.temperature_c,    nand.aging.early_loss,
                nand.aging.page_age,         region_days};
  const std::lock_guard<std::mutex> lock(mutex);
  models.erase(std::remove_if(models.begin(), models.end(), [](const auto& m) { return m.second.expired(); }),
               models.end());
  for (const auto& [known, model] : models) {
    if (known != key) continue;
    if (auto alive = model.lock()) return alive;
  }
  auto made = std::make_shared<const CellModel>(nand, region_days);
  models.emplace_back(key, made);
  return made;
}

}  // namespace wordline::nand
