// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/channel_controller.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "models/nand/program_order.h"
#include "models/nand/timing.h"
#include "models/onfi/timing.h"

namespace wordline::flash {
namespace {

std::vector<Picoseconds> read_times(const config::Config& config, const config::Layout& layout) {
  const nand::ArrayPlans plans(config.nand, layout);
  std::vector<Picoseconds> times;
  times.reserve(layout.pages_per_block);
  for (std::uint32_t page = 0; page < layout.pages_per_block; ++page) {
    const unsigned layer = nand::layer_of_page(config.nand.geometry, layout, PageId(page));
    times.push_back(config.channels.t_wb + plans.read(plans.page_type(page), layer).total() + config.channels.t_rr);
  }
  return times;
}

ChannelRules rules_of(const config::Config& config, const config::Layout& layout) {
  const config::Channels& channels = config.channels;
  return {channels,
          config.nand.geometry.planes,
          config.nand.blocks_per_plane(),
          layout.pages_per_block,
          layout.pages_per_program,
          layout.lpages_per_page,
          layout.lpage.codewords(),
          config::BlockKinds(config.nand, layout),
          config.nand.geometry.plane_blocks == config::PlaneBlocks::kAny,
          config.nand.geometry.plane_blocks == config::PlaneBlocks::kAny && config.nand.geometry.planes > 1 &&
              config.ftl.spare_blocks != 0,
          read_times(config, layout),
          channels.t_wb + config.nand.slc_mode.t_r + channels.t_rr,
          channels.t_wb + channels.t_dbsy + onfi::BusTiming(channels).command(kReadCycles)};
}

/// The time of a read of all planes, from the first command to the data.
Picoseconds longest_read(const ChannelRules& rules) {
  return *std::max_element(rules.t_read.begin(), rules.t_read.end()) +
         rules.between_planes * static_cast<std::int64_t>(rules.planes - 1);
}

}  // namespace

ChannelController::ChannelController(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                                     const config::Config& config, const config::Layout& layout, ChannelId channel,
                                     ecc::EccIf& decoder, std::vector<std::unique_ptr<ecc::RetryIf>> retry,
                                     const Shared& shared)
    : sc_module(name),
      registers(
          "registers",
          [this](std::uint32_t offset, std::uint32_t& value, Picoseconds&) {
            return ring_.read_register(offset, jobs_.outstanding(), value);
          },
          [this](std::uint32_t offset, std::uint32_t value, Picoseconds& delay) {
            return write_register(offset, value, delay);
          }),
      rules_(rules_of(config, layout)),
      check_(config, layout, channel),
      ring_(this->name(), memory),
      ahead_(shared.ahead),
      jobs_(shared.completions, shared.ahead),
      xor_unit_(config, layout, this->name()),
      slots_(memory, buffer, dram, shared.slot_table, layout.lpage, xor_unit_, shared.ahead, shared.metadata,
             layout.tuple_bytes),
      tables_(config.nand, shared.program_tables, memory),
      wires_(context, bus, config, layout, shared.spares),
      arbiter_(config.channels, longest_read(rules_)),
      wake_(context.alarms(), *this) {
  if (retry.size() != static_cast<std::size_t>(config.channels.packages) * config.channels.dies_per_package) {
    SC_REPORT_FATAL("wordline/flash", "a channel controller needs a read-retry controller for each die of its channel");
  }
  dies_.reserve(retry.size());
  for (std::uint32_t die = 0; die < retry.size(); ++die) {
    dies_.push_back(std::make_unique<DieSequencer>(
        DieSequencer::Setup{this->name(),
                            {die, rules_, wires_, arbiter_, jobs_, slots_, tables_},
                            {decoder, shared.ecc_registers, config.run.seed, shared.engine},
                            config,
                            layout,
                            std::move(retry[die])}));
  }
}

// ---- jobs -----------------------------------------------------------------------------------------------------------

bool ChannelController::write_register(std::uint32_t offset, std::uint32_t value, Picoseconds delay) {
  const Picoseconds now = wake_.now();
  if (!ring_.write_register(offset, value, now + delay)) return false;
  sleep(now);
  return true;
}

void ChannelController::submit(Picoseconds at, const wl_flash_job& job) {
  submitted_.add(at, job);
  sleep(wake_.now());
}

void ChannelController::accept(const wl_flash_job& job, Picoseconds at) {
  std::string what = check_.fault(job);
  wl_program_set parameters{};
  if (what.empty() && job.op == WL_FLASH_PROGRAM && job.control != 0) what = tables_.take(job, parameters);
  if (!what.empty()) {
    SC_REPORT_ERROR("wordline/flash", fmt::format("{}: flash job {}: {}", name(), job.id, what).c_str());
    return;
  }
  const JobIndex index = jobs_.admit(job, parameters, at);
  slots_.begin(job);
  if (ahead_ != nullptr && ahead_->takes(*this, index, job, at)) return;
  dies_[check_.die_of(job)]->take_job(index, at);
}

/// Nothing waits for such a job: where its block is written meanwhile, it is dropped.
void ChannelController::accept_ahead(const wl_flash_job& job, Picoseconds at) {
  DieSequencer& die = *dies_[check_.die_of(job)];
  const JobIndex index = jobs_.admit_ahead(job, at);
  if (die.writes(job.block)) {
    jobs_.finish(index, {at, WL_FLASH_UNCORRECTABLE});
  } else {
    die.take_job(index, at);
  }
}

void ChannelController::read_ahead(Picoseconds at, const wl_flash_job& job) {
  reads_ahead_.add(at, job);
  sleep(wake_.now());
}

void ChannelController::deliver(JobIndex index, const nand::StoredLpage* lpages, Picoseconds ready) {
  const QueuedJob& read = jobs_[index];
  for (std::uint32_t i = 0; i < read.job.count; ++i) slots_.take(read.job, read.job.slot + i, lpages[i]);
  const Picoseconds at = std::max(read.arrived, ready);
  jobs_.finish(index, {at}, {read.arrived, read.arrived, read.arrived, at, at, at, at, at, Picoseconds(-1)});
}

void ChannelController::read_anyway(Picoseconds at, JobIndex job) {
  returned_.add(at, job);
  sleep(wake_.now());
}

// ---- time -----------------------------------------------------------------------------------------------------------

void ChannelController::alarm() { schedule(wake_.now()); }

void ChannelController::ready(unsigned die, Picoseconds at) {
  dies_[die]->ready(at);
  schedule(at);
}

void ChannelController::schedule(Picoseconds now) {
  const auto take = [this](const wl_flash_job& job, Picoseconds at) { accept(job, at); };
  ring_.deliver(now, take);
  submitted_.deliver(now, [&](Picoseconds at, const wl_flash_job& job) { accept(job, at); });
  reads_ahead_.deliver(now, [&](Picoseconds at, const wl_flash_job& job) { accept_ahead(job, at); });
  returned_.deliver(
      now, [&](Picoseconds at, JobIndex index) { dies_[check_.die_of(jobs_[index].job)]->take_job(index, at); });
  if (wires_.free_at() <= now) {
    if (streaming_ != nullptr) std::exchange(streaming_, nullptr)->data_ended();
    if (const std::optional<BusArbiterIf::Grant> grant = arbiter_.next(now)) {
      DieSequencer& die = *dies_[grant->die];
      die.use_bus(grant->at);
      if (die.streaming()) streaming_ = &die;
    }
  }
  sleep(now);
}

/// Until the next instant at which something may happen.
void ChannelController::sleep(Picoseconds now) {
  std::optional<Picoseconds> next;
  const auto at = [&next](Picoseconds t) {
    if (!next || t < *next) next = t;
  };
  if (ring_.waiting()) at(ring_.next());
  if (!submitted_.empty()) at(submitted_.next());
  if (!reads_ahead_.empty()) at(reads_ahead_.next());
  if (!returned_.empty()) at(returned_.next());
  if (streaming_ != nullptr) {
    at(std::max(wires_.free_at(), now));
  } else if (const std::optional<Picoseconds> bus = arbiter_.wake(now, wires_.free_at())) {
    at(*bus);
  }
  if (!next) {
    wake_.cancel();
  } else if (!wake_.pending() || wake_.at() != *next) {
    wake_.set(*next);
  }
}

std::uint64_t ChannelController::soft_reads() const {
  std::uint64_t sum = 0;
  for (const auto& die : dies_) sum += die->retry().soft_reads();
  return sum;
}

std::uint64_t ChannelController::register_hits() const {
  std::uint64_t sum = 0;
  for (const auto& die : dies_) sum += die->register_hits();
  return sum;
}

void ChannelController::register_statistics(results::Registry& registry) const {
  registry
      .add_to_sum("flash.soft_reads", "reads",
                  "Reads of a page for soft decoding, at shifted references: as many as each soft level that was tried "
                  "has (three and seven; two and five where a policy asks for them).",
                  [this] { return soft_reads(); })
      .after("flash.retries")
      .in_summary(2, "soft reads");
  registry
      .add_to_sum("flash.register_hits", "reads",
                  "Reads whose page a die still held in its register, so that it was not sensed again "
                  "(channels.register_hits).",
                  [this] { return register_hits(); })
      .after("flash.reads")
      .only_if_nonzero();
  xor_unit_.register_statistics(registry);
}

}  // namespace wordline::flash
