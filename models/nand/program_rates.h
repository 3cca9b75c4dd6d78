// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/config/config.h"
#include "models/nand/cell_model.h"
#include "models/nand/program_parameters.h"

namespace wordline::nand {

/// Rates of word lines that were programmed with parameters of their own. Each set of parameters gets a number, which a
/// die stores per word line; rates are computed when first asked for and kept. Dies of one drive share it.
class ProgramRates {
 public:
  using Set = std::uint16_t;
  static constexpr Set kDefault = 0;

  ProgramRates(const config::Nand& nand, std::shared_ptr<const CellModel> cells);
  static std::shared_ptr<ProgramRates> shared(const config::Nand& nand, std::shared_ptr<const CellModel> cells);

  /// The number of `parameters`; kDefault for default ones. Throws as program_scheme() does.
  [[nodiscard]] Set number(const ProgramParameters& parameters);
  [[nodiscard]] const ProgramParameters& parameters(Set set) const { return sets_[set].parameters; }
  [[nodiscard]] const ProgramScheme& scheme(Set set) const { return sets_[set].scheme; }

  struct Place {
    unsigned layer;
    int window_shift;  // loops by which this layer passes later (< 0: earlier)
    std::uint32_t erases;
    unsigned age;
  };
  [[nodiscard]] double rber(Set set, const Place& place, unsigned page_type, unsigned step, std::uint32_t reads);
  [[nodiscard]] double rber_at(Set set, const Place& place, unsigned page_type, const References& references,
                               std::uint32_t reads) const;
  /// The word line as it is: what programmed_crossings() asks for.
  [[nodiscard]] std::pair<VthDistribution, ProgramScheme> word_line(Set set, const Place& place,
                                                                    std::uint32_t reads) const;
  /// Errors per cell between the erased state and P1 right after the program, at the default references.
  [[nodiscard]] double ber_ep1(Set set, const Place& place) const;

 private:
  struct Known {
    ProgramParameters parameters;
    ProgramScheme scheme;
  };
  void add(const ProgramParameters& parameters);

  std::shared_ptr<const CellModel> cells_;
  Millivolts device_step_, window_;
  unsigned states_, state_loops_, string_cells_;
  std::mutex mutex_;
  std::vector<Known> sets_;
  std::unordered_map<std::uint64_t, CellModel::ReadKnots> rows_;
};

}  // namespace wordline::nand
