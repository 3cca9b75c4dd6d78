// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/vfio_function.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "tlm/protocol/interfaces.h"

namespace wordline::serve {
namespace {

using namespace served::vfio;
using host::nvme::kRegDoorbells;

constexpr std::uint64_t kPage = 4096;
/// Drivers of some systems ask for so much.
constexpr std::uint64_t kLeastBar = 16384;

std::uint64_t bar_bytes_of(std::uint64_t cmb) {
  std::uint64_t bytes = kLeastBar;
  while (bytes < (cmb == 0 ? 0 : host::nvme::kCmbOffset + cmb)) bytes *= 2;
  return bytes;
}

}  // namespace

DoorbellPage::DoorbellPage(std::uint64_t bar_bytes)
    : file_(memfd_create("wordline-doorbells", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  // A client may write the file, and not change its size.
  void* at = MAP_FAILED;
  if (file_.is_open() && ftruncate(file_.get(), static_cast<off_t>(bar_bytes)) == 0 &&
      fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    at = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), kRegDoorbells);
  if (at == MAP_FAILED)
    throw std::runtime_error("--doorbells polled: error: no shared memory for doorbells can be had: leave it out");
  page_ = static_cast<volatile std::uint32_t*>(at);
}

DoorbellPage::~DoorbellPage() { munmap(const_cast<std::uint32_t*>(page_), kPage); }

void DoorbellPage::clear() {
  for (std::uint32_t i = 0; i != kDoorbells; ++i) at(i) = 0;
  seen_ = {};
}

void DoorbellPage::note(std::uint32_t offset, std::uint32_t value) {
  const std::uint32_t index = (offset - kRegDoorbells) / 4;
  if (index >= kDoorbells) return;
  at(index) = value;
  seen_[index] = value;
}

void DoorbellPage::look(const host::nvme::QueueSet& queues,
                        const std::function<void(std::uint32_t offset, std::uint32_t value)>& ring) {
  for (std::uint32_t i = 0; i != kDoorbells; ++i) {
    const std::uint32_t value = at(i);
    if (value == seen_[i]) {
      const bool exists = i % 2 == 0 ? queues.sq(i / 2).exists : queues.cq(i / 2).exists;
      if (value != 0 && !exists) note(kRegDoorbells + i * 4, 0);
      continue;
    }
    seen_[i] = value;
    ring(kRegDoorbells + i * 4, value);
  }
}

VfioFunction::VfioFunction(const sc_core::sc_module_name& name, const Parts& parts, std::uint64_t cmb,
                           bool maps_doorbells)
    : sc_module(name),
      parts_(parts),
      bar_bytes_(bar_bytes_of(cmb)),
      configuration_(bar_bytes_, kVectors,
                     {host::nvme::names::kPciVendor, host::nvme::names::kPciDevice,
                      served::PciFunction::link_speed_of(parts.link.bandwidth().count())}),
      doorbells_(maps_doorbells ? std::make_unique<DoorbellPage>(bar_bytes_) : nullptr) {
  bar_.bind(parts.controller.host_socket);
  parts.controller.host_interrupt.bind(*this);
}

served::VfioRegion VfioFunction::region(std::uint32_t index) const {
  served::VfioRegion region;
  if (index == kBar0) {
    region.size = bar_bytes_;
    if (doorbells_) {
      region.file = doorbells_->file();
      region.mapped_from = kRegDoorbells;
      region.mapped_bytes = kPage;
    }
  }
  if (index == kBar4) region.size = bar4_.size();
  if (index == kConfiguration) region.size = served::PciFunction::kBytes;
  return region;
}

int VfioFunction::read(std::uint32_t region, std::uint64_t offset, std::byte* to, std::uint32_t count) {
  if (region == kBar0) return read_bar(offset, to, count);
  if (region == kBar4) std::copy_n(bar4_.begin() + static_cast<std::ptrdiff_t>(offset), count, to);
  if (region == kConfiguration) configuration_.read(static_cast<std::uint32_t>(offset), count, to);
  return 0;
}

int VfioFunction::write(std::uint32_t region, std::uint64_t offset, const std::byte* from, std::uint32_t count) {
  if (region == kBar0) return write_bar(offset, from, count);
  if (region == kBar4) {
    std::copy_n(from, count, bar4_.begin() + static_cast<std::ptrdiff_t>(offset));
    // The table's bits say nothing here: a client masks by SET_IRQS. Pending bits are read only.
    std::fill(bar4_.begin() + served::PciFunction::kPendingBits, bar4_.end(), std::byte{0});
  }
  if (region == kConfiguration && configuration_.write(static_cast<std::uint32_t>(offset), count, from))
    reset_function();
  return 0;
}

bool VfioFunction::transport(tlm::tlm_command command, std::uint64_t offset, std::byte* data, Picoseconds arrives) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data));
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = tlm_if::to_sc_time(arrives - parts_.context.now());
  bar_->b_transport(payload, delay);
  return payload.is_response_ok();
}

/// Whole dwords are read, and what was asked for is taken of them. Beyond the registers there are zeros.
int VfioFunction::read_bar(std::uint64_t offset, std::byte* to, std::uint32_t count) {
  const Picoseconds now = parts_.context.now();
  for (std::uint64_t at = offset / 4 * 4; at < offset + count; at += 4) {
    std::array<std::byte, 4> dword{};
    if (!transport(tlm::TLM_READ_COMMAND, at, dword.data(), now)) dword = {};
    for (std::uint64_t i = std::max(at, offset); i != std::min(at + 4, offset + count); ++i)
      to[i - offset] = dword[i - at];
  }
  read_until_ = std::max(read_until_, parts_.link.register_read(now, std::max(count, 1U)));
  return 0;
}

int VfioFunction::write_bar(std::uint64_t offset, const std::byte* from, std::uint32_t count) {
  if (offset % 4 != 0 || count % 4 != 0) return EINVAL;
  for (std::uint32_t i = 0; i != count; i += 4) {
    std::uint32_t value = 0;
    std::memcpy(&value, from + i, sizeof value);
    const auto at = static_cast<std::uint32_t>(offset + i);
    if (held_ && at >= kRegDoorbells && at < kRegDoorbells + kPage) {
      held_(at, value);
    } else {
      write_dword(at, value);
    }
  }
  return 0;
}

void VfioFunction::write_dword(std::uint64_t offset, std::uint32_t value) {
  if (doorbells_) {
    if (offset >= kRegDoorbells && offset < kRegDoorbells + kPage)
      doorbells_->note(static_cast<std::uint32_t>(offset), value);
    // A reset takes the queues, and with them what their doorbells said.
    if (offset == host::nvme::kRegCc && (value & host::nvme::kCcEnable) == 0) doorbells_->clear();
  }
  const Picoseconds now = parts_.context.now();
  const Picoseconds arrives = parts_.link.posted_write(host::Direction::kDownstream, now, sizeof value);
  std::array<std::byte, 4> data;
  std::memcpy(data.data(), &value, sizeof value);
  if (!transport(tlm::TLM_WRITE_COMMAND, offset, data.data(), arrives)) return;
  // A head doorbell asks for nothing.
  const bool asks = offset < kRegDoorbells || offset % 8 == 0;
  if (asks) busy_until_ = std::max(busy_until_, arrives + Picoseconds(1));
  const bool changes_status = offset == host::nvme::kRegCc || offset == host::nvme::kRegNssr;
  if (changes_status && settle_) settle_();
}

bool VfioFunction::look_at_doorbells() {
  if (!doorbells_) return false;
  bool any = false;
  doorbells_->look(parts_.controller.queues(), [&](std::uint32_t offset, std::uint32_t value) {
    write_dword(offset, value);
    any = true;
  });
  return any;
}

void VfioFunction::interrupt(unsigned vector, Picoseconds at) {
  if (diverted_) {
    diverted_(vector, at);
    return;
  }
  vectors_.trigger(vector);
  if (told_) told_(at);
}

void VfioFunction::reset_function() {
  constexpr std::uint64_t kConfigurationWrite = 4;
  ++resets_;
  const Picoseconds arrives =
      parts_.link.posted_write(host::Direction::kDownstream, parts_.context.now(), kConfigurationWrite);
  parts_.controller.function_level_reset(arrives);
  busy_until_ = std::max(busy_until_, arrives + Picoseconds(1));
  bar4_ = {};
  if (drain_) drain_();
  if (doorbells_) doorbells_->clear();
}

void VfioFunction::reset() {
  configuration_.reset();
  reset_function();
}

void VfioFunction::client_gone() {
  parts_.memory.clear();
  vectors_.clear();
  reset();
}

}  // namespace wordline::serve
