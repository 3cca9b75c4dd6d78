// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/onfi/features.h"
#include "tlm/device/ecc/retry_if.h"
#include "tlm/device/flash/channel/page_decoder.h"

namespace wordline::flash {

/// Read retry of one die: carries out the commands of its read-retry controller (models/ecc/retry/read_retry.h). SET
/// FEATURES 89h and A0h.. with other references, the planes of the failed logical pages sensed again and only these
/// streamed out and decoded; at the end the references are set back. The die is held meanwhile.
///
/// What begins a retry and what its end means to the firmware is different in the two classes below: HardwareRetry
/// (hardware_retry.h) and FirmwareRetry (firmware_retry.h, engines.retry off).
class RetryConductor {
 public:
  /// `group`: the read under way; `decoder`: of the same die. All outlive the conductor.
  struct Parts {
    ReadGroup& group;
    PageDecoder& decoder;
    ecc::EccRegisters& registers;
    const config::NandGeometry& geometry;
    const config::Layout& layout;
  };

  RetryConductor(const SequenceContext& context, const Parts& parts, std::unique_ptr<ecc::RetryIf> machine);
  RetryConductor(const RetryConductor&) = delete;
  RetryConductor& operator=(const RetryConductor&) = delete;
  virtual ~RetryConductor() = default;

  /// The group has just been taken from the queue.
  virtual Next begin_read(Picoseconds at) = 0;
  /// Codewords of a first read have failed, and its data have all been out.
  virtual Next first_read_failed() = 0;
  /// A read has failed within READ CACHE. True: the group is to be read again when the sequence has ended.
  virtual bool failed_in_sequence() = 0;

  /// A block is about to be erased.
  virtual void erases(const wl_flash_job& /*job*/) {}

  /// The data of a read that was made for the retry controller have all been out.
  Next data_ended(Picoseconds at);
  /// One SET FEATURES of those that are due.
  Next set_reference(Picoseconds at);

  [[nodiscard]] bool idle() const { return machine_->idle(); }
  /// Reference steps taken in this read.
  [[nodiscard]] unsigned retries() const { return retries_; }
  [[nodiscard]] PageDecoder::Reading reading() const;
  /// What the read under way completes: see ReadErrors. Null but for the last one of a soft level.
  [[nodiscard]] const nand::ReadParameters* together() const { return together_ ? &*together_ : nullptr; }
  /// Reads made for soft decoding since the start.
  [[nodiscard]] std::uint64_t soft_reads() const { return soft_reads_; }
  /// Time since the start in which the retry controller was at work.
  [[nodiscard]] Picoseconds busy() const { return busy_; }

 protected:
  /// The retry controller takes another step of the retry table.
  virtual void step_taken() = 0;
  /// The retry controller is idle again.
  virtual Next ended(ecc::RetryResult result, Picoseconds at) = 0;

  /// Starts the retry controller and does what it asks for, up to the next use of the bus.
  Next start(const ecc::RetryRequest& request, Picoseconds at);
  /// With the fields that say which page it is.
  [[nodiscard]] ecc::RetryRequest request_for(const wl_flash_job& job) const;
  /// h-layer of a page.
  [[nodiscard]] std::uint16_t layer_of(std::uint32_t page) const;
  /// The default references, where others are set: the SET FEATURES that it takes are due. False: none.
  bool restore_references();

  const SequenceContext& context_;
  ReadGroup& group_;
  PageDecoder& decoder_;
  ecc::EccRegisters& registers_;
  unsigned retries_ = 0;

 private:
  Next run(Picoseconds at);
  [[nodiscard]] std::optional<Next> take_flash_command(Picoseconds at);
  [[nodiscard]] Picoseconds decode(Picoseconds at);
  [[nodiscard]] nand::ReadParameters references(unsigned step, int offset) const;
  [[nodiscard]] std::optional<nand::ReadParameters> completed_senses() const;
  bool change_references(const nand::ReadParameters& to);
  [[nodiscard]] bool soft() const { return !idle() && command_.op == ecc::FlashOp::kSoftRead; }

  const std::unique_ptr<ecc::RetryIf> machine_;
  const config::NandGeometry geometry_;
  const config::Layout layout_;
  const unsigned states_;                   // states of a cell
  ecc::FlashCommand command_;               // under way
  nand::ReadParameters set_;                // in the die
  std::vector<onfi::FeatureWrite> writes_;  // writes that it still needs, last first
  std::optional<nand::ReadParameters> together_;
  std::uint64_t soft_reads_ = 0;
  Picoseconds started_{}, busy_{};
};

}  // namespace wordline::flash
