// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/bus/onfi_bus.h"

#include <fmt/core.h>

#include <cinttypes>
#include <cstdio>
#include <iterator>

#include "models/onfi/features.h"
#include "tlm/device/flash/bus/gate_wires.h"

namespace wordline::flash {

namespace {

using onfi::SegmentKind;

constexpr const char* kReportId = "/wordline/flash/bus";
constexpr std::uint64_t kIdle = 0;  // idle in the waveform's enum; kinds follow

/// What `transaction` shows of a segment that no sequence of the table names, by SegmentKind.
constexpr std::string_view kTexts[] = {"COMMAND",      "DATA IN",      "DATA OUT", "STATUS",
                                       "SET FEATURES", "GET FEATURES", "FEATURES", "RESET"};
static_assert(std::size(kTexts) == onfi::kSegmentKinds, "a text for each kind");

}  // namespace

OnfiBus::OnfiBus(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context,
                 const config::Config& config, const config::Layout& layout, ChannelId channel, BusSnoopIf* snoop,
                 tlm_if::RecorderIf* recorder)
    : sc_module(name),
      context_(context),
      packages_(config.channels.packages),
      die_count_(config.channels.packages * config.channels.dies_per_package),
      codec_(config, layout),
      snoop_(snoop),
      recorder_(recorder),
      scope_(fmt::format("ssd.channel{}.bus", channel.value())),
      addresses_(recorder != nullptr ? die_count_ : 0) {
  const onfi::TargetTiming timing(config.channels);
  for (unsigned package = 0; package < packages_; ++package) {
    targets_.push_back({timing, static_cast<std::uint16_t>(package)});
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
    SC_REPORT_ERROR(kReportId, fmt::format("{}: {} dies bound, the channel has {}; bind every die of the channel to "
                                           "`dies`, in order",
                                           name(), dies.size(), die_count_)
                                   .c_str());
  }
}

std::uint64_t OnfiBus::bytes() const {
  std::uint64_t sum = carried(SegmentKind::kDataIn).bytes + carried(SegmentKind::kDataOut).bytes;
  for (const SegmentKind kind : {SegmentKind::kCommand, SegmentKind::kStatus, SegmentKind::kSetFeatures,
                                 SegmentKind::kGetFeatures, SegmentKind::kReset})
    sum += carried(kind).cycles;
  sum += carried(SegmentKind::kStatus).segments;
  return sum + onfi::kFeatureBytes *
                   (carried(SegmentKind::kSetFeatures).segments + carried(SegmentKind::kFeatureOut).segments);
}

const onfi::Sequence* OnfiBus::sequence_of(const OnfiTransaction& t) const {
  return onfi::find_sequence(t.cycles, codec_.row_cycles(), codec_.column_cycles());
}

bool OnfiBus::select(const OnfiTransaction& t) {
  std::uint16_t& selected = targets_[t.die % packages_].selected;
  if (t.kind == SegmentKind::kDataOut) return selected == t.die;
  if (t.kind == SegmentKind::kDataIn) return true;
  // Whatever carries a row address makes its LUN the one that answers.
  const bool command = t.kind == SegmentKind::kCommand;
  const onfi::Sequence* const any = t.cycles.address_count >= codec_.row_cycles() ? sequence_of(t) : nullptr;
  if (any != nullptr && any->has_row()) {
    selected = t.die;
    return true;
  }
  const onfi::Sequence* sequence = command ? sequence_of(t) : nullptr;
  return sequence == nullptr || !sequence->for_selected_lun() || selected == t.die;
}

tlm::tlm_sync_enum OnfiBus::nb_transport_fw(OnfiTransaction& t, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Picoseconds present = context_.now();
  t.ok = false;
  t.status = 0;
  t.ready_at = Picoseconds{};
  t.array_ready_at = Picoseconds{};
  t.start = present + tlm_if::to_picoseconds(delay);
  t.end = t.start + targets_[t.die % packages_].timing.bus().segment(t.kind, t.cycles, t.bytes);
  const auto reject = [&](const std::string& what) {
    SC_REPORT_ERROR(kReportId, fmt::format("{}: die {} at {} ps: {}", name(), t.die, t.start.count(), what).c_str());
  };

  bool carried = false;
  if (phase != tlm::BEGIN_REQ) {
    reject("the only phase of this protocol is BEGIN_REQ");
  } else if (t.die >= die_count_) {
    reject(fmt::format("the channel has {} dies", die_count_));
  } else if (t.start < free_at_) {
    reject(fmt::format("the bus is in use until {} ps", free_at_.count()));
  } else if (!select(t)) {
    reject(
        "data output, READ CACHE or C0h of a LUN that is not selected; CHANGE READ COLUMN ENHANCED (06h) or 78h first");
  } else {
    carried = true;
  }
  if (gates_ == nullptr && snoop_ != nullptr && phase == tlm::BEGIN_REQ) snoop_->segment(t);
  if (carried) {
    if (gates_ == nullptr) {
      dies[static_cast<int>(t.die)]->segment(t);
    } else {
      act(t, present);
    }
    free_at_ = t.end;
    busy_.add(t.end - t.start);
    Carried& carried = carried_[static_cast<std::size_t>(t.kind)];
    ++carried.segments;
    carried.cycles += t.cycles.count();
    carried.bytes += t.bytes;
    if (tlm_if::listens(recorder_)) record(t);
    if (t.kind == SegmentKind::kSetFeatures || t.kind == SegmentKind::kReset) follow_mode(t);
  }
  delay = tlm_if::to_sc_time(t.end - present);
  return tlm::TLM_COMPLETED;
}

// The gates have what follows in one use of the wires as soon as these are free, and keep the waits themselves. An
// output needs the die's answer first, at the times that the gates are expected to keep.
void OnfiBus::act(OnfiTransaction& t, Picoseconds present) {
  DieIf& die = *dies[static_cast<int>(t.die)];
  gates_->expect(t, free_at_ > present ? free_at_ : t.start);
  const bool output =
      t.kind == SegmentKind::kDataOut || t.kind == SegmentKind::kFeatureOut || t.kind == SegmentKind::kStatus;
  if (output) die.segment(t);
  gates_->carry(t);
  if (snoop_ != nullptr) snoop_->segment(gates_->seen());
  if (!output) die.segment(t);
}

// What the die has obeyed switches the mode of its target.
void OnfiBus::follow_mode(const OnfiTransaction& t) {
  if (!t.ok) return;
  onfi::TargetTiming& target = targets_[t.die % packages_].timing;
  config::BusMode mode = target.mode();
  if (t.kind == SegmentKind::kReset) {
    if (sequence_of(t)->effect == onfi::Effect::kResetInterface) mode = onfi::mode_after_reset(mode);
  } else if (t.cycles.address[t.cycles.address_count - 1U] == onfi::kFeatureTimingMode) {
    mode = onfi::timing_mode(t.parameters, target.mode_after_power_on().interface).value_or(mode);
  }
  if (mode == target.mode()) return;
  target.switch_to(mode);
  switched_ = true;
}

void OnfiBus::b_transport(OnfiTransaction&, sc_core::sc_time&) {
  SC_REPORT_ERROR(kReportId, fmt::format("{}: segments are sent with nb_transport_fw", name()).c_str());
}

void OnfiBus::record(const OnfiTransaction& t) {
  const auto kind = static_cast<std::size_t>(t.kind);
  recorder_->set(kind_signal_, t.start, kind + 1);
  recorder_->set(kind_signal_, t.end, kIdle);
  const onfi::Sequence* sequence = t.kind == SegmentKind::kCommand ? sequence_of(t) : nullptr;
  ArrayAddress& last = addresses_[t.die];
  if (sequence != nullptr && t.cycles.address_count >= 2) {
    const onfi::Address at = codec_.decode(t.cycles, sequence->address);
    if (sequence->address != onfi::AddressKind::kColumn) last = {at.block.value(), at.page.value(), 0};
    last.lpage = at.column / codec_.lpage_bytes();
  }
  if (!recorder_->active()) return;

  const bool data = t.kind == SegmentKind::kDataIn || t.kind == SegmentKind::kDataOut;
  if (!data && t.kind != SegmentKind::kFeatureOut) recorder_->set(command_signal_, t.start, t.cycles.last_command());
  const std::string_view what = sequence != nullptr ? sequence->name : kTexts[kind];
  char text[160];
  int length = std::snprintf(text, sizeof text, "%.*s d%u", static_cast<int>(what.size()), what.data(), t.die);
  if (data || t.kind == SegmentKind::kCommand) {
    length +=
        std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " b%u p%u", last.block, last.page);
  }
  if (data) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " s%u+%u", last.lpage,
                            t.lpage_count);
  }
  const bool feature = t.kind == SegmentKind::kSetFeatures || t.kind == SegmentKind::kGetFeatures;
  if (feature) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " %02xh",
                            t.cycles.address[t.cycles.address_count - 1U]);
  }
  if (t.kind == SegmentKind::kSetFeatures || t.kind == SegmentKind::kFeatureOut) {
    for (const std::uint8_t p : t.parameters) {
      length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " %02x", p);
    }
  }
  if (const tlm_if::RecorderIf::CommandName* command = recorder_->command_name(t.tag)) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " for q%u cid %u",
                            command->queue, command->id);
    if (command->lba != command->kNoLba) {
      length +=
          std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " lba 0x%" PRIx64, command->lba);
    }
  }
  recorder_->set_text(text_signal_, t.start, std::string_view(text, static_cast<std::size_t>(length)));
  recorder_->set_text(text_signal_, t.end, "");
}

}  // namespace wordline::flash
