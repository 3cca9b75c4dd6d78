// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/channel_bus.h"

#include <algorithm>

#include "tlm/protocol/interfaces.h"

namespace wordline::flash {
namespace {

constexpr std::uint32_t kNoDie = 0xffffffff;

}  // namespace

ChannelBus::ChannelBus(const tlm_if::SimulationContext& context, OnfiInitiatorSocket& socket,
                       const config::Config& config, const config::Layout& layout, const SpareTable* spares)
    : context_(context),
      socket_(socket),
      spares_(spares),
      packages_(config.channels.packages),
      blocks_(layout.superblocks),
      t_rhw_(config.channels.t_rhw),
      timing_(config.channels),
      codec_(config, layout),
      addressed_(config.channels.packages, kNoDie),
      output_end_(config.channels.packages, Picoseconds(0) - config.channels.t_rhw),
      activity_(layout.dies / config.channels.count),
      slc_mode_(config.ftl.has_slc_cache() ? std::size_t{layout.dies / config.channels.count} * layout.superblocks : 0),
      page_(layout.lpages_per_page),
      error_counts_(layout.lpages_per_page) {
  errors_.lpages = error_counts_.data();
}

/// The start of a command or status that is asked for at `at`. When that is the first instant that tRHW allows, the
/// idle time before it was for tRHW's sake.
Picoseconds ChannelBus::after_output(std::uint32_t die, Picoseconds at) {
  const Picoseconds allowed = output_end_[package(die)] + t_rhw_;
  if (at > allowed) return at;
  if (allowed > free_at()) turnaround_ += allowed - free_at();
  return allowed;
}

const OnfiTransaction& ChannelBus::command(std::uint32_t die, const onfi::Cycles& cycles, Picoseconds at) {
  return send(die, onfi::SegmentKind::kCommand, cycles, after_output(die, at));
}

const OnfiTransaction& ChannelBus::status(std::uint32_t die, const onfi::Address& of, Picoseconds at) {
  send(die, onfi::SegmentKind::kStatus, codec_.read_status(of), after_output(die, at));
  output_end_[package(die)] = transaction_.end;
  return transaction_;
}

const OnfiTransaction& ChannelBus::plane_status(std::uint32_t die, const onfi::Address& of, Picoseconds at) {
  send(die, onfi::SegmentKind::kStatus, codec_.read_plane_status(of), after_output(die, at));
  output_end_[package(die)] = transaction_.end;
  return transaction_;
}

const OnfiTransaction& ChannelBus::set_feature(std::uint32_t die, const onfi::FeatureWrite& write, Picoseconds at) {
  transaction_.parameters = write.value;
  return send(die, onfi::SegmentKind::kSetFeatures, codec_.set_features(die / packages_, write.feature),
              after_output(die, at));
}

const OnfiTransaction& ChannelBus::get_feature(std::uint32_t die, std::uint8_t feature, Picoseconds at) {
  return send(die, onfi::SegmentKind::kGetFeatures, codec_.get_features(die / packages_, feature),
              after_output(die, at));
}

const OnfiTransaction& ChannelBus::feature_out(std::uint32_t die, Picoseconds at) {
  send(die, onfi::SegmentKind::kFeatureOut, {}, at);
  output_end_[package(die)] = transaction_.end;
  return transaction_;
}

const OnfiTransaction& ChannelBus::data_in(std::uint32_t die, std::uint32_t lpages, Picoseconds at) {
  return send_data(die, onfi::SegmentKind::kDataIn, lpages, at);
}

const OnfiTransaction& ChannelBus::data_out(std::uint32_t die, std::uint32_t lpages, Picoseconds at,
                                            const nand::ReadParameters* together) {
  errors_.together = together;
  transaction_.errors = &errors_;
  send_data(die, onfi::SegmentKind::kDataOut, lpages, at);
  transaction_.errors = nullptr;
  output_end_[package(die)] = transaction_.end;
  return transaction_;
}

const OnfiTransaction& ChannelBus::mark_out(std::uint32_t die, Picoseconds at) {
  transaction_.kind = onfi::SegmentKind::kDataOut;
  transaction_.cycles = {};
  transaction_.bytes = onfi::kMarkBytes;
  transaction_.lpages = nullptr;
  transaction_.lpage_count = 0;
  transport(die, at);
  output_end_[package(die)] = transaction_.end;
  return transaction_;
}

const OnfiTransaction& ChannelBus::send(std::uint32_t die, onfi::SegmentKind kind, const onfi::Cycles& cycles,
                                        Picoseconds at) {
  transaction_.kind = kind;
  transaction_.cycles = cycles;
  transaction_.bytes = 0;
  transaction_.lpages = nullptr;
  transaction_.lpage_count = 0;
  return transport(die, at);
}

const OnfiTransaction& ChannelBus::send_data(std::uint32_t die, onfi::SegmentKind kind, std::uint32_t lpages,
                                             Picoseconds at) {
  transaction_.kind = kind;
  transaction_.cycles = {};
  transaction_.bytes = lpages * codec_.lpage_bytes();
  transaction_.lpages = page_.data();
  transaction_.lpage_count = lpages;
  return transport(die, at);
}

const OnfiTransaction& ChannelBus::transport(std::uint32_t die, Picoseconds at) {
  transaction_.die = static_cast<std::uint16_t>(die);
  transaction_.ready_at = Picoseconds(0);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = tlm_if::to_sc_time(at - context_.now());
  socket_->nb_transport_fw(transaction_, phase, delay);
  addressed_[package(die)] = die;
  note_activity(die);
  transaction_.tag = WL_NO_TAG;
  return transaction_;
}

}  // namespace wordline::flash
