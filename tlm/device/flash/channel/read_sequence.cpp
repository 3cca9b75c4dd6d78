// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/read_sequence.h"

#include <algorithm>

namespace wordline::flash {

Next ReadSequence::command(Picoseconds at) {
  const std::uint32_t next = group_.next_plane(group_.plane + 1);
  const bool last = next == ReadGroup::kNoPlane;
  const bool single = last && group_.sensed == 0;
  const onfi::AddressCodec& codec = context_.bus.codec();
  onfi::Address to = context_.bus.address(context_.die, group_, group_.plane);
  if (single) {
    group_.find_run();
    to.column = codec.column_of(group_.lpage % context_.rules.lpages_per_page);
  }
  context_.bus.serves(group_.any().tag);
  const OnfiTransaction& sent =
      context_.bus.command(context_.die, codec.read(to, last ? onfi::kReadConfirm : onfi::kReadNextPlane), at);
  if (group_.command < Picoseconds(0)) group_.command = sent.start;
  group_.sensed |= 1U << group_.plane;
  if (!last) {
    group_.plane = next;
    return {Step::kReadCommand, sent.ready_at};
  }
  in_place_ = single;
  selected_ = false;
  if (group_.array < Picoseconds(0)) group_.array = sent.end;
  context_.arbiter.senses(context_.die, group_.sensed_planes());
  return {Step::kArray};
}

Next ReadSequence::sensed(Picoseconds at) {
  const std::uint32_t column_at = group_.lpage;
  begin_output(at);
  // A job that joined since may want logical pages before those of the command.
  in_place_ = in_place_ && group_.lpage == column_at;
  return {Step::kDataOut, at};
}

Next ReadSequence::kept(Picoseconds at, std::uint32_t planes) {
  context_.arbiter.senses(context_.die, group_.planes_to_command());
  group_.command = group_.array = at;
  group_.sensed = planes;
  begin_output(at);
  data_after_ = at;  // tRR has passed since the sense
  in_place_ = false;
  return {Step::kDataOut, at};
}

Next ReadSequence::cached(Picoseconds at) {
  context_.arbiter.senses(context_.die, group_.sensed_planes());
  begin_output(at);
  const bool one_plane = (group_.sensed & (group_.sensed - 1)) == 0;
  in_place_ = one_plane && group_.lpage % context_.rules.lpages_per_page == 0;
  return {Step::kDataOut, at};
}

void ReadSequence::begin_output(Picoseconds at) {
  data_after_ = at + context_.rules.channels.t_rr;
  streamed_ = selected_ = false;
  if (group_.retry < Picoseconds(0)) group_.ready = at;
  group_.find_run();
}

BusRequest ReadSequence::output_request(Picoseconds from) const {
  if (!needs_selection()) from = std::max(from, data_after_);
  if (selected_) return {BusClass::kSelectedOut, from};
  if (streamed_) return {BusClass::kMoreOut, from, WorthWaiting::kTurnaround};
  return {BusClass::kOut, from};
}

Next ReadSequence::output(Picoseconds at, const nand::ReadParameters* together) {
  context_.arbiter.stream(context_.die, group_.wants_more());
  if (needs_selection()) {
    const std::uint32_t lpages = context_.rules.lpages_per_page;
    const onfi::AddressCodec& codec = context_.bus.codec();
    onfi::Address to = context_.bus.address(context_.die, group_, group_.lpage / lpages);
    to.column = codec.column_of(group_.lpage % lpages);
    context_.bus.serves(group_.any().tag);
    const OnfiTransaction& sent = context_.bus.command(context_.die, codec.change_read_column(to), at);
    selected_ = true;
    context_.arbiter.lock(context_.die);
    return {Step::kDataOut, std::max(sent.end + context_.rules.channels.t_ccs, data_after_)};
  }
  context_.bus.serves(group_.any().tag);
  const OnfiTransaction& data = context_.bus.data_out(context_.die, group_.run, std::max(at, data_after_), together);
  context_.arbiter.data_took(data.end - data.start);
  if (!group_.plane_wants_more()) context_.arbiter.page_is_out(context_.die);
  context_.arbiter.unlock(context_.die);
  selected_ = in_place_ = false;
  streamed_ = true;
  column_ = group_.lpage + group_.run;
  return {Step::kStreaming};
}

Picoseconds ReadSequence::next_run(Picoseconds end) {
  in_place_ = group_.lpage == column_ && column_ % context_.rules.lpages_per_page != 0;
  return in_place_ ? end : end + context_.rules.channels.t_rhw;
}

}  // namespace wordline::flash
