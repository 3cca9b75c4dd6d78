// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "models/onfi/commands.h"

/// Every operation of a die as one row: its cycles, what they make the die do, how long it is busy, when it takes them,
/// what the waves show. The decoder of the die (tlm/device/flash/die), the bus, the waves and the table
/// docs/data/onfi_commands.csv read the rows; besides them only the timing checker compares command codes, by rules of
/// its own, so that a slip in a row shows.
///
/// Not here: lengths of segments (models/onfi/timing.h), and checks that need an address or the state of a load; these
/// are with the state that they depend on.
namespace wordline::onfi {

/// What a sequence makes the die do. `Sequence::operation` says to which operation of the array, where there are
/// several.
enum class Effect : std::uint8_t {
  kJoin,            // this plane takes part in the read or erase that follows
  kRead,            // sense: page register and cache register hold the page
  kReadAhead,       // page to the cache register; the array reads on: the next page, or with an address that one
  kReadAheadEnd,    // page to the cache register; the array rests
  kOutputData,      // data are what comes out next
  kReadColumn,      // where data come out next
  kSoftPlane,       // which bit plane of a soft read comes out next
  kLoad,            // the load of a page begins
  kLoadCopy,        // the same, with the page that was read
  kWriteColumn,     // where data go next
  kLoadNextPlane,   // the load is complete in this plane
  kLoadNextPage,    // ... in all planes of this page
  kProgram,         // ... in all pages of the unit: program
  kProgramAhead,    // the same behind a ready die, which loads the next unit
  kErase,           // erase
  kSuspend,         // the operation stops
  kResume,          // and goes on
  kStatus,          // status register, then out
  kSetFeatures,     // P1..P4 in
  kGetFeatures,     // P1..P4 come out next
  kReset,           // everything stops
  kResetInterface,  // and the interface is that after power-on
};

/// Operations of the array.
enum class Operation : std::uint8_t { kNone, kRead, kProgram, kErase };

/// How long R/B_n is low, from tWB after the last cycle on.
enum class Busy : std::uint8_t {
  kNone,
  kRead,            // tR
  kProgram,         // tPROG
  kErase,           // tBERS
  kReadCache,       // what the array still needs, then tRCBSY
  kProgramCache,    // what the array still needs, then tPCBSY
  kDummy,           // tDBSY
  kFeatures,        // tFEAT
  kReset,           // tRST of what was stopped
  kSuspendProgram,  // the micro-operation under way, then t_suspend_program
  kSuspendErase,    // ... t_suspend_erase
  kRest,            // what a suspended operation still needs
};

/// What has to pass between the last cycle and the data segment that follows.
enum class Wait : std::uint8_t { kNone, kAdl, kCcs, kWhr };

/// States of a die other than idle in which it obeys a sequence, as bits. An address may rule it out all the same: that
/// of a suspended operation, or of another operation than the one that is being put together.
enum When : std::uint8_t {
  kIdleOnly = 0,
  kWhenBusy = 1,              // R/B_n low
  kWhenReadingAhead = 2,      // ready, and the array reads the next page (READ CACHE)
  kWhenProgrammingAhead = 4,  // ready, and the array programs the unit before (CACHE PROGRAM)
  kWhenProgramSuspended = 8,  // ready, with a suspended program
  kWhenEraseSuspended = 16,   // ready, with a suspended erase
  kBetweenLoads = 32,         // ready, with a unit of which some pages are loaded
  // Together:
  kWhenSuspended = kWhenProgramSuspended | kWhenEraseSuspended,
  kArrayIdle = kWhenSuspended | kBetweenLoads,
  kAroundReads = kArrayIdle | kWhenReadingAhead,
  kWithinLoads = kWhenProgrammingAhead | kWhenEraseSuspended | kBetweenLoads,
  kAlways = kAroundReads | kWhenProgrammingAhead | kWhenBusy,
};

struct Sequence {
  std::string_view name;  // name in waves and messages
  std::uint8_t opcode;
  AddressKind address;
  std::uint8_t confirm;  // kNoConfirm: none
  Effect effect;
  Operation operation;
  Busy busy;
  Wait wait;
  unsigned when;             // bits of When
  std::string_view moving;   // state of the die in the waves while a page moves between its registers; "": as before
  std::string_view working;  // ... while it is busy otherwise, or its array works behind a ready die; "": idle
  std::string_view text;     // text in docs/data/onfi_commands.csv: what it does

  [[nodiscard]] constexpr bool may_come(When state) const { return (when & state) != 0; }
  /// As which segment it travels.
  [[nodiscard]] constexpr SegmentKind kind() const {
    switch (effect) {
      case Effect::kStatus:
        return SegmentKind::kStatus;
      case Effect::kSetFeatures:
        return SegmentKind::kSetFeatures;
      case Effect::kGetFeatures:
        return SegmentKind::kGetFeatures;
      case Effect::kReset:
      case Effect::kResetInterface:
        return SegmentKind::kReset;
      default:
        return SegmentKind::kCommand;
    }
  }
  [[nodiscard]] constexpr bool has_row() const {
    return address == AddressKind::kRow || address == AddressKind::kColumnRow;
  }
  /// The sequence prepares data out without naming a LUN: for the LUN of the target that was addressed last, and no
  /// other.
  [[nodiscard]] constexpr bool for_selected_lun() const {
    return !has_row() &&
           (effect == Effect::kReadAhead || effect == Effect::kReadAheadEnd || effect == Effect::kSoftPlane);
  }
};

/// The rows. Order: as docs/data/onfi_commands.csv shows them; states get their numbers in the waves in the order in
/// which they first appear here, so a row with a state of its own goes to the end.
// clang-format off
inline constexpr Sequence kSequences[] = {
    {"READ", kRead, AddressKind::kColumnRow, kReadConfirm, Effect::kRead, Operation::kRead,
     Busy::kRead, Wait::kNone, kWhenSuspended, "", "read", "read a page, in all planes that were joined to it"},
    {"READ NEXT PLANE", kRead, AddressKind::kColumnRow, kReadNextPlane, Effect::kJoin, Operation::kRead,
     Busy::kDummy, Wait::kNone, kAroundReads, "", "", "join a plane to the read that follows"},
    {"READ MODE", kRead, AddressKind::kNone, kNoConfirm, Effect::kOutputData, Operation::kNone,
     Busy::kNone, Wait::kWhr, kAroundReads, "", "", "back to data after a status read"},
    {"CHANGE READ COLUMN", kChangeReadColumn, AddressKind::kColumn, kChangeColumnConfirm, Effect::kReadColumn,
     Operation::kNone, Busy::kNone, Wait::kCcs, kAroundReads, "", "", "column of the data out"},
    {"CHANGE READ COLUMN ENHANCED", kChangeReadColumnEnhanced, AddressKind::kColumnRow, kChangeColumnConfirm,
     Effect::kReadColumn, Operation::kNone, Busy::kNone, Wait::kCcs, kAroundReads, "", "",
     "LUN, plane and column of the data out"},
    {"SELECT SOFT DATA", kSelectSoftPlane, AddressKind::kFeature, kNoConfirm, Effect::kSoftPlane, Operation::kNone,
     Busy::kNone, Wait::kCcs, kAroundReads, "", "",
     "bit plane N of a soft read; 0: the page (vendor, assumed)"},
    {"PROGRAM", kProgram, AddressKind::kColumnRow, kNoConfirm, Effect::kLoad, Operation::kProgram,
     Busy::kNone, Wait::kAdl, kWithinLoads, "", "", "load a page; its data follow"},
    {"PROGRAM CONFIRM", kProgramConfirm, AddressKind::kNone, kNoConfirm, Effect::kProgram, Operation::kProgram,
     Busy::kProgram, Wait::kNone, kWithinLoads, "", "program",
     "after the data: program the unit"},
    {"PROGRAM NEXT PLANE", kProgramNextPlane, AddressKind::kNone, kNoConfirm, Effect::kLoadNextPlane,
     Operation::kProgram, Busy::kDummy, Wait::kNone, kWithinLoads, "", "",
     "after the data: another plane of the page follows"},
    {"PROGRAM NEXT PAGE", kProgramNextPage, AddressKind::kNone, kNoConfirm, Effect::kLoadNextPage,
     Operation::kProgram, Busy::kDummy, Wait::kNone, kWithinLoads, "", "",
     "after the data: the next page of the word line follows (Toggle mode)"},
    {"CHANGE WRITE COLUMN", kChangeWriteColumn, AddressKind::kColumn, kNoConfirm, Effect::kWriteColumn,
     Operation::kProgram, Busy::kNone, Wait::kCcs, kWithinLoads, "", "",
     "column of the data in"},
    {"ERASE", kErase, AddressKind::kRow, kEraseConfirm, Effect::kErase, Operation::kErase,
     Busy::kErase, Wait::kNone, kIdleOnly, "", "erase", "erase a block, in all planes that were joined to it"},
    {"ERASE NEXT PLANE", kErase, AddressKind::kRow, kEraseNextPlane, Effect::kJoin, Operation::kErase,
     Busy::kDummy, Wait::kNone, kIdleOnly, "", "", "join a plane to the erase that follows"},
    {"READ STATUS", kReadStatus, AddressKind::kNone, kNoConfirm, Effect::kStatus, Operation::kNone,
     Busy::kNone, Wait::kNone, kAlways, "", "",
     "status register"},
    {"READ STATUS ENHANCED", kReadStatusEnhanced, AddressKind::kRow, kNoConfirm, Effect::kStatus, Operation::kNone,
     Busy::kNone, Wait::kNone, kAlways, "", "",
     "status register of one LUN"},
    {"SET FEATURES", kSetFeatures, AddressKind::kFeature, kNoConfirm, Effect::kSetFeatures, Operation::kNone,
     Busy::kFeatures, Wait::kNone, kArrayIdle, "", "features", "set the four parameters of a feature"},
    {"GET FEATURES", kGetFeatures, AddressKind::kFeature, kNoConfirm, Effect::kGetFeatures, Operation::kNone,
     Busy::kFeatures, Wait::kNone, kArrayIdle, "", "features", "get them"},
    {"LUN SET FEATURES", kLunSetFeatures, AddressKind::kLunFeature, kNoConfirm, Effect::kSetFeatures,
     Operation::kNone, Busy::kFeatures, Wait::kNone, kArrayIdle, "", "features",
     "set those of one LUN of several"},
    {"LUN GET FEATURES", kLunGetFeatures, AddressKind::kLunFeature, kNoConfirm, Effect::kGetFeatures,
     Operation::kNone, Busy::kFeatures, Wait::kNone, kArrayIdle, "", "features", "get them"},
    {"PROGRAM SUSPEND", kSuspendProgram, AddressKind::kColumnRow, kNoConfirm, Effect::kSuspend, Operation::kProgram,
     Busy::kSuspendProgram, Wait::kNone, kArrayIdle | kWhenBusy | kWhenProgrammingAhead, "", "suspending",
     "suspend the program under way, if any (vendor)"},
    {"PROGRAM RESUME", kResumeProgram, AddressKind::kColumnRow, kNoConfirm, Effect::kResume, Operation::kProgram,
     Busy::kRest, Wait::kNone, kWhenProgramSuspended, "", "program", "resume it (vendor)"},
    {"ERASE SUSPEND", kSuspendErase, AddressKind::kRow, kNoConfirm, Effect::kSuspend, Operation::kErase,
     Busy::kSuspendErase, Wait::kNone, kArrayIdle | kWhenBusy, "", "suspending",
     "suspend the erase under way, if any (vendor)"},
    {"ERASE RESUME", kResumeErase, AddressKind::kNone, kNoConfirm, Effect::kResume, Operation::kErase,
     Busy::kRest, Wait::kNone, kWhenEraseSuspended, "", "erase", "resume it (vendor)"},
    {"ERASE RESUME", kResumeErase, AddressKind::kRow, kNoConfirm, Effect::kResume, Operation::kErase,
     Busy::kRest, Wait::kNone, kWhenEraseSuspended, "", "erase", "the same, of one LUN of several (assumed)"},
    {"READ CACHE", kReadCache, AddressKind::kNone, kNoConfirm, Effect::kReadAhead, Operation::kRead,
     Busy::kReadCache, Wait::kNone, kWhenReadingAhead, "cache busy", "cache read",
     "the page that was read goes out; read the next one meanwhile"},
    {"READ CACHE RANDOM", kRead, AddressKind::kColumnRow, kReadCache, Effect::kReadAhead, Operation::kRead,
     Busy::kReadCache, Wait::kNone, kWhenReadingAhead, "cache busy", "cache read",
     "the page that was read goes out; read this one meanwhile"},
    {"READ CACHE END", kReadCacheEnd, AddressKind::kNone, kNoConfirm, Effect::kReadAheadEnd, Operation::kRead,
     Busy::kReadCache, Wait::kNone, kWhenReadingAhead, "cache busy", "", "the last page goes out"},
    {"CACHE PROGRAM CONFIRM", kProgramCache, AddressKind::kNone, kNoConfirm, Effect::kProgramAhead,
     Operation::kProgram, Busy::kProgramCache, Wait::kNone, kWithinLoads,
     "cache busy", "cache program", "after the data: program the unit; load the next one meanwhile"},
    {"COPYBACK READ", kRead, AddressKind::kColumnRow, kReadCopyback, Effect::kRead, Operation::kRead,
     Busy::kRead, Wait::kNone, kArrayIdle, "", "copyback read", "read a page to copy it"},
    {"COPYBACK PROGRAM", kCopybackProgram, AddressKind::kColumnRow, kNoConfirm, Effect::kLoadCopy,
     Operation::kProgram, Busy::kNone, Wait::kAdl, kWhenEraseSuspended | kBetweenLoads, "", "",
     "load the page that was read; data where it changes may follow"},
    {"RESET", kReset, AddressKind::kNone, kNoConfirm, Effect::kResetInterface, Operation::kNone,
     Busy::kReset, Wait::kNone, kAlways, "", "reset",
     "stop everything; the interface is that after power-on"},
    {"SYNCHRONOUS RESET", kResetSync, AddressKind::kNone, kNoConfirm, Effect::kReset, Operation::kNone,
     Busy::kReset, Wait::kNone, kAlways, "", "reset",
     "stop everything; the timing mode stays"},
    {"RESET LUN", kResetLun, AddressKind::kRow, kNoConfirm, Effect::kReset, Operation::kNone,
     Busy::kReset, Wait::kNone, kAlways, "", "reset",
     "the same, of one LUN of several"},
};
// clang-format on

/// The row that fits the cycles, or null: unknown opcode or confirm, or a wrong number of address cycles (`row_cycles`:
/// 3, or 4 of large devices; `column_cycles`: 2, or 3 of pages beyond 65,536 bytes).
[[nodiscard]] const Sequence* find_sequence(const Cycles& cycles, unsigned row_cycles,
                                            unsigned column_cycles = kUsualColumnCycles);

namespace states {

/// Calls visitor(name) for each name of a state, in the order of the rows.
template <class Visitor>
constexpr void for_each(Visitor visitor) {
  visitor(std::string_view("idle"));
  for (const Sequence& sequence : kSequences) {
    if (!sequence.moving.empty()) visitor(sequence.moving);
    if (!sequence.working.empty()) visitor(sequence.working);
  }
}
constexpr std::size_t kMost = 2 * std::size(kSequences) + 1;

/// All names, each once; "" behind the last.
constexpr std::array<std::string_view, kMost> distinct() {
  std::array<std::string_view, kMost> names{};
  std::size_t count = 0;
  for_each([&](std::string_view name) {
    for (std::size_t i = 0; i < count; ++i) {
      if (names[i] == name) return;
    }
    names[count++] = name;
  });
  return names;
}
constexpr std::size_t count() {
  std::size_t n = 0;
  while (!distinct()[n].empty()) ++n;
  return n;
}

}  // namespace states

/// States of a die in the waves, by number; 0 is idle.
inline constexpr std::array<std::string_view, states::count()> kDieStates = [] {
  std::array<std::string_view, states::count()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = states::distinct()[i];
  return names;
}();
inline constexpr std::uint64_t kIdleState = 0;
/// Number of a state that a row names; "" is idle.
[[nodiscard]] constexpr std::uint64_t state_number(std::string_view name) {
  for (std::size_t i = 0; i < kDieStates.size(); ++i) {
    if (kDieStates[i] == name) return i;
  }
  return kIdleState;
}

/// The table of commands (docs/data/onfi_commands.csv), a line for each row.
[[nodiscard]] std::string sequences_markdown();

}  // namespace wordline::onfi
