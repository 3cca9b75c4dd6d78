// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "tlm/device/dma/host_memory_initiator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace wordline::host {
namespace {

constexpr const char* kSocketReport = "wordline/host/host_memory_socket";

}  // namespace

/// A thread that carries out one access after the other; a target may let it wait.
class HostMemoryInitiator::Worker {
 public:
  explicit Worker(HostMemoryInitiator& of) : of_(of) {
    sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("dma"));
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// It waits, and there is an order.
  void begin() { begins_.notify(sc_core::SC_ZERO_TIME); }

 private:
  void run() {
    for (;;) {
      while (of_.orders_.empty()) {  // another thread, which was through, may have taken what this one was woken for
        of_.idle_.push_back(this);
        sc_core::wait(begins_);
      }
      const Order order = of_.orders_.front();
      of_.orders_.pop_front();
      const Picoseconds now = of_.context_.now();
      sc_core::sc_time delay = tlm_if::to_sc_time(order.at - now);
      const bool good = of_.carry_out(order, delay);
      Picoseconds end = of_.context_.now() + tlm_if::to_picoseconds(delay);
      // Time that is annotated passes as time that is waited does: what the drive does behind it meets the same others.
      if (end > order.at && end > of_.context_.now()) {
        sc_core::wait(delay);
        end = of_.context_.now();
      }
      order.access.client->dma_ended(order.access, good, end);
    }
  }

  HostMemoryInitiator& of_;
  sc_core::sc_event begins_;
};

HostMemoryInitiator::HostMemoryInitiator(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                                         Target target)
    : sc_module(name), context_(context), target_(target) {}

HostMemoryInitiator::~HostMemoryInitiator() = default;

void HostMemoryInitiator::begin(const Order& order) {
  if (target_ == Target::kNeverWaits) {
    const Picoseconds now = context_.now();
    sc_core::sc_time delay = tlm_if::to_sc_time(order.at - now);
    const bool good = carry_out(order, delay);
    order.access.client->dma_ended(order.access, good, now + tlm_if::to_picoseconds(delay));
    return;
  }
  orders_.push_back(order);
  if (idle_.empty()) {
    workers_.push_back(std::make_unique<Worker>(*this));
  } else {
    idle_.back()->begin();
    idle_.pop_back();
  }
}

bool HostMemoryInitiator::carry_out(const Order& order, sc_core::sc_time& delay) {
  tlm::tlm_generic_payload payload;
  return order.stamps != nullptr ? move_stamps(order, payload, delay) : move_bytes(order, payload, delay);
}

bool HostMemoryInitiator::transport(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
                                    std::byte* bytes, std::size_t count, sc_core::sc_time& delay) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(bytes));
  payload.set_data_length(static_cast<unsigned>(count));
  payload.set_streaming_width(static_cast<unsigned>(count));
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  socket->b_transport(payload, delay);
  if (payload.is_response_ok()) return true;
  SC_REPORT_WARNING(kSocketReport, fmt::format("{}: {} of {} bytes of host memory at 0x{:x} was answered with {}",
                                               name(), command == tlm::TLM_READ_COMMAND ? "read" : "write", count,
                                               address, payload.get_response_string())
                                       .c_str());
  return false;
}

/// Pages one after the other: that is the order on the link.
bool HostMemoryInitiator::move_bytes(const Order& order, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const tlm::tlm_command command = order.is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
  for (std::size_t done = 0; done < order.count;) {
    const std::uint64_t address = order.address + done;
    const std::size_t part = std::min(order.count - done, kPageBytes - address % kPageBytes);
    if (!transport(payload, command, address, order.bytes + done, part, delay)) {
      if (!order.is_write) std::memset(order.bytes + done, 0, order.count - done);
      return false;
    }
    done += part;
  }
  return true;
}

bool HostMemoryInitiator::move_stamps(const Order& order, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  std::array<std::byte, kPageBytes> stand_in{};  // the bytes of user data
  StampExtension extension;
  extension.nlb = order.nlb;
  extension.served = false;
  if (order.is_write) std::copy_n(order.stamps, order.nlb, extension.stamps.begin());
  payload.set_extension(&extension);
  const bool answered = transport(payload, order.is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                  order.address, stand_in.data(), std::size_t{order.nlb} * kLbaBytes, delay);
  payload.clear_extension(&extension);
  if (answered && !extension.served) {
    SC_REPORT_WARNING(
        kSocketReport,
        fmt::format("{}: {} of user data at 0x{:x} was answered without stamps: user data in this model are "
                    "stamps, the host's memory has to serve StampExtension",
                    name(), order.is_write ? "write" : "read", order.address)
            .c_str());
  }
  const bool good = answered && extension.served;
  if (!order.is_write && good) std::copy_n(extension.stamps.begin(), order.nlb, order.stamps);
  if (!order.is_write && !good) std::fill_n(order.stamps, order.nlb, data::LbaStamp{});
  return good;
}

void HostMemoryInitiator::begin_read(Picoseconds at, std::uint64_t address, void* to, std::size_t bytes,
                                     const DmaAccess& access) {
  begin({at, address, static_cast<std::byte*>(to), bytes, nullptr, 0, false, access});
}

// A target does not change a write's data.
void HostMemoryInitiator::begin_write(Picoseconds at, std::uint64_t address, const void* from, std::size_t bytes,
                                      const DmaAccess& access) {
  begin({at, address, const_cast<std::byte*>(static_cast<const std::byte*>(from)), bytes, nullptr, 0, true, access});
}

void HostMemoryInitiator::begin_read_stamps(Picoseconds at, std::uint64_t address, data::LbaStamp* to,
                                            std::uint32_t nlb, const DmaAccess& access) {
  begin({at, address, nullptr, 0, to, nlb, false, access});
}

void HostMemoryInitiator::begin_write_stamps(Picoseconds at, std::uint64_t address, const data::LbaStamp* from,
                                             std::uint32_t nlb, const DmaAccess& access) {
  begin({at, address, nullptr, 0, const_cast<data::LbaStamp*>(from), nlb, true, access});
}

bool HostMemoryInitiator::read(std::uint64_t address, void* to, std::size_t bytes) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  return carry_out({{}, address, static_cast<std::byte*>(to), bytes, nullptr, 0, false, {}}, delay);
}

bool HostMemoryInitiator::write(std::uint64_t address, const void* from, std::size_t bytes) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  auto* bytes_of_write = const_cast<std::byte*>(static_cast<const std::byte*>(from));
  return carry_out({{}, address, bytes_of_write, bytes, nullptr, 0, true, {}}, delay);
}

bool HostMemoryInitiator::read_stamps(std::uint64_t address, data::LbaStamp* to, std::uint32_t nlb) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  return carry_out({{}, address, nullptr, 0, to, nlb, false, {}}, delay);
}

bool HostMemoryInitiator::write_stamps(std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  return carry_out({{}, address, nullptr, 0, const_cast<data::LbaStamp*>(from), nlb, true, {}}, delay);
}

}  // namespace wordline::host
