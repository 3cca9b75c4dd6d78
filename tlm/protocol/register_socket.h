// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <systemc>
#include <tlm>
#include <utility>

#include "tlm/protocol/interfaces.h"

namespace wordline::tlm_if {

/// The registers of one block: 32-bit words only; anything else and any unmapped offset is answered with an error
/// response that the core turns into an access fault. An access never waits: the owner annotates its delay. Accesses
/// are blocking; a debugger gets nothing, since reads have side effects.
///
/// A request for direct memory that carries DirectRegister gets the block behind an address; the requester may then
/// call read() and write() itself, with the delay that the bus would have added.
class RegisterSocket final : public tlm::tlm_target_socket<>, private tlm::tlm_fw_transport_if<> {
 public:
  using Read = std::function<bool(std::uint32_t offset, std::uint32_t& value, Picoseconds& delay)>;
  using Write = std::function<bool(std::uint32_t offset, std::uint32_t value, Picoseconds& delay)>;

  RegisterSocket(const char* name, Read read, Write write)
      : tlm_target_socket(name), read_(std::move(read)), write_(std::move(write)) {
    bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  }
  using tlm::tlm_target_socket<>::bind;

  /// A word at an offset that is a multiple of 4. False: no such register, or not allowed; `value` is as it was.
  [[nodiscard]] bool read(std::uint32_t offset, std::uint32_t& value, Picoseconds& delay) {
    std::uint32_t word = 0;
    if (!read_(offset, word, delay)) return false;
    value = word;
    return true;
  }
  [[nodiscard]] bool write(std::uint32_t offset, std::uint32_t value, Picoseconds& delay) {
    return write_(offset, value, delay);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& /*payload*/) override { return 0; }

  Read read_;
  Write write_;
};

/// Carried by a request for direct memory: filled in by the block of registers at the address. Ignorable.
/// What lies between and does not hand such requests on keeps seeing every access.
class DirectRegister final : public tlm::tlm_extension<DirectRegister> {
 public:
  RegisterSocket* block = nullptr;  // none: only by the bus
  std::uint32_t offset = 0;         // offset in the block
  Picoseconds latency{};            // latency of the bus, for each access

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new DirectRegister(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const DirectRegister&>(other); }
};

inline void RegisterSocket::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.get_data_length() != 4 || payload.get_byte_enable_ptr() != nullptr || payload.get_address() % 4 != 0) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  std::uint32_t word = 0;
  bool known = false;
  Picoseconds at = to_picoseconds(delay);
  if (payload.is_read()) {
    known = read(offset, word, at);
    if (known) std::memcpy(payload.get_data_ptr(), &word, 4);
  } else if (payload.is_write()) {
    std::memcpy(&word, payload.get_data_ptr(), 4);
    known = write(offset, word, at);
  }
  delay = to_sc_time(at);
  payload.set_response_status(known ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

inline tlm::tlm_sync_enum RegisterSocket::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& /*phase*/,
                                                          sc_core::sc_time& /*delay*/) {
  SC_REPORT_ERROR("/wordline/registers", "nb_transport to a block of registers: use b_transport");
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  return tlm::TLM_COMPLETED;
}

inline bool RegisterSocket::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& /*dmi*/) {
  DirectRegister* const direct = payload.get_extension<DirectRegister>();
  if (direct != nullptr && payload.get_address() % 4 == 0) {
    direct->block = this;
    direct->offset = static_cast<std::uint32_t>(payload.get_address());
  }
  return false;  // not memory
}

}  // namespace wordline::tlm_if
