// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The table of keys is complete: every field of Config has a key, and every key moves a field of its own.
#include "models/config/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <type_traits>
#include <utility>

#include "models/checks/commands.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing {
namespace {

using config::Config;
using config::Key;
using config::Kind;
using config::Scalar;
using config::Value;

struct Anything {
  template <class T>
  operator T() const;  // NOLINT: converts to whatever a field is
};

template <class T, class Indices, class = void>
struct Takes : std::false_type {};
template <class T, std::size_t... I>
struct Takes<T, std::index_sequence<I...>, std::void_t<decltype(T{(static_cast<void>(I), Anything{})...})>>
    : std::true_type {};

/// Number of fields of a plain struct: the most initialisers it takes.
template <class T, std::size_t N = 40>
constexpr std::size_t fields() {
  if constexpr (N == 0 || Takes<T, std::make_index_sequence<N>>::value) {
    return N;
  } else {
    return fields<T, N - 1>();
  }
}

/// A switch for each engine, and times for those that are pipelines.
std::size_t engine_fields() {
  std::size_t count = 0;
  for (const engines::EngineRow& row : engines::kEngines) count += row.timed() ? fields<config::Engine>() : 1;
  return count;
}

/// An initialiser of Channels fills a part as a whole.
constexpr std::size_t channel_fields() {
  constexpr std::size_t kParts = 4;
  return fields<config::BusTimes>() + fields<config::BusyTimes>() + fields<config::ChannelPolicy>() +
         fields<config::ReadPath>() + fields<config::Channels>() - kParts;
}

TEST(Schema, EveryFieldHasAKey) {
  static_assert(fields<config::Nvme>() == 4 && fields<config::Cpu>() == 24 && fields<config::Observe>() == 12,
                "the counter counts");
  const std::size_t all = fields<config::Run>() + fields<config::Host>() + fields<config::Link>() +
                          fields<config::Nvme>() + fields<config::Cpu>() - 1 + fields<config::ApbBlock>() +
                          fields<config::Dram>() + fields<config::Ftl>() - 5 + fields<config::FtlPpb>() +
                          fields<config::FtlCube>() + fields<config::FtlVert>() + fields<config::FtlAgcr>() +
                          fields<config::FtlMpnfm>() + fields<config::Precondition>() + channel_fields() - 1 +
                          fields<config::ChannelRtl>() + fields<config::NandGeometry>() + fields<config::NandRegion>() +
                          fields<config::NandTiming>() + fields<config::NandLayerSpeed>() + fields<config::NandIspp>() +
                          fields<config::NandAging>() + fields<config::NandFaults>() + fields<config::NandEnergy>() +
                          fields<config::Ecc>() - 1 + fields<config::RtlBlocks>() + fields<config::Data>() +
                          fields<config::Observe>() + engine_fields();
  EXPECT_EQ(fields<Config>(), 14U) << "a new part of Config: add its fields above";
  EXPECT_EQ(fields<config::Nand>(), 8U) << "a new part of Nand: add its fields above";
  EXPECT_EQ(config::schema().size(), all);
}

/// All fields as text, in a form that tells any two configurations apart.
std::string image(const Config& c) {
  std::ostringstream out;
  const auto put = [&](auto... v) { ((out << +v << ' '), ...); };
  const auto num = [](auto quantity) { return quantity.count(); };
  const auto code = [](auto e) { return static_cast<int>(e); };
  put(c.run.seed, num(c.run.ramp_time), c.run.until_percentile, c.run.until_requests, code(c.host.model),
      c.host.queue_entries, num(c.host.turnaround), code(c.host.on_error), num(c.link.bandwidth), num(c.link.latency),
      num(c.link.max_payload), num(c.link.tlp_overhead), num(c.link.dma_setup), c.link.requests_first,
      num(c.nvme.write_latency), c.nvme.tags, c.nvme.fetch_burst, c.nvme.max_transfer_sectors, code(c.cpu.model),
      c.cpu.cores, num(c.cpu.clock), num(c.cpu.quantum), c.cpu.task_core[0], c.cpu.task_core[1], c.cpu.task_core[2],
      c.cpu.load_tcm_cycles, c.cpu.load_dram_cycles, c.cpu.store_dram_cycles, num(c.cpu.watchdog),
      code(c.cpu.on_exception), c.cpu.mul_cycles, c.cpu.div_cycles, c.cpu.branch_cycles, c.cpu.branch_taken_cycles,
      c.cpu.jump_cycles, c.cpu.jump_register_cycles, c.cpu.csr_cycles, c.cpu.atomic_cycles, c.cpu.trap_cycles,
      c.cpu.load_use_cycles, code(c.cpu.misaligned), c.cpu.translate, num(c.dram.bandwidth), num(c.dram.latency));
  for (const config::Engine& e : c.engines.by_row) put(e.on, num(e.latency), num(e.interval), e.depth);
  out << c.cpu.native_costs << '|' << c.ecc.table << '|' << c.ecc.rtl.tier1 << '|' << c.ecc.rtl.tier2 << '|'
      << c.ecc.rtl.encoder << '|' << c.ecc.rtl.tap << '|' << c.ecc.rtl.read_retry << '|' << c.ecc.rtl.read_retry_check
      << '|' << c.cpu.apb.block << '|' << num(c.cpu.apb.clock) << '|' << c.precondition.file << '|' << c.run.until
      << '|';
  const auto& f = c.ftl;
  put(code(f.map), code(f.read_modify), f.packing, f.write_back);
  put(f.policy, f.over_provisioning, f.gc_start_superblocks, f.gc_reserve_superblocks, f.gc_pacing,
      static_cast<int>(f.word_line_order), num(f.idle_after), f.idle_free_superblocks, f.ppb.virtual_blocks,
      f.ppb.half_full_blocks, num(f.ppb.hot_write_size), f.ppb.hot_list, f.ppb.iron_hot_list, code(f.ppb.table),
      f.agcr.coarse_step, f.agcr.fine_step, f.agcr.window, code(f.agcr.classes), code(f.agcr.read_levels),
      f.agcr.fine_senses, f.agcr.default_senses, f.agcr.coarse_senses, code(f.agcr.initial), code(f.agcr.rewrite),
      f.agcr.queue, num(f.write_buffer), f.power_safe, num(f.read_buffer), num(f.gc_buffer), f.spare_blocks,
      code(f.wear_levelling), code(c.precondition.fill), c.precondition.overwrites, c.precondition.seed,
      c.precondition.wear);
  const config::FtlCube& cube = f.cube;
  put(code(cube.allocation), cube.demand_threshold, cube.active_blocks, code(cube.gc_uses), code(cube.programs),
      cube.best_ber_ep1, cube.most_ber_ep1, num(cube.voltage_per_margin), num(cube.most_voltage), cube.bad_write,
      num(f.vert.final_cut), num(f.mpnfm.threshold), f.mpnfm.gc_start_blocks);
  const auto& h = c.channels;
  put(h.count, h.packages, h.dies_per_package, num(h.rate), code(h.mode.interface), h.mode.number, num(h.t_rc),
      h.warmup_cycles, h.starvation_bound);
  put(code(h.model), h.rtl_channel, h.rtl.flash_sequencer_exact);
  out << h.rtl.flash_sequencer << '|';
  put(h.pair_planes, h.cache_read, h.cache_program, static_cast<int>(h.suspend), h.suspend_limit, num(h.read_ahead),
      h.read_ahead_after, h.page_engine.count());
  for (const Picoseconds t :
       {h.t_wc,           h.t_cs,   h.t_cals,     h.t_adl,         h.t_ccs,       h.t_whr,
        h.t_rhw,          h.t_wb,   h.t_rr,       h.t_feat,        h.t_rpre,      h.t_dqsre,
        h.t_rpst,         h.t_wpre, h.t_wpst,     h.t_wpsth,       h.t_dbsy,      h.t_rcbsy,
        h.t_pcbsy,        h.t_rst,  h.t_rst_read, h.t_rst_program, h.t_rst_erase, h.t_suspend_program,
        h.t_suspend_erase}) {
    put(t.count());
  }
  const auto& g = c.nand.geometry;
  put(code(g.cell), g.planes, g.blocks_per_plane, g.layers, g.wls_per_layer, num(g.page), num(g.spare), code(g.program),
      code(g.order), code(g.plane_blocks), g.scale_down, num(c.nand.region.page), c.nand.region.blocks_per_plane,
      c.nand.region.pages_per_block);
  const auto& t = c.nand.timing;
  put(code(t.mode), num(t.t_precharge), num(t.t_sense), num(t.t_discharge), num(t.t_pgm), num(t.t_vfy),
      num(t.t_erase_pulse), num(t.t_erase_verify), t.erase_loops, num(t.t_bers), num(t.page));
  const auto& speed = c.nand.layer_speed;
  put(speed.read, speed.program, code(speed.profile));
  for (const auto s : t.senses_per_page) put(s);
  out << '|';
  for (const auto s : t.t_r) put(s.count());
  out << '|';
  for (const auto s : t.t_prog) put(s.count());
  const auto& i = c.nand.ispp;
  put(num(i.step), num(i.window), i.state_loops, i.erase_pulse_voltage, i.start_voltage);
  const auto& a = c.nand.aging;
  put(a.pe_cycles, a.retention_days, a.temperature_c, a.early_loss, a.page_age);
  const auto& faults = c.nand.faults;
  put(faults.bad_blocks, faults.rated_cycles, faults.program_failures, faults.erase_failures, faults.unreadable_pages,
      faults.program_disturb, faults.moved_references, faults.moved_steps);
  for (const auto& region : c.precondition.ages) put(region.from, region.to, region.days);
  const auto& e = c.nand.energy;
  put(e.vcc, e.icc_read, e.icc_program, e.icc_erase, e.icc_standby, e.further_planes, e.bus, e.icc_burst);
  put(code(c.ecc.model), num(c.ecc.clock), c.ecc.max_retries, c.ecc.max_soft, code(c.ecc.ort), code(c.ecc.ort_scope),
      c.ecc.rtl_every, c.ecc.rtl_threads, c.ecc.rtl_encoder, code(c.data.mode), c.observe.waves,
      num(c.observe.waves_from), num(c.observe.waves_to), c.observe.nand_microops, num(c.observe.trigger_before),
      num(c.observe.trigger_after), c.observe.trigger_limit, c.observe.timeline, num(c.observe.timeline_limit));
  out << c.observe.trigger << '|';
  for (const auto channel : c.observe.channels) put(channel);
  out << '|';
  for (const auto die : c.observe.dies) put(die);
  return out.str();
}

Config defaults() {
  Config c{};
  for (const Key& key : config::schema()) key.set(c, config::default_value(key));
  return c;
}

/// Another value than `value` that the key accepts; the same where there is no other.
Scalar another(const Key& key, const Scalar& value) {
  struct Change {
    const Key& key;
    Scalar operator()(std::int64_t v) const {
      for (const std::int64_t candidate : {v + 1, v - 1, v * 2, v / 2}) {
        const Scalar scalar(candidate);
        if (key.kind == Kind::kEnum) {
          if (candidate >= 0 && candidate < static_cast<std::int64_t>(key.choices.size())) return scalar;
        } else if (config::convert(key, config::bare_value(text(scalar))).problem.empty()) {
          return scalar;
        }
      }
      return v;
    }
    Scalar operator()(double v) const { return v * 1.5 + 1; }
    Scalar operator()(bool v) const { return !v; }
    Scalar operator()(const std::string& v) const {
      return key.kind == Kind::kRegionAge ? std::string("10-50%: 90d") : v + "x";
    }
    [[nodiscard]] std::string text(const Scalar& scalar) const {
      return config::has_unit(key.kind) ? config::format_quantity(key.kind, scalar)
                                        : std::to_string(std::get<std::int64_t>(scalar));
    }
  };
  return std::visit(Change{key}, value);
}

TEST(Schema, EveryKeyMovesAFieldOfItsOwn) {
  const std::string before = image(defaults());
  std::set<std::string> images{before};
  std::size_t fixed = 0;
  for (const Key& key : config::schema()) {
    Config c = defaults();
    Value value = config::default_value(key);
    if (key.is_list()) {
      auto& list = std::get<std::vector<Scalar>>(value);
      if (list.empty()) list.push_back(key.kind == Kind::kRegionAge ? Scalar("0-50%: 9d") : Scalar(std::int64_t{3}));
      Key element = key;
      element.list_max = 0;
      list[0] = another(element, list[0]);
    } else {
      value = another(key, std::get<Scalar>(value));
    }
    key.set(c, value);
    if (key.kind == Kind::kEnum && key.choices.size() == 1) {
      ++fixed;  // one level so far: nothing to move
      continue;
    }
    EXPECT_TRUE(images.insert(image(c)).second) << key.name << " moves nothing, or what another key moves";
  }
  EXPECT_EQ(fixed, 1U);  // data.mode
}

TEST(Schema, EveryFieldIsSet) {
  // Fields nobody sets keep what they had: both start values must give the same configuration.
  Config c{};
  c.run.seed = 77;
  c.channels.t_dbsy = Picoseconds(77);
  c.nand.timing.t_r = {Picoseconds(77)};
  c.cpu.native_costs = "left over";
  for (const Key& key : config::schema()) key.set(c, config::default_value(key));
  EXPECT_EQ(image(c), image(defaults()));
}

TEST(Schema, EveryKeyIsSettableAndExplained) {
  enter_scratch();
  write_file("empty.toml", "");
  for (const Key& key : config::schema()) {
    // The default in TOML, given by --set, is accepted and changes nothing but the origin.
    const std::string set = std::string(key.name) + "=" + config::format_value(key, config::default_value(key));
    config::Loaded loaded;
    const std::string only_pinned[] = {"nand.timing.t_r", "nand.timing.t_prog", "nand.timing.t_bers"};
    if (std::find(std::begin(only_pinned), std::end(only_pinned), key.name) != std::end(only_pinned)) {
      EXPECT_EQ(problems("empty.toml", {set}), "--set " + set + ": error: " + std::string(key.name) +
                                                   " has no effect, expected nand.timing.mode = pinned beside it");
      continue;
    }
    ASSERT_EQ(problems("empty.toml", {set}), "");
    loaded = config::load("empty.toml", {set});
    EXPECT_EQ(image(loaded.config), image(defaults())) << set;
    EXPECT_EQ(loaded.settings[static_cast<std::size_t>(config::find_key(key.name))].origin, "--set");

    const std::string text = config::explain(std::string(key.name));
    EXPECT_EQ(text.find(std::string(key.name) + "\n"), 0U);
    EXPECT_NE(text.find("\n  value    "), std::string::npos);
    EXPECT_NE(text.find("\n  default  "), std::string::npos);
    EXPECT_GT(key.text.size(), 8U) << key.name;
    EXPECT_EQ(key.text.back(), '.') << key.name;
  }
}

TEST(Schema, LimitsAreInsideAndWhatIsBeyondIsRefused) {
  for (const Key& key : config::schema()) {
    if (key.is_list()) continue;
    for (const auto limit : {key.min_text, key.max_text}) {
      if (limit.empty()) continue;
      EXPECT_EQ(config::convert(key, config::bare_value(limit)).problem, "") << key.name;
    }
    if (key.kind == Kind::kInteger) {
      const auto low = std::stoll(std::string(key.min_text));
      EXPECT_NE(config::convert(key, {static_cast<std::int64_t>(low - 1)}).problem, "") << key.name;
      const auto high = std::stoll(std::string(key.max_text));
      if (high == INT64_MAX) continue;
      EXPECT_NE(config::convert(key, {static_cast<std::int64_t>(high + 1)}).problem, "") << key.name;
    }
  }
}

}  // namespace
}  // namespace wordline::testing
