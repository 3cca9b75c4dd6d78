// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/flash_backend.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/config/channel_clocks.h"
#include "registers/wordline_regs.hpp"
#include "tlm/device/ecc/calibrated_ecc.h"
#include "tlm/device/ecc/clocked_retry.h"
#include "tlm/device/ecc/ecc_registers.h"
#include "tlm/device/ecc/gate_sizes.h"
#include "tlm/device/ecc/own_retry.h"
#include "tlm/device/ecc/rtl_ecc.h"
#include "tlm/device/flash/bus/gate_wires.h"
#include "tlm/device/flash/bus/onfi_bus.h"
#include "tlm/device/flash/bus/timing_checker.h"
#include "tlm/device/flash/channel/channel_controller.h"
#include "tlm/device/flash/channel/completion_ring.h"
#include "tlm/device/flash/channel/page_engine.h"
#include "tlm/device/flash/channel/program_tables.h"
#include "tlm/device/flash/channel/read_ahead.h"
#include "tlm/device/flash/die/nand_die.h"

namespace wordline::flash {

namespace flash_regs = registers::flash;

struct FlashBackend::State {
  /// One channel. Members are bound to each other in the constructor of the back end.
  struct Channel {
    std::unique_ptr<TimingChecker> checker;
    std::unique_ptr<GateWires> gates;  // null: the model alone
    std::unique_ptr<OnfiBus> bus;
    std::vector<std::unique_ptr<NandDie>> dies;
    std::unique_ptr<ecc::Decoder> decoder;
    std::unique_ptr<ChannelController> controller;
    std::vector<const ecc::OwnBlock*> own;  // own blocks of the controllers that it has
  };

  State(tlm_if::SimulationContext& simulation, const config::Config& config, const config::Layout& layout)
      : context(simulation),
        channel_count(config.channels.count),
        planes(config.nand.geometry.planes),
        energy(config.nand.energy),
        ecc_registers("ecc", context, config.ecc, ecc::ort_groups(config, layout.dies), config.nand.geometry.layers),
        completions("completions", context),
        spares(config, layout),
        page_engine(context, config.channels.page_engine * (layout.lpage.whole_lbas() / kLbasPerHostPage)),
        ahead(context, config, layout, [this](const wl_flash_job& job) { return is_written(job); }),
        retry_controllers(config.engines.on(engines::EngineId::kRetry)) {
    if (config.ecc.model == config::EccModel::kRtl) ecc_in_gates = config.ecc;
    if (config.channels.model == config::ChannelModel::kTlm) return;
    in_clocks = config;
    in_clocks->channels = config::in_whole_clocks(config.channels);
  }

  /// Whether all planes of the page of a read are programmed.
  bool is_written(const wl_flash_job& job) const;

  bool read(std::uint32_t offset, std::uint32_t& value) const;
  bool write(std::uint32_t offset, std::uint32_t value);

  const NandDie& die(DieId id) const {
    return *channels.at(id.value() % channel_count).dies.at(id.value() / channel_count);
  }

  /// ChannelController::activity() of each die when it was asked last, none at first. Hundreds of dies rest between
  /// two questions, and what is known of them lies far apart in memory.
  using Seen = std::vector<std::optional<std::uint32_t>>;
  /// Visits the dies whose counters may have changed since. `visit` returns whether they change only with the next
  /// activity; otherwise the die is visited again.
  template <typename Visit>
  void active_since(Seen& seen, Visit visit) const {
    for (unsigned i = 0; i < seen.size(); ++i) {
      const Channel& channel = channels[i % channel_count];
      const unsigned die = i / channel_count;
      const std::uint32_t activity = channel.controller->activity(die);
      if (seen[i] == activity) continue;
      const bool rests = visit(i, *channel.dies[die], *channel.controller);
      seen[i] = rests ? std::optional(activity) : std::nullopt;
    }
  }

  /// What the channel `c` is built from.
  const config::Config& config_of(unsigned c, const config::Config& all) const {
    return in_clocks && c == all.channels.rtl_channel ? *in_clocks : all;
  }

  std::optional<config::Config> in_clocks;  // configuration of the channel in gates: its times are whole clocks
  tlm_if::SimulationContext& context;
  std::uint32_t channel_count, planes;
  config::NandEnergy energy;
  ecc::EccRegisters ecc_registers;
  CompletionRing completions;
  SpareTable spares;
  MetadataSlots metadata;
  PageEngine page_engine;
  ReadAhead ahead;
  std::optional<config::Ecc> ecc_in_gates;  // ecc in gates with ecc.model = rtl
  bool retry_controllers;                   // one for each die
  std::uint32_t slot_table = 0;
  ProgramTableRegisters program_tables;
  std::vector<Channel> channels;
};

bool FlashBackend::State::is_written(const wl_flash_job& job) const {
  const nand::Die& array = die(DieId(job.die)).array();
  for (std::uint32_t plane = 0; plane < planes; ++plane) {
    const BlockId block = spares.physical(job.die, plane, BlockId(job.block));
    if (!array.programmed(PlaneId(static_cast<std::uint8_t>(plane)), block, PageId(job.page))) return false;
  }
  return true;
}

bool FlashBackend::State::read(std::uint32_t offset, std::uint32_t& value) const {
  switch (offset) {
    case flash_regs::completion_ring_base:
      value = completions.base();
      return true;
    case flash_regs::completion_ring_size:
      value = completions.size();
      return true;
    case flash_regs::slot_table:
      value = slot_table;
      return true;
    case flash_regs::spare_table:
      value = spares.address();
      return true;
    default:
      if (const std::uint32_t* found = program_tables.find(offset)) {
        value = *found;
        return true;
      }
      if (const std::uint32_t* found = metadata.find(offset)) {
        value = *found;
        return true;
      }
      return false;
  }
}

bool FlashBackend::State::write(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case flash_regs::completion_ring_base:
      completions.set_base(value);
      return true;
    case flash_regs::completion_ring_size:
      completions.set_size(value);
      return true;
    case flash_regs::slot_table:
      slot_table = value;
      return true;
    case flash_regs::spare_table:
      spares.set_address(value);
      return true;
    default:
      if (std::uint32_t* found = program_tables.find(offset)) {
        *found = value;
        return true;
      }
      if (std::uint32_t* found = metadata.find(offset)) {
        *found = value;
        return true;
      }
      return false;
  }
}

namespace {

bool has(const std::vector<std::uint32_t>& some, std::uint32_t number) {
  return some.empty() || std::find(some.begin(), some.end(), number) != some.end();
}

/// A channel is recorded when it may be, and one of its dies is.
bool is_recorded(const config::Observe& observe, unsigned channel, unsigned channels) {
  const auto is_here = [&](std::uint32_t die) { return die % channels == channel; };
  return has(observe.channels, channel) &&
         (observe.dies.empty() || std::any_of(observe.dies.begin(), observe.dies.end(), is_here));
}

}  // namespace

FlashBackend::FlashBackend(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                           const config::Config& config, const config::Layout& layout, nand::Fill fill,
                           tlm_if::RecorderIf* all_waves)
    : sc_module(name),
      registers(
          "registers",
          [this](std::uint32_t offset, std::uint32_t& value, Picoseconds&) { return state_->read(offset, value); },
          [this](std::uint32_t offset, std::uint32_t value, Picoseconds&) { return state_->write(offset, value); }),
      state_(std::make_unique<State>(context, config, layout)) {
  State& s = *state_;
  s.completions.memory.bind(memory);
  s.completions.interrupt.bind(interrupt);
  s.completions.stages.bind(stages);
  s.completions.engines.bind(engines);

  const auto statistics = ecc::decoder_of(config.ecc);
  if (config.ecc.model == config::EccModel::kCalibrated || config.ecc.rtl_every != 1) {
    s.ecc_registers.fix_iterations({statistics->bit_flipping_iterations(), statistics->min_sum_iterations()});
  }
  const unsigned dies = config.channels.packages * config.channels.dies_per_package;
  const auto constants = std::make_shared<const DieConstants>(config, layout);
  s.channels.resize(s.channel_count);
  for (unsigned c = 0; c < s.channel_count; ++c) {
    State::Channel& channel = s.channels[c];
    const ChannelId id(static_cast<std::uint16_t>(c));
    const std::string number = std::to_string(c);
    tlm_if::RecorderIf* const recorder = is_recorded(config.observe, c, s.channel_count) ? all_waves : nullptr;
    const std::string scope = "ssd.channel" + number;
    const config::Config& own = s.config_of(c, config);
    const bool own_clocks =
        &own != &config && !own.channels.rtl.flash_sequencer.empty() && !own.channels.rtl.flash_sequencer_exact;
    channel.checker =
        std::make_unique<TimingChecker>(("checker" + number).c_str(), own.channels,
                                        own_clocks ? TimingChecker::Lengths::kAtLeast : TimingChecker::Lengths::kExact);
    BusSnoopIf* snoop = channel.checker.get();
    if (&own != &config) {
      channel.gates = std::make_unique<GateWires>(this->name() + (".gates" + number), config.channels,
                                                  constants->codec.lpage_bytes(), *channel.checker, recorder, scope);
      snoop = channel.gates.get();
    }
    channel.bus =
        std::make_unique<OnfiBus>(("bus" + number).c_str(), context, own, layout, id, channel.checker.get(), recorder);
    if (channel.gates != nullptr) channel.bus->carry_by(*channel.gates);
    const auto recorder_of = [&](unsigned d) {
      return has(config.observe.dies, d * s.channel_count + c) ? recorder : nullptr;
    };
    for (unsigned d = 0; d < dies; ++d) {
      channel.dies.push_back(std::make_unique<NandDie>(("die" + number + "_" + std::to_string(d)).c_str(), context, own,
                                                       layout, id, d, fill,
                                                       NandDie::Shared{constants, snoop, recorder_of(d)}));
      channel.bus->dies.bind(*channel.dies.back());
    }
    const std::string decoder_name = "decoder" + number;
    if (config.ecc.model == config::EccModel::kRtl) {
      auto decoder = std::make_unique<ecc::RtlEcc>(decoder_name.c_str(), context, config.ecc, statistics, recorder,
                                                   scope + ".ecc");
      decoder->buffer.bind(buffer);
      channel.decoder = std::move(decoder);
    } else {
      channel.decoder = std::make_unique<ecc::CalibratedEcc>(decoder_name.c_str(), config.ecc, statistics);
    }
    std::vector<std::unique_ptr<ecc::RetryIf>> retry;
    for (unsigned d = 0; d < dies; ++d) {
      const std::string die_scope = scope + ".die" + std::to_string(d);
      retry.push_back(config.engines.on(engines::EngineId::kRetry)
                          ? ecc::make_retry(config.ecc, s.ecc_registers, recorder_of(d), die_scope)
                          : ecc::make_retry_attempt(config.ecc, s.ecc_registers, recorder_of(d), die_scope));
      if (const auto* block = dynamic_cast<const ecc::OwnBlock*>(retry.back().get())) channel.own.push_back(block);
    }
    channel.controller = std::make_unique<ChannelController>(
        ("channel" + number).c_str(), context, own, layout, id, *channel.decoder, std::move(retry),
        ChannelController::Shared{s.ecc_registers, s.completions, s.slot_table, s.program_tables, &s.spares,
                                  s.ahead.enabled() ? &s.ahead : nullptr,
                                  s.page_engine.enabled() ? &s.page_engine : nullptr, &s.metadata});
    s.ahead.add(*channel.controller);
    channel.controller->bus.bind(channel.bus->socket);
    channel.controller->memory.bind(memory);
    channel.controller->dram.bind(dram);
    channel.controller->buffer.bind(buffer);
    for (const auto& die : channel.dies) die->ready.bind(*channel.controller);
  }
}

FlashBackend::~FlashBackend() = default;

tlm::tlm_target_socket<>& FlashBackend::ecc_registers() { return state_->ecc_registers.socket; }
tlm::tlm_target_socket<>& FlashBackend::channel_registers(unsigned channel) {
  return state_->channels.at(channel).controller->registers;
}

void FlashBackend::use_dram(std::byte* dram) {
  state_->spares.use(dram);
  state_->metadata.use(dram);
}

void FlashBackend::submit(Picoseconds at, const wl_flash_job& job) {
  state_->channels.at(job.die % state_->channel_count).controller->submit(at, job);
}

void FlashBackend::record(const rtl::BlockRecordings& recordings) {
  for (State::Channel& channel : state_->channels) {
    channel.decoder->record(recordings);
    if (channel.gates != nullptr) channel.gates->record(recordings.of("flash_sequencer"));
  }
}

std::vector<std::string> FlashBackend::leave_evidence(const std::string& folder) const {
  std::vector<std::string> files;
  for (const State::Channel& channel : state_->channels) {
    for (std::string& file : channel.decoder->leave_evidence(folder)) files.push_back(std::move(file));
    for (const ecc::OwnBlock* own : channel.own) {
      for (std::string& file : own->leave_evidence(folder)) files.push_back(std::move(file));
    }
    if (channel.gates == nullptr) continue;
    const bool too_early = channel.checker->violations() != 0;  // violations at its pins
    for (std::string& file : channel.gates->leave_evidence(folder, too_early)) files.push_back(std::move(file));
  }
  return files;
}

unsigned FlashBackend::channels() const { return state_->channel_count; }
std::uint64_t FlashBackend::learned_references() const { return state_->ecc_registers.ort().learned(); }
std::uint64_t FlashBackend::uncorrectable() const { return state_->ecc_registers.counters().uncorrectable_lpages; }

nand::Die& FlashBackend::die_at_start(DieId id) {
  const auto channels = static_cast<std::uint32_t>(state_->channel_count);
  return state_->channels.at(id.value() % channels).dies.at(id.value() / channels)->array_at_start();
}

void FlashBackend::power_loss() {
  for (State::Channel& channel : state_->channels)
    for (const auto& die : channel.dies) die->power_loss();
}

unsigned FlashBackend::dies() const {
  return static_cast<unsigned>(state_->channel_count * state_->channels.front().dies.size());
}
const nand::Die& FlashBackend::die(DieId id) const { return state_->die(id).array(); }
Picoseconds FlashBackend::die_busy(DieId id) const {
  const NandDie& die = state_->die(id);
  return die.work().busy().busy - die.work().busy_after(state_->context.now()) + die.transfers();
}
const NandDie& FlashBackend::nand_die(DieId id) const { return state_->die(id); }
const OnfiBus& FlashBackend::bus(unsigned channel) const { return *state_->channels.at(channel).bus; }
const ecc::Decoder& FlashBackend::decoder(unsigned channel) const { return *state_->channels.at(channel).decoder; }
Picoseconds FlashBackend::channel_busy(unsigned channel) const { return state_->channels.at(channel).bus->busy().busy; }

void FlashBackend::register_statistics(results::Registry& registry) const {
  for (const State::Channel& channel : state_->channels) {
    for (const auto& die : channel.dies) die->register_statistics(registry);
    channel.controller->register_statistics(registry);
    channel.decoder->register_statistics(registry);
    if (channel.gates != nullptr) channel.gates->register_statistics(registry);
    for (const ecc::OwnBlock* own : channel.own) own->register_statistics(registry);
  }
  if (state_->ecc_in_gates) {
    ecc::register_gate_sizes(registry, *state_->ecc_in_gates, channels(), dies(), state_->retry_controllers);
  }
  state_->ecc_registers.register_statistics(registry);
  state_->ahead.register_statistics(registry);
  register_energy(registry);
}

void FlashBackend::register_resources(results::Resources& resources) const {
  using Kind = results::ResourceKind;
  for (unsigned i = 0; i < channels(); ++i) {
    resources.add({"channels", "channel", Kind::kServer, true,
                   "By channel, in order: time in which its bus carried commands, addresses, data or status, or was "
                   "idle because the next command had to keep tRHW after data out."},
                  [this, i] { return channel_busy(i) + state_->channels[i].controller->turnaround(); });
  }
  resources.add({"dies", "die", Kind::kServer, true,
                 "By die (number within the channel x channels + channel): time in which its array worked, or its "
                 "commands and data were on the bus. Waiting for the bus and status reads are left out."},
                dies(), [this, seen = State::Seen(dies())](Picoseconds* busy) mutable {
                  state_->active_since(seen, [&](unsigned i, const NandDie& die, const ChannelController&) {
                    busy[i] = die_busy(DieId(static_cast<std::uint16_t>(i)));
                    return die.work().busy_after(state_->context.now()) == Picoseconds(0);
                  });
                });
  for (const State::Channel& channel : state_->channels) {
    resources.add({"decoders", "decoder", Kind::kServer, true,
                   "By channel, in order: time in which its decoder loaded or decoded codewords, both tiers."},
                  [&decoder = *channel.decoder] { return decoder.busy().busy; });
  }
  resources.add({"retry", "read-retry controller", Kind::kServer, true,
                 "By die, as in dies: time in which its read-retry controller was at work and held the die. Of "
                 "retries that firmware controls: single attempts."},
                dies(), [this, seen = State::Seen(dies())](Picoseconds* busy) mutable {
                  state_->active_since(seen, [&](unsigned i, const NandDie&, const ChannelController& controller) {
                    busy[i] = controller.retry_busy(i / state_->channel_count);
                    return true;
                  });
                });
  if (!state_->page_engine.enabled()) return;
  resources.add(
      {"page_engine", "page engine", Kind::kServer, false,
       "With channels.page_engine: time in which logical pages passed the engine between decoders and data buffer."},
      [&engine = state_->page_engine] { return engine.busy().busy; });
}

// V * A * ps = pJ.

/// Of every die from the first to the last picosecond, once.
Picojoules FlashBackend::standby_energy() const {
  const config::NandEnergy& nand = state_->energy;
  return Picojoules(nand.vcc * nand.icc_standby * static_cast<double>(state_->context.now().count()) * dies());
}

/// By what they carry.
Picojoules FlashBackend::bus_energy() const {
  Picoseconds taken{};
  std::uint64_t bytes = 0;
  for (const State::Channel& channel : state_->channels) {
    taken += channel.bus->busy().busy;
    bytes += channel.bus->bytes();
  }
  const config::NandEnergy& nand = state_->energy;
  return Picojoules(nand.vcc * nand.icc_burst * static_cast<double>(taken.count()) +
                    nand.bus * static_cast<double>(8 * bytes));
}

Picojoules FlashBackend::energy() const {
  Picojoules sum = standby_energy() + bus_energy();
  for (const State::Channel& channel : state_->channels)
    for (const auto& die : channel.dies)
      sum += die->array().counters().energy +
             die->work().energy_under_way(state_->context.now(), state_->energy.further_planes);
  return sum;
}

void FlashBackend::register_energy(results::Registry& registry) const {
  registry
      .add("energy_pj.nand_standby", "pJ", "Standby of all dies over the whole simulated time.",
           [this] { return standby_energy(); })
      .after("energy_pj.nand_array")
      .in_summary(1, "nand_standby");
  registry
      .add("energy_pj.nand_bus", "pJ",
           "Flash buses: nand.energy.bus for each bit of data, command, address and status, and vcc x icc_burst while "
           "they are taken.",
           [this] { return bus_energy(); })
      .after("energy_pj.nand_standby")
      .in_summary(1, "nand_bus");
}

std::uint32_t FlashBackend::outstanding() const {
  std::uint32_t sum = 0;
  for (const State::Channel& channel : state_->channels) sum += channel.controller->outstanding();
  return sum;
}

}  // namespace wordline::flash
