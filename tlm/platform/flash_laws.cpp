// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/flash_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/onfi/timing.h"
#include "tlm/device/ecc/decoder.h"
#include "tlm/device/flash/bus/onfi_bus.h"
#include "tlm/device/flash/die/nand_die.h"

namespace wordline::platform {
namespace {

using onfi::SegmentKind;
using results::Law;

std::uint64_t ps(Picoseconds t) { return static_cast<std::uint64_t>(t.count()); }

using ArrayTime = nand::Die::ArrayTime;

void add(ArrayTime& sum, const ArrayTime& t) {
  sum.time += t.time;
  sum.by_plane += t.by_plane;
}

nand::Die::Counters sum_of_dies(const flash::FlashBackend& flash) {
  nand::Die::Counters sum;
  for (unsigned i = 0; i < flash.dies(); ++i) {
    const nand::Die::Counters& die = flash.die(DieId(static_cast<std::uint16_t>(i))).counters();
    add(sum.read_time, die.read_time);
    add(sum.program_time, die.program_time);
    add(sum.erase_time, die.erase_time);
    sum.read_energy += die.read_energy;
    sum.program_energy += die.program_energy;
    sum.erase_energy += die.erase_energy;
  }
  return sum;
}

/// The array in time against what its operations take.
void dies(const flash::FlashBackend& flash, std::vector<Law>& laws) {
  const nand::Die::Counters sum = sum_of_dies(flash);
  Picoseconds busy{}, from = sum.read_time.time + sum.program_time.time + sum.erase_time.time;
  for (unsigned i = 0; i < flash.dies(); ++i) {
    const flash::ArrayWork& work = flash.nand_die(DieId(static_cast<std::uint16_t>(i))).work();
    busy += work.busy().busy;
    from += work.under_way() + work.suspending();
  }
  laws.push_back({"the time in which arrays were busy", ps(busy), "what reads, programs, erases and suspends take",
                  ps(from), ps(from), "ps"});
}

/// Vcc x Icc x time, of the first plane whole and of each further one its share.
void energy(const flash::FlashBackend& flash, const config::Config& config, std::vector<Law>& laws) {
  const nand::Die::Counters sum = sum_of_dies(flash);
  const config::NandEnergy& e = config.nand.energy;
  const auto law = [&](const std::string& what, Picojoules energy, const ArrayTime& t, double icc) {
    const double further = static_cast<double>((t.by_plane - t.time).count());
    const double from = e.vcc * icc * (static_cast<double>(t.time.count()) + e.further_planes * further);
    constexpr double kRounded = 1e-9;
    laws.push_back({"the energy of " + what, static_cast<std::uint64_t>(std::llround(energy.count())),
                    "the current in the time that they take, by plane",
                    static_cast<std::uint64_t>(std::floor(from * (1 - kRounded))),
                    static_cast<std::uint64_t>(std::ceil(from * (1 + kRounded))) + 1U, "pJ"});
  };
  law("reads", sum.read_energy, sum.read_time, e.icc_read);
  law("programs", sum.program_energy, sum.program_time, e.icc_program);
  law("erases", sum.erase_energy, sum.erase_time, e.icc_erase);
}

/// Segments of a kind take the same but for their cycles and their bytes; each is rounded up to a picosecond.
Picoseconds time_of(const flash::OnfiBus& bus, SegmentKind kind) {
  const onfi::BusTiming& timing = bus.timing();
  const flash::OnfiBus::Carried& carried = bus.carried(kind);
  const auto count = static_cast<std::int64_t>(carried.segments);
  if (kind == SegmentKind::kDataIn) return timing.data_in(0) * (count - 1) + timing.data_in(carried.bytes);
  if (kind == SegmentKind::kDataOut) return timing.data_out(0) * (count - 1) + timing.data_out(carried.bytes);
  if (kind == SegmentKind::kFeatureOut) return timing.segment(kind, {}, 0) * count;
  const onfi::Cycles one;  // a command
  const Picoseconds cycle = timing.command(2) - timing.command(1);
  return timing.segment(kind, one, 0) * count + cycle * (static_cast<std::int64_t>(carried.cycles) - count);
}

void buses(const flash::FlashBackend& flash, std::vector<Law>& laws) {
  for (unsigned channel = 0; channel < flash.channels(); ++channel) {
    const flash::OnfiBus& bus = flash.bus(channel);
    if (bus.in_gates() || bus.has_switched()) continue;
    Picoseconds time{};
    std::uint64_t segments = 0;
    for (std::size_t k = 0; k < onfi::kSegmentKinds; ++k) {
      const auto kind = static_cast<SegmentKind>(k);
      if (bus.carried(kind).segments != 0) time += time_of(bus, kind);
      segments += bus.carried(kind).segments;
    }
    laws.push_back({fmt::format("the time in which the bus of channel {} was busy", channel), ps(bus.busy().busy),
                    fmt::format("the cycles and bytes of its {} segments", segments),
                    ps(time) - std::min(ps(time), segments), ps(time) + segments, "ps"});
  }
}

void decoders(const flash::FlashBackend& flash, const config::Config& config, std::vector<Law>& laws) {
  std::uint64_t codewords = 0, decoded = 0, busy = 0;
  for (unsigned channel = 0; channel < flash.channels(); ++channel) {
    const ecc::Decoder& decoder = flash.decoder(channel);
    const ecc::Decoder::Counters& c = decoder.counters();
    codewords += decoder.busy().uses;
    busy += ps(decoder.busy().busy);
    decoded += c.decoded[0] + c.decoded[1] + c.failed + c.miscorrected;
  }
  laws.push_back({"what decoders have taken", codewords, "their verdicts", decoded, decoded, "codewords"});
  const std::uint64_t load = ps(cycles_time(ecc::kStreamCycles, config.ecc.clock));
  laws.push_back({"the time in which decoders were busy", busy, "at least the load of each codeword",
                  codewords * (load - std::min<std::uint64_t>(load, 1)), UINT64_MAX, "ps"});
}

}  // namespace

void add_flash_laws(const flash::FlashBackend& flash, const config::Config& config, std::vector<Law>& laws) {
  dies(flash, laws);
  energy(flash, config, laws);
  buses(flash, laws);
  decoders(flash, config, laws);
}

}  // namespace wordline::platform
