// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/data/stamp.h"
#include "models/ecc/decoders/codeword_bits.h"
#include "rtl/slot/block_recording.h"
#include "tlm/device/ecc/decoder.h"
#include "tlm/device/ecc/gates.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::ecc {

/// What is wrong with `got`, naming the codeword and `who` made it; empty: it is what was written.
[[nodiscard]] std::string difference_from_written(const CodeBits& written, const CodeBits& got, std::uint64_t address,
                                                  unsigned half, const char* who);

/// A set of blocks in gates that takes one codeword at a time: made of what the page stores, read with its errors,
/// decoded, compared with what was written. It neither reports nor waits, so each thread may have one; which of several
/// decodes a codeword does not matter to the outcome.
class CodewordGates {
 public:
  /// `recorder` may be null. Throws config::ConfigError as Gates does.
  CodewordGates(const tlm_if::SimulationContext& context, const config::Ecc& config, tlm_if::RecorderIf* recorder,
                const std::string& scope);

  struct Decoded {
    Decoder::Verdict verdict;
    std::string problem;     // what ends the run; empty: nothing
    bool own_block = false;  // a block of the user's own has caused it
  };
  /// Codeword `i` of the logical page, whose last bit comes in at `start`.
  [[nodiscard]] Decoded decode(const data::TokenPool& pool, const LpageRead& read, unsigned i, Picoseconds start);

  /// From now on the codewords are kept that go into the tiers and come out of the encoder, and user data as
  /// they go over the stream.
  void record(const rtl::BlockRecordings& recordings);
  [[nodiscard]] const Gates& gates() const { return gates_; }
  void register_statistics(results::Registry& registry) const;

 private:
  struct Task {
    const data::TokenPool& pool;
    const LpageRead& read;
    unsigned codeword;
    Picoseconds start;
  };
  void decode(const Task& task, Decoded& decoded);
  void keep(const Task& task, const CodeBits& in, const CodeBits& written) const;
  /// Of tier 2: hard bits, and the soft ones that there are.
  void keep_soft(const Task& task, const std::vector<Beats>& packets, const LlrTable& llr,
                 const CodeBits& written) const;
  void keep_data(const Task& task, const CodewordBytes& bytes) const;
  [[nodiscard]] CodeBits written_codeword(const Task& task, Decoded& decoded);
  void compare(const CodeBits& written, const CodeBits& got, std::uint8_t tier) const;
  Gates::Delay tap_back(CodewordBytes& bytes, const Task& task);

  const std::string scope_;
  const Hertz clock_;
  Gates gates_;
  rtl::BlockRecording* codewords_ = nullptr;  // null: they are not kept
  rtl::BlockRecording* soft_ = nullptr;       // likewise
  rtl::BlockRecording* encoded_ = nullptr;    // likewise
  rtl::BlockRecording* data_ = nullptr;       // likewise
  std::uint64_t decoded_compared_ = 0;
  std::uint64_t encoded_compared_ = 0;
};

}  // namespace wordline::ecc
