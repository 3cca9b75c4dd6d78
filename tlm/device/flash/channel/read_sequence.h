// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/device/flash/channel/read_group.h"
#include "tlm/device/flash/channel/sequence_context.h"

namespace wordline::flash {

/// The read under way: command (00h ADDR 30h, by plane when the run of logical pages crosses planes), tR, data out by
/// plane. A plane whose page is not in front of the wires needs a column selection (06h ADDR E0h, tCCS) before its
/// data. Decoding, retry and the end of jobs are not done here; READ CACHE is CacheReadSequence.
class ReadSequence {
 public:
  explicit ReadSequence(const SequenceContext& context) : context_(context), group_(context.no_reads()) {}

  /// The jobs that one sense serves.
  [[nodiscard]] ReadGroup& group() { return group_; }
  [[nodiscard]] const ReadGroup& group() const { return group_; }

  /// The next plane's command.
  Next command(Picoseconds at);
  /// The page is in the die's register from `at` on, the column at the first logical page of the sense.
  Next sensed(Picoseconds at);
  /// The wanted pages are in the die's register already, of those in `planes`: no command, no sense.
  Next kept(Picoseconds at, std::uint32_t planes);
  /// The page that READ CACHE has put into the register; the column is 0.
  Next cached(Picoseconds at);
  /// From the next plane's command to the data.
  [[nodiscard]] Picoseconds until_data() const { return context_.until_data(group_.any(), group_.planes_to_command()); }
  /// What the data out asks of the bus, at the earliest from `from` on.
  [[nodiscard]] BusRequest output_request(Picoseconds from) const;
  /// Column selection, or the data of the run (ReadGroup::logical page, run). `together`: see ReadErrors.
  Next output(Picoseconds at, const nand::ReadParameters* together);
  /// Data are out until `end`, and the group has a next run: when the bus may carry it.
  Picoseconds next_run(Picoseconds end);
  /// Whether a job that comes now may change what the next data out brings.
  [[nodiscard]] bool column_is_open() const { return !selected_ && !in_place_; }

 private:
  void begin_output(Picoseconds at);
  [[nodiscard]] bool needs_selection() const {
    return !selected_ && !(in_place_ && context_.bus.addressed_last(context_.die));
  }

  const SequenceContext& context_;
  ReadGroup group_;
  bool selected_ = false;     // the column of the next data was selected by 06h, tCCS apart
  bool in_place_ = false;     // the column of the next data: a read command of one plane, or the data before, set it
  bool streamed_ = false;     // some data of this sense are out
  std::uint32_t column_ = 0;  // logical page at which the last data ended
  Picoseconds data_after_{};  // R/B_n rise + tRR
};

}  // namespace wordline::flash
