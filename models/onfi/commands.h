// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The ONFI 5.0 command set as far as this drive uses it (clause 5.1, table 5-1, and the clause of each command).
///
/// Program of a word line in one shot is not in ONFI; the convention here is that of Toggle-mode TLC devices: a page is
/// loaded with 80h ADDR DATA, and the command after the data says what follows:
///   11h  another plane of the same page (busy tDBSY),
///   1Ah  the page is complete in all planes, the next page of the word line follows (busy tDBSY),
///   10h  the unit is complete in all planes: program (busy tPROG),
///   15h  the same as CACHE PROGRAM: the die takes the next program unit while the array programs (busy tPCBSY).
/// Copyback loads a page with 85h ADDR instead of 80h, of the page that 00h ADDR 35h has read; so a unit of several
/// pages is read and loaded page by page.
///
/// Suspend and resume are the vendor's: the codes are those of the Micron L06B model, 84h ADDR and 13h ADDR of a
/// program, 61h ROW and D2h of an erase (D2h with a row address where a target has several LUNs: assumed).
/// SLC mode is the vendor's, too: A2h before the first cycle of a read or of a page load (the code of Toggle-mode
/// devices; others have a pair of commands or a feature for it) says that the cells of the block hold one bit each. A
/// program unit is then the first page of the word line.
/// Which cycles follow which, and what they do: models/onfi/sequence_table.h. Known gaps: READ ID, parameter page,
/// volumes, ODT.
namespace wordline::onfi {

/// What one use of the bus is.
enum class SegmentKind : std::uint8_t {
  kCommand,      // command and address cycles
  kDataIn,       // controller to page register
  kDataOut,      // page register to controller
  kStatus,       // status command, tWHR, status byte
  kSetFeatures,  // command, feature address, tADL, P1..P4
  kGetFeatures,  // command and feature address
  kFeatureOut,   // P1..P4 after GET FEATURES
  kReset,
};
inline constexpr std::size_t kSegmentKinds = static_cast<std::size_t>(SegmentKind::kReset) + 1;

/// Command cycles.
enum Opcode : std::uint8_t {
  kRead = 0x00,  // without address and confirm: back to data output after a status read
  kReadConfirm = 0x30,
  kReadNextPlane = 0x32,
  kReadCopyback = 0x35,
  kReadCache = 0x31,  // alone: the next page; as confirm of 00h ADDR: that page
  kReadCacheEnd = 0x3f,
  kChangeReadColumn = 0x05,          // 05h C1 C2 E0h
  kChangeReadColumnEnhanced = 0x06,  // 06h C1 C2 R1 R2 R3 E0h: selects LUN and plane too
  kChangeColumnConfirm = 0xe0,
  kProgram = 0x80,
  kProgramConfirm = 0x10,
  kProgramNextPlane = 0x11,
  kProgramNextPage = 0x1a,
  kProgramCache = 0x15,
  kCopybackProgram = 0x85,    // 85h ADDR
  kChangeWriteColumn = 0x85,  // 85h C1 C2
  kErase = 0x60,
  kEraseConfirm = 0xd0,
  kEraseNextPlane = 0xd1,
  kSuspendProgram = 0x84,  // these four: vendor
  kResumeProgram = 0x13,
  kSuspendErase = 0x61,
  kResumeErase = 0xd2,
  kSlcMode = 0xa2,          // A2h 00h ADDR ..., A2h 80h ADDR; vendor
  kSelectSoftPlane = 0xc0,  // C0h N: bit plane N of a soft read; vendor, assumed
  kReadStatus = 0x70,
  kReadStatusEnhanced = 0x78,  // status of one LUN
  kSetFeatures = 0xef,
  kGetFeatures = 0xee,
  kLunSetFeatures = 0xd5,  // LUN address first; for targets of several LUNs
  kLunGetFeatures = 0xd4,
  kReset = 0xff,      // and back to the interface after power-on
  kResetSync = 0xfc,  // keeps the timing mode
  kResetLun = 0xfa,
};
/// In `Cycles::confirm`: there is no second command cycle.
inline constexpr std::uint8_t kNoConfirm = 0x00;

/// Status register (clause 5.12). SR[2] to SR[4] are the vendor's: the die is ready and holds a suspended program or
/// erase, or with SR[3] both; and in the answer to 78h, which names a plane: FAIL and FAILC of this plane alone. No
/// CACHE PROGRAM, of which FAILC is, goes beside a suspended erase (assumed).
enum StatusBit : std::uint8_t {
  kFail = 0x01,
  kFailCache = 0x02,  // FAILC: of the cache program before
  kSuspended = 0x04,
  kFailPlaneCache = 0x08,
  kBothSuspended = 0x08,
  kFailPlane = 0x10,
  kArrayReady = 0x20,
  kReady = 0x40,
  kNotProtected = 0x80,
};

/// First byte of the spare area of page 0 of a block that left the factory bad; FFh in others. A drive reads it
/// before it writes there.
inline constexpr std::uint8_t kFactoryBadMark = 0x00;
inline constexpr std::uint32_t kMarkBytes = 2;  // read for it: two edges of DQS

/// Feature addresses (clause 5.30); models/onfi/features.h has the vendor's.
inline constexpr std::uint8_t kFeatureTimingMode = 0x01;
/// P1: step of the retry table whose references the next reads use; 0 = default references.
inline constexpr std::uint8_t kFeatureReferenceStep = 0x89;
using FeatureParameters = std::array<std::uint8_t, 4>;

inline constexpr unsigned kMaxAddressCycles = 7;
inline constexpr unsigned kUsualColumnCycles = 2;

/// In `Cycles::prefix`: nothing comes before the command.
inline constexpr std::uint8_t kNoPrefix = 0x00;

/// Command and address cycles of one segment: command, address cycles, second command; before them a prefix, if any.
struct Cycles {
  std::uint8_t opcode = 0;
  std::uint8_t confirm = kNoConfirm;
  std::uint8_t address_count = 0;
  std::array<std::uint8_t, kMaxAddressCycles> address{};
  std::uint8_t prefix = kNoPrefix;

  [[nodiscard]] constexpr unsigned count() const {
    return (prefix != kNoPrefix ? 1U : 0U) + 1U + address_count + (confirm != kNoConfirm ? 1U : 0U);
  }
  [[nodiscard]] constexpr std::uint8_t last_command() const { return confirm != kNoConfirm ? confirm : opcode; }
};

/// Which address cycles follow a command cycle.
enum class AddressKind : std::uint8_t { kNone, kColumn, kRow, kColumnRow, kFeature, kLunFeature };

/// Number of address cycles of a kind.
[[nodiscard]] unsigned address_cycles(AddressKind kind, unsigned row_cycles,
                                      unsigned column_cycles = kUsualColumnCycles);

}  // namespace wordline::onfi
