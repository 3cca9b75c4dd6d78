// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The decoders of one channel in gates: rtl/ldpc, both tiers, on real bits. The codeword is made from what the page
/// stores, errors and reliabilities are put where the read's key says, the Verilated blocks decode, and the CRC is
/// checked.
///
/// What tier 1 or 2 decodes, and whose CRC fits, is compared with what was written, bit by bit: a difference is an
/// error of the gates or of the CRC, and ends the run. With `ecc.rtl_encoder` the parity is the encoder's in gates, and
/// is compared with the model's.
///
/// `ecc.rtl.tier1`, `tier2` and `encoder` put a block of the user's own at a place (rtl/slot), `ecc.rtl.tap` one into
/// the stream of user data: before CRC and encoder, and behind the CRC of a read. Ports are checked; what a tier calls
/// a success has to be a codeword, parity that of the model, data those of the host. An error names the codeword, the
/// beat and the clock. Writes pass encoder and tap at the time of the read, which takes no time of the drive.
///
/// One codeword in `ecc.rtl_every` goes through the gates, the others through the statistics, in turn.
///
/// The codewords of a page are independent of each other, so `ecc.rtl_threads` of them are decoded at a time, each in
/// blocks of its own. Who decodes which does not matter to any result. While a waveform is recorded, and with blocks of
/// the user's own, one thread does all.
///
/// The blocks run in bursts, at the moment of the call: their clocks are counted and become time, so no clock runs in
/// simulated time and an idle block costs nothing. Time is that of Decoder.
/// Waveform (scope "ssd.channelN.ecc"): status of each tier from the last bit in to the verdict; not its datapath. A
/// codeword whose last bit came in before the present is shown from the present on. Known gaps: the weight that the
/// read-retry controller sees is the number of raw errors, not that of the syndrome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/device/ecc/calibrated_ecc.h"
#include "tlm/device/ecc/codeword_gates.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::ecc {

class RtlEcc final : public CalibratedEcc {
 public:
  /// `recorder` may be null. Throws config::ConfigError when a block of the user's own cannot be loaded or does not
  /// fit.
  RtlEcc(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context, const config::Ecc& config,
         std::shared_ptr<const CalibratedDecoder> decoder, tlm_if::RecorderIf* recorder, const std::string& scope);
  ~RtlEcc() override;

  /// Where tokens of logical pages that were written in part are explained.
  sc_core::sc_port<tlm_if::DataBufferIf> buffer{"buffer"};

  Result decode(const LpageRead& read) override;
  [[nodiscard]] bool works_ahead() const override;
  void coming(const std::vector<LpageRead>& reads) override;

  /// One thread does all then, so that lines come in order.
  void record(const rtl::BlockRecordings& recordings) override;
  void register_statistics(results::Registry& registry) const override;
  /// The pins of blocks of the user's own in the last clocks, when one of them has failed.
  [[nodiscard]] std::vector<std::string> leave_evidence(const std::string& folder) const override;

 private:
  [[nodiscard]] Verdict decode_in_gates(const LpageRead& read, unsigned i, Picoseconds start);

  std::vector<std::unique_ptr<CodewordGates>> gates_;  // one for each thread; the first one's are recorded
  const std::string scope_;
  bool failed_ = false;    // a block of the user's own
  bool recorded_ = false;  // what goes in
  const std::uint32_t every_;
  std::uint64_t codewords_ = 0;
  std::uint64_t in_gates_ = 0;
  std::vector<CodewordGates::Decoded> ahead_;  // results of coming(), in the order in which they will be asked for
  std::size_t taken_ = 0;                      // how many of these were taken
};

}  // namespace wordline::ecc
