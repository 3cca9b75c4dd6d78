// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/xor_unit.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <systemc>
#include <utility>

#include "models/engines/gate_times.h"

namespace wordline::flash {
namespace {

constexpr std::uint64_t kThrough = 2;  // clocks from the later of both beats to their sum
constexpr std::uint64_t kBeatBytes = rtl::ParityXor::kWords * sizeof(std::uint32_t);

constexpr std::uint64_t rotated(std::uint64_t bits, std::uint64_t by) {
  return by % 64 == 0 ? bits : bits << by % 64 | bits >> (64 - by % 64);
}

nand::StoredLpage operator^(const nand::StoredLpage& a, const nand::StoredLpage& b) {
  return {a.token ^ b.token, a.lpn ^ b.lpn, a.record ^ b.record};
}

bool is_clear(const nand::StoredLpage& lpage) {
  return lpage.token == data::LpageToken() && lpage.lpn == 0 && lpage.record == 0;
}

std::string text_of(const rtl::ParityXor::Beat& beat) {
  std::string text;
  for (unsigned i = rtl::ParityXor::kWords; i-- != 0;) text += fmt::format("{:08x}", beat.word[i]);
  return text + (beat.last ? "h, the last" : "h");
}

}  // namespace

XorUnit::XorUnit(const config::Config& config, const config::Layout& layout, std::string name)
    : name_(std::move(name)),
      beats_((layout.lpage.bytes() + layout.tuple_bytes + kBeatBytes - 1) / kBeatBytes + 1),
      gates_(engines::parity_in_gates(config) ? std::make_unique<rtl::ParityXor>() : nullptr) {}

void XorUnit::add(Lpages& sum, const Lpages& unit) {
  Lpages right = sum;
  for (std::size_t i = 0; i < sum.size(); ++i) right[i] = sum[i] ^ unit[i];
  if (gates_ != nullptr && !failed_) add_in_gates(sum, unit, right);
  sum = std::move(right);
}

XorUnit::Beat XorUnit::beat_of(const Lpages& lpages, std::uint64_t beat) const {
  const nand::StoredLpage& lpage = lpages[beat / beats_];
  const std::uint64_t in_lpage = beat % beats_;
  const std::uint64_t record = std::uint64_t{lpage.record} << 32 | lpage.lpn;
  const bool is_record = in_lpage + 1 == beats_;
  const std::uint64_t low = is_record ? record : rotated(lpage.token.bits(), in_lpage);
  const std::uint64_t high = is_record ? rotated(record, 21) : rotated(lpage.token.bits(), in_lpage + 21);
  const auto word = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
  return {{word(low), word(low >> 32), word(high), word(high >> 32)}, beat + 1 == lpages.size() * beats_};
}

/// A sum that is clear is not read: what is added is the first of its row.
std::string XorUnit::stream(const Lpages& sum, const Lpages& unit, const Lpages& right) {
  const bool first = std::all_of(sum.begin(), sum.end(), is_clear);
  const std::uint64_t beats = unit.size() * beats_, most = 2 * beats + 1000;
  gates_->set_first(first);
  gates_->set_output_ready(true);
  std::uint64_t units = 0, sums = first ? beats : 0, out = 0, clock = 0;
  for (; out < beats; ++clock) {
    const auto place = [&](std::uint64_t beat) {
      return fmt::format("addition {}, logical page {}, beat {}, clock {}", additions_, beat / beats_, beat % beats_,
                         clocks_ + clock);
    };
    if (clock == most) return fmt::format("{}: no sum", place(out));
    if (units < beats) gates_->offer_unit(beat_of(unit, units));
    if (sums < beats) gates_->offer_sum(beat_of(sum, sums));
    const bool moves_unit = units < beats && gates_->unit_ready();
    const bool moves_sum = sums < beats && gates_->sum_ready();
    if (gates_->output_valid()) {
      const Beat is = gates_->output(), expected = beat_of(right, out);
      if (is.word != expected.word || is.last != expected.last)
        return fmt::format("{}: sum {}, expected {}", place(out), text_of(is), text_of(expected));
      ++out;
    }
    try {
      gates_->clock();
    } catch (const std::runtime_error& error) {
      return fmt::format("{}: {}", place(out), error.what());
    }
    units += moves_unit ? 1 : 0;
    sums += moves_sum ? 1 : 0;
    if (units == beats) gates_->no_unit();
    if (sums == beats) gates_->no_sum();
  }
  last_clocks_ = clock;
  return {};
}

/// After the first error the gates are not clocked on.
void XorUnit::add_in_gates(const Lpages& sum, const Lpages& unit, const Lpages& right) {
  ++additions_;
  const std::string wrong = stream(sum, unit, right);
  failed_ = !wrong.empty();
  if (failed_)
    SC_REPORT_ERROR("wordline/flash", fmt::format("{}: engines.model = rtl: XOR unit: {}", name_, wrong).c_str());
  clocks_ += last_clocks_;
}

Picoseconds XorUnit::time(Picoseconds from, std::uint64_t lpages) {
  const std::uint64_t clocks = gates_ != nullptr && !failed_ ? last_clocks_ : lpages * beats_ + kThrough;
  return free_ = std::max(from, free_) + engines::kGateClock * static_cast<std::int64_t>(clocks);
}

void XorUnit::register_statistics(results::Registry& registry) const {
  registry
      .add_to_sum("parity.xor_additions", "additions",
                  "With engines.model = rtl: additions that the gates of the XOR units made, of a program unit or of a "
                  "logical page that is rebuilt. Each was compared with the model's.",
                  [this] { return additions_; })
      .only_if_nonzero();
  registry
      .add_to_sum("parity.xor_clocks", "clocks", "With engines.model = rtl: clocks of the gates of the XOR units.",
                  [this] { return clocks_; })
      .only_if_nonzero();
}

}  // namespace wordline::flash
