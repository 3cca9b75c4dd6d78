// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "models/ecc/decoders/min_sum_decoder.h"

/// The read-retry controller without a clock: one read of one page, from the first sensing to data or to a report why
/// there are none. This text is the specification of rtl/read_retry; states, commands, results and counters are the
/// same.
///
/// Escalation: tier 1 on hard bits, tier 2 on the same bits (only the codewords that tier 1 left), then the same at
/// other steps of the retry table, then three reads as soft input of tier 2, then seven, then failure. Each stage takes
/// only the codewords that are still wrong. A decoded codeword whose CRC does not fit counts as wrong.
///
/// Order of steps: a read starts from step 0, or from the step in the table of optimal references (ORT) when
/// `ort_first` is set. When that was another step than 0, step 0 is the first retry: the entry may be older than the
/// data. Else the untried step nearest to the entry comes next (to step 1 when there is none), the higher one of two.
/// Soft reads are centred on the step with the least mean syndrome weight per codeword that tier 1 left, the earlier
/// one of two that are equal. All reads of a soft level are made; those of the level before are not used again.
///
/// ORT, after Shim, SNU 2020 (cubeFTL): the last step that worked, for every h-layer, by group (a die, a block,
/// what firmware decides). Written when a read needed more than its first sensing and succeeded.
///
/// Every SET_VREF and every SOFT_READ makes a RESTORE due, also when it fails, times out or is aborted; a read ends
/// only after it. A RESTORE that fails is not repeated but reported (kRestoreFailed): the die's references are then
/// unknown.
///
/// A command that was given is never withdrawn: an abort takes effect when its answer (or its time-out) is there, and
/// has none from the moment on at which the outcome of the read is known.
///
/// Gaps: one read at a time in an object (a channel has one for each die); no search for references between the steps
/// of the table; offsets are in the die's own units; weights of one syndrome stand for a bit error rate.
namespace wordline::ecc {

inline constexpr unsigned kRetryCodewords = 128;  ///< of one read: 16 planes of 8
inline constexpr unsigned kRetryTableSteps = 16;
inline constexpr unsigned kRetryTableReferences = 16;  ///< reference 1 to 15; 0 is unused, as in the die
inline constexpr unsigned kSoftLevels = 2;
inline constexpr std::array<unsigned, kSoftLevels + 1> kSoftReads{{1, 3, 7}};  ///< by soft level, 0 = hard
inline constexpr unsigned kIterationBins = 8;  ///< of decodings in 1, 2, 3, 4, to 6, to 8, to 12, and more iterations

inline constexpr unsigned kMaxSyndromeWeight = 4095;
/// Bin of a number of iterations.
[[nodiscard]] std::size_t iteration_bin(unsigned iterations);

/// Soft reads go outwards from the centre: 0, -1, +1, -2, +2, -3, +3.
[[nodiscard]] int soft_position(unsigned read);

using CodewordMask = std::bitset<kRetryCodewords>;
using ReferenceOffsets = std::array<std::int8_t, kRetryTableReferences>;

/// What firmware sets (registers ECC.*). May change while a read is under way, but for the tables and iterations.
struct RetrySettings {
  unsigned max_retries = 4;  ///< steps tried after the first, 0 to 16
  unsigned last_step = 7;    ///< of the retry table, 0 to 15
  unsigned max_soft = 2;     ///< highest soft level: 0 none, 1 three reads, 2 seven reads
  bool ort_enable = true;    ///< retries start from the ORT's entry
  bool ort_first = false;    ///< first reads too
  bool ort_update = true;    ///< successes after retries are written
  unsigned t1_iterations = 20;
  unsigned t2_iterations = 20;
  std::array<ReferenceOffsets, kRetryTableSteps> table{};  ///< added to the die's own references of the step
  std::array<std::uint8_t, kSoftLevels> soft_delta{{10, 6}};  ///< distance of neighbouring soft reads, 0 to 31
  std::array<LlrTable, kSoftLevels + 1> llr{{kHardLlr, kThreeReadLlr, kSevenReadLlr}};

  /// Errors made on purpose, to test what comes after.
  bool force_t1_fail = false;
  bool force_t2h_fail = false;
  bool force_t2s_fail = false;
  bool corrupt_crc = false;  ///< of the first codeword decoded in each read
  unsigned force_steps = 0;  ///< hard decoding fails until so many retries were taken
};

/// Table of optimal references.
class OptimalReferences {
 public:
  struct Entry {
    bool valid = false;
    std::uint8_t step = 0;   ///< that worked last
    std::uint8_t level = 0;  ///< soft level it took; for firmware, nothing starts from it
    friend bool operator==(const Entry& a, const Entry& b) {
      return a.valid == b.valid && a.step == b.step && a.level == b.level;
    }
  };

  /// Throws std::invalid_argument when one of them is 0.
  OptimalReferences(unsigned groups, unsigned layers);

  [[nodiscard]] const Entry& at(unsigned group, unsigned layer) const { return entries_[index(group, layer)]; }
  void set(unsigned group, unsigned layer, Entry entry) { entries_[index(group, layer)] = entry; }
  void clear(unsigned group);  ///< its data were erased
  [[nodiscard]] unsigned groups() const { return groups_; }
  [[nodiscard]] unsigned layers() const { return layers_; }

 private:
  [[nodiscard]] std::size_t index(unsigned group, unsigned layer) const;  // throws std::out_of_range

  unsigned groups_;
  unsigned layers_;
  std::vector<Entry> entries_;
};

/// Since reset; the registers show them modulo 2^32.
struct RetryCounters {
  std::uint64_t decoded_sectors = 0;        ///< of finished reads; a sector is codewords 2i and 2i + 1
  std::uint64_t uncorrectable_sectors = 0;  ///< given up
  std::uint64_t retries = 0;                ///< steps tried after the first
  std::uint64_t corrected_bits = 0;
  std::uint64_t miscorrections = 0;             ///< codewords decoded to a wrong CRC
  std::array<std::uint64_t, 4> codewords{};     ///< decoded by tier 1, tier 2 hard, with 3 reads, with 7 reads
  std::array<std::uint64_t, kIterationBins> t1_iterations{};  ///< of the codewords decoded
  std::array<std::uint64_t, kIterationBins> t2_iterations{};
};

enum class RetryState : std::uint8_t {
  kIdle,
  kLookupOrt,
  kIssueRead,
  kWaitData,
  kT1,
  kT2H,
  kCrc,
  kNextRetry,
  kSetFeature,
  kSoftSetup,
  kSoftRead,
  kLlrLoad,
  kT2S,
  kUpdateOrt,
  kRestoreFeature,
  kDone,
  kFail,
};
[[nodiscard]] const char* to_string(RetryState state);

/// What firmware asks for when it leads the retry itself (models/ecc/retry/retry_attempt.h).
struct AttemptOrder {
  std::uint8_t step = 0;     ///< of the retry table, or the centre of the soft reads
  std::uint8_t level = 0;    ///< soft level
  std::uint8_t retries = 0;  ///< reference steps taken after the first, with this one
  bool last = false;         ///< nothing comes after it
};
/// And what it hears of an attempt that leaves codewords without data.
struct AttemptReport {
  std::uint32_t weight = 0;   ///< sum over the codewords that tier 1 left
  std::uint32_t weighed = 0;  ///< codewords in it
  std::uint32_t tiers = 0;    ///< as in retry_status
  bool miscorrected = false;
};

struct RetryRequest {
  std::uint16_t tag = 0;
  std::uint16_t die = 0;
  std::uint32_t address = 0;  ///< row; handed through
  std::uint16_t group = 0;    ///< of the ORT
  std::uint16_t layer = 0;
  std::uint8_t page_type = 0;  ///< handed through
  /// The page was read at step 0 and both hard tiers gave up the codewords: start with the first retry.
  bool sensed = false;
  CodewordMask codewords;  ///< wanted, at least one
  AttemptOrder attempt{};  ///< of RetryAttempt; nothing else heeds it
};

enum class FlashOp : std::uint8_t { kRead, kSetVref, kSoftRead, kRestore };

/// To the flash channel controller; answered by flash_done().
struct FlashCommand {
  FlashOp op = FlashOp::kRead;
  unsigned step = 0;             ///< of the retry table (kRestore: 0)
  ReferenceOffsets offsets{};    ///< kSetVref: to add to the references of `step`
  unsigned soft_read = 0;        ///< kSoftRead: 0 to 6
  int soft_offset = 0;           ///< kSoftRead: to add to every reference that was set
  CodewordMask codewords;        ///< kRead, kSoftRead: to hand over
};

enum class DecodeOp : std::uint8_t { kT1, kT2H, kT2S, kLoadLlr };

/// To the decoders; answered by one verdict for each codeword, kLoadLlr by nothing.
struct DecodeCommand {
  DecodeOp op = DecodeOp::kT1;
  unsigned level = 0;  ///< soft level
  unsigned max_iterations = 0;
  LlrTable llr{};          ///< kT2H, kLoadLlr
  CodewordMask codewords;  ///< to decode
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
inline constexpr unsigned kCodeShift = 0;              // 3 bits
inline constexpr std::uint32_t kRestoreFailed = 1U << 3;
inline constexpr unsigned kRetriesShift = 4;           // 5 bits
inline constexpr unsigned kStepShift = 9;              // 4 bits: last hard step, or the centre of the soft reads
inline constexpr unsigned kSoftShift = 13;             // 2 bits: last soft level
inline constexpr unsigned kTiersShift = 15;            // 3 bits: tier 1, tier 2 hard, tier 2 soft decoded something
inline constexpr std::uint32_t kMiscorrected = 1U << 18;
inline constexpr std::uint32_t kOrtHit = 1U << 19;
inline constexpr std::uint32_t kOrtUpdated = 1U << 20;
inline constexpr std::uint32_t kInjected = 1U << 21;   // an injected error changed a verdict
inline constexpr unsigned kFailedShift = 24;           // 8 bits: codewords without data
}  // namespace retry_status

struct RetryResult {
  std::uint16_t tag = 0;
  RetryCode code = RetryCode::kOk;
  CodewordMask failed;       ///< codewords without data
  std::uint32_t status = 0;  ///< history: retry_status
  AttemptReport report{};    ///< of RetryAttempt
};

/// What the owner has to do next.
enum class RetryAction : std::uint8_t { kNothing, kFlash, kDecode, kResult };

/// Two ways to use it. A model calls start(), then next(): kFlash and kDecode are done as flash_command() and
/// decode_command() say, after accept(); kNothing waits for flash_done(), verdict() or time_out(); kResult is fetched
/// by take_result(). A comparison with the RTL follows each clock: advance() in states that wait for nothing, accept()
/// when a command is taken, and so on. A call that does not fit the state throws std::logic_error.
class ReadRetry {
 public:
  /// All three may be shared and must outlive the object.
  ReadRetry(const RetrySettings& settings, OptimalReferences& ort, RetryCounters& counters)
      : settings_(settings), ort_(ort), counters_(counters) {}

  void start(const RetryRequest& request);
  /// Runs through the states that wait for nothing.
  RetryAction next();
  /// The command offered was taken. kLoadLlr has no answer: call next() again.
  void accept();

  void flash_done(bool ok);
  /// In any order of codewords.
  void verdict(const CodewordVerdict& verdict);
  void time_out();  ///< the answer awaited will not come
  void abort();     ///< any time
  /// In kDone and kFail; the object is then idle.
  RetryResult take_result();

  [[nodiscard]] RetryState state() const { return state_; }
  [[nodiscard]] bool idle() const { return state_ == RetryState::kIdle; }
  [[nodiscard]] bool offers_flash() const;   ///< a flash command waits to be taken
  [[nodiscard]] bool offers_decode() const;  ///< a decoder command waits to be taken
  [[nodiscard]] bool awaits_flash() const;   ///< a flash command's answer is awaited
  [[nodiscard]] bool awaits_verdict() const;
  [[nodiscard]] const CodewordMask& awaited() const { return awaited_; }  ///< verdicts that are to come
  /// The command offered, or the one whose answer is awaited.
  [[nodiscard]] FlashCommand flash_command() const;
  [[nodiscard]] DecodeCommand decode_command() const;
  [[nodiscard]] RetryResult result() const;  ///< in kDone and kFail
  [[nodiscard]] const RetryRequest& request() const { return request_; }
  /// Something other than the default references may be set in the die.
  [[nodiscard]] bool references_changed() const { return changed_; }
  [[nodiscard]] bool ort_updated() const { return (flags_ & retry_status::kOrtUpdated) != 0; }  ///< by this read

  void advance();  ///< one step of a state that waits for nothing
  [[nodiscard]] bool internal() const;

 private:
  void enter(RetryState state);
  void enter_decode(RetryState state);
  void leave(RetryCode code);
  void look_up();
  void judge();
  void next_retry();
  void note_weight();
  void update_ort();
  void count_sectors();
  [[nodiscard]] unsigned entry_step() const;  // the table may have become shorter
  [[nodiscard]] int next_step() const;        // -1: all tried
  [[nodiscard]] unsigned final_step() const { return level_ == 0 ? step_ : best_step_; }

  const RetrySettings& settings_;
  OptimalReferences& ort_;
  RetryCounters& counters_;

  RetryRequest request_;
  RetryState state_ = RetryState::kIdle;
  bool sent_ = false;      // the state's command was taken
  bool aborting_ = false;
  bool changed_ = false;   // references: a RESTORE is due
  RetryCode code_ = RetryCode::kOk;
  CodewordMask pending_;   // without data
  CodewordMask awaited_;   // verdicts
  CodewordMask failed_;    // of this decoding
  RetryState decoding_ = RetryState::kIdle;  // which one the CRC state judges
  OptimalReferences::Entry entry_;
  bool first_from_ort_ = false;
  std::uint16_t tried_ = 0;  // steps
  unsigned retries_ = 0;
  unsigned step_ = 0;        // of the last hard read
  unsigned set_step_ = 0;    // set in the die
  unsigned weight_ = 0;      // of the codewords that tier 1 left, at this step
  unsigned weighed_ = 0;     // codewords in weight_
  unsigned best_step_ = 0;
  unsigned best_weight_ = 0;
  unsigned best_weighed_ = 0;  // 0: no step weighed yet
  unsigned level_ = 0;
  unsigned soft_read_ = 0;
  unsigned tiers_ = 0;
  bool crc_corrupted_ = false;
  std::uint32_t flags_ = 0;
};

}  // namespace wordline::ecc
