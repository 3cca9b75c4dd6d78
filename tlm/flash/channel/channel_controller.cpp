// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/flash/channel/channel_controller.h"

#include <algorithm>
#include <utility>

#include "models/nand/timing.h"
#include "registers/wordline_regs.hpp"

namespace wordline::flash {

namespace regs = registers::channel;

namespace {

Picoseconds shortest_read(const config::Nand& nand, const config::Layout& layout) {
  const nand::ArrayPlans plans(nand, layout);
  Picoseconds shortest = plans.read(0).total();
  for (unsigned type = 1; type < layout.page_types; ++type) shortest = std::min(shortest, plans.read(type).total());
  return shortest;
}

}  // namespace

ChannelController::ChannelController(const sc_core::sc_module_name& name, const config::Config& config,
                                     const config::Layout& layout, ChannelId channel, std::vector<const NandDie*> dies,
                                     ecc::EccIf& decoder, std::vector<std::unique_ptr<ecc::RetryIf>> retry,
                                     const Shared& shared)
    : sc_module(name),
      rules_(config.channels),
      channel_(channel),
      channels_(config.channels.count),
      packages_(config.channels.packages),
      planes_(config.nand.geometry.planes),
      blocks_(config.nand.geometry.blocks_per_plane),
      pages_(layout.pages_per_block),
      pages_per_program_(layout.pages_per_program),
      sectors_per_page_(layout.sectors_per_page),
      states_(1U << static_cast<unsigned>(config.nand.geometry.cell)),
      retry_by_firmware_(!config.engines.on(engines::EngineId::kRetry)),
      seed_(config.run.seed),
      lookahead_(std::max(config.channels.t_rr, config.channels.t_rhw)),
      command_lookahead_(std::max(lookahead_, config.channels.t_wb + config.channels.t_dbsy)),
      shortest_read_(shortest_read(config.nand, layout)),
      timing_(config.channels),
      codec_(config, layout),
      arrays_(std::move(dies)),
      decoder_(decoder),
      shared_(shared),
      target_([this](std::uint32_t offset, std::uint32_t& value,
                     sc_core::sc_time&) { return read_register(offset, value); },
              [this](std::uint32_t offset, std::uint32_t value, sc_core::sc_time& delay) {
                return write_register(offset, value, delay);
              }),
      ready_(kBusClasses, ReadyMap(config.channels.packages, config.channels.dies_per_package)),
      addressed_(config.channels.packages, kNoJob),
      output_end_(config.channels.packages, Picoseconds(0) - config.channels.t_rhw),
      page_(layout.sectors_per_page) {
  if (packages_ > 64 || config.channels.dies_per_package > 64) {
    SC_REPORT_FATAL("wordline/flash", "channels.packages and channels.dies_per_package: at most 64 each");
  }
  if (arrays_.size() != static_cast<std::size_t>(packages_) * config.channels.dies_per_package) {
    SC_REPORT_FATAL("wordline/flash", "a channel controller needs all dies of its channel");
  }
  dies_.reserve(arrays_.size());
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    dies_.emplace_back(DieQueue(pool_, blocks_, rules_.starvation_bound, rules_.pair_planes, pages_per_program_),
                       ReadGroup(pool_, planes_, sectors_per_page_), DieRetry(planes_ * sectors_per_page_));
    dies_[i].retry.machine = std::move(retry.at(i));
    shared_.ecc_registers.attach(*dies_[i].retry.machine);
  }
  registers.register_b_transport(this, &ChannelController::b_transport);
  SC_HAS_PROCESS(ChannelController);
  SC_METHOD(on_wake);
  sensitive << wake_;
  dont_initialize();
}

// ---- registers and the job ring -------------------------------------------------------------------------------------

bool ChannelController::read_register(std::uint32_t offset, std::uint32_t& value) const {
  switch (offset) {
    case regs::job_ring_base:
      value = ring_base_;
      return true;
    case regs::job_ring_size:
      value = ring_size_;
      return true;
    case regs::job_doorbell:
      value = 0;  // write only
      return true;
    case regs::status:
      value = std::min(outstanding_, regs::status_outstanding_mask);
      return true;
    default:
      return false;
  }
}

bool ChannelController::write_register(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay) {
  switch (offset) {
    case regs::job_ring_base:
      ring_base_ = value;
      ring_.close();
      return true;
    case regs::job_ring_size:
      ring_size_ = value;
      ring_.close();
      return true;
    case regs::job_doorbell:
      ring_doorbell(tlm_if::now() + Picoseconds(static_cast<std::int64_t>(delay.value())), value);
      return true;
    case regs::status:
      return true;  // read only: the write has no effect
    default:
      return false;
  }
}

void ChannelController::ring_doorbell(Picoseconds at, std::uint32_t produced) {
  doorbells_.add(at, produced);
  arm(tlm_if::now());
}

void ChannelController::submit(Picoseconds at, const wl_flash_job& job) {
  submitted_.add(at, job);
  arm(tlm_if::now());
}

bool ChannelController::ring_ready() {
  if (ring_.is_open()) return true;
  if (!tlm_if::is_ring_size(ring_size_)) {
    const std::string text = std::string(name()) + ": doorbell with a job ring of " + std::to_string(ring_size_) +
                             " entries: write a power of two to JOB_RING_SIZE first";
    SC_REPORT_ERROR("wordline/flash", text.c_str());
    return false;
  }
  return ring_.open(*memory[0], ring_base_, ring_size_);  // false has been reported by the memory
}

void ChannelController::take_jobs(Picoseconds at, std::uint32_t produced) {
  if (!ring_ready()) return;
  if (ring_.read_until(produced, [&](const wl_flash_job& job) { accept(job, at); })) return;
  const std::string text = std::string(name()) + ": doorbell " + std::to_string(produced) + " with " +
                           std::to_string(ring_.consumed()) + " jobs taken overflows the ring of " +
                           std::to_string(ring_size_) + " entries: the firmware must not have more jobs outstanding";
  SC_REPORT_ERROR("wordline/flash", text.c_str());
}

void ChannelController::accept(const wl_flash_job& job, Picoseconds at) {
  const std::string what = fault(job);
  if (!what.empty()) {
    const std::string text = std::string(name()) + ": flash job " + std::to_string(job.id) + ": " + what;
    SC_REPORT_ERROR("wordline/flash", text.c_str());
    return;
  }
  const std::uint32_t die = job.die / channels_;
  const JobIndex index = pool_.acquire({job, at});
  ++outstanding_;
  if (join(die, index)) return;
  dies_[die].queue.push(index);
  if (dies_[die].step == Step::kIdle) {
    evaluate(die, at);
  } else if (dies_[die].step == Step::kArray) {
    fetch_next(die, at);
    if (wants_suspend(dies_[die])) evaluate(die, at);
  }
}

std::string ChannelController::fault(const wl_flash_job& job) const {
  const auto beyond = [](const char* what, std::uint32_t value, std::uint32_t count) {
    return std::string(what) + " " + std::to_string(value) + " of " + std::to_string(count);
  };
  if (job.die % channels_ != channel_.value() || job.die / channels_ >= dies_.size()) {
    return "die " + std::to_string(job.die) + " is not on channel " + std::to_string(channel_.value());
  }
  if (job.block >= blocks_) return beyond("block", job.block, blocks_);
  const std::uint32_t sectors = planes_ * sectors_per_page_;
  switch (job.op) {
    case WL_FLASH_READ:
      if (job.page >= pages_) return beyond("page", job.page, pages_);
      if (job.count == 0 || job.sector + job.count > sectors) {
        return "sectors " + std::to_string(job.sector) + "+" + std::to_string(job.count) + " of " +
               std::to_string(sectors);
      }
      if (job.retry != 0 && !retry_by_firmware_) return "an attempt of a read retry, which the channel leads itself";
      if (job.retry != 0 && level_of(job) > ecc::kSoftLevels) return beyond("soft level", level_of(job), ecc::kSoftLevels + 1);
      return {};
    case WL_FLASH_PROGRAM:
      if (job.page >= pages_ || job.page % pages_per_program_ != 0) {
        return "program at page " + std::to_string(job.page) + " of " + std::to_string(pages_) + ", units of " +
               std::to_string(pages_per_program_);
      }
      if (job.count != sectors * pages_per_program_) {
        return "program of " + std::to_string(job.count) + " sectors, a unit has " +
               std::to_string(sectors * pages_per_program_);
      }
      return {};
    case WL_FLASH_ERASE:
      return {};
    default:
      return "unknown operation " + std::to_string(job.op);
  }
}

// ---- the bus ------------------------------------------------------------------------------------------------------

void ChannelController::on_wake() {
  wake_at_ = Picoseconds(-1);
  schedule(tlm_if::now());
}

void ChannelController::ready(unsigned die, Picoseconds at) {
  Die& d = dies_[die];
  if (d.step != Step::kArray && d.step != Step::kStopping) {
    SC_REPORT_ERROR("wordline/flash", "a die became ready that no job had made busy");
    return;
  }
  d.eligible = std::max(d.eligible, at);
  if (d.job == kNoJob || d.suspended) {
    const std::uint32_t column_at = d.reads.sector;
    begin_output(die, at);
    d.in_place = d.in_place && d.reads.sector == column_at;
    begin_sequence(die, at);
  } else {
    d.step = Step::kStatus;
  }
  evaluate(die, at);
  schedule(at);
}

void ChannelController::schedule(Picoseconds now) {
  doorbells_.deliver(now, [this](Picoseconds at, std::uint32_t produced) { take_jobs(at, produced); });
  submitted_.deliver(now, [this](Picoseconds at, const wl_flash_job& job) { accept(job, at); });

  if (bus_free_ <= now) {
    if (streaming_ != kNoJob) end_of_data(std::exchange(streaming_, kNoJob));
    expire_timers(now);
    if (any_eligible()) {
      if (command_is_near(now)) {
        const Picoseconds ahead = timers_.front().at;
        expire_timers(ahead);
        grant(pick(), ahead);
      } else {
        grant(pick(), now);
      }
    } else if (!timers_.empty() && timers_.front().at <= now + lookahead_) {
      const Picoseconds ahead = timers_.front().at;
      expire_timers(ahead);
      if (any_eligible()) grant(pick(), ahead);
    }
  }
  arm(now);
}

bool ChannelController::needs_selection(std::uint32_t die) const {
  const Die& d = dies_[die];
  return !d.selected && !(d.in_place && addressed_[package(die)] == die);
}

void ChannelController::evaluate(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  std::uint8_t bus_class = kNoClass;
  Picoseconds eligible = d.eligible;
  switch (d.step) {
    case Step::kIdle:
      if (!d.deferred.empty()) {
        resume_deferred(die);
        return evaluate(die, at);
      }
      if (d.suspended) {
        bus_class = kShort;
        break;
      }
      if (d.queue.empty()) break;
      if (QueuedJob& next = pool_[d.queue.next()]; next.job.op == WL_FLASH_PROGRAM) {
        fetch_next(die, at);
        eligible = std::max(eligible, next.fetched);
        bus_class = kNewIn;
      } else {
        bus_class = kShort;
      }
      break;
    case Step::kArray:
      if (wants_suspend(d)) bus_class = kShort;
      break;
    case Step::kStreaming:
    case Step::kStopping:
      break;
    case Step::kDataOut:
      bus_class = d.selected ? kSelectedOut : d.streamed ? kMoreOut : kOut;
      if (!needs_selection(die)) eligible = std::max(eligible, d.data_after);
      break;
    case Step::kDataIn:
      bus_class = d.plane == 0 ? kNewIn : kIn;
      break;
    case Step::kReadCommand:
    case Step::kReferences:
    case Step::kCacheCommand:
    case Step::kEraseCommand:
    case Step::kStatus:
    case Step::kCacheStatus:
      bus_class = kShort;
      break;
  }
  if (bus_class != kNoClass && at < eligible) {
    set_timer(die, eligible);
    bus_class = kNoClass;
  }
  set_class(die, bus_class);
}

void ChannelController::set_class(std::uint32_t die, std::uint8_t bus_class) {
  Die& d = dies_[die];
  if (d.bus_class == bus_class) return;
  if (d.bus_class != kNoClass) ready_[d.bus_class].clear(die);
  if (bus_class != kNoClass) ready_[bus_class].set(die);
  d.bus_class = bus_class;
}

void ChannelController::set_timer(std::uint32_t die, Picoseconds at) {
  if (dies_[die].timer == at) return;
  dies_[die].timer = at;
  timers_.push_back({at, die});
  std::push_heap(timers_.begin(), timers_.end());
}

void ChannelController::expire_timers(Picoseconds until) {
  while (!timers_.empty() && timers_.front().at <= until) {
    std::pop_heap(timers_.begin(), timers_.end());
    const Timer timer = timers_.back();
    timers_.pop_back();
    if (dies_[timer.die].timer != timer.at) continue;  // the die's plans have changed since
    dies_[timer.die].timer = Picoseconds(-1);
    evaluate(timer.die, until);
  }
}

bool ChannelController::any_eligible() const {
  return ready_[kSelectedOut].any(0) || ready_[kShort].any(locked_) || any_out() || any_in();
}

/// Whether data would be next on the bus, and it is better to wait for what is about to be due: a command that sets a die
/// to work, or the next data of a die that has begun to stream.
bool ChannelController::command_is_near(Picoseconds now) const {
  if (timers_.empty() || now + command_lookahead_ < timers_.front().at) return false;
  if (ready_[kShort].any(locked_) || !data_is_scarce()) return false;
  const Timer& timer = timers_.front();
  const Die& d = dies_[timer.die];
  if (d.timer != timer.at || (locked_ >> package(timer.die) & 1U) != 0) return false;
  const bool soon = timer.at <= now + lookahead_;
  switch (d.step) {
    case Step::kReadCommand:
    case Step::kCacheCommand:
    case Step::kEraseCommand:
      break;
    case Step::kStatus:
    case Step::kCacheStatus:
      if (!soon) return false;
      break;
    case Step::kDataOut:
      if (!soon || !d.streamed || d.selected) return false;
      break;
    case Step::kIdle:
      if (!soon || d.queue.empty() || pool_[d.queue.next()].job.op == WL_FLASH_PROGRAM) return false;
      break;
    default:
      return false;
  }
  // A column selection may fit in before.
  return ready_[kSelectedOut].any(0) || !any_out() || timer.at < now + timing_.command(kSelectCycles);
}

/// Whether the dies that wait with data would leave the bus idle before one that gets its command now has read a page.
bool ChannelController::data_is_scarce() const {
  const unsigned waiting = ready_[kSelectedOut].packages(0) + ready_[kMoreOut].packages(locked_) +
                           ready_[kOut].packages(locked_) + ready_[kIn].packages(locked_) +
                           ready_[kNewIn].packages(locked_);
  return burst_ * static_cast<std::int64_t>(waiting) < shortest_read_;
}

std::uint32_t ChannelController::pick() {
  const bool short_waits = ready_[kShort].any(locked_);
  if (ready_[kSelectedOut].any(0) && !(short_waits && data_is_scarce())) return ready_[kSelectedOut].pick(0);
  if (short_waits) return ready_[kShort].pick(locked_);
  const bool in_waits = any_in();
  if (any_out() && (!in_waits || data_in_passed_ < rules_.starvation_bound)) {
    if (in_waits) ++data_in_passed_;
    return ready_[ready_[kMoreOut].any(locked_) ? kMoreOut : kOut].pick(locked_);
  }
  data_in_passed_ = 0;
  return ready_[ready_[kIn].any(locked_) ? kIn : kNewIn].pick(locked_);
}

void ChannelController::arm(Picoseconds now) {
  constexpr Picoseconds kNever{-1};
  Picoseconds next = kNever;
  const auto at = [&next](Picoseconds t) {
    if (next == kNever || t < next) next = t;
  };
  if (!doorbells_.empty()) at(doorbells_.next());
  if (!submitted_.empty()) at(submitted_.next());
  if (streaming_ != kNoJob || any_eligible()) {
    at(std::max(bus_free_, now));
  } else if (!timers_.empty()) {
    at(std::max(timers_.front().at, bus_free_));
  }
  if (next == wake_at_) return;
  if (next == kNever || wake_at_ < next) wake_.cancel();
  if (next != kNever) wake_.notify(tlm_if::to_sc_time(next - now));
  wake_at_ = next;
}

void ChannelController::register_statistics(results::Registry& registry) const {
  registry
      .add_to_sum("flash.soft_reads", "reads",
                  "Reads of a page for soft decoding, at shifted references: three or seven for each soft level that "
                  "was tried.",
                  [this] { return soft_reads_; })
      .after("flash.retries")
      .in_summary(2, "soft reads");
}

}  // namespace wordline::flash
