// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/ldpc_decoder_cluster.h"

#include <fmt/format.h>

#include <stdexcept>

#include "Vldpc_decoder_cluster.h"
#include "Vldpc_decoder_cluster___024root.h"
#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {
namespace {

constexpr unsigned kRequestBits = 14;
constexpr unsigned kResultBits = 19;
constexpr unsigned kCorrectedBits = 15;

void set_bit(std::uint8_t& word, unsigned bit, bool value) {
  word = static_cast<std::uint8_t>((word & ~(1U << bit)) | (value ? 1U : 0U) << bit);
}
bool bit_of(std::uint8_t word, unsigned bit) { return (word >> bit & 1) != 0; }

LdpcDecoderCluster::Result result_of(const WData* words, unsigned channel) {
  const unsigned at = kResultBits * channel;
  std::uint64_t bits = words[at / 32];
  if (at % 32 + kResultBits > 32) bits |= std::uint64_t{words[at / 32 + 1]} << 32;
  bits >>= at % 32;
  return {static_cast<std::uint8_t>(bits >> 11), (bits >> 10 & 1) != 0, (bits >> 9 & 1) != 0, (bits >> 8 & 1) != 0,
          static_cast<std::uint8_t>(bits)};
}

}  // namespace

struct LdpcDecoderCluster::Impl : VerilatedTop<Vldpc_decoder_cluster> {};

LdpcDecoderCluster::LdpcDecoderCluster() : impl_(std::make_unique<Impl>()) {
  set_max_iterations(20, 20);
  set_llr_table(0, {7, 7, 7, 7});
  set_llr_table(1, {2, 7, 7, 7});
  set_llr_table(2, {1, 2, 4, 7});
  set_llr_table(3, {0, 7, 7, 7});
  reset();
}

LdpcDecoderCluster::~LdpcDecoderCluster() = default;

void LdpcDecoderCluster::set_max_iterations(unsigned tier1, unsigned tier2) {
  if (tier1 > 255 || tier2 > 31) {
    throw std::invalid_argument("decoder cluster: at most 255 iterations of tier 1 and 31 of tier 2");
  }
  impl_->top.tier1_max_iterations_i = static_cast<std::uint8_t>(tier1);
  impl_->top.tier2_max_iterations_i = static_cast<std::uint8_t>(tier2);
}

void LdpcDecoderCluster::set_llr_table(unsigned profile, const LlrTable& table) {
  if (profile > 3) throw std::invalid_argument(fmt::format("decoder cluster: profile {}; 0 to 3", profile));
  std::uint64_t packed = 0;
  for (unsigned symbol = 0; symbol < table.size(); ++symbol) {
    if (table[symbol] > 7) {
      throw std::invalid_argument(
          fmt::format("decoder cluster: a channel magnitude of {}; the table holds 0 to 7", table[symbol]));
    }
    packed |= std::uint64_t{table[symbol]} << (3 * symbol);
  }
  const unsigned at = 12 * profile;
  impl_->top.llr_table_i = (impl_->top.llr_table_i & ~(std::uint64_t{0xfff} << at)) | packed << at;
}

void LdpcDecoderCluster::set_give_up(unsigned channel, bool up) { set_bit(impl_->top.give_up_i, channel, up); }

void LdpcDecoderCluster::offer(unsigned channel, const Request& request, std::uint64_t data, bool last) {
  auto& top = impl_->top;
  set_bit(top.s_axis_tvalid_i, channel, true);
  set_bit(top.s_axis_tlast_i, channel, last);
  top.s_axis_tdata_i[2 * channel] = static_cast<std::uint32_t>(data);
  top.s_axis_tdata_i[2 * channel + 1] = static_cast<std::uint32_t>(data >> 32);
  const std::uint64_t user = std::uint64_t{request.tag} << 6 | static_cast<unsigned>(request.path) << 4 |
                             (request.profile & 3U) << 2 | (request.soft_planes & 3U);
  const unsigned at = kRequestBits * channel;
  top.s_axis_tuser_i = (top.s_axis_tuser_i & ~(((std::uint64_t{1} << kRequestBits) - 1) << at)) | user << at;
}

void LdpcDecoderCluster::nothing_offered(unsigned channel) {
  set_bit(impl_->top.s_axis_tvalid_i, channel, false);
  set_bit(impl_->top.s_axis_tlast_i, channel, false);
}

bool LdpcDecoderCluster::input_ready(unsigned channel) const {
  // Whether a channel has room depends on which path the codeword takes, so on what is offered.
  impl_->top.eval();
  return bit_of(impl_->top.s_axis_tready_o, channel);
}

void LdpcDecoderCluster::set_output_ready(unsigned channel, bool ready) {
  set_bit(impl_->top.m_axis_tready_i, channel, ready);
}
bool LdpcDecoderCluster::output_valid(unsigned channel) const { return bit_of(impl_->top.m_axis_tvalid_o, channel); }
std::uint64_t LdpcDecoderCluster::output_data(unsigned channel) const {
  const auto& data = impl_->top.m_axis_tdata_o;
  return data[2 * channel] | std::uint64_t{data[2 * channel + 1]} << 32;
}
bool LdpcDecoderCluster::output_last(unsigned channel) const { return bit_of(impl_->top.m_axis_tlast_o, channel); }
LdpcDecoderCluster::Result LdpcDecoderCluster::output_result(unsigned channel) const {
  return result_of(impl_->top.m_axis_tuser_o.data(), channel);
}

void LdpcDecoderCluster::set_verdict_ready(unsigned channel, bool ready) {
  set_bit(impl_->top.verdict_ready_i, channel, ready);
}
bool LdpcDecoderCluster::verdict_valid(unsigned channel) const { return bit_of(impl_->top.verdict_valid_o, channel); }
LdpcDecoderCluster::Result LdpcDecoderCluster::verdict(unsigned channel) const {
  return result_of(impl_->top.verdict_o.data(), channel);
}
unsigned LdpcDecoderCluster::corrected(unsigned channel) const {
  return impl_->top.verdict_corrected_o >> (kCorrectedBits * channel) & ((1U << kCorrectedBits) - 1);
}

bool LdpcDecoderCluster::busy() const { return impl_->top.busy_o != 0; }

void LdpcDecoderCluster::clock() { Impl::clock(&impl_->top); }

void LdpcDecoderCluster::reset() {
  for (unsigned channel = 0; channel < kChannels; ++channel) {
    nothing_offered(channel);
    set_output_ready(channel, false);
    set_verdict_ready(channel, false);
    set_give_up(channel, false);
  }
  impl_->top.rst_ni = 0;
  clock();
  clock();
  impl_->top.rst_ni = 1;
}

}  // namespace wordline::rtl
