// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/own_engine.h"

#include <fmt/format.h>

#include <utility>

#include "rtl/slot/slot_engines.h"

namespace wordline::engines {
namespace {

void add_counter(results::Registry& registry, const std::string& engine, const char* name,
                 results::Statistic::Read read) {
  registry.add(
      {"engines.NAME.count.COUNTER", {engine, name}}, "as the block says",
      "A block of your own (engines.rtl.NAME): its counter COUNTER, the port count_COUNTER_o, at the end of the "
      "run.",
      std::move(read));
}

}  // namespace

const std::string& OwnEngine::file_of(const config::Engines& config, EngineId id) {
  static const std::string none;
  switch (id) {
    case EngineId::kParse:
      return config.rtl.parse;
    case EngineId::kL2p:
      return config.rtl.l2p;
    case EngineId::kVictim:
      return config.rtl.victim;
    default:
      return none;
  }
}

std::string OwnEngine::key_of(EngineId id) { return fmt::format("engines.rtl.{}", row_of(id).name); }

OwnEngine::OwnEngine(const config::Engines& config, EngineId id, rtl::SlotEngine& measured, rtl::SlotEngine& tried,
                     tlm_if::RecorderIf* recorder)
    : name_(row_of(id).name),
      key_(key_of(id)),
      file_(file_of(config, id)),
      measured_{measured, fmt::format("ssd.engines.{}", name_)},
      tried_{tried, fmt::format("ssd.engines.{}.tried", name_)} {
  if (recorder == nullptr || recorder->folder().empty()) return;
  for (const Block* block : {&measured_, &tried_}) {
    block->slot.trace(fmt::format("{}/{}.fst", recorder->folder(), block->scope));
  }
}

std::string OwnEngine::guarded(Which which, const std::function<std::string()>& step) {
  if (failed()) return {};
  std::string wrong;
  try {
    wrong = step();
  } catch (const std::runtime_error& error) {  // a SlotError, or what the drive says of the ports
    wrong = error.what();
  }
  if (wrong.empty()) return {};
  failed_ = which == Which::kMeasured ? &measured_ : &tried_;
  return fmt::format("{} = {}: {} ({})", key_, file_, wrong, failed_->scope);
}

std::vector<std::string> OwnEngine::leave_evidence(const std::string& folder) const {
  if (!failed()) return {};
  const std::string file = fmt::format("{}/{}.vcd", folder, failed_->scope);
  failed_->slot.write_window(file);
  return {file};
}

void OwnEngine::register_statistics(results::Registry& registry) const {
  const rtl::LoadedBlock& block = measured_.slot.block();
  for (std::uint32_t i = 0; i < block.description().status_count; ++i) {
    const wordline_rtl_status& status = block.description().status[i];
    if (status.kind != WORDLINE_RTL_COUNTED) continue;
    add_counter(registry, name_, status.name, [&block, pin = status.pin] { return block.get(pin); });
  }
}

std::string describe_blocks(const config::Engines& config) {
  std::string text;
  const auto add = [&](EngineId id, const rtl::SlotEngine& slot) {
    const wordline_rtl_block& block = slot.block().description();
    text += fmt::format("engines.rtl.{}: module {} of {}, for the slot {}\n", row_of(id).name, block.top,
                        OwnEngine::file_of(config, id), block.slot);
  };
  if (!config.rtl.parse.empty()) add(EngineId::kParse, *OwnEngine::load<rtl::SlotParse>(config, EngineId::kParse));
  if (!config.rtl.l2p.empty()) add(EngineId::kL2p, *OwnEngine::load<rtl::SlotL2p>(config, EngineId::kL2p));
  if (!config.rtl.victim.empty()) add(EngineId::kVictim, *OwnEngine::load<rtl::SlotVictim>(config, EngineId::kVictim));
  return text;
}

void explain_engine_counters(results::Registry& registry) {
  add_counter(registry, "NAME", "COUNTER", [] { return std::uint64_t{0}; });
}

}  // namespace wordline::engines
