// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wordline::nand {

namespace {

/// floor(value * numerator / denominator), without overflow.
Picoseconds scale(Picoseconds value, Picoseconds numerator, Picoseconds denominator) {
  const auto product = static_cast<__int128>(value.count()) * numerator.count();
  return Picoseconds(static_cast<std::int64_t>(product / denominator.count()));
}

unsigned population(std::uint16_t bits) {
  unsigned n = 0;
  for (; bits != 0; bits = static_cast<std::uint16_t>(bits & (bits - 1U))) ++n;
  return n;
}

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("nand plan: " + what); }

void require(bool condition, const char* message) {
  if (!condition) refuse(message);
}

}  // namespace

unsigned IsppShape::verifies(unsigned loop) const {
  unsigned k = 0;
  for (unsigned s = 1; s <= states; ++s) k += (first[s] <= loop && loop <= last[s]) ? 1U : 0U;
  return k;
}

unsigned IsppShape::total_verifies() const {
  unsigned n = 0;
  for (unsigned s = 1; s <= states; ++s) n += last[s] - first[s] + 1U;
  return n;
}

IsppShape default_shape(unsigned loops, unsigned states, unsigned state_loops) {
  if (loops < 1 || loops > 250) {
    refuse(fmt::format("ISPP needs 1 to 250 loops, not {}; change nand.ispp.window or nand.ispp.step", loops));
  }
  if (states < 1 || states >= kMaxStates) refuse(fmt::format("1 to 15 programmed states, not {}", states));
  require(state_loops >= 1, "nand.ispp.state_loops must be at least 1");
  const unsigned window = std::min(state_loops, loops);
  IsppShape shape;
  shape.loops = static_cast<std::uint8_t>(loops);
  shape.states = static_cast<std::uint8_t>(states);
  for (unsigned s = 1; s <= states; ++s) {
    // The single state of SLC takes all loops; of several, P1 ends its window first and Pm ends with the program.
    const unsigned last = states == 1 ? loops : window + ((s - 1) * (loops - window) + (states - 1) / 2) / (states - 1);
    shape.first[s] = 1;
    shape.last[s] = static_cast<std::uint8_t>(last);
  }
  return shape;
}

void Plan::finish() {
  if (operation_ == Operation::kRead) {
    size_ = static_cast<std::uint16_t>(population(references_) * senses_ + 2U);
    total_ = first_ + check_ * static_cast<std::int64_t>(size_ - 2) + last_;
  } else {
    const unsigned verifies = shape_.total_verifies();
    last_ = check_;
    size_ = static_cast<std::uint16_t>(shape_.loops + verifies);
    total_ = first_ * static_cast<std::int64_t>(shape_.loops) + check_ * static_cast<std::int64_t>(verifies);
  }
}

Plan Plan::read(Picoseconds precharge, Picoseconds sense, Picoseconds discharge, std::uint16_t references,
                const StateLevels& reference_levels, double watts) {
  require(references != 0 && (references & 1U) == 0, "a read senses references 1 to 15, at least one");
  Plan plan;
  plan.operation_ = Operation::kRead;
  plan.first_ = precharge;
  plan.check_ = sense;
  plan.last_ = discharge;
  plan.references_ = references;
  plan.levels_ = reference_levels;
  plan.watts_ = watts;
  plan.finish();
  return plan;
}

Plan Plan::program(Picoseconds pulse, Picoseconds verify, const IsppShape& shape, Millivolts start, Millivolts step,
                   const StateLevels& verify_levels, double watts) {
  require(shape.loops >= 1 && shape.states >= 1 && shape.states < kMaxStates, "empty ISPP shape");
  unsigned latest = 0;
  for (unsigned s = 1; s <= shape.states; ++s) {
    if (shape.first[s] < 1 || shape.first[s] > shape.last[s] || shape.last[s] > shape.loops) {
      refuse(fmt::format("verify window of P{} lies outside the loops", s));
    }
    latest = std::max<unsigned>(latest, shape.last[s]);
  }
  require(latest == shape.loops, "the last loop verifies no state");
  Plan plan;
  plan.operation_ = Operation::kProgram;
  plan.first_ = pulse;
  plan.check_ = verify;
  plan.shape_ = shape;
  plan.start_ = start;
  plan.step_ = step;
  plan.levels_ = verify_levels;
  plan.watts_ = watts;
  plan.finish();
  return plan;
}

Plan Plan::erase(Picoseconds pulse, Picoseconds verify, unsigned loops, Millivolts start, Millivolts step,
                 double watts) {
  if (loops < 1 || loops > 250) refuse(fmt::format("an erase takes 1 to 250 loops, not {}", loops));
  Plan plan;
  plan.operation_ = Operation::kErase;
  plan.first_ = pulse;
  plan.check_ = verify;
  // One check per loop: as one state that is verified in every loop.
  plan.shape_.loops = static_cast<std::uint8_t>(loops);
  plan.shape_.states = 1;
  plan.shape_.first[1] = 1;
  plan.shape_.last[1] = static_cast<std::uint8_t>(loops);
  plan.start_ = start;
  plan.step_ = step;
  plan.watts_ = watts;
  plan.finish();
  return plan;
}

Plan Plan::sensed(unsigned senses, Millivolts delta, const StateLevels& levels) const {
  require(operation_ == Operation::kRead, "only a read senses");
  if (senses < 1 || senses > 7) refuse(fmt::format("a reference is sensed 1 to 7 times, not {}", senses));
  Plan plan = *this;
  plan.levels_ = levels;
  plan.senses_ = static_cast<std::uint8_t>(senses);
  plan.step_ = delta;
  plan.finish();
  return plan;
}

Plan Plan::scaled_to(Picoseconds total) const {
  require(total_.count() > 0, "a plan of no length cannot be scaled");
  require(total.count() > 0, "a pinned time must be longer than zero");
  Plan plan = *this;
  plan.first_ = scale(first_, total, total_);
  plan.check_ = scale(check_, total, total_);
  plan.total_ = total;
  const bool reading = operation_ == Operation::kRead;
  const std::int64_t firsts = reading ? 1 : shape_.loops;
  const std::int64_t checks = static_cast<std::int64_t>(size_) - firsts - 1;  // all but the last micro-operation
  plan.last_ = total - plan.first_ * firsts - plan.check_ * checks;
  return plan;
}

Picoseconds Plan::suspend_point(Picoseconds t) const {
  if (t <= Picoseconds{}) return {};
  if (t >= total_) return total_;
  const Step step = at(t);
  return step.begin == t ? t : step.begin + step.op.duration;
}

Plan::Step Plan::at(Picoseconds t) const {
  const auto step = [this](MicroOp op, Picoseconds begin, bool last) {
    if (last) op.duration = last_;
    op.energy = energy_of(op.duration);
    return Step{op, begin};
  };
  if (size_ == 0) return {};
  if (operation_ == Operation::kRead) {
    if (t < first_) return step(precharge(), {}, false);
    const std::int64_t senses = size_ - 2;
    const Picoseconds discharge_at = first_ + check_ * senses;
    if (t >= discharge_at) return step(discharge(), discharge_at, true);
    const std::int64_t index = (t - first_) / check_;
    std::uint16_t left = references_;
    for (std::int64_t i = 0; i < index / senses_; ++i) left = static_cast<std::uint16_t>(left & (left - 1U));
    unsigned reference = 0;
    while ((left >> reference & 1U) == 0) ++reference;
    return step(sense(reference, static_cast<unsigned>(index % senses_)), first_ + check_ * index, false);
  }
  Picoseconds begin{};
  for (unsigned loop = 1; loop <= shape_.loops; ++loop) {
    const bool final_loop = loop == shape_.loops;
    const std::int64_t verifies = shape_.verifies(loop);
    const Picoseconds next = begin + first_ + check_ * verifies;
    if (t >= next && !final_loop) {
      begin = next;
      continue;
    }
    if (t < begin + first_) return step(pulse(loop), begin, false);
    // The last verify may be longer than the others (remainder of a pinned total), so the index is bounded.
    const Picoseconds in_verify = t - begin - first_;
    const std::int64_t index =
        check_.count() == 0 ? verifies - 1 : std::min<std::int64_t>(in_verify / check_, verifies - 1);
    std::int64_t seen = 0;
    for (unsigned s = 1; s <= shape_.states; ++s) {
      if (shape_.first[s] > loop || loop > shape_.last[s] || seen++ != index) continue;
      return step(verify(s), begin + first_ + check_ * index, final_loop && index == verifies - 1);
    }
  }
  return {};  // unreachable: the last loop verifies at least one state
}

}  // namespace wordline::nand
