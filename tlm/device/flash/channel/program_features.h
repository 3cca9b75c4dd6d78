// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/onfi/features.h"
#include "tlm/device/flash/channel/program_tables.h"
#include "tlm/device/flash/channel/sequence_context.h"

namespace wordline::flash {

/// The program features of one die: which are set, the SET FEATURES (EFh, tADL, four bytes, tFEAT) that bring it to
/// another set before 80h, and the GET FEATURES (EEh, tFEAT, tRR, four bytes) that fetch what its last program
/// measured. tFEAT leaves the bus to other dies; from a GET FEATURES to its bytes the package is kept, because its LUNs
/// share the wires that the bytes come out on. References of reads are RetryConductor's: they are other features.
///
/// The die is taken to be as after power-on when the first program comes.
class ProgramFeatures {
 public:
  /// `tables` outlive this object.
  ProgramFeatures(const SequenceContext& context, ProgramTables& tables) : context_(context), tables_(tables) {}

  /// Whether a program with `set` needs features that the die does not have.
  [[nodiscard]] bool differs(const wl_program_set& set) const { return std::memcmp(&set, &set_, sizeof set) != 0; }
  /// The SET FEATURES that set up `set` are due; false: none.
  bool change_to(const wl_program_set& set);
  [[nodiscard]] bool due() const { return !writes_.empty(); }
  /// Sends one SET FEATURES. Sets `ready`, when the die can be addressed again; true: the last.
  bool set_one(Picoseconds at, Picoseconds& ready);

  /// What the last program measured is to be read; `all`: else BER_EP1 alone.
  void begin_report(bool all);
  [[nodiscard]] bool reading() const { return reading_ < end_; }
  /// Whether the bytes of a feature are to come out.
  [[nodiscard]] bool awaits_bytes() const { return bytes_next_; }
  /// A GET FEATURES, or its bytes. Sets `ready`; true: all has been read, and the report on job `id` is in its table.
  bool read_one(std::uint16_t id, Picoseconds at, Picoseconds& ready);

 private:
  static constexpr unsigned kReportFeatures = onfi::kFeatureProgramResult - onfi::kFeatureLoopWindows + 1U;
  static constexpr unsigned kBerEp1 = onfi::kFeatureBerEp1 - onfi::kFeatureLoopWindows;

  [[nodiscard]] std::uint8_t next_feature() const;
  [[nodiscard]] wl_program_report report() const;

  const SequenceContext& context_;
  ProgramTables& tables_;
  wl_program_set set_{};                    // in the die
  std::vector<onfi::FeatureWrite> writes_;  // writes that it still needs, last first
  unsigned reading_ = 0, end_ = 0;          // index of the feature, from B0h, and behind the last
  bool bytes_next_ = false;
  std::array<onfi::FeatureParameters, kReportFeatures> measured_{};
};

}  // namespace wordline::flash
