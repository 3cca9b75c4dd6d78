// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/units/keyed_random.h"

namespace wordline::persist_model {

constexpr int kDies = 3, kRows = 4, kSuperblocks = 10, kMapUnits = 2;  // map units of a program unit
constexpr int kUnits = kRows * kDies;                                  // of a superblock
constexpr int kLpns = 10;

/// Numbers in the order of their keys: those of one action depend on its argument alone, so an action that is left out
/// changes nothing for the others.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t n) { return keyed_hash(seed_, ++count_) % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t seed_, count_ = 0;
};

enum class Kind : std::uint8_t { kUser, kTombstone, kPadding, kClosing };

/// A map unit on flash: what its spare record says, and two halves of content, so that a torn one can be seen.
struct MapUnit {
  int lpn = -1;
  std::uint64_t sequence = 0;
  Kind kind = Kind::kPadding;
  std::array<int, 2> halves{};
};

/// Who programs: the host's data, GC's, and those that a mount carries out of superblocks that it does not trust.
enum class Stream : std::uint8_t { kHost, kGc, kMount };
constexpr int kStreams = 3;

struct Unit {
  Stream stream = Stream::kHost;
  std::uint64_t opened = 0;             // which superblock was opened when: another number each time
  std::vector<int> vouches;             // of a closing record: the superblock's units with data
  std::vector<std::uint64_t> replaces;  // of a closing record of a mount: superblocks whose data it has copied
  std::array<MapUnit, kMapUnits> content{};
};

/// What a power cut can leave behind.
struct Damage {
  bool unstable = false;  // a unit cut in its last pulses reads well at times
  bool paired = false;    // rows 2n and 2n + 1 of a die share cells: a cut in the second destroys the first
};

/// Units of all superblocks. Programs and erases are under way until they are ended, or cut.
class Flash {
 public:
  explicit Flash(Damage damage) : damage_(damage) {}

  [[nodiscard]] const Damage& damage() const { return damage_; }
  void program(int unit, const Unit& content);
  void end_program(int unit);
  void erase(int superblock) { erasing_[static_cast<std::size_t>(superblock)] = true; }
  void end_erase(int superblock);
  /// Power fails. Any set of the programs under way had ended, any set of dies had erased their block.
  void cut(Dice& dice);
  /// Of a unit that reads well at times, each call is a read of its own. Nothing where it is blank or torn.
  [[nodiscard]] std::optional<Unit> read(int unit, Dice& dice) const;
  [[nodiscard]] bool blank(int unit) const { return at(unit).state == State::kBlank; }
  [[nodiscard]] bool blank_superblock(int superblock) const;
  /// The content is on flash to stay, and its readers have no doubt; for the model's own checks.
  [[nodiscard]] const Unit* sound(int unit) const {
    return at(unit).state == State::kWritten ? &at(unit).content : nullptr;
  }
  /// Some unit may still be read that has an older version of the page.
  [[nodiscard]] bool may_hold_older(int lpn, std::uint64_t sequence) const;
  /// What the cells of a torn unit may look like to one who does not check: any other unit's data, mixed.
  [[nodiscard]] Unit garbage(Dice& dice) const;

 private:
  enum class State : std::uint8_t { kBlank, kProgramming, kWritten, kUnstable, kTorn };
  struct Cell {
    State state = State::kBlank;
    bool ruined = false;  // was not blank when it was programmed
    Unit content;
  };
  [[nodiscard]] const Cell& at(int unit) const { return cells_[static_cast<std::size_t>(unit)]; }
  [[nodiscard]] Cell& at(int unit) { return cells_[static_cast<std::size_t>(unit)]; }

  Damage damage_;
  std::vector<Cell> cells_{static_cast<std::size_t>(kSuperblocks * kUnits)};
  std::array<bool, kSuperblocks> erasing_{};
};

[[nodiscard]] constexpr int superblock_of(int unit) { return unit / kUnits; }
[[nodiscard]] constexpr int row_of(int unit) { return unit % kUnits / kDies; }
/// The unit that shares its cells.
[[nodiscard]] constexpr int partner_of(int unit) { return row_of(unit) % 2 == 0 ? unit + kDies : unit - kDies; }

}  // namespace wordline::persist_model
