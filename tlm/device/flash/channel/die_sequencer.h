// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "tlm/device/flash/channel/cache_read_sequence.h"
#include "tlm/device/flash/channel/die_occupancy.h"
#include "tlm/device/flash/channel/die_queue.h"
#include "tlm/device/flash/channel/erase_sequence.h"
#include "tlm/device/flash/channel/kept_page.h"
#include "tlm/device/flash/channel/mark_sequence.h"
#include "tlm/device/flash/channel/page_decoder.h"
#include "tlm/device/flash/channel/program_sequence.h"
#include "tlm/device/flash/channel/read_sequence.h"
#include "tlm/device/flash/channel/retry_conductor.h"
#include "tlm/device/flash/channel/suspension.h"

namespace wordline::flash {

/// One die of a channel: its queue of jobs, and the step in which it is. Each event (a job, the bus, the end of data,
/// R/B_n) is given to the sequence at work, which answers with the step that follows; then the sequencer asks the
/// arbiter for what that step needs. What each step asks for and does with the bus stands in one table, kRows.
///
/// A die whose read decodes at once takes its next job at the end of data, before the verdict is out.
class DieSequencer {
 public:
  /// `owner` names the channel in reports. What `context` and `decoding` name outlives the sequencer.
  struct Setup {
    std::string owner;
    SequenceContext context;
    PageDecoder::Shared decoding;
    const config::Config& config;
    const config::Layout& layout;
    std::unique_ptr<ecc::RetryIf> machine;
  };

  explicit DieSequencer(Setup setup);
  DieSequencer(const DieSequencer&) = delete;
  DieSequencer& operator=(const DieSequencer&) = delete;

  void take_job(JobIndex index, Picoseconds at);
  /// Whether a program or erase of the block waits or runs.
  [[nodiscard]] bool writes(std::uint32_t block) const { return queue_.writes(block); }
  /// The arbiter has given the bus to this die.
  void use_bus(Picoseconds at);
  /// The data of the die are on the bus until ChannelBus::free_at(); data_ended() is due then.
  [[nodiscard]] bool streaming() const { return step_ == Step::kStreaming; }
  void data_ended();
  /// R/B_n has risen.
  void ready(Picoseconds at);

  [[nodiscard]] const RetryConductor& retry() const { return *retry_; }
  /// Reads that found their page in the die's register.
  [[nodiscard]] std::uint64_t register_hits() const { return register_hits_; }

 private:
  using Request = std::optional<BusRequest>;
  struct Row {
    Request (DieSequencer::*request)(Picoseconds at);
    Next (DieSequencer::*use_bus)(Picoseconds at);
  };
  static const std::array<Row, kSteps> kRows;
  [[nodiscard]] const Row& row() const { return kRows[static_cast<std::size_t>(step_)]; }

  void follow(const Next& next) {
    const bool job_ends = next.step == Step::kIdle && step_ != Step::kIdle;
    step_ = next.step;
    if (from_ < next.from) from_ = next.from;
    if (job_ends) from_ += context_.rules.channels.hand_over;
  }
  void ask(Picoseconds at);
  bool join(JobIndex index);
  [[nodiscard]] JobIndex write_job() const;
  [[nodiscard]] JobIndex write_at_work() const;

  // What a step asks of the bus; nothing: it waits for something else.
  Request ask_for_job(Picoseconds at);
  Request ask_for_suspend(Picoseconds at);
  Request ask_for_command(Picoseconds);
  Request ask_for_status(Picoseconds) { return BusRequest{BusClass::kShort, from_, WorthWaiting::kTurnaround}; }
  Request ask_for_references(Picoseconds) { return BusRequest{BusClass::kShort, from_}; }
  Request ask_for_output(Picoseconds) {
    return marks_.job() == kNoJob ? reads_.output_request(from_) : BusRequest{BusClass::kOut, from_};
  }
  Request ask_for_program(Picoseconds) { return BusRequest{programs_.next_class(), from_}; }
  Request ask_for_nothing(Picoseconds) { return std::nullopt; }

  // What it does with the bus.
  Next begin_job(Picoseconds at);
  Next suspend(Picoseconds at);
  Next command_page(Picoseconds at) {
    return step_ == Step::kReadCommand ? reads_.command(at) : cache_reads_.command(at);
  }
  Next command_block(Picoseconds at) { return marks_.job() == kNoJob ? erases_.command(at) : marks_.command(at); }
  Next output(Picoseconds at) {
    return marks_.job() == kNoJob ? reads_.output(at, retry_->together()) : marks_.output(at);
  }
  Next program(Picoseconds at) { return programs_.segment(at); }
  Next set_reference(Picoseconds at) { return retry_->set_reference(at); }
  Next read_status(Picoseconds at);
  Next read_cache_status(Picoseconds at);
  Next not_asked(Picoseconds at);

  const SequenceContext context_;
  DieQueue queue_;
  DieOccupancy occupancy_;
  ReadSequence reads_;
  KeptPage kept_;
  CacheReadSequence cache_reads_;
  ProgramSequence programs_;
  EraseSequence erases_;
  MarkSequence marks_;
  Suspension suspension_;
  PageDecoder decoder_;
  const std::unique_ptr<RetryConductor> retry_;
  Step step_ = Step::kIdle;
  Picoseconds from_{};  // not on the bus before
  std::uint64_t register_hits_ = 0;
};

}  // namespace wordline::flash
