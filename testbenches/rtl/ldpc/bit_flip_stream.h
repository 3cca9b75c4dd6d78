// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "rtl/verilated/ldpc_bit_flip_decoder.h"
#include "testbenches/rtl/ldpc/codewords.h"

namespace wordline::testing {

struct StreamResult {
  ecc::CodeBits bits{};
  bool success = false;
  unsigned iterations = 0;
  std::uint64_t first_beat_clock = 0;  // when its first beat left
  std::uint64_t last_beat_clock = 0;
};

/// Plays codewords through the Verilated decoder. In 1/256: how often the source has a beat, the sink takes one.
class BitFlipStream {
 public:
  explicit BitFlipStream(std::uint64_t seed = 0, unsigned source = 256, unsigned sink = 256)
      : seed_(seed), source_(source), sink_(sink) {}

  rtl::LdpcBitFlipDecoder& decoder() { return decoder_; }
  [[nodiscard]] std::uint64_t clock() const { return clock_; }

  std::vector<StreamResult> run(const std::vector<ecc::CodeBits>& codewords) {
    std::vector<StreamResult> results;
    results.reserve(codewords.size());
    StreamResult current;
    std::size_t sent = 0;  // codewords
    unsigned beat_in = 0;
    unsigned beat_out = 0;
    bool offered = false;
    const std::uint64_t patience = clock_ + 100'000 + codewords.size() * 50'000;
    while (results.size() < codewords.size()) {
      if (clock_ > patience) throw std::runtime_error("the decoder hangs");
      // A beat that was offered stays until it is taken.
      if (!offered && sent < codewords.size() && (keyed_hash(seed_, 3, clock_) & 255) < source_) {
        decoder_.offer(codewords[sent][beat_in / 4].word[beat_in % 4], beat_in + 1 == ecc::kStreamBeats);
        offered = true;
      }
      const bool take = (keyed_hash(seed_, 4, clock_) & 255) < sink_;
      decoder_.set_output_ready(take);
      const bool moved_in = offered && decoder_.input_ready();
      if (take && decoder_.output_valid()) {
        if (beat_out == 0) {
          current = StreamResult{};
          current.success = decoder_.success();
          current.iterations = decoder_.iterations();
          current.first_beat_clock = clock_;
        } else if (current.success != decoder_.success() || current.iterations != decoder_.iterations()) {
          throw std::runtime_error("the result changes within a codeword");
        }
        current.bits[beat_out / 4].word[beat_out % 4] = decoder_.output_data();
        if (decoder_.output_last() != (++beat_out == ecc::kStreamBeats)) throw std::runtime_error("misplaced tlast");
        if (beat_out == ecc::kStreamBeats) {
          current.last_beat_clock = clock_;
          results.push_back(current);
          beat_out = 0;
        }
      }
      decoder_.clock();
      ++clock_;
      if (moved_in) {
        offered = false;
        decoder_.nothing_offered();
        if (++beat_in == ecc::kStreamBeats) {
          beat_in = 0;
          ++sent;
        }
      }
    }
    return results;
  }

 private:
  rtl::LdpcBitFlipDecoder decoder_;
  std::uint64_t seed_;
  unsigned source_;
  unsigned sink_;
  std::uint64_t clock_ = 0;
};

}  // namespace wordline::testing
