// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What goes in and out of a read-retry controller: the request of a read, commands to the flash channel controller and
/// to the decoders, verdicts, the result. The same for ReadRetry, RetryAttempt and the RTL behind rtl/verilated.
/// Messages only: no order of them (read_retry.h) and no times (tlm/device/ecc/retry_if.h).
#pragma once

#include <cstdint>

#include "models/ecc/retry/retry_settings.h"

namespace wordline::ecc {

inline constexpr unsigned kMaxSyndromeWeight = 4095;

/// What firmware asks for when it controls the retry itself (models/ecc/retry/retry_attempt.h).
struct AttemptOrder {
  std::uint8_t step = 0;     ///< step of the retry table, or the centre of the soft reads
  std::uint8_t level = 0;    ///< soft level
  std::uint8_t retries = 0;  ///< reference steps taken after the first, with this one
  bool last = false;         ///< nothing comes after it
};
/// The report of an attempt that leaves codewords without data.
struct AttemptReport {
  std::uint32_t weight = 0;   ///< sum over the codewords that tier 1 left
  std::uint32_t weighed = 0;  ///< codewords in it
  std::uint32_t tiers = 0;    ///< tiers as in retry_status
  bool miscorrected = false;
};

struct RetryRequest {
  std::uint16_t tag = 0;
  std::uint16_t die = 0;
  std::uint32_t address = 0;  ///< row; handed through
  std::uint32_t group = 0;    ///< group of the ORT
  std::uint16_t layer = 0;
  std::uint8_t page_type = 0;  ///< handed through
  /// The page was read at step 0 and both hard tiers gave up the codewords: start with the first retry.
  bool sensed = false;
  CodewordMask codewords;  ///< wanted, at least one
  /// The job says where the read begins: at `attempt.step` and `attempt.level`, in place of the ORT's entry.
  bool started = false;
  AttemptOrder attempt{};  ///< used by RetryAttempt, and with `started`; else ignored
};

enum class FlashOp : std::uint8_t { kRead, kSetVref, kSoftRead, kRestore };

/// To the flash channel controller; answered by flash_done().
struct FlashCommand {
  FlashOp op = FlashOp::kRead;
  unsigned step = 0;           ///< step of the retry table (kRestore: 0)
  ReferenceOffsets offsets{};  ///< kSetVref: to add to the references of `step`
  unsigned soft_read = 0;      ///< kSoftRead: 0 to 6
  unsigned soft_level = 0;     ///< kSoftRead: that it belongs to; 0: not known (gates)
  int soft_offset = 0;         ///< kSoftRead: to add to every reference that was set
  CodewordMask codewords;      ///< kRead, kSoftRead: to deliver
};

enum class DecodeOp : std::uint8_t { kT1, kT2H, kT2S, kLoadLlr };

/// To the decoders; answered by one verdict for each codeword, kLoadLlr by nothing.
struct DecodeCommand {
  DecodeOp op = DecodeOp::kT1;
  unsigned level = 0;  ///< soft level
  unsigned max_iterations = 0;
  LlrTable llr{};          ///< kT2H, kLoadLlr
  CodewordMask codewords;  ///< codewords to decode
};

struct CodewordVerdict {
  unsigned codeword = 0;
  bool ok = false;      ///< every check holds
  bool crc_ok = false;  ///< and so does the CRC; without meaning when not ok
  unsigned iterations = 0;
  unsigned corrected = 0;  ///< bits
  /// Tier 1: of the syndrome as the codeword came in, or a measure that rises with errors. More counts as the limit.
  unsigned weight = 0;
};

enum class RetryCode : std::uint8_t { kOk, kUncorrectable, kAborted, kTimeout, kFlashError };

/// Fields of the status word, ECC.LAST_STATUS.
namespace retry_status {
inline constexpr unsigned kCodeShift = 0;  // 3 bits
inline constexpr std::uint32_t kRestoreFailed = 1U << 3;
inline constexpr unsigned kRetriesShift = 4;  // 5 bits
inline constexpr unsigned kRetriesMost = 31;
inline constexpr unsigned kStepShift = 9;    // 4 bits: last hard step, or the centre of the soft reads
inline constexpr unsigned kSoftShift = 13;   // 2 bits: last soft level
inline constexpr unsigned kTiersShift = 15;  // 3 bits: tier 1, tier 2 hard, tier 2 soft decoded something
inline constexpr std::uint32_t kMiscorrected = 1U << 18;
inline constexpr std::uint32_t kOrtHit = 1U << 19;
inline constexpr std::uint32_t kOrtUpdated = 1U << 20;
inline constexpr std::uint32_t kInjected = 1U << 21;  // an injected error changed a verdict
inline constexpr unsigned kFailedShift = 24;          // 8 bits: codewords without data
}  // namespace retry_status

struct RetryResult {
  std::uint16_t tag = 0;
  RetryCode code = RetryCode::kOk;
  CodewordMask failed;       ///< codewords without data
  std::uint32_t status = 0;  ///< history: retry_status
  AttemptReport report{};    ///< report from RetryAttempt
};

/// What the owner has to do next.
enum class RetryAction : std::uint8_t { kNothing, kFlash, kDecode, kResult };

/// How a codeword was decoded: index of RetryCounters::codewords, register ECC.CODEWORDS.
enum class DecodeWay : std::uint8_t { kT1, kT2H, kThreeReads, kSevenReads };
/// Bit of the tier that decoded it, as in retry_status: tier 1, tier 2 hard, tier 2 soft.
[[nodiscard]] constexpr std::uint32_t tier_of(DecodeWay way) {
  return way == DecodeWay::kT1 ? 1U : way == DecodeWay::kT2H ? 2U : 4U;
}

}  // namespace wordline::ecc
