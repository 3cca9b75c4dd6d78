// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/flash/bus/onfi_bus.h"

#include <cstdio>

#include "models/config/bus_modes.h"
#include "models/onfi/features.h"

namespace wordline::flash {

namespace {

using onfi::SegmentKind;

constexpr const char* kReportId = "/wordline/flash/bus";
constexpr std::uint64_t kIdle = 0;  // of the waveform's enum; kinds follow

const char* verb(const OnfiTransaction& t) {
  switch (t.kind) {
    case SegmentKind::kDataIn:
      return "DATA IN";
    case SegmentKind::kDataOut:
      return "DATA OUT";
    case SegmentKind::kStatus:
      return "STATUS";
    case SegmentKind::kSetFeatures:
      return "SET FEATURES";
    case SegmentKind::kGetFeatures:
      return "GET FEATURES";
    case SegmentKind::kFeatureOut:
      return "FEATURES";
    case SegmentKind::kReset:
      return "RESET";
    case SegmentKind::kCommand:
      break;
  }
  return "COMMAND";
}

}  // namespace

OnfiBus::OnfiBus(const sc_core::sc_module_name& name, const config::Config& config, const config::Layout& layout,
                 ChannelId channel, BusSnoopIf* snoop, tlm_if::RecorderIf* recorder)
    : sc_module(name),
      packages_(config.channels.packages),
      die_count_(config.channels.packages * config.channels.dies_per_package),
      channels_(config.channels),
      codec_(config, layout),
      snoop_(snoop),
      recorder_(recorder),
      scope_("ssd.channel" + std::to_string(channel.value()) + ".bus"),
      places_(recorder != nullptr ? die_count_ : 0) {
  for (unsigned package = 0; package < packages_; ++package) {
    targets_.push_back({channels_.mode, onfi::BusTiming(channels_), static_cast<std::uint16_t>(package)});
  }
  socket.bind(*this);
  if (recorder_ != nullptr) {
    kind_signal_ = recorder_->add_enum(
        scope_, "segment",
        {"idle", "command", "data_in", "data_out", "status", "set_features", "get_features", "feature_out", "reset"});
    text_signal_ = recorder_->add_text(scope_, "transaction");
    command_signal_ = recorder_->add_vector(scope_, "command", 8);
  }
}

void OnfiBus::end_of_elaboration() {
  if (static_cast<unsigned>(dies.size()) != die_count_) {
    const std::string text = std::string(name()) + ": " + std::to_string(dies.size()) +
                             " dies bound, the channel has " + std::to_string(die_count_) +
                             "; bind every die of the channel to `dies`, in order";
    SC_REPORT_ERROR(kReportId, text.c_str());
  }
}

bool OnfiBus::select(const OnfiTransaction& t) {
  std::uint16_t& selected = targets_[t.die % packages_].selected;
  // Without an address a command goes to the LUN that is selected.
  const std::uint8_t opcode = t.cycles.opcode;
  const bool bare =
      opcode == onfi::kReadCache || opcode == onfi::kReadCacheEnd || opcode == onfi::kSelectSoftPlane;
  if (t.kind == SegmentKind::kDataOut || (t.kind == SegmentKind::kCommand && bare)) return selected == t.die;
  // Whatever carries a row address makes its LUN the one that answers.
  if (t.cycles.address_count >= codec_.row_cycles() && t.kind != SegmentKind::kDataIn) selected = t.die;
  return true;
}

tlm::tlm_sync_enum OnfiBus::nb_transport_fw(OnfiTransaction& t, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Picoseconds present = tlm_if::now();
  t.ok = false;
  t.status = 0;
  t.ready_at = Picoseconds{};
  t.array_ready_at = Picoseconds{};
  t.start = present + Picoseconds(static_cast<std::int64_t>(delay.value()));
  t.end = t.start + targets_[t.die % packages_].timing.segment(t.kind, t.cycles, t.bytes);
  const auto reject = [&](const std::string& what) {
    const std::string text = std::string(name()) + ": die " + std::to_string(t.die) + " at " +
                             std::to_string(t.start.count()) + " ps: " + what;
    SC_REPORT_ERROR(kReportId, text.c_str());
  };

  bool carried = false;
  if (phase != tlm::BEGIN_REQ) {
    reject("the only phase of this protocol is BEGIN_REQ");
  } else if (t.die >= die_count_) {
    reject("the channel has " + std::to_string(die_count_) + " dies");
  } else if (t.start < free_at_) {
    reject("the bus is in use until " + std::to_string(free_at_.count()) + " ps");
  } else if (!select(t)) {
    reject(
        "data output, READ CACHE or C0h of a LUN that is not selected; CHANGE READ COLUMN ENHANCED (06h) or 78h first");
  } else {
    carried = true;
  }
  if (snoop_ != nullptr && phase == tlm::BEGIN_REQ) snoop_->segment(t);
  if (carried) {
    free_at_ = t.end;
    busy_.add(t.end - t.start);
    if (recorder_ != nullptr) record(t);
    dies[static_cast<int>(t.die)]->segment(t);
    if (t.kind == SegmentKind::kSetFeatures || t.kind == SegmentKind::kReset) follow_mode(t);
  }
  delay = tlm_if::to_sc_time(t.end - present);
  return tlm::TLM_COMPLETED;
}

void OnfiBus::follow_mode(const OnfiTransaction& t) {
  if (!t.ok) return;
  Package& target = targets_[t.die % packages_];
  config::BusMode mode = target.mode;
  if (t.kind == SegmentKind::kReset) {
    if (t.cycles.opcode == onfi::kReset) mode = onfi::mode_after_reset(mode);
  } else if (t.cycles.address[t.cycles.address_count - 1U] == onfi::kFeatureTimingMode) {
    mode = onfi::timing_mode(t.parameters, channels_.mode.interface).value_or(mode);
  }
  if (mode == target.mode) return;
  target.mode = mode;
  target.timing = onfi::BusTiming(config::switched_to(channels_, mode));
}

void OnfiBus::b_transport(OnfiTransaction&, sc_core::sc_time&) {
  SC_REPORT_ERROR(kReportId, (std::string(name()) + ": segments are sent with nb_transport_fw").c_str());
}

void OnfiBus::record(const OnfiTransaction& t) {
  const auto kind = static_cast<std::uint64_t>(t.kind) + 1;
  recorder_->set(kind_signal_, t.start, kind);
  recorder_->set(kind_signal_, t.end, kIdle);
  if (t.cycles.address_count >= 2 && t.kind == SegmentKind::kCommand) {
    const onfi::SequenceRule* rule = onfi::find_rule(t.cycles, codec_.row_cycles());
    if (rule != nullptr) {
      const onfi::Address at = codec_.decode(t.cycles, rule->address);
      Place& place = places_[t.die];
      if (rule->address != onfi::AddressKind::kColumn) place = {at.block.value(), at.page.value(), 0};
      place.sector = at.column / codec_.sector_bytes();
    }
  }
  if (!recorder_->active()) return;

  const bool data = t.kind == SegmentKind::kDataIn || t.kind == SegmentKind::kDataOut;
  if (!data && t.kind != SegmentKind::kFeatureOut) recorder_->set(command_signal_, t.start, t.cycles.last_command());
  const Place& place = places_[t.die];
  const onfi::SequenceRule* rule =
      t.kind == SegmentKind::kCommand ? onfi::find_rule(t.cycles, codec_.row_cycles()) : nullptr;
  const std::string_view what = rule != nullptr ? rule->name : std::string_view(verb(t));
  char text[96];
  int length = std::snprintf(text, sizeof text, "%.*s d%u", static_cast<int>(what.size()), what.data(), t.die);
  if (data || t.kind == SegmentKind::kCommand) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " b%u p%u", place.block,
                            place.page);
  }
  if (data) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " s%u+%u", place.sector,
                            t.sector_count);
  }
  recorder_->set_text(text_signal_, t.start, std::string_view(text, static_cast<std::size_t>(length)));
  recorder_->set_text(text_signal_, t.end, "");
}

}  // namespace wordline::flash
