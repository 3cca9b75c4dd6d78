// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "rtl/verilated/ldpc_min_sum_decoder.h"
#include "testbenches/rtl/ldpc/codewords.h"

namespace wordline::testing {

struct MinSumJob {
  Received received;
  rtl::LdpcMinSumDecoder::Request request;
};

struct MinSumOutput {
  ecc::CodeBits bits{};
  std::uint8_t tag = 0;
  bool success = false;
  bool aborted = false;
  unsigned layers = 0;
  std::uint64_t last_beat_in_clock = 0;  // of its last plane
  std::uint64_t first_beat_clock = 0;    // when its first beat left
  std::uint64_t last_beat_clock = 0;
};

/// Plays codewords through the Verilated decoder. In 1/256: how often the source has a beat, the sink takes one. Aborts
/// are given by clock.
class MinSumStream {
 public:
  explicit MinSumStream(std::uint64_t seed = 0, unsigned source = 256, unsigned sink = 256)
      : seed_(seed), source_(source), sink_(sink) {}

  rtl::LdpcMinSumDecoder& decoder() { return decoder_; }
  void abort_at(std::vector<std::uint64_t> clocks) { aborts_ = std::move(clocks); }

  std::vector<MinSumOutput> run(const std::vector<MinSumJob>& jobs) {
    std::vector<MinSumOutput> results(jobs.size());
    std::size_t done = 0;
    std::size_t sent = 0;
    unsigned plane = 0;
    unsigned beat_in = 0;
    unsigned beat_out = 0;
    bool offered = false;
    auto next_abort = aborts_.begin();
    const std::uint64_t patience = clock_ + 100'000 + jobs.size() * 50'000;
    for (; done < jobs.size(); ++clock_) {
      if (clock_ > patience) throw std::runtime_error("the decoder hangs");
      // A beat that was offered stays until it is taken.
      if (!offered && sent < jobs.size() && (keyed_hash(seed_, 3, clock_) & 255) < source_) {
        const Received& r = jobs[sent].received;
        const ecc::CodeBits& bits = plane == 0 ? r.bits : plane == 1 ? r.rel0 : r.rel1;
        decoder_.set_request(jobs[sent].request);
        decoder_.offer(bits[beat_in / 4].word[beat_in % 4], beat_in + 1 == ecc::kStreamBeats);
        offered = true;
      }
      const bool take = (keyed_hash(seed_, 4, clock_) & 255) < sink_;
      decoder_.set_output_ready(take);
      const bool abort = next_abort != aborts_.end() && *next_abort <= clock_;
      if (abort) ++next_abort;
      decoder_.set_abort(abort);
      const bool moved_in = offered && decoder_.input_ready();
      if (take && decoder_.output_valid()) collect(results[done], beat_out);
      if (beat_out == ecc::kStreamBeats) {
        beat_out = 0;
        ++done;
      }
      decoder_.clock();
      if (!moved_in) continue;
      offered = false;
      decoder_.nothing_offered();
      if (++beat_in < ecc::kStreamBeats) continue;
      beat_in = 0;
      if (plane++ < jobs[sent].request.soft_planes) continue;
      plane = 0;
      results[sent++].last_beat_in_clock = clock_;
    }
    return results;
  }

 private:
  void collect(MinSumOutput& current, unsigned& beat) {
    if (beat == 0) {
      current.tag = decoder_.tag();
      current.success = decoder_.success();
      current.aborted = decoder_.aborted();
      current.layers = decoder_.layers();
      current.first_beat_clock = clock_;
    } else if (current.tag != decoder_.tag() || current.success != decoder_.success() ||
               current.aborted != decoder_.aborted() || current.layers != decoder_.layers()) {
      throw std::runtime_error("the result changes within a codeword");
    }
    current.bits[beat / 4].word[beat % 4] = decoder_.output_data();
    if (decoder_.output_last() != (++beat == ecc::kStreamBeats)) throw std::runtime_error("misplaced tlast");
    current.last_beat_clock = clock_;
  }

  rtl::LdpcMinSumDecoder decoder_;
  std::uint64_t seed_;
  unsigned source_;
  unsigned sink_;
  std::vector<std::uint64_t> aborts_;
  std::uint64_t clock_ = 0;
};

}  // namespace wordline::testing
