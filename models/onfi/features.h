// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/nand/die.h"
#include "models/nand/program_parameters.h"
#include "models/nand/read_parameters.h"
#include "models/onfi/commands.h"

namespace wordline::onfi {

/// Feature addresses: 01h is ONFI's (clause 5.30), 80h..FFh the vendor's, whose meaning is assumed. Numbers of several
/// bytes have the low byte first.
///
// A list, not running text:
// clang-format off
///   01h       timing mode: P1[3:0] mode, P1[5:4] interface (0 SDR, 2 NV-DDR2/3, 3 NV-LPDDR4), P1[6] bit 4 of the mode
///   89h       P1: step of the retry table, 0 = default references
///   8Ah       P1: senses of each reference: 0 and 1 hard, 2, 3, 5, 7 soft; P2: their distance in reference steps,
///             0 = 4
///   90h       P1-P2: ISPP step in mV, 0 = the device's; P3: Vstart raise, P4: Vfinal cut, in 10 mV
///   91h..94h  verifies to skip, by state: P1, P5, P9, P13 in P1 of each, and so on
///   95h       P1: pass of a two-step program: 0 whole, 1 coarse, 2 fine
///   A0h..A3h  offset of references 1-4, 5-8, 9-12, 13-15 in reference steps of 12.5 mV, signed
///   B0h..B7h  read only: of the last program, Lmin, Lmax of two states each (P1 and P2, P3 and P4, ...), loops counted
///             from the default Vstart
///   B8h       read only: BER_EP1 of the last program, in 1e-9
///   B9h       read only: P1: 1 = the last program failed; P2: loops; P3: states
// clang-format on
inline constexpr std::uint8_t kFeatureSoftSenses = 0x8a;
inline constexpr std::uint8_t kFeatureProgramVoltages = 0x90;
inline constexpr std::uint8_t kFeatureVerifySkip = 0x91;  // and the three that follow
inline constexpr std::uint8_t kFeatureProgramPass = 0x95;
inline constexpr std::uint8_t kFeatureReferenceOffset = 0xa0;  // and the three that follow
inline constexpr std::uint8_t kFeatureLoopWindows = 0xb0;      // and the seven that follow
inline constexpr std::uint8_t kFeatureBerEp1 = 0xb8;
inline constexpr std::uint8_t kFeatureProgramResult = 0xb9;

/// Feature 01h. NV-DDR2 and NV-DDR3 have one code: `dqs` says which of them the target is wired for. Nothing where the
/// code names no timing mode.
[[nodiscard]] FeatureParameters timing_mode_value(config::BusMode mode);
[[nodiscard]] std::optional<config::BusMode> timing_mode(const FeatureParameters& value, config::BusInterface dqs);
/// The mode after RESET (FFh): that after power-on, mode 0 of SDR, or of the interface of a device without SDR
/// (NV-DDR3, NV-LPDDR4). A device on SDR keeps its mode.
[[nodiscard]] config::BusMode mode_after_reset(config::BusMode mode);

/// Bit planes beside the page that hold the bins of a soft read.
[[nodiscard]] constexpr unsigned soft_planes(unsigned senses) {
  unsigned planes = 0;
  while ((1U << planes) < senses) ++planes;
  return planes;
}

/// The feature registers of a die, and what they mean to its array.
class FeatureRegisters {
 public:
  /// Takes the value, or says what is wrong with it. Whether program parameters fit together shows when they are used.
  [[nodiscard]] std::string set(std::uint8_t feature, const FeatureParameters& value);
  [[nodiscard]] const FeatureParameters& get(std::uint8_t feature) const { return registers_[feature]; }

  [[nodiscard]] const nand::ReadParameters& read() const { return read_; }
  [[nodiscard]] const nand::ProgramParameters& program() const { return program_; }
  /// Fills B0h..B9h. `report` null: nothing was measured.
  void report(const nand::ProgramReport* report, bool failed);
  /// B0h..B9h.
  [[nodiscard]] static constexpr bool read_only(std::uint8_t feature) {
    return feature >= kFeatureLoopWindows && feature <= kFeatureProgramResult;
  }

 private:
  std::array<FeatureParameters, 256> registers_{};
  nand::ReadParameters read_;
  nand::ProgramParameters program_;
};

/// One SET FEATURES command.
struct FeatureWrite {
  std::uint8_t feature;
  FeatureParameters value;
};
/// The SET FEATURES that bring a die from `from` to `to`, none where nothing changes. Voltages are rounded to the units
/// of 90h; throws std::invalid_argument naming what does not fit.
[[nodiscard]] std::vector<FeatureWrite> feature_writes(const nand::ProgramParameters& from,
                                                       const nand::ProgramParameters& to);
[[nodiscard]] std::vector<FeatureWrite> feature_writes(const nand::ReadParameters& from,
                                                       const nand::ReadParameters& to);
/// What B0h..B9h, read one after the other, say.
struct MeasuredProgram {
  nand::ProgramReport report;
  bool failed = false;
};
[[nodiscard]] MeasuredProgram measured_program(const std::array<FeatureParameters, 10>& features);

}  // namespace wordline::onfi
