// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "models/firmware/contract/engines.h"

/// The table of hardware engines: all that is known of an engine without a clock. Keys and their defaults, `check`,
/// placements, estimates, the firmware's bits, the report and the text of the registers are made from it.
/// docs/extending.md adds a row.
namespace wordline::engines {

/// Index of an engine's row.
enum class EngineId : std::uint8_t {
#define WL_ENGINE_ROW(id, ...) id,
#include "models/firmware/contract/engine_rows.h"
};

/// What an engine is a part of.
enum class Home : std::uint8_t {
  kEngineBlock,     // tlm/device/engines, behind the registers ENGINES
  kNvmeController,  // tlm/host
  kChannels,        // tlm/device/flash
};

struct Default {
  bool on;
};
/// Defaults as a user writes them; an engine without has no pipeline of its own, hence no keys for times.
struct Times {
  std::string_view latency, interval, depth, source;
};

/// How many instances a drive has.
enum class Copies : std::uint8_t { kOne, kPerDie };
/// What an estimate is made of (models/engines/estimate.h).
struct Gates {
  double entry_bits;  // per operation under way
  double logic;       // gates
  double accesses;    // 32-bit accesses of tightly coupled memory, per operation
  Copies copies = Copies::kOne;
};
/// Ours: a flip-flop with enable and its share of the multiplexer behind it.
inline constexpr double kGatesPerBit = 8;
/// Ours: a 32 by 32 bit multiplier, for a division by a constant.
inline constexpr double kMultiplierGates = 8'000;

/// At most four of something, in a table of constants.
template <class T>
class ShortList {
 public:
  constexpr ShortList() = default;
  constexpr ShortList(std::initializer_list<T> list) {
    for (const T& element : list) list_[size_++] = element;  // a fifth one is no constant: it does not compile
  }
  [[nodiscard]] constexpr const T* begin() const { return list_.data(); }
  [[nodiscard]] constexpr const T* end() const { return list_.data() + size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }

 private:
  std::array<T, 4> list_{};
  std::size_t size_ = 0;
};

struct Need {
  EngineId engine;
  std::string_view why;
};
using Needs = ShortList<Need>;

struct EngineRow {
  EngineId id;
  std::uint32_t bit;      // bit of wl_engine
  std::string_view name;  // name of its key, in placements and in the report
  std::string_view what;  // in the text of the registers
  Home home;
  Default by_default;
  std::string_view text;  // text of its key
  Times times;
  Gates gates;
  Needs needs;

  [[nodiscard]] constexpr bool timed() const { return !times.latency.empty(); }
};

inline constexpr std::string_view kAssumed = "assumed: a few stages at 500 MHz, nothing was synthesised";

inline constexpr EngineRow kEngines[] = {
#define WL_ENGINE_ROW(id, NAME, bit, key, what, ...) {EngineId::id, WL_ENGINE_##NAME, key, what, __VA_ARGS__},
#include "models/firmware/contract/engine_rows.h"
};
inline constexpr std::size_t kEngineCount = std::size(kEngines);

[[nodiscard]] constexpr const EngineRow& row_of(EngineId id) { return kEngines[static_cast<std::size_t>(id)]; }
/// Null: no engine has that name.
[[nodiscard]] constexpr const EngineRow* find_engine(std::string_view name) {
  for (const EngineRow& row : kEngines) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// The drive can have it in gates (models/engines/gate_times.h).
[[nodiscard]] constexpr bool has_gates(EngineId id) {
  return id == EngineId::kParse || id == EngineId::kL2p || id == EngineId::kVictim;
}

/// The bits of the rows fall where the registers ENGINES have them.
constexpr bool homes_fit_the_bits() {
  for (const EngineRow& row : kEngines) {
    if ((row.home == Home::kEngineBlock) != ((row.bit & WL_ENGINES_BLOCK) != 0)) return false;
  }
  return true;
}
static_assert(homes_fit_the_bits(), "bits 0 to 7 are the engines behind the registers ENGINES, and only these");

}  // namespace wordline::engines
