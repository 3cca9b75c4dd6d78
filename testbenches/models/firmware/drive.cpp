// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "drive.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "models/precondition/boot_tables.h"
#include "models/riscv/elf_loader.h"
#include "registers/wordline_regs.hpp"
#include "testbenches/models/firmware/drive_rings.h"

extern "C" {
#include "models/firmware/contract/map_port.h"
#include "models/firmware/map/map.h"
}

namespace wordline::testing {
namespace {

namespace reg = registers;

/// DRAM, the table of spare blocks at its beginning.
std::vector<std::uint64_t> dram_with(const std::vector<std::uint16_t>& spares, std::size_t bytes) {
  std::vector<std::uint64_t> dram(bytes / 8);
  if (!spares.empty()) std::memcpy(dram.data(), spares.data(), spares.size() * sizeof(spares[0]));
  return dram;
}

}  // namespace

Drive::Drive(const wl_boot_info& boot, std::uint64_t seed, const std::string& image,
             const std::vector<std::uint16_t>& spares, const precondition::DriveState* state)
    : boot_(boot),
      seed_(seed),
      tcm_(boot.tcm_bytes / 8),
      dram_(dram_with(spares, boot.dram_bytes)),
      map_(wl_map_port_words(&boot)),
      nand_(boot, boot.replacement.spares == 0 ? nullptr : reinterpret_cast<const std::uint16_t*>(dram_.data()), state),
      oracle_(std::uint64_t{boot.user_lpages} * 8, boot.preconditioned != 0 || state != nullptr),
      cores_(boot.cores),
      channels_(boot.channels),
      slots_(boot.write_slots + boot.read_slots + boot.gc_slots),
      slot_use_(slots_.size()),
      tags_(boot.host_tags),
      dies_(boot.dies) {
  if (state != nullptr) {
    const wl_initial_state initial =
        precondition::write_boot_tables(*state, reinterpret_cast<std::byte*>(dram_.data()), boot_);
    std::memcpy(reinterpret_cast<std::byte*>(tcm_.data()) + WL_INITIAL_STATE_OFFSET, &initial, sizeof(initial));
    const std::vector<bool> mapped = precondition::mapped_lpages(*state);
    for (std::uint64_t lba = 0; lba < mapped.size() * 8; ++lba) {
      if (!mapped[lba / 8]) oracle_.start_with_zeros(lba);
    }
  }
  std::memcpy(tcm_.data(), &boot_, sizeof(boot_));
  hal_.self = this;
  hal_.write32 = &write32;
  hal_.read32 = &read32;
  hal_.task = [](void*, std::uint32_t) {};
  hal_.mark = [](void*, std::uint32_t, std::uint32_t) {};
  hal_.panic = [](void*, const char* file, std::uint32_t line) {
    fail(std::string("firmware panic at ") + file + ":" + std::to_string(line));
  };
  hal_.tcm = reinterpret_cast<std::uint8_t*>(tcm_.data());
  hal_.dram = reinterpret_cast<std::uint8_t*>(dram_.data());
  for (std::uint32_t tag = boot.host_tags; tag-- != 0;) free_tags_.push_back(static_cast<std::uint16_t>(tag));
  if ((boot.engines & WL_ENGINES_BLOCK) != 0) make_engines();
  if (image.empty())
    fw_ = wl_firmware_boot(&hal_);
  else
    start_harts(image);
}

std::uint32_t Drive::buffered() const {
  std::uint32_t lpages = 0;
  for (std::uint32_t u = 0; u < rooms(*fw_).buffer.host_units; ++u) {
    const wl_unit& unit = rooms(*fw_).buffer.units[u];
    if (unit.state != WL_UNIT_FREE && unit.state != WL_UNIT_DONE) lpages += unit.filled;
  }
  return lpages;
}

void Drive::make_engines() {
  DriveEngines::Around around;
  around.hal = &hal_;
  around.random = [this] { return random(); };
  around.hand_over = [this](std::uint16_t tag, std::uint8_t flags) { push_command(tag, flags); };
  around.flash = [this](const wl_flash_job& job) { dies_.at(job.die).push_back(job); };
  around.host = [this](const wl_host_job& job) { add_job(job); };
  around.interrupt = [this] { raise(WL_IRQ_ENGINE); };
  engines_ = std::make_unique<DriveEngines>(boot_, around);
}

void Drive::start_harts(const std::string& image) {
  const riscv::ElfFile elf(image);
  itcm_.resize(WL_ITCM_SIZE);
  for (std::uint32_t i = 0; i < boot_.cores; ++i) {
    riscv::HartConfig config;
    config.hart_id = i;
    config.observation = {WL_CSR_TASK, WL_CSR_COMMAND, WL_CSR_MARK, WL_COMMAND_NONE};
    auto hart = std::make_unique<riscv::Hart>(config, registers_);
    const auto region = [&](std::uint32_t base, std::size_t bytes, void* host, std::uint32_t cycles, bool code) {
      hart->add_region(
          {base, static_cast<std::uint32_t>(bytes), static_cast<std::byte*>(host), cycles, 1, code, !code});
    };
    region(WL_ITCM_BASE, itcm_.size(), itcm_.data(), 1, true);
    region(WL_TCM_BASE, tcm_.size() * 8, tcm_.data(), 1, false);
    region(WL_DRAM_BASE, dram_.size() * 8, dram_.data(), 40, false);
    harts_.push_back(std::move(hart));
  }
  elf.load([this](std::uint32_t address, std::uint32_t bytes) { return harts_[0]->host_pointer(address, bytes); });
  for (auto& hart : harts_) hart->reset(elf.entry());
}

bool Drive::Registers::read(std::uint32_t address, unsigned size, std::uint32_t& value) {
  if (size != 4 || address < WL_MMIO_BASE || address >= WL_MMIO_BASE + WL_MMIO_SIZE) return false;
  value = read32(&drive_, address - WL_MMIO_BASE);
  return true;
}

bool Drive::Registers::write(std::uint32_t address, unsigned size, std::uint32_t value) {
  if (size != 4 || address < WL_MMIO_BASE || address >= WL_MMIO_BASE + WL_MMIO_SIZE) return false;
  write32(&drive_, address - WL_MMIO_BASE, value);
  return true;
}

/// A few instructions, so that the cores interleave anywhere.
bool Drive::step_hart(std::uint32_t i) {
  riscv::Hart& hart = *harts_[i];
  hart.set_interrupt(riscv::kIrqExternal, cores_[i].pending != 0);
  if (hart.asleep()) return false;
  const riscv::StopReason reason = hart.run(1 + random() % 60);
  if (reason == riscv::StopReason::kLockup || reason == riscv::StopReason::kEbreak) fail("a core stopped");
  return true;
}

std::uint64_t Drive::instructions() const {
  std::uint64_t sum = 0;
  for (const auto& hart : harts_) sum += hart->instructions();
  return sum;
}

bool Drive::at_rest() const {
  for (std::uint32_t i = 0; i < boot_.cores; ++i)
    if ((engines_ != nullptr && engines_->busy()) || cores_[i].pending != 0 ||
        !(harts_.empty() ? cores_[i].asleep : harts_[i]->asleep()))
      return false;
  return harts_.empty() ? idle()
                        : finished_.empty() && host_buffer_.at_rest() &&
                              std::all_of(dies_.begin(), dies_.end(), [](const auto& d) { return d.empty(); });
}

void Drive::write32(void* self, std::uint32_t offset, std::uint32_t value) {
  Drive& d = *static_cast<Drive*>(self);
  if (offset >= reg::channel::kBase) {
    const std::uint32_t i = (offset - reg::channel::kBase) / reg::channel::kStride;
    HardRing& ring = d.channels_.at(i);
    switch ((offset - reg::channel::kBase) % reg::channel::kStride) {
      case reg::channel::job_ring_base:
        ring.base = value;
        return;
      case reg::channel::job_ring_size:
        ring.size = value;
        return;
      case reg::channel::job_doorbell:
        ring.doorbell = value;
        return;
      default:
        fail("write to an unknown channel register");
    }
  }
  if (offset >= reg::irq::kBase && offset < reg::irq::kBase + reg::irq::kStride * reg::irq::kCount) {
    Core& core = d.cores_.at((offset - reg::irq::kBase) / reg::irq::kStride);
    switch ((offset - reg::irq::kBase) % reg::irq::kStride) {
      case reg::irq::enable:
        core.enabled = value;
        return;
      case reg::irq::ipi:
        core.pending |= core.enabled & 1u << WL_IRQ_IPI;
        return;
      default:
        fail("write to an unknown interrupt register");
    }
  }
  if (d.engines_ != nullptr && offset >= reg::engines::kBase && offset < reg::engines::kBase + reg::engines::kStride) {
    d.engines_->write32(offset - reg::engines::kBase, value);
    return;
  }
  if (d.admin_.write32(offset - reg::nvme::kBase, value)) return;
  switch (offset) {
    case reg::nvme::kBase + reg::nvme::event_ring_base:
      d.events_.base = value;
      return;
    case reg::nvme::kBase + reg::nvme::event_ring_size:
      d.events_.size = value;
      return;
    case reg::nvme::kBase + reg::nvme::job_ring_base:
      d.host_jobs_.base = value;
      return;
    case reg::nvme::kBase + reg::nvme::job_ring_size:
      d.host_jobs_.size = value;
      return;
    case reg::nvme::kBase + reg::nvme::job_doorbell:
      d.host_jobs_.doorbell = value;
      return;
    case reg::nvme::kBase + reg::nvme::control:
      d.ready_ = value != 0;
      return;
    case reg::uart::kBase + reg::uart::panic_file:
      return;  // an address in the image
    case reg::uart::kBase + reg::uart::panic:
      fail("firmware panic at line " + std::to_string(value));
    case reg::flash::kBase + reg::flash::completion_ring_base:
      d.completions_.base = value;
      return;
    case reg::flash::kBase + reg::flash::completion_ring_size:
      d.completions_.size = value;
      return;
    case reg::flash::kBase + reg::flash::slot_table:
      d.slot_table_ = value;
      return;
    case reg::flash::kBase + reg::flash::metadata_table:
      d.metadata_table_ = value;
      return;
    case reg::flash::kBase + reg::flash::metadata_first:
      d.metadata_first_ = value;
      return;
    case reg::flash::kBase + reg::flash::metadata_count:
      d.metadata_count_ = value;
      return;
    case reg::timer::kBase + reg::timer::compare:
      d.compare_ = value;
      return;
    case reg::map::kBase + reg::map::word:
      d.map_word_ = value;
      return;
    case reg::map::kBase + reg::map::data:
    case reg::map::kBase + reg::map::next:
      d.map_word(offset) = value;
      return;
    case reg::flash::kBase + reg::flash::program_sets:
      d.program_sets_ = value;
      return;
    case reg::flash::kBase + reg::flash::program_reports:
      d.program_reports_ = value;
      return;
    case reg::flash::kBase + reg::flash::program_set_count:
    case reg::flash::kBase + reg::flash::program_report_count:
      return;
    case reg::flash::kBase + reg::flash::spare_table:
      if (value != WL_DRAM_BASE) fail("the table of spare blocks is not at the beginning of DRAM");
      return;
    default:
      fail("write to an unknown register");
  }
}

std::uint32_t& Drive::map_word(std::uint32_t offset) {
  return map_.at(map_word_ + (offset == reg::map::kBase + reg::map::next ? 1 : 0));
}

std::uint32_t Drive::read32(void* self, std::uint32_t offset) {
  Drive& d = *static_cast<Drive*>(self);
  if (offset == reg::timer::kBase + reg::timer::now) return d.microseconds_;
  if (offset == reg::map::kBase + reg::map::data || offset == reg::map::kBase + reg::map::next)
    return d.map_word(offset);
  if (d.engines_ != nullptr && offset >= reg::engines::kBase && offset < reg::engines::kBase + reg::engines::kStride)
    return d.engines_->read32(offset - reg::engines::kBase);
  std::uint32_t count = 0;
  if (d.admin_.read32(offset - reg::nvme::kBase, &count)) return count;
  const std::uint32_t in = offset - reg::irq::kBase;
  if (offset < reg::irq::kBase || in % reg::irq::kStride != reg::irq::claim) fail("read of an unknown register");
  Core& core = d.cores_.at(in / reg::irq::kStride);
  const std::uint32_t pending = core.pending;
  core.pending = 0;
  return pending;
}

DriveAdmin::Answer Drive::run_admin(const wl_sqe& sqe, std::uint16_t abort) {
  push(events_, admin_.send(sqe, abort));
  raise(WL_IRQ_HOST);
  last_end_ = now_;
  while (!admin_.answer) step();
  return *admin_.answer;
}

DriveAdmin::Answer Drive::tell_of_reset() {
  push(events_, admin_.send({}, WL_NO_TAG, WL_ADMIN_RESET));
  raise(WL_IRQ_HOST);
  while (!admin_.answer) step();
  return *admin_.answer;
}

void Drive::begin_shutdown() {
  push(events_, admin_.send({}, WL_NO_TAG, WL_ADMIN_SHUTDOWN));
  raise(WL_IRQ_HOST);
}

void Drive::pass(std::uint32_t microseconds) {
  microseconds_ += microseconds;
  if (compare_ == 0 || static_cast<std::int32_t>(compare_ - microseconds_) > 0) return;
  compare_ = 0;
  raise(WL_IRQ_TIMER);
}

void Drive::raise(unsigned source) {
  for (Core& core : cores_) core.pending |= core.enabled & 1u << source;
}

std::uint64_t Drive::oldest_read() const {
  std::uint64_t oldest = now_;
  for (const Tag& t : tags_)
    if (t.busy && t.command.opcode == WL_OP_READ) oldest = std::min(oldest, t.submitted);
  return oldest;
}

NandModel Drive::cut_power() {
  wl_flash_job job;
  for (std::uint32_t i = 0; i < boot_.channels && channels_.back().size != 0; ++i)
    while (pop(channels_[i], &job)) dies_.at(job.die).push_back(job);
  for (const auto& queue : dies_) {
    const auto next = std::find_if(queue.begin(), queue.end(), [](const auto& j) { return j.op != WL_FLASH_READ; });
    if (next != queue.end() && random() % 2 == 0) nand_.tear(*next);
  }
  return std::move(nand_);
}

void Drive::put_in(NandModel flash, std::uint32_t version) {
  nand_ = std::move(flash);
  version_ = version;
}

std::uint64_t Drive::on_flash(std::uint64_t lba) {
  const std::uint32_t value = wl_map_get(fw_, static_cast<std::uint32_t>(lba / 8));
  if (value == WL_MAP_DEALLOCATED) return 0;
  if (value < WL_MAP_PPA0 || value >= WL_MAP_BUFFER) fail("sector " + std::to_string(lba / 8) + " is not on flash");
  const auto copy = nand_.at(value - WL_MAP_PPA0);
  if (!copy || copy->spare.lpn != lba / 8) fail("sector " + std::to_string(lba / 8) + " is not where the map says");
  return copy->data[lba % 8];
}

void Drive::begin_content(std::uint64_t lba, std::uint64_t content, std::uint64_t submitted) {
  oracle_.begin(lba, content, submitted);
  if (promises != nullptr) promises->begin(lba, submitted, content, submitted);
}

NandModel::Metadata Drive::metadata_of(std::uint32_t slot) {
  if (slot - metadata_first_ >= metadata_count_) return {};
  std::uint32_t address = 0;
  std::memcpy(&address, hal_.tcm + (metadata_table_ - WL_TCM_BASE) + (slot - metadata_first_) * sizeof address,
              sizeof address);
  const std::uint32_t bits = address & WL_METADATA_BITS;
  return {bits, address == 0 ? nullptr : hal_.dram + (address - bits - WL_DRAM_BASE)};
}

bool Drive::step_flash() {
  if (channels_.back().size == 0) return false;
  wl_flash_job job;
  for (std::uint32_t i = 0; i < boot_.channels; ++i) {
    while (pop(channels_[i], &job)) {
      if (job.die % boot_.channels != i) fail("job in the ring of another channel");
      dies_.at(job.die).push_back(job);
    }
  }
  std::vector<std::uint32_t> busy;
  for (std::uint32_t die = 0; die < boot_.dies; ++die)
    if (!dies_[die].empty()) busy.push_back(die);
  if (busy.empty()) return false;
  auto& queue = dies_[busy[random() % busy.size()]];
  // Any read may go first; programs and erases stay in order among themselves.
  std::vector<std::size_t> choices;
  bool other = false;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (queue[i].op == WL_FLASH_READ) {
      choices.push_back(i);
    } else if (!other) {
      other = true;
      choices.push_back(i);
    }
  }
  const std::size_t pick = choices[random() % choices.size()];
  job = queue[pick];
  queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(pick));
  auto* table = reinterpret_cast<wl_slot_info*>(hal_.tcm + (slot_table_ - WL_TCM_BASE));
  wl_flash_completion done{};
  done.id = job.id;
  slot_use_.flash(job);
  nand_.may_be_blank = !ready_;
  nand_.metadata = [this](std::uint32_t at) { return metadata_of(at); };
  done.status = nand_.run(job, slots_, table);
  done.history = nand_.failed_planes;
  if (job.op == WL_FLASH_READ && done.status == WL_FLASH_OK && nand_.errors) done.history = nand_.errors(job);
  report(job, done);
  finished_.push_back({done, job});
  return true;
}

void Drive::report(const wl_flash_job& job, const wl_flash_completion& done) {
  if (job.op != WL_FLASH_PROGRAM || (job.control & WL_PROGRAM_MEASURES) == 0) return;
  auto* reports = reinterpret_cast<wl_program_report*>(hal_.tcm + (program_reports_ - WL_TCM_BASE));
  const auto* sets = reinterpret_cast<const wl_program_set*>(hal_.tcm + (program_sets_ - WL_TCM_BASE));
  const std::uint32_t set = job.control & WL_PROGRAM_SET;
  reports[job.id] =
      measure && done.status == WL_FLASH_OK ? measure(job, set == 0 ? nullptr : &sets[set]) : wl_program_report{};
  if ((job.control & WL_PROGRAM_CHECK) == 0) return;
  const std::uint32_t ber_ep1 = reports[job.id].ber_ep1;
  reports[job.id] = {};
  reports[job.id].ber_ep1 = ber_ep1;
}

bool Drive::step_completion() {
  if (finished_.empty()) return false;
  const std::size_t pick = random() % finished_.size();
  const Finished finished = finished_[pick];
  finished_[pick] = finished_.back();
  finished_.pop_back();
  if (engines_ != nullptr && engines_->completed(finished.job, finished.completion.status)) return true;
  push(completions_, finished.completion);
  raise(WL_IRQ_FLASH);
  return true;
}

bool Drive::step_core(std::uint32_t i) {
  if (!harts_.empty()) return step_hart(i);
  Core& core = cores_[i];
  if (core.asleep) {
    if (core.pending == 0) return false;
    core.asleep = false;
    wl_firmware_wake(fw_, &hal_, i);
    return true;
  }
  if (core.found_nothing) {
    core.found_nothing = false;
    core.asleep = wl_firmware_may_sleep(fw_, &hal_, i);
  } else {
    core.found_nothing = !wl_firmware_poll(fw_, &hal_, i);
  }
  return true;
}

/// The first of actors `begin` to `end` that can go on, from a random one on.
bool Drive::step_one_of(std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t hardware = hardware_actors();
  const std::uint32_t count = end - begin;
  const std::uint32_t first = static_cast<std::uint32_t>(random() % count);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t a = begin + (first + k) % count;
    const bool done = a == 0                                ? step_command()
                      : a == 1                              ? step_dma()
                      : a == 2                              ? order != Order::kFlashLast && step_flash()
                      : a == 3                              ? step_completion()
                      : a == 4 && boot_.ftl.host_pages != 0 ? step_copy()
                      : a < hardware                        ? engines_->step()
                                                            : step_core((a - hardware) % boot_.cores);
    if (done) return true;
  }
  return false;
}

void Drive::step() {
  ++now_;
  const std::uint32_t hardware = hardware_actors();
  const std::uint32_t actors = hardware + boot_.cores * 4;  // cores go on more often than the rest
  bool done = false;
  switch (order) {
    case Order::kAny:
      done = step_one_of(0, actors);
      break;
    case Order::kFlashLast:
      done = step_one_of(0, actors) || step_flash();
      break;
    case Order::kHardwareFirst:
      done = step_one_of(0, hardware) || step_one_of(hardware, actors);
      break;
    case Order::kCoresFirst:
      done = step_one_of(hardware, actors) || step_one_of(0, hardware);
      break;
  }
  if (in_flight() == 0) {
    last_end_ = now_;
  } else if (!done || now_ - last_end_ > kPatience) {
    fail("stuck: " + std::to_string(in_flight()) + " commands in flight and " +
         (done ? "none has ended for a long time" : "nothing goes on"));
  }
}

void Drive::drain() {
  while (in_flight() != 0) step();
}

void Drive::settle() {
  drain();
  for (std::uint64_t steps = 0; !at_rest(); ++steps) {
    step();
    if (steps > 10'000'000) fail("the firmware does not come to rest");
  }
}

std::uint16_t Drive::run(const Command& command) {
  while (!has_tag()) step();
  const std::uint16_t tag = free_tags_.back();
  submit(command);
  while (tags_[tag].busy) step();
  return tags_[tag].status;
}

}  // namespace wordline::testing
