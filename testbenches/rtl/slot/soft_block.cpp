// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The C++ model of tier 2 as a block for the slot ecc_soft_decoder: made by hand, without RTL. It takes as many clocks
// as the model says; one codeword at a time.
#include <array>
#include <cstring>
#include <vector>

#include "models/ecc/decoders/min_sum_decoder.h"
#include "rtl/slot/wordline_rtl_slot.h"

using namespace wordline::ecc;

namespace {

enum Pin : std::uint32_t {
  kClock,
  kReset,
  kMaxIterations,
  kLlrTable,
  kGiveUp,
  kInData,
  kInValid,
  kInLast,
  kInUser,
  kInReady,
  kOutData,
  kOutValid,
  kOutLast,
  kOutUser,
  kOutReady,
  kBusy,
  kDecoded,
  kPins
};

const wordline_rtl_pin kNamed[kPins] = {
    {"clk_i", 1, 0},           {"rst_ni", 1, 0},          {"max_iterations_i", 5, 0}, {"llr_table_i", 48, 0},
    {"give_up_i", 1, 0},       {"s_axis_tdata_i", 64, 0}, {"s_axis_tvalid_i", 1, 0},  {"s_axis_tlast_i", 1, 0},
    {"s_axis_tuser_i", 12, 0}, {"s_axis_tready_o", 1, 1}, {"m_axis_tdata_o", 64, 1},  {"m_axis_tvalid_o", 1, 1},
    {"m_axis_tlast_o", 1, 1},  {"m_axis_tuser_o", 18, 1}, {"m_axis_tready_i", 1, 0},  {"busy_o", 1, 1},
    {"count_decoded_o", 32, 1}};
const wordline_rtl_status kStatus[] = {{"decoded", "codewords", kDecoded, WORDLINE_RTL_COUNTED}};

}  // namespace

struct wordline_rtl_instance {
  std::array<std::uint64_t, kPins> pin{};
  MinSumDecoder decoder;
  std::vector<std::uint64_t> in;
  CodeBits bits{};
  std::uint64_t result = 0;
  std::uint32_t wait = 0;        // clocks until the first beat is offered
  unsigned beat = kStreamBeats;  // of the stream out; all of them: nothing to send

  void outputs() {
    const bool sends = wait == 0 && beat < kStreamBeats;
    pin[kInReady] = beat == kStreamBeats;
    pin[kOutValid] = sends;
    pin[kOutData] = sends ? bits[beat / 4].word[beat % 4] : 0;
    pin[kOutLast] = sends && beat + 1 == kStreamBeats;
    pin[kOutUser] = result;
    pin[kBusy] = !in.empty() || beat < kStreamBeats;
  }

  void decode() {
    std::array<CodeBits, 3> planes{};
    for (std::size_t i = 0; i < in.size(); ++i) {
      planes[i / kStreamBeats][i % kStreamBeats / 4].word[i % 4] = in[i];
    }
    LlrTable table;
    for (unsigned i = 0; i < 4; ++i) {
      table[i] = static_cast<std::uint8_t>(pin[kLlrTable] >> (12 * (pin[kInUser] >> 2 & 3) + 3 * i) & 7);
    }
    const auto limit = static_cast<unsigned>(pin[kMaxIterations] * kBlockRows);
    const MinSumResult made = decoder.decode(planes[0], planes[1], planes[2], table, limit);
    bits = planes[0];
    result = pin[kInUser] >> 4 << 10 | (made.ok ? 1U : 0U) << 8 | made.layers;
    pin[kDecoded] += made.ok ? 1 : 0;
    wait = made.cycles + 1;
    beat = 0;
    in.clear();
  }

  void clock() {
    if (pin[kReset] == 0) {
      in.clear();
      wait = 0;
      beat = kStreamBeats;
    } else if (beat < kStreamBeats) {
      if (wait > 0) {
        --wait;
      } else if (pin[kOutReady] != 0) {
        ++beat;
      }
    } else if (pin[kInValid] != 0) {
      in.push_back(pin[kInData]);
      if (in.size() == kStreamBeats * (1 + (pin[kInUser] & 3))) decode();
    }
    outputs();
  }
};

namespace {

using Block = wordline_rtl_instance;

const wordline_rtl_block kBlock = {WORDLINE_RTL_VERSION,
                                   "ecc_soft_decoder",
                                   "soft_block",
                                   kPins,
                                   kNamed,
                                   1,
                                   kStatus,
                                   [] { return new Block; },
                                   [](Block* block) { delete block; },
                                   [](Block* block, std::uint32_t pin, const std::uint32_t* words) {
                                     block->pin[pin] = words[0];
                                     if (kNamed[pin].bits > 32) block->pin[pin] |= std::uint64_t{words[1]} << 32;
                                   },
                                   [](Block* block, std::uint32_t pin, std::uint32_t* words) {
                                     words[0] = static_cast<std::uint32_t>(block->pin[pin]);
                                     if (kNamed[pin].bits > 32)
                                       words[1] = static_cast<std::uint32_t>(block->pin[pin] >> 32);
                                   },
                                   [](Block* block) {
                                     block->outputs();
                                     return 0;
                                   },
                                   [](Block* block) {
                                     block->clock();
                                     return 0;
                                   },
                                   [](const Block*) { return ""; },
                                   nullptr,
                                   nullptr,
                                   nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) const struct wordline_rtl_block* wordline_rtl_get_block(void) {
  return &kBlock;
}
