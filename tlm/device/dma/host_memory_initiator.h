// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <systemc>

#include "tlm/protocol/host_memory_if.h"
#include "tlm/protocol/stamp_extension.h"

namespace wordline::host {

/// Host memory behind a TLM-2.0 socket: turns the drive's accesses into transactions, so that the memory of any SystemC
/// host can be bound. Bytes are plain reads and writes of the base protocol; user data are transactions of the bytes
/// they stand for, with their stamps in a StampExtension beside them. HostMemoryTarget is the other end, for a host
/// that has none.
///
/// A transaction is one blocking call and stays within one 4 KiB page (a foreign memory need not be contiguous beyond).
/// Reported as SC_ERROR, with what was accessed and where: every response other than TLM_OK_RESPONSE, and user data
/// whose stamps the target has not served. So a foreign host that moves real bytes is refused, in both directions; its
/// data are neither read as zeros nor lost in silence. Accuracy: content only; time is the link's. Known gaps: a delay
/// that the target annotates is not added, the first one is reported as a warning: host memory answers at once
/// (PcieLink). A target must not wait: the drive's accesses come from method processes. No DMI.
class HostMemoryInitiator final : public sc_core::sc_module, public HostMemoryIf {
 public:
  explicit HostMemoryInitiator(const sc_core::sc_module_name& name);

  tlm_utils::simple_initiator_socket<HostMemoryInitiator> socket{"socket"};

  bool read(std::uint64_t address, void* to, std::size_t bytes) override;
  bool write(std::uint64_t address, const void* from, std::size_t bytes) override;
  bool read_stamps(std::uint64_t address, data::LbaStamp* to, std::uint32_t nlb) override;
  bool write_stamps(std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb) override;

 private:
  static constexpr std::size_t kPageBytes = 4096;
  /// False: refused, and reported.
  bool transport(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes);
  /// Transports `stamps_`; a transaction that is not served counts as refused.
  bool transport_stamps(tlm::tlm_command command, std::uint64_t address, std::uint32_t nlb);

  tlm::tlm_generic_payload payload_;
  StampExtension stamps_;
  std::array<unsigned char, kPageBytes> stand_in_{};  // the bytes of user data
  bool delay_reported_ = false;
};

}  // namespace wordline::host
