// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/core.h"

#include <fmt/core.h>

#include <cstring>
#include <string>

namespace wordline::cpu {
namespace {

constexpr std::uint32_t kSleep = WL_COST_COUNT;  // sleep in waves, after the cost tags

#define WL_COST(tag, name, text) name,
constexpr std::string_view kTagNames[] = {
#include "models/firmware/contract/cost_tags.def"
};

}  // namespace

std::string_view cost_tag_name(std::uint32_t tag) { return kTagNames[tag]; }

Core::Core(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Cpu& config,
           unsigned index, tlm_if::RecorderIf* recorder)
    : sc_module(name),
      config_(config),
      index_(index),
      alarms_(context.alarms()),
      wakes_(alarms_, *this),
      recorder_(recorder) {
  if (recorder_ == nullptr) return;
  const std::string scope = fmt::format("ssd.cpu.core{}", index);
  task_signal_ = recorder_->add_enum(scope, "task",
                                     {
#include "models/firmware/contract/cost_tags.def"
                                         "sleep"});
  move_signal_ =
      recorder_->add_enum(scope, "moves", {"nothing", "gc", "reclaim", "refresh", "wear", "rebuild", "fold"});
  static_assert(WL_MOVE_REASONS == 6, "a name for each, behind \"nothing\"");
}

void Core::register_statistics(results::Registry& registry) const {
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    registry
        .add_to_sum(
            {"firmware_cycles.TAG", {std::string(cost_tag_name(tag))}}, "cycles",
            "Cycles that the cores spent on this work, waits for the bus included, sleep (WFI) not. With cpu.model = "
            "native: the number of times that the work was done, by its calibrated mean cycles.",
            [this, tag] { return statistics().cycles[tag]; })
        .only_if_nonzero();
  }
  registry
      .add_to_sum({"firmware_instructions"}, "instructions",
                  "Instructions that the firmware retired, boot included, sum over all cores. Present only with "
                  "cpu.model = iss.",
                  [this] { return statistics().instructions; })
      .only_if_nonzero();
}

void Core::report(const std::string& text) const {
  SC_REPORT_ERROR("wordline/cpu", fmt::format("{}: {}", name(), text).c_str());
}

Core::Memory Core::direct_memory(std::uint32_t base, const char* what) {
  tlm::tlm_dmi dmi;
  payload_.set_address(base);
  payload_.set_read();
  if (!socket->get_direct_mem_ptr(payload_, dmi) || !dmi.is_read_write_allowed()) return {};
  if (dmi.get_start_address() != base) {
    report(fmt::format("{} begins at {:#x} on the bus, the firmware expects it at {:#x}", what, dmi.get_start_address(),
                       base));
    return {};
  }
  return {reinterpret_cast<std::byte*>(dmi.get_dmi_ptr()), dmi.get_end_address() - base + 1};
}

bool Core::access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value, Picoseconds& local) {
  Way& known = way(address);
  if (known.address == address && known.block != nullptr) {
    local += known.latency;
    if (command == tlm::TLM_READ_COMMAND) return known.block->read(known.offset, value, local);
    return known.block->write(known.offset, value, local);
  }
  if (!access_by_bus(command, address, value, local)) return false;
  if (known.address != address) known = find_way(address);
  return true;
}

Core::Way Core::find_way(std::uint32_t address) {
  tlm_if::DirectRegister direct;
  tlm::tlm_dmi unused;
  payload_.set_address(address);
  payload_.set_read();
  payload_.set_extension(&direct);
  (void)socket->get_direct_mem_ptr(payload_, unused);
  payload_.clear_extension(&direct);
  return {address, direct.offset, direct.block, direct.latency};
}

bool Core::access_by_bus(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value, Picoseconds& local) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload_.set_data_length(4);
  payload_.set_streaming_width(4);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = tlm_if::to_sc_time(local);
  socket->b_transport(payload_, delay);
  local = tlm_if::to_picoseconds(delay);
  return payload_.is_response_ok();
}

void Core::mark(std::uint32_t value, Picoseconds at) {
  switch (value >> 16) {
    case WL_MARK_WORK:
      work(static_cast<std::uint16_t>(value), at);
      return;
    case WL_MARK_WAIT:
      wait_mark(value & 0xffffU, at);
      return;
    case WL_MARK_HELD:
    case WL_MARK_AWAITS_MAP:
      if (stage_clock.size() != 0) {
        const bool map = value >> 16 == WL_MARK_AWAITS_MAP;
        stage_clock->held(static_cast<std::uint16_t>(value),
                          map ? tlm_if::Stage::kQueueMap : tlm_if::Stage::kQueueOrder, at);
      }
      return;
    case WL_MARK_PROGRAM:
      if (stage_clock.size() != 0) stage_clock->programs(static_cast<std::uint16_t>(value), at);
      return;
    case WL_MARK_MOVE:
      if ((value & 0xffffU) > WL_MOVE_REASONS) {
        report(fmt::format("the firmware moves a superblock for reason {}, contract.h has {}", (value & 0xffffU) - 1,
                           +WL_MOVE_REASONS));
      } else if (tlm_if::listens(recorder_)) {
        recorder_->set(move_signal_, at, value & 0xffffU);
      }
      return;
    default:
      report(fmt::format("the firmware passes mark {}, contract.h has no such mark", value >> 16));
  }
}

void Core::wait_mark(std::uint32_t value, Picoseconds at) {
  const std::uint32_t waiter = value & 0xffU;
  const std::uint32_t pool = value >> 8;
  if (waiter >= WL_WAITER_COUNT || pool >= WL_POOL_COUNT) {
    report(fmt::format("the firmware says that waiter {} waits for pool {}, contract.h has {} and {}", waiter, pool,
                       +WL_WAITER_COUNT, +WL_POOL_COUNT));
    return;
  }
  if (stage_clock.size() != 0) stage_clock->pool(waiter, pool, at);
}

void Core::tell_work(Picoseconds until) {
  if (works_for_ != WL_NO_TAG && until > works_since_ && stage_clock.size() != 0) {
    stage_clock->work(works_for_, works_since_, until);
  }
  works_since_ = until;
}

bool Core::unknown_task(std::uint32_t tag) const {
  report(fmt::format("the firmware sets cost tag {}, contract.h ends at {}", tag, WL_COST_COUNT - 1));
  return false;
}

void Core::record_task(std::uint32_t tag, Picoseconds at) {
  if (!tlm_if::listens(recorder_)) return;
  recorder_->set(task_signal_, at, tag);
  if (levels_ != nullptr) levels_->look(at);
}

void Core::record_sleep(Picoseconds at) {
  if (tlm_if::listens(recorder_)) recorder_->set(task_signal_, at, kSleep);
}

}  // namespace wordline::cpu
