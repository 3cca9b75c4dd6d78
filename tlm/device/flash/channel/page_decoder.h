// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/ecc/retry/read_retry.h"
#include "tlm/device/ecc/ecc_if.h"
#include "tlm/device/ecc/ecc_registers.h"
#include "tlm/device/flash/channel/read_group.h"
#include "tlm/device/flash/channel/sequence_context.h"

namespace wordline::flash {

/// What becomes of the logical pages of one die's page off the bus: decoded one by one as the last bit of each comes
/// in, its bytes over the DRAM port, and the completion of a job when the last of its logical pages is there. Logical
/// pages that are complete are delivered at once; of the others it keeps which codewords lack data. An erased page is
/// recognised (no ECC failure, token zero). Errors made on purpose (ECC.INJECT) are made here. Raw bit errors come over
/// the bus (ReadErrors). Which reads are made after a failure is not decided here: RetryConductor.
///
/// Codeword c of logical page s is number ChannelRules::retry_places() s + c; logical pages count through all planes.
/// Known gap: the DRAM port is asked for a logical page when the data of its plane have ended.
class PageDecoder {
 public:
  /// What the decoder shares with those of the other dies.
  struct Shared {
    ecc::EccIf& decoder;
    ecc::EccRegisters& registers;
    std::uint64_t seed;
    PageEngine* engine = nullptr;  // null: there is none
  };
  /// How the page on its way was read.
  struct Reading {
    unsigned step = 0;     // reference step set in the die
    unsigned retries = 0;  // reference steps taken after the first read
    bool first = true;     // no retry controller counts the outcomes
    bool soft = false;     // one of several soft reads: not decoded by itself
    bool centre = false;   // the one of these at the references themselves
    bool last = false;     // the last of these reads: the bins of all come with it
  };

  PageDecoder(const SequenceContext& context, const Shared& shared);

  /// The run of `group` has just come off the bus.
  void take(ReadGroup& group, const Reading& reading);
  /// Soft decoding of all that `group` lacks, at soft level `level`; the reads are complete at `at`.
  void decode_soft(ReadGroup& group, unsigned level, Picoseconds at);

  /// Ends the jobs that have all their logical pages.
  void complete(ReadGroup& group, unsigned retries);
  /// Ends all jobs of `group`, not before `known`, as uncorrectable. Logical pages given up leave token zero without
  /// owner in their slots. `history`: ECC.LAST_STATUS of the read.
  void give_up(ReadGroup& group, Picoseconds known, unsigned retries, std::uint32_t history);
  /// Ends the jobs for firmware that controls retries: completions count the codewords that lack data, slots remember
  /// them.
  void hand_back(ReadGroup& group, Picoseconds known, std::uint32_t report);

  /// Codewords of what `group` lacks.
  [[nodiscard]] ecc::CodewordMask lacking(const ReadGroup& group) const;
  /// Only `codewords` of logical page `s` are wanted.
  void want(std::uint32_t s, unsigned codewords) { lpages_[s].wanted = codewords; }
  /// What `group` lacks is wanted as a whole: it will be read again.
  void want_all(const ReadGroup& group);
  /// The outcome of the last decoding.
  [[nodiscard]] const ecc::CodewordOutcome& outcome(unsigned codeword) const {
    const unsigned places = context_.rules.retry_places();
    return lpages_[codeword / places].outcomes[codeword % places];
  }
  /// ECC.INJECT has changed a verdict of this read.
  [[nodiscard]] bool injected() const { return injected_; }
  /// A retry begins; `crc_corrupted`: the CRC error of this read has been made.
  void begin_retry(bool crc_corrupted) { crc_corrupted_ = crc_corrupted; }
  void forget_injection() { injected_ = false; }

 private:
  struct Lpage {
    unsigned wanted = 0;       // codewords without data
    unsigned corrected = 0;    // bits, in the worst of those that have theirs
    nand::StoredLpage stored;  // stored as it came off the bus
    std::array<ecc::CodewordOutcome, ecc::kMostCodewords> outcomes{};
  };
  /// What soft reads have left of it.
  struct SoftLpage {
    std::uint64_t key = 0;  // key of the centre read
    ReadErrors::Lpage centre_errors{};
    nand::SoftChannel bins;  // bins of all reads together
  };

  /// A logical page with all its data, which are checked at `at`.
  struct Checked {
    std::uint32_t s;
    Picoseconds at;
  };

  void conclude(ReadGroup& group, std::uint32_t s, const ecc::EccIf::Result& result, const Reading& reading);
  void inject(ecc::CodewordOutcome& outcome, const Reading& reading);
  void deliver(ReadGroup& group);
  void end(ReadGroup& group);

  const SequenceContext& context_;
  const Shared shared_;
  const unsigned all_;  // codewords of a logical page, as bits
  std::vector<Lpage> lpages_;
  std::vector<SoftLpage> soft_;   // soft by logical page, from the first soft read on
  std::vector<Checked> checked_;  // on their way to their slots
  std::vector<tlm_if::Transfer> transfers_;
  bool crc_corrupted_ = false;  // an injected CRC error has been made in this read
  bool injected_ = false;       // an injected error of any kind
};

}  // namespace wordline::flash
