// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/memory/interconnect.h"

#include <fmt/core.h>

#include "models/firmware/contract/contract.h"
#include "registers/wordline_regs.hpp"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/register_socket.h"

namespace wordline::memory {
namespace regs = registers;

Interconnect::Interconnect(const sc_core::sc_module_name& name, unsigned core_count, unsigned channel_count,
                           Picoseconds latency)
    : sc_module(name),
      cores("core", core_count),
      channels("channel", channel_count),
      latency_(tlm_if::to_sc_time(latency)) {
  if (channel_count > regs::channel::kCount) {
    SC_REPORT_FATAL("wordline/memory", fmt::format("{}: {} channels, but the register map has room for {}",
                                                   this->name(), channel_count, regs::channel::kCount)
                                           .c_str());
  }
  static_assert(regs::channel::kBase == kPages << kPageShift, "the channels begin behind the pages");
  const auto block = [this](Initiator& socket, std::uint32_t base, std::uint32_t bytes) {
    pages_[base >> kPageShift] = {&socket, bytes};
  };
  static_assert((regs::nvme::kBase | regs::irq::kBase | regs::flash::kBase | regs::ecc::kBase | regs::timer::kBase |
                 regs::uart::kBase | regs::engines::kBase | regs::map::kBase) %
                        (1U << kPageShift) ==
                    0,
                "one page per block");
  block(nvme, regs::nvme::kBase, regs::nvme::kStride);
  block(irq, regs::irq::kBase, regs::irq::kStride * regs::irq::kCount);
  block(flash, regs::flash::kBase, regs::flash::kStride);
  block(ecc, regs::ecc::kBase, regs::ecc::kStride);
  block(timer, regs::timer::kBase, regs::timer::kStride);
  block(uart, regs::uart::kBase, regs::uart::kStride);
  block(engines, regs::engines::kBase, regs::engines::kStride);
  block(map, regs::map::kBase, regs::map::kStride);
  static_assert(WL_APB_OFFSET > regs::engines::kBase && WL_APB_OFFSET + WL_APB_SIZE <= regs::map::kBase &&
                    WL_APB_OFFSET % (1U << kPageShift) == 0,
                "pages of its own");
  block(apb, WL_APB_OFFSET, WL_APB_SIZE);
  for (unsigned i = 0; i < core_count; ++i) {
    const int id = static_cast<int>(i);
    cores[i].register_b_transport(this, &Interconnect::b_transport, id);
    cores[i].register_transport_dbg(this, &Interconnect::transport_dbg, id);
    cores[i].register_get_direct_mem_ptr(this, &Interconnect::get_direct_mem_ptr, id);
  }
}

Interconnect::Route Interconnect::route(std::uint64_t address) {
  if (address >= WL_MMIO_BASE && address < WL_MMIO_BASE + WL_MMIO_SIZE) {
    const auto offset = static_cast<std::uint32_t>(address - WL_MMIO_BASE);
    if (offset >= regs::channel::kBase) {
      const std::uint32_t i = (offset - regs::channel::kBase) / regs::channel::kStride;
      if (i >= channels.size()) return {};
      return {&channels[i], WL_MMIO_BASE + regs::channel::kBase + i * regs::channel::kStride, false};
    }
    const Page& page = pages_[offset >> kPageShift];
    const std::uint32_t base = offset >> kPageShift << kPageShift;
    if (offset - base >= page.bytes) return {};
    return {page.socket, WL_MMIO_BASE + base, false};
  }
  if (address >= WL_TCM_BASE && address < WL_TCM_BASE + WL_TCM_SIZE) return {&tcm, WL_TCM_BASE, true};
  if (address < WL_ITCM_BASE + WL_ITCM_SIZE) return {&itcm, WL_ITCM_BASE, true};
  if (address >= WL_DRAM_BASE && address - WL_DRAM_BASE < WL_DRAM_SIZE) return {&dram, WL_DRAM_BASE, true};
  return {};
}

void Interconnect::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const Route to = route(address);
  if (!to.is_memory) delay += latency_;  // the bus answers errors too
  if (to.socket == nullptr || to.socket->size() == 0) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_address(address - to.base);
  (*to.socket)->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned Interconnect::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const Route to = route(address);
  if (!to.is_memory || to.socket->size() == 0) return 0;  // registers have side effects: not for a debugger
  payload.set_address(address - to.base);
  const unsigned bytes = (*to.socket)->transport_dbg(payload);
  payload.set_address(address);
  return bytes;
}

bool Interconnect::get_direct_mem_ptr(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  const Route to = route(address);
  auto* const direct = to.is_memory ? nullptr : payload.get_extension<tlm_if::DirectRegister>();
  if (to.socket == nullptr || to.socket->size() == 0 || (!to.is_memory && direct == nullptr)) return false;
  if (direct != nullptr) direct->latency += tlm_if::to_picoseconds(latency_);
  payload.set_address(address - to.base);
  const bool granted = (*to.socket)->get_direct_mem_ptr(payload, dmi);
  payload.set_address(address);
  dmi.set_start_address(dmi.get_start_address() + to.base);
  dmi.set_end_address(dmi.get_end_address() + to.base);
  return granted;
}

}  // namespace wordline::memory
