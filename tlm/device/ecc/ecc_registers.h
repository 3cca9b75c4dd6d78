// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The ECC register block (models/registers/wordline.rdl) of all channels: settings of the read-retry controllers,
/// table of optimal references, counters, the history of the read that ended last.
///
/// Reset values are the configuration's (`ecc.max_retries`, `ecc.max_soft`, `ecc.ort`). One group of the ORT is a die,
/// or, with `ecc.ort_scope = block`, a block of it. CONTROL and ESCALATION act at once; tables and iterations are
/// refused (bus error) while a controller is at work. ITERATIONS reaches the decoders. Statistics are made for one
/// number of iterations: when codewords go through them, another one is refused with a report. So is one that tier 2
/// has no room for. Known gaps: IRQ_STATUS raises no interrupt of a core: firmware sees the end of a read in its
/// completion. FLASH_TIMEOUT and DECODE_TIMEOUT are kept but nothing of the drive fails to answer; STATUS shows one of
/// the controllers at work. It decides nothing of a read: models/ecc/retry does.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/ecc/retry/read_retry.h"
#include "models/results/registry.h"
#include "tlm/device/ecc/ecc_if.h"
#include "tlm/device/ecc/retry_if.h"
#include "tlm/protocol/register_socket.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::ecc {

/// Errors made on purpose (ECC.INJECT), at the decoders of the drive.
struct ErrorInjection {
  bool t1_fail = false;
  bool t2h_fail = false;
  bool t2s_fail = false;
  bool crc = false;    // crc of the first codeword decoded in each read
  unsigned steps = 0;  // hard decoding fails until so many retries were taken

  [[nodiscard]] bool any() const { return t1_fail || t2h_fail || t2s_fail || crc || steps != 0; }
};

/// Groups of the table of optimal references: dies, or all their blocks.
[[nodiscard]] inline unsigned ort_groups(const config::Config& config, unsigned dies) {
  return config.ecc.ort_scope == config::OrtScope::kBlock ? dies * config.nand.blocks_per_plane() : dies;
}

class EccRegisters final : public sc_core::sc_module {
 public:
  /// `groups` of the ORT with `layers` h-layers.
  EccRegisters(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context, const config::Ecc& config,
               unsigned groups, unsigned layers);

  tlm_if::RegisterSocket socket;

  /// Without errors made on purpose: those are made where codewords are decoded.
  [[nodiscard]] RetrySettings& settings() { return settings_; }
  [[nodiscard]] const RetrySettings& settings() const { return settings_; }
  [[nodiscard]] const ErrorInjection& injection() const { return injection_; }
  [[nodiscard]] OptimalReferences& ort() { return ort_; }
  /// One group of the ORT is a block of a die; then its soft levels are used, too (RetrySettings::ort_levels).
  [[nodiscard]] bool ort_by_block() const { return settings_.ort_levels; }
  /// The counters of all reads, with and without retry.
  [[nodiscard]] RetryCounters& counters() { return counters_; }
  [[nodiscard]] const RetryCounters& counters() const { return counters_; }
  void register_statistics(results::Registry& registry) const;

  [[nodiscard]] IterationLimits iterations() const { return {settings_.t1_iterations, settings_.t2_iterations}; }
  /// Codewords go through statistics that were made for these iterations: no others are taken.
  void fix_iterations(const IterationLimits& limits);

  /// A hard decoding that no retry controller sees.
  void count_first_read(const CodewordOutcome& outcome) {
    if (outcome.decoded && !outcome.crc_ok) ++counters_.miscorrections;
    if (!outcome.good()) return;
    counters_.count_decoded(outcome.tier == 1 ? DecodeWay::kT1 : DecodeWay::kT2H, outcome.iterations,
                            outcome.corrected);
  }
  /// A controller that COMMAND.ABORT reaches and STATUS shows; it outlives the block.
  void attach(RetryIf& controller) { controllers_.push_back(&controller); }
  /// A read ended in the controller.
  void ended(const RetryResult& result);
  /// A read of a page of `layer` was repeated `times` times, each at another step of the retry table.
  void count_retries(unsigned layer, unsigned times) { retries_by_layer_[layer] += times; }
  /// The sum is counters().retries.
  [[nodiscard]] const std::vector<std::uint64_t>& retries_by_layer() const { return retries_by_layer_; }

 private:
  bool read(std::uint32_t offset, std::uint32_t& value) const;
  bool write(std::uint32_t offset, std::uint32_t value);
  bool read_count(std::uint32_t offset, std::uint32_t& value) const;
  bool read_result(std::uint32_t offset, std::uint32_t& value) const;
  [[nodiscard]] bool takes_iterations(std::uint32_t value) const;
  [[nodiscard]] bool ort_index_valid() const;
  [[nodiscard]] const RetryIf* busy() const;

  const tlm_if::SimulationContext& context_;
  RetrySettings settings_;
  ErrorInjection injection_;
  OptimalReferences ort_;
  RetryCounters counters_;
  std::vector<std::uint64_t> retries_by_layer_;
  RetryResult last_;
  bool iterations_fixed_ = false;
  std::vector<RetryIf*> controllers_;
  std::uint32_t ort_index_ = 0;
  std::uint32_t irq_status_ = 0, irq_enable_ = 0;
  std::uint32_t flash_timeout_ = 0, decode_timeout_ = 0;
};

}  // namespace wordline::ecc
