// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/nand/plan.h"
#include "models/nand/vth.h"

namespace wordline::nand {

/// Two-step programming of a word line, as QLC devices do it: a coarse program places all cells short of their levels,
/// a fine one with the same data brings them there. kWhole: one program does it all.
enum class ProgramPass : std::uint8_t { kWhole, kCoarse, kFine };

/// What a controller may change in the program of one word line. Default-constructed: the program of the device file.
/// Voltages act in whole loops, rounded to the nearest: a pulse is given or not.
struct ProgramParameters {
  Millivolts step{};         // dVISPP; 0: the device's
  Millivolts start_raise{};  // Vstart above the default: the first loops fall away
  Millivolts final_cut{};    // Vfinal below the default: the last loops fall away
  StateLoops skip{};         // skip[s]: verifies of Ps left out, counted from loop 1 of the uncut program
  ProgramPass pass = ProgramPass::kWhole;
  bool slc_mode = false;  // one bit a cell: the first page of the word line alone; nothing else is changed with it

  friend bool operator==(const ProgramParameters& a, const ProgramParameters& b) {
    return a.step == b.step && a.start_raise == b.start_raise && a.final_cut == b.final_cut && a.skip == b.skip &&
           a.pass == b.pass && a.slc_mode == b.slc_mode;
  }
  friend bool operator!=(const ProgramParameters& a, const ProgramParameters& b) { return !(a == b); }
};

/// Loops in which cells of a state pass verify, counted from the start of the program: the fastest in min, the slowest
/// in max.
struct PassWindows {
  std::uint8_t loops = 0;
  std::uint8_t states = 0;
  StateLoops min{};
  StateLoops max{};
};

/// Windows of `state_loops` loops each that end where the verifies of default_shape() end.
[[nodiscard]] PassWindows pass_windows(unsigned loops, unsigned states, unsigned state_loops);
/// From the intervals [Lmin, Lmax] of eq. (2), which count from the loop after the state below was done.
[[nodiscard]] PassWindows cumulative_windows(unsigned states, const StateLoops& l_min, const StateLoops& l_max);
/// Verifies that no cell needs, N_skip of each state: (sum of Lmax below) + Lmin - 1, with the bracket of the thesis
/// (its section 4.1.1) where its worked example has it.
[[nodiscard]] StateLoops safe_skips(const PassWindows& windows);

/// The program of `parameters` on a device of `device_step` and `window` (Vfinal - Vstart): which loops remain, which
/// verifies in them, and what happens to cells that pass in a loop without a verify.
///
/// Source: eqs. (1), (2) and sections 4.1.1, 4.1.2 of Shim, SNU 2020.
/// Known gap: the thesis' -19.7 % for 320 mV takes tPROG as proportional to the window; whole loops of 180 mV give 12.9
/// % or 21.2 %.
struct ProgramScheme {
  IsppShape shape;      // shape of the remaining loops
  PassWindows windows;  // windows of the uncut program
  unsigned loops_dropped_at_start = 0;
  Millivolts step{};
  Millivolts device_step{};
  ProgramPass pass = ProgramPass::kWhole;
  unsigned string_cells = 48;  // cells of a NAND string
};
/// Throws std::invalid_argument when no loop would remain, or a skip leaves a state without verify.
[[nodiscard]] ProgramScheme program_scheme(Millivolts device_step, Millivolts window, unsigned states,
                                           unsigned state_loops, const ProgramParameters& parameters);

/// The scheme on a layer that programs `loops` loops later than the average (< 0: earlier): the same pulses and
/// verifies, other windows. Vfinal is made for the slowest cells there are, so no window ends after the last loop.
[[nodiscard]] ProgramScheme shifted_windows(ProgramScheme scheme, int loops);

/// The distribution that a scheme leaves where the default program leaves `vth`: the part of the width that is the ISPP
/// step follows the step, `width` times as the layer widens it; a coarse pass stops one step short.
[[nodiscard]] VthDistribution placed(VthDistribution vth, const ProgramScheme& scheme, double width = 1);

/// Shares of all cells of a word line that a read at `level` takes for the wrong side of reference `r`: cells of state
/// r - 1 above it, cells of state r below it.
struct Crossings {
  double above = 0;
  double below = 0;
};
[[nodiscard]] Crossings programmed_crossings(const VthDistribution& vth, const ProgramScheme& scheme, unsigned r,
                                             double level);

/// Share of reads of a cell that its string blocks: another cell of the string, lifted by over-programming, lies above
/// kConducts and does not conduct under Vpass. The other word lines are taken as programmed with the same scheme. Cells
/// of the default program, of which well below one in a million is so high, are left out.
[[nodiscard]] double blocked_strings(const VthDistribution& vth, const ProgramScheme& scheme);
/// Vpass is the 512 of the scale (Cai et al., DSN 2015); 14 units, 175 mV, of overdrive are assumed.
inline constexpr double kConducts = 498;

/// Raw bit errors of a word line whose page type senses `mask`, after this program. Cells of a state pass verify over
/// their window as a normal speed would (the window is six sigma wide); a cell that passes before the first verify, or
/// before the first pulse, gets one step more per loop missed; a cell that needs a dropped last loop stays as many
/// steps low. Over-programming also lifts the neighbours (two of them, coupled by 0.04, assumed), and cells of the
/// highest state, which no reference bounds from above, block their string: it reads as the highest state, wrong in
/// half of the bits. With default parameters the result is page_rber(vth, references, mask).
[[nodiscard]] double programmed_rber(const VthDistribution& vth, const References& references, std::uint16_t mask,
                                     const ProgramScheme& scheme);

}  // namespace wordline::nand
