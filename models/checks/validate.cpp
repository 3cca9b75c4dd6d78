// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "models/checks/capacity_check.h"
#include "models/checks/channel_check.h"
#include "models/checks/gates_check.h"
#include "models/checks/hold_up.h"
#include "models/checks/host_check.h"
#include "models/checks/lpage_engines.h"
#include "models/checks/needs_check.h"
#include "models/checks/observe_check.h"
#include "models/checks/policy_conflicts.h"
#include "models/checks/read_forecast.h"
#include "models/checks/region_check.h"
#include "models/checks/run_until.h"
#include "models/config/policy_names.h"
#include "models/config/schema.h"
#include "models/ecc/code/codeword.h"
#include "models/firmware/contract/contract.h"
#include "models/firmware/firmware.h"
#include "models/nand/vth.h"
#include "models/units/index.h"

namespace wordline::config {
namespace {

constexpr std::uint32_t kMostInMapUnit = 16;                   // logical pages: bits of wl_presence
constexpr std::uint32_t kMostTransfer = 512 * kHostPageBytes;  // bytes: pages of a PRP list of one page
constexpr std::uint64_t kMaxLoops = 251;                       // an ISPP plan counts loops in eight bits

using engines::EngineId;

std::string count(std::uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

/// The keys of `table` at their defaults.
Config defaults_of(std::string_view table) {
  Config c{};
  for (const Key& key : schema()) {
    if (table_of(key.name) == table) key.set(c, default_value(key));
  }
  return c;
}

class Checker {
 public:
  explicit Checker(const Config& config) : c_(config), g_(config.nand.geometry) {}

  std::vector<Conflict> run() {
    add_all(unmet_needs(c_));
    controller();
    ecc();
    engines();
    array_timing();
    nand_use();
    const bool is_shaped = add_all(geometry_conflicts(c_)) && region_conflicts(c_, policy_name()).empty();
    if (is_shaped) {
      add_all(capacity_conflicts(c_, found_.empty()));
      ages();
      wear();
    }
    fresh_reads();
    return std::move(found_);
  }

 private:
  void add(std::vector<std::string_view> keys, std::string text) {
    found_.push_back({std::move(keys), std::move(text)});
  }
  /// Whether there are none.
  bool add_all(std::vector<Conflict> conflicts) {
    for (Conflict& conflict : conflicts) found_.push_back(std::move(conflict));
    return conflicts.empty();
  }

  void ecc() {
    if (!c_.ecc.rtl.read_retry.empty() && !c_.engines.on(EngineId::kRetry)) {
      add({"ecc.rtl.read_retry", "engines.retry"},
          fmt::format("ecc.rtl.read_retry = \"{}\" has no effect with engines.retry = off, where firmware retries, "
                      "expected engines.retry = on",
                      c_.ecc.rtl.read_retry));
    }
    if (c_.ecc.ort_scope != OrtScope::kBlock) return;
    if (c_.ecc.ort == Ort::kFirst && c_.ecc.model == EccModel::kRtl && c_.engines.on(EngineId::kRetry)) {
      add({"ecc.ort_scope", "ecc.ort", "ecc.model", "engines.retry"},
          "ecc.ort_scope = block with ecc.ort = first and ecc.model = rtl: the read-retry controller in gates begins "
          "every read with one sense, expected ecc.ort = retry, ecc.model = calibrated or engines.retry = off");
    }
  }

  void controller() {
    static constexpr const char* kTasks[] = {"host", "ftl", "flash"};
    for (std::size_t task = 0; task < c_.cpu.task_core.size(); ++task) {
      if (c_.cpu.task_core[task] >= c_.cpu.cores) {
        add({"cpu.task_core", "cpu.cores"},
            fmt::format("cpu.task_core puts the {} task on core {}, expected a core below cpu.cores = {}", kTasks[task],
                        c_.cpu.task_core[task], c_.cpu.cores));
      }
    }
    native_costs();
    const std::uint32_t lpages = c_.nvme.max_transfer_lpages;
    if ((lpages & (lpages - 1)) != 0) {
      add({"nvme.max_transfer_sectors"},
          fmt::format("nvme.max_transfer_sectors is {}, expected a power of two (MDTS is an exponent)", lpages));
    } else if (lpages * lpage_size_of(c_).bytes() < 2 * kHostPageBytes) {
      add({"nvme.max_transfer_sectors", "nand.page"},
          fmt::format("nvme.max_transfer_sectors is {} logical pages of 2 KiB, expected at least 4: MDTS counts pages "
                      "of 4 KiB, and 0 stands for no limit",
                      lpages));
    } else if (lpages * lpage_size_of(c_).bytes() > kMostTransfer) {
      add({"nvme.max_transfer_sectors", "ftl.logical_page"},
          fmt::format("nvme.max_transfer_sectors is {} logical pages of {} KiB, expected at most {}: one page of a PRP "
                      "list holds 512 pages of 4 KiB",
                      lpages, lpage_size_of(c_).bytes() / 1024, kMostTransfer / lpage_size_of(c_).bytes()));
    }
    for (Conflict& conflict : run_conflicts(c_)) found_.push_back(std::move(conflict));
    for (Conflict& conflict : host_conflicts(c_)) found_.push_back(std::move(conflict));
    for (Conflict& conflict : observe_conflicts(c_)) found_.push_back(std::move(conflict));
    add_all(power_conflicts(c_));
    add_all(channel_conflicts(c_));
    whole_lpages("ftl.write_buffer", c_.ftl.write_buffer);
    whole_lpages("ftl.read_buffer", c_.ftl.read_buffer);
    whole_lpages("ftl.gc_buffer", c_.ftl.gc_buffer);
    if (c_.ftl.gc_reserve_superblocks > c_.ftl.gc_start_superblocks) {
      add({"ftl.gc_reserve_superblocks", "ftl.gc_start_superblocks"},
          fmt::format("ftl.gc_reserve_superblocks = {} is above ftl.gc_start_superblocks = {}, expected no more: host "
                      "writes would "
                      "wait before GC begins",
                      c_.ftl.gc_reserve_superblocks, c_.ftl.gc_start_superblocks));
    }
  }

  /// Native firmware has no instructions, and the built-in table of costs was measured with the defaults of the keys
  /// that say what one costs.
  void native_costs() {
    if (c_.cpu.model != CpuModel::kNative) return;
    if (!c_.cpu.native_costs.empty()) return;
    static const Cpu d = defaults_of("cpu").cpu;
    const auto unused = [this](std::string_view key, std::uint32_t value, std::uint32_t assumed) {
      if (value == assumed) return;
      add({key, "cpu.model", "cpu.native_costs"},
          fmt::format("{} = {} has no effect with cpu.model = native and its built-in costs, expected cpu.native_costs "
                      "= a table that wordline calibrate firmware has made with it",
                      key, value));
    };
    unused("cpu.load_tcm_cycles", c_.cpu.load_tcm_cycles, d.load_tcm_cycles);
    unused("cpu.load_dram_cycles", c_.cpu.load_dram_cycles, d.load_dram_cycles);
    unused("cpu.store_dram_cycles", c_.cpu.store_dram_cycles, d.store_dram_cycles);
    unused("cpu.mul_cycles", c_.cpu.mul_cycles, d.mul_cycles);
    unused("cpu.div_cycles", c_.cpu.div_cycles, d.div_cycles);
    unused("cpu.branch_cycles", c_.cpu.branch_cycles, d.branch_cycles);
    unused("cpu.branch_taken_cycles", c_.cpu.branch_taken_cycles, d.branch_taken_cycles);
    unused("cpu.jump_cycles", c_.cpu.jump_cycles, d.jump_cycles);
    unused("cpu.jump_register_cycles", c_.cpu.jump_register_cycles, d.jump_register_cycles);
    unused("cpu.csr_cycles", c_.cpu.csr_cycles, d.csr_cycles);
    unused("cpu.atomic_cycles", c_.cpu.atomic_cycles, d.atomic_cycles);
    unused("cpu.trap_cycles", c_.cpu.trap_cycles, d.trap_cycles);
    unused("cpu.load_use_cycles", c_.cpu.load_use_cycles, d.load_use_cycles);
  }

  void engines() {
    const Engines& e = c_.engines;
    for (const engines::EngineRow& row : engines::kEngines) {
      if (!e.on(row.id)) continue;
      for (const engines::Need& need : row.needs) {
        if (!e.on(need.engine)) lacks(row, need);
      }
      if ((declared_.refused & row.bit) != 0) unsuited(row);
    }
    if (!e.on(EngineId::kParse)) unparsed();
    add_all(gates_conflicts(c_));
    policy();
    map_unit();
    if (!e.on(EngineId::kRetry) && e.on(EngineId::kJob) && c_.ecc.ort == Ort::kFirst) {
      add({"engines.retry", "engines.job", "ecc.ort"},
          "engines.retry = off with engines.job = on and ecc.ort = first: hardware makes the jobs of first reads and "
          "firmware holds the table, expected ecc.ort = retry or off, or one of the two engines the other way");
    }
  }

  void lacks(const engines::EngineRow& row, const engines::Need& need) {
    const std::string_view key = key_of(row.id), needed = key_of(need.engine);
    add({key, needed}, fmt::format("{} = on with {} = off, expected {} = on: {}", key, needed, needed, need.why));
  }

  void unsuited(const engines::EngineRow& row) {
    const std::string_view key = key_of(row.id);
    add({key, "ftl.policy"},
        fmt::format("{} = on with ftl.policy = {}, expected {} = off or ftl.policy = {}: the engine decides by another "
                    "rule than this policy, or hides from it what it has to see",
                    key, policy_name(), key, fmt::join(policies_with(row.bit), " or ")));
  }

  /// Firmware parses submission queue entries; not every host interface has them.
  void unparsed() {
    struct Row {
      std::string_view name;
      bool entries;
    };
    static constexpr Row kRows[] = {
#define HOST_MODEL(id, name, entries, text) {#name, entries},
#include "models/config/host_models.def"
#undef HOST_MODEL
    };
    const Row& model = kRows[static_cast<std::size_t>(c_.host.model)];
    if (model.entries) return;
    std::vector<std::string_view> suited;
    for (const Row& row : kRows) {
      if (row.entries) suited.push_back(row.name);
    }
    add({"engines.parse", "host.model"},
        fmt::format("engines.parse = off with host.model = {}, expected host.model = {}: {} commands have no "
                    "submission entry that firmware could parse",
                    model.name, fmt::join(suited, " or "), model.name));
  }

  [[nodiscard]] std::string_view policy_name() const { return policy_names().at(c_.ftl.policy); }
  /// Policies that can live with the engine.
  static std::vector<std::string_view> policies_with(std::uint32_t engine) {
    std::vector<std::string_view> names;
    for (std::uint32_t policy = 0; policy < policy_names().size(); ++policy) {
      if ((wl_policy_declares(policy).refused & engine) == 0) names.push_back(policy_names()[policy]);
    }
    return names;
  }

  void policy() {
    const bool mixed = g_.order == ProgramOrder::kMixed;
    if (c_.ftl.word_line_order != WordLineOrder::kHorizontal && !mixed) {
      add({"ftl.word_line_order", "nand.program_order"},
          fmt::format("ftl.word_line_order = {} with nand.program_order = {}, expected nand.program_order = mixed: the "
                      "dies want their word lines in ascending order",
                      c_.ftl.word_line_order == WordLineOrder::kVertical ? "vertical" : "mixed",
                      g_.order == ProgramOrder::kVertical ? "vertical" : "horizontal"));
    }
    for (Conflict& conflict : policy_conflicts(c_)) found_.push_back(std::move(conflict));
    const bool rewrites = has_policy(policy_name(), "agcr") && c_.ftl.agcr.rewrite != FtlAgcr::Rewrite::kOff;
    if (c_.ftl.idle_after != Picoseconds(0) && !rewrites && !c_.ftl.has_slc_cache() &&
        c_.ftl.idle_free_superblocks <= c_.ftl.gc_start_superblocks + 1) {
      add({"ftl.idle_after", "ftl.idle_free_superblocks", "ftl.gc_start_superblocks"},
          fmt::format("ftl.idle_after has no effect with ftl.idle_free_superblocks = {}, expected at least {}: with "
                      "ftl.gc_start_superblocks = {} that many superblocks are kept free anyway",
                      c_.ftl.idle_free_superblocks, c_.ftl.gc_start_superblocks + 2, c_.ftl.gc_start_superblocks));
    }
    if (c_.ftl.idle_free_superblocks != 0 && c_.ftl.idle_after == Picoseconds(0)) {
      add({"ftl.idle_free_superblocks", "ftl.idle_after"},
          fmt::format(
              "ftl.idle_free_superblocks = {} with ftl.idle_after = 0s, expected a time: idle work never begins",
              c_.ftl.idle_free_superblocks));
    }
  }

  void map_unit() {
    if (c_.ftl.read_modify == ReadModify::kDie) modify_in_die();
    if (c_.ftl.map != MapUnit::kPage) return;
    for (const EngineId id : kLpageEngines) {
      if (!c_.engines.on(id)) continue;
      add({key_of(id), "ftl.map"},
          fmt::format("{} = on with ftl.map = page, expected ftl.map = sector: the engine has the map by logical pages",
                      key_of(id)));
    }
    if (c_.ftl.map_access == MapAccess::kPort) map_behind_port();
    const Layout l = layout_of(c_);
    const bool is_set = c_.ftl.map_unit != MapUnitSize::kOfPlane;
    if (is_set && 2048U << static_cast<unsigned>(c_.ftl.map_unit) < l.lpage.bytes()) {
      add({"ftl.map_unit", "ftl.logical_page"},
          fmt::format("ftl.map_unit is smaller than ftl.logical_page = {} KiB, expected at least one logical page",
                      l.lpage.bytes() / 1024));
      return;
    }
    const std::uint32_t page_kib = l.lpages_per_mpage * l.lpage.bytes() / 1024;
    const std::uint32_t unit_kib = l.map_page * l.lpage.bytes() / 1024;
    if (l.map_page > kMostInMapUnit) {
      add({"ftl.map_unit", "nand.page"},
          fmt::format("ftl.map_unit = {} KiB are {} logical pages of {} KiB, expected at most {}, a bit for each of "
                      "which an entry of the map has",
                      unit_kib, l.map_page, l.lpage.bytes() / 1024, kMostInMapUnit));
    } else if (l.map_page != 0 && l.lpages_per_mpage % l.map_page != 0) {
      add({"ftl.map_unit", "nand.page", "nand.planes"},
          fmt::format("ftl.map_unit = {} KiB with pages of {} KiB over the {} of a die, expected a size that divides "
                      "them (nand.page x nand.planes): a map unit lies in one page of all planes",
                      unit_kib, page_kib, g_.planes == 1 ? "plane" : fmt::format("{} planes", g_.planes)));
    }
  }

  void map_behind_port() {
    if (c_.precondition.begins_with_state()) {
      add({"ftl.map_access", "precondition.fill", "precondition.overwrites", "precondition.file"},
          "ftl.map_access = port with a state to begin with, expected precondition.fill = none or sequential and no "
          "precondition.overwrites or precondition.file: the tables of a state lie in the DRAM that cores address");
    }
    if (wl_policy_declares(c_.ftl.policy).small_pages) {
      add({"ftl.map_access", "ftl.policy"},
          "ftl.map_access = port with ftl.policy = mpnfm, expected ftl.map_access = flat: the map of small pages lies "
          "in the DRAM that cores address");
    }
  }

  /// What firmware and channel ask of a drive whose pages are copied within the die.
  void modify_in_die() {
    const auto refuse = [this](std::string_view key, const char* text) {
      add({"ftl.read_modify", key}, fmt::format("ftl.read_modify = die with {}", text));
    };
    if (c_.ftl.map != MapUnit::kPage) {
      refuse("ftl.map", "ftl.map = sector, expected ftl.map = page: only pages are written in part");
    }
    if (c_.ftl.write_back) {
      refuse("ftl.write_back",
             "ftl.write_back = true, expected ftl.write_back = false: the buffer lacks the rest of the page, so the "
             "write is over when it is programmed");
    }
    if (c_.ftl.map == MapUnit::kPage && c_.ftl.map_unit != MapUnitSize::kOfPlane) {
      refuse("ftl.map_unit",
             "ftl.map_unit other than page, expected ftl.map_unit = page: the die copies the page of a plane whole");
    }
    if (c_.channels.count * c_.channels.packages * c_.channels.dies_per_package != 1) {
      add({"ftl.read_modify", "channels.count", "channels.packages", "channels.dies_per_package"},
          "ftl.read_modify = die with several dies, expected channels.count, packages and dies_per_package = 1: a page "
          "is copied within its die, and the FTL places pages on all dies in turn");
    }
    if (g_.planes != 1) {
      refuse("nand.planes", "several planes, expected nand.planes = 1: a page is copied within its plane");
    }
    if (g_.program != ProgramGranularity::kPage) {
      refuse("nand.program", "nand.program = wordline, expected nand.program = page: a page is copied by itself");
    }
    if (c_.engines.on(EngineId::kJob)) {
      refuse("engines.job", "engines.job = on, expected engines.job = off: the engine makes no such jobs");
    }
  }

  /// The key as the schema holds it, for a conflict only refers to its keys.
  static std::string_view key_of(EngineId id) { return key_of_engine(id); }

  void whole_lpages(std::string_view key, Bytes size) {
    if (size.count() % kHostPageBytes != 0) {
      add({key}, fmt::format("{} is {} bytes, expected a multiple of 4 KiB", key, size.count()));
    }
  }

  /// The retries of a read have to come to the step that an h-layer wants.
  void moved_references() {
    const NandFaults& faults = c_.nand.faults;
    if (!(faults.moved_references > 0)) {
      static const std::uint32_t kDefault = defaults_of("nand.faults").nand.faults.moved_steps;
      if (faults.moved_steps == kDefault) return;
      add({"nand.faults.moved_steps", "nand.faults.moved_references"},
          fmt::format("nand.faults.moved_steps = {} has no effect with nand.faults.moved_references = 0, expected "
                      "nand.faults.moved_references above 0",
                      faults.moved_steps));
      return;
    }
    // The entry of a die is of whichever block was read last, and may be any other step.
    const bool from_anywhere = c_.ecc.ort != Ort::kOff && c_.ecc.ort_scope == OrtScope::kDie;
    const std::uint32_t needed = from_anywhere ? nand::kRetrySteps - 1 : faults.moved_steps;
    if (c_.ecc.max_retries >= needed) return;
    add({"ecc.max_retries", "nand.faults.moved_references", "nand.faults.moved_steps", "ecc.ort", "ecc.ort_scope"},
        fmt::format("ecc.max_retries = {} with nand.faults.moved_references = {}: not every h-layer could be read, "
                    "expected ecc.max_retries of at least {}{}",
                    c_.ecc.max_retries, faults.moved_references, needed,
                    from_anywhere ? fmt::format(", or of at least {} with ecc.ort = off or ecc.ort_scope = block",
                                                faults.moved_steps)
                                  : std::string()));
  }

  void nand_use() {
    if (g_.order == ProgramOrder::kMixed && g_.program != ProgramGranularity::kWordLine) {
      add({"nand.program_order", "nand.program"},
          "nand.program_order = mixed, expected nand.program = wordline: pages of a word line that are programmed one "
          "by one are paired");
    }
    const Precondition& p = c_.precondition;
    const bool filled = p.fill != PreconditionFill::kNone || !p.file.empty();
    if (c_.nand.faults.bad_blocks > 0 && filled && c_.ftl.spare_blocks == 0) {
      add({"nand.faults.bad_blocks", "precondition.fill", "precondition.file", "ftl.spare_blocks"},
          "nand.faults.bad_blocks is above 0 and precondition.fill or precondition.file puts data into every block, "
          "expected precondition.fill = none without a file, no bad blocks, or ftl.spare_blocks to take their place");
    }
    moved_references();
    if (p.overwrites > 0 && p.fill == PreconditionFill::kNone && p.file.empty()) {
      add({"precondition.overwrites", "precondition.fill"},
          fmt::format("precondition.overwrites = {} with precondition.fill = none, expected precondition.fill = "
                      "sequential, random or steady: a drive is filled before it is overwritten",
                      p.overwrites));
    }
  }

  /// Only a state that was made by writing has cost erases.
  void wear() {
    if (c_.precondition.wear || c_.precondition.begins_with_state()) return;
    add({"precondition.wear", "precondition.fill", "precondition.file"},
        "precondition.wear = false has no effect without erases in the initial state, expected precondition.fill = "
        "random or steady, or a precondition.file");
  }

  /// Regions of precondition.ages: each holds something, and no data are of two ages.
  void ages() {
    const std::vector<RegionAge>& regions = c_.precondition.ages;
    if (regions.empty()) return;
    if (c_.precondition.fill == PreconditionFill::kNone && c_.precondition.file.empty()) {
      add({"precondition.ages", "precondition.fill", "precondition.file"},
          "precondition.ages with precondition.fill = none and no precondition.file, expected a drive that begins with "
          "data");
    }
    const std::uint64_t lpages = layout_of(c_).user_lpages;
    const auto name = [](const RegionAge& region) { return fmt::format("{}-{}%", region.from, region.to); };
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const LpageRange range = lpages_of(regions[i], lpages);
      if (range.empty()) {
        add({"precondition.ages"},
            fmt::format("precondition.ages: {} of {} logical pages is none of them, expected a larger "
                        "region",
                        name(regions[i]), lpages));
      }
      for (std::size_t j = 0; j < i; ++j) {
        const LpageRange other = lpages_of(regions[j], lpages);
        if (range.begin >= other.end || other.begin >= range.end) continue;
        add({"precondition.ages"},
            fmt::format("precondition.ages: {} and {} overlap, expected one age of each logical page", name(regions[j]),
                        name(regions[i])));
      }
    }
  }

  void array_timing() {
    const NandTiming& t = c_.nand.timing;
    const auto types = static_cast<std::size_t>(g_.cell);
    const std::size_t states = (std::size_t{1} << types) - 1;
    const std::string cell = "nand.cell has " + count(types, "page type");
    if (!t.senses_per_page.empty()) {
      const auto sum = std::accumulate(t.senses_per_page.begin(), t.senses_per_page.end(), std::size_t{0});
      if (t.senses_per_page.size() != types) {
        add({"nand.timing.senses_per_page", "nand.cell"},
            fmt::format("nand.timing.senses_per_page has {}, expected {}: {}",
                        count(t.senses_per_page.size(), "number"), types, cell));
      } else if (sum != states) {
        add({"nand.timing.senses_per_page", "nand.cell"},
            fmt::format("nand.timing.senses_per_page sums to {}, expected {}: every reference belongs to one page", sum,
                        states));
      } else if (!is_gray_code(g_.cell, t.senses_per_page)) {
        add({"nand.timing.senses_per_page", "nand.cell"},
            fmt::format("nand.timing.senses_per_page = {} belongs to no Gray code of {} bits: of two neighbouring "
                        "states one bit differs, expected such as 2, 3, 2 or 1, 2, 4 for tlc",
                        fmt::join(t.senses_per_page, ", "), types));
      }
    }
    if (t.mode == ArrayTiming::kPinned) {
      if (t.t_r.size() != 1 && t.t_r.size() != types) {
        add({"nand.timing.t_r", "nand.timing.mode", "nand.cell"},
            fmt::format("nand.timing.t_r has {}, expected 1 or {}: {} and nand.timing.mode is pinned",
                        count(t.t_r.size(), "time"), types, cell));
      }
      const std::size_t programs = g_.program == ProgramGranularity::kWordLine ? 1 : types;
      if (t.t_prog.size() != 1 && t.t_prog.size() != programs) {
        add({"nand.timing.t_prog", "nand.timing.mode", "nand.cell", "nand.program"},
            fmt::format(
                "nand.timing.t_prog has {}, expected 1{} and nand.timing.mode is pinned",
                count(t.t_prog.size(), "time"),
                programs == 1 ? ": a word line is programmed in one shot" : fmt::format(" or {}: {}", programs, cell)));
      }
    }
    const double ratio = c_.nand.ispp.window / c_.nand.ispp.step;
    const double loops = std::floor(ratio + 0.5);
    if (loops < 1 || loops > static_cast<double>(kMaxLoops)) {
      add({"nand.ispp.step", "nand.ispp.window"},
          fmt::format("nand.ispp.window / nand.ispp.step gives {} loops, expected 1 to {}",
                      static_cast<long long>(loops), kMaxLoops));
    } else if (c_.nand.ispp.state_loops > loops) {
      add({"nand.ispp.state_loops", "nand.ispp.step", "nand.ispp.window"},
          fmt::format("nand.ispp.state_loops is {}, expected at most the {} loops of nand.ispp.window / nand.ispp.step",
                      c_.nand.ispp.state_loops, static_cast<long long>(loops)));
    }
  }

  /// Flash that loses what was just written to it, without wear, is set wrong. Wear and age beyond the decoder are what
  /// a study may be about.
  void fresh_reads() {
    if (!c_.ecc.table.empty() || !is_gray_code(g_.cell, c_.nand.timing.senses_per_page)) return;
    const ReadForecast forecast = read_forecast(c_);
    if (forecast.fresh * kWorstBlock <= forecast.capability) return;
    const Key& cell = schema().at(static_cast<std::size_t>(find_key("nand.cell")));
    add({"nand.ispp.step", "nand.cell"},
        fmt::format("nand.ispp.step = {}mV leaves a fresh page of nand.cell = {} up to {:.0f} bit errors in a "
                    "codeword, expected at most the {:.0f} that the decoder corrects: a finer step, with its window "
                    "(configs/nand has parts of every cell: extends = \"FILE\" as the first line takes one)",
                    c_.nand.ispp.step.count(), cell.choices.at(static_cast<std::size_t>(g_.cell) - 1),
                    forecast.fresh * kWorstBlock, forecast.capability));
  }

  const Config& c_;
  const NandGeometry& g_;
  const wl_declared declared_ = wl_policy_declares(c_.ftl.policy);
  std::vector<Conflict> found_;
};

}  // namespace

std::vector<Conflict> conflicts(const Config& config) { return Checker(config).run(); }

}  // namespace wordline::config
