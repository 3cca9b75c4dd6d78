// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/config/config.h"
#include "models/nand/cell_model.h"
#include "models/nand/program_parameters.h"
#include "models/nand/read_parameters.h"

namespace wordline::nand {

/// Rates of word lines that were programmed with parameters of their own. Each set of parameters gets a number, which a
/// die stores per word line; rates are computed when first asked for and kept. The dies of a drive share them, on the
/// one thread of their drive.
class ProgramRates {
 public:
  using Set = std::uint16_t;
  static constexpr Set kDefault = 0;

  /// `cells` outlive the object.
  ProgramRates(const config::Nand& nand, const CellModel& cells);

  /// The number of `parameters`; kDefault for default ones. Throws as program_scheme() does.
  [[nodiscard]] Set number(const ProgramParameters& parameters);
  [[nodiscard]] const ProgramParameters& parameters(Set set) const { return sets_[set].parameters; }
  [[nodiscard]] const ProgramScheme& scheme(Set set) const { return sets_[set].scheme; }

  struct WordLineState {
    unsigned layer;
    int window_shift;  // loops by which this layer passes later (< 0: earlier)
    std::uint32_t erases;
    unsigned age;
  };
  [[nodiscard]] double rber(Set set, const WordLineState& state, unsigned page_type, unsigned step,
                            std::uint32_t reads);
  [[nodiscard]] double rber_at(Set set, const WordLineState& state, unsigned page_type, const References& references,
                               std::uint32_t reads) const;
  /// What soft senses say of a word line of an average block, but right[0]: what is left of 1 once a block's own
  /// factor is on the others. `middle`: the references of the sense in the middle. `reads` as in CellModel::rber().
  [[nodiscard]] SoftChannel soft_channel(Set set, const WordLineState& state, unsigned page_type,
                                         const ReadParameters& parameters, const References& middle,
                                         std::uint32_t reads);
  /// Errors per cell between the erased state and P1 right after the program, at the default references.
  [[nodiscard]] double ber_ep1(Set set, const WordLineState& state);

 private:
  struct Known {
    ProgramParameters parameters;
    ProgramScheme scheme;
  };
  /// What soft_channel() hangs on, but for the reads between two knots.
  struct SoftSense {
    std::uint64_t word_line;  // set, condition, layer, window, page type
    unsigned knot;
    ReadParameters parameters;
    friend bool operator==(const SoftSense& a, const SoftSense& b) {
      return a.word_line == b.word_line && a.knot == b.knot && a.parameters == b.parameters;
    }
  };
  struct SoftSenseHash {
    std::size_t operator()(const SoftSense& sense) const;
  };
  using RateKnots = std::array<double, 2>;       // rate knots at a knot and at the next
  using SoftKnots = std::array<SoftChannel, 2>;  // the same

  void add(const ProgramParameters& parameters);
  [[nodiscard]] std::uint64_t word_line_key(Set set, const WordLineState& state, unsigned page_type) const;
  /// The word line as it is: what programmed_crossings() asks for.
  [[nodiscard]] std::pair<VthDistribution, ProgramScheme> word_line(Set set, const WordLineState& state,
                                                                    std::uint32_t reads) const;
  [[nodiscard]] SoftChannel sense(Set set, const WordLineState& state, unsigned page_type,
                                  const ReadParameters& parameters, const References& middle,
                                  std::uint32_t reads) const;

  const CellModel& cells_;
  Millivolts device_step_, window_;
  unsigned states_, state_loops_, string_cells_;
  std::vector<Known> sets_;
  std::unordered_map<std::uint64_t, RateKnots> rates_;  // rates by word_line_key(), knot and step
  std::unordered_map<std::uint64_t, double> ber_ep1_;   // bit error rate by word_line_key() of age 0
  std::unordered_map<SoftSense, SoftKnots, SoftSenseHash> soft_;
};

}  // namespace wordline::nand
