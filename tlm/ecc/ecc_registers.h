// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>

#include "models/config/config.h"
#include "tlm/protocol/register_target.h"

namespace wordline::ecc {

/// The ECC register block (models/registers/wordline.rdl): limit of the retry flow and result counters of all channels.
///
/// CONTROL.MAX_RETRIES starts at `ecc.max_retries` of the configuration (the register's own reset value is its
/// default).
class EccRegisters final : public sc_core::sc_module {
 public:
  EccRegisters(const sc_core::sc_module_name& name, const config::Ecc& config);

  tlm_utils::simple_target_socket<EccRegisters> socket{"socket"};

  [[nodiscard]] unsigned max_retries() const { return max_retries_; }
  void count_decoded(unsigned sectors) { decoded_ += sectors; }
  void count_retry() { ++retries_; }
  void count_uncorrectable(unsigned sectors) { uncorrectable_ += sectors; }

  [[nodiscard]] std::uint64_t decoded() const { return decoded_; }              // sectors
  [[nodiscard]] std::uint64_t retries() const { return retries_; }              // reference steps
  [[nodiscard]] std::uint64_t uncorrectable() const { return uncorrectable_; }  // sectors given up

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { target_.b_transport(payload, delay); }
  bool read(std::uint32_t offset, std::uint32_t& value) const;
  bool write(std::uint32_t offset, std::uint32_t value);

  tlm_if::RegisterTarget target_;
  unsigned max_retries_;
  std::uint64_t decoded_ = 0;
  std::uint64_t retries_ = 0;
  std::uint64_t uncorrectable_ = 0;
};

}  // namespace wordline::ecc
