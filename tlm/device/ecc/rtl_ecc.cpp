// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/rtl_ecc.h"

#include <algorithm>
#include <atomic>
#include <future>

#include "models/results/registry.h"

namespace wordline::ecc {
namespace {

/// An erased page is no codeword; the controller recognises it.
bool is_codeword(const LpageRead& read, unsigned i) {
  return read.stored.lpn != nand::StoredLpage{}.lpn || read.errors[i] != 0;
}

}  // namespace

RtlEcc::RtlEcc(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context, const config::Ecc& config,
               std::shared_ptr<const CalibratedDecoder> decoder, tlm_if::RecorderIf* recorder, const std::string& scope)
    : CalibratedEcc(name, config, std::move(decoder)), scope_(scope), every_(config.rtl_every) {
  gates_.push_back(std::make_unique<CodewordGates>(context, config, recorder, scope));
  if (gates_.front()->gates().has_own_block()) return;
  for (std::uint32_t i = 1; i < config.rtl_threads; ++i) {
    gates_.push_back(std::make_unique<CodewordGates>(context, config, nullptr, scope));
  }
}

RtlEcc::~RtlEcc() = default;

bool RtlEcc::works_ahead() const { return gates_.size() > 1 && !recorded_ && !gates_.front()->gates().recording(); }

void RtlEcc::record(const rtl::BlockRecordings& recordings) {
  recorded_ = !recordings.empty();
  gates_.front()->record(recordings);
}

void RtlEcc::coming(const std::vector<LpageRead>& reads) {
  struct Job {
    const LpageRead* read;
    unsigned codeword;
  };
  std::vector<Job> jobs;
  std::uint64_t count = codewords_;
  for (const LpageRead& read : reads) {
    for (unsigned i = 0; i < kMostCodewords; ++i) {
      const bool wanted = (read.codewords >> i & 1U) != 0 && is_codeword(read, i);
      if (wanted && count++ % every_ == 0) jobs.push_back({&read, i});
    }
  }
  ahead_.assign(jobs.size(), {});
  taken_ = 0;
  const data::TokenPool& pool = buffer->pool();
  std::atomic<std::size_t> next{0};
  const auto work = [&](CodewordGates& gates) {
    for (std::size_t job = next++; job < jobs.size(); job = next++) {
      const LpageRead& read = *jobs[job].read;
      ahead_[job] = gates.decode(pool, read, jobs[job].codeword, read.arrive);
    }
  };
  std::vector<std::future<void>> others;
  for (std::size_t thread = 1; thread < std::min(gates_.size(), jobs.size()); ++thread) {
    others.push_back(std::async(std::launch::async, work, std::ref(*gates_[thread])));
  }
  work(*gates_.front());
  for (std::future<void>& other : others) other.get();
}

EccIf::Result RtlEcc::decode(const LpageRead& read) {
  return decode_each(read, [&](unsigned i, Picoseconds start) { return decode_in_gates(read, i, start); });
}

Decoder::Verdict RtlEcc::decode_in_gates(const LpageRead& read, unsigned i, Picoseconds start) {
  if (!is_codeword(read, i) || codewords_++ % every_ != 0) return decode_codeword(read, i);
  ++in_gates_;
  const CodewordGates::Decoded decoded =
      taken_ < ahead_.size() ? ahead_[taken_++] : gates_.front()->decode(buffer->pool(), read, i, start);
  failed_ = failed_ || decoded.own_block;
  if (!decoded.problem.empty()) SC_REPORT_ERROR("wordline/ecc", decoded.problem.c_str());
  return decoded.verdict;
}

std::vector<std::string> RtlEcc::leave_evidence(const std::string& folder) const {
  return failed_ ? gates_.front()->gates().write_windows(folder, scope_) : std::vector<std::string>{};
}

void RtlEcc::register_statistics(results::Registry& registry) const {
  Decoder::register_statistics(registry);
  registry.add_to_sum("ecc.rtl.decoded", "codewords",
                      "Codewords that were decoded in gates, those in which both tiers failed included.",
                      [this] { return in_gates_; });
  for (const auto& gates : gates_) gates->register_statistics(registry);
}

}  // namespace wordline::ecc
