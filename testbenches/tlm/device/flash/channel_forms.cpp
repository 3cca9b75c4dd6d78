// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/device/flash/channel_forms.h"

#include <algorithm>
#include <numeric>

#include "models/nand/program_order.h"
#include "models/nand/timing.h"

namespace wordline::testing {
namespace {

/// Lengths of segments, written down a second time: docs/channel.md.
struct Segments {
  explicit Segments(const config::Config& config)
      : c(config.channels),
        page_bytes(static_cast<double>(config.nand.geometry.page.count() + used_spare(config))),
        in_out(page_bytes / static_cast<double>(c.rate.count()) * 1e12),
        address((config.nand.geometry.page + config.nand.geometry.spare).count() > 65536 ? 6 : 5) {}

  // 552 spare bytes per logical page are sent, whatever the page has.
  static double used_spare(const config::Config& config) {
    return static_cast<double>(config.nand.geometry.page.count()) / 4096 * 552;
  }
  static double ps(Picoseconds t) { return static_cast<double>(t.count()); }
  [[nodiscard]] double cycles(unsigned n) const { return ps(std::max(c.t_cs, c.t_cals)) + n * ps(c.t_wc); }
  [[nodiscard]] double data_out() const { return ps(c.t_rpre) + ps(c.t_dqsre) + in_out + ps(c.t_rpst); }
  [[nodiscard]] double data_in() const { return ps(c.t_wpre) + in_out + ps(c.t_wpst) + ps(c.t_wpsth); }
  [[nodiscard]] double one_byte_out() const {
    return ps(c.t_rpre) + ps(c.t_dqsre) + 2 / static_cast<double>(c.rate.count()) * 1e12 + ps(c.t_rpst);
  }
  /// 00h or 06h, address cycles, confirm.
  [[nodiscard]] double read_command() const { return cycles(1 + address + 1); }
  /// 80h, address cycles, tADL, data, confirm.
  [[nodiscard]] double load() const { return cycles(1 + address) + ps(c.t_adl) + data_in() + cycles(1); }
  [[nodiscard]] double status() const { return cycles(1) + ps(c.t_whr) + one_byte_out(); }

  const config::Channels& c;
  double page_bytes;
  double in_out;
  unsigned address;  // cycles: two of the column, three beyond 65,536 bytes; three of the row
};

}  // namespace

double ChannelForm::fastest(unsigned dies) const {
  const auto count = static_cast<double>(cycles.size());
  const double cycle = std::accumulate(cycles.begin(), cycles.end(), 0.0) / count;
  double full = 0;
  for (const double t : away) full += (bus + (one_gap ? gap_behind(t, dies) : 0)) / count;
  return bytes / std::max(cycle / dies, dies == 1 ? 0 : full) * 1e12;
}

double ChannelForm::slowest(unsigned dies) const {
  double round = 0;
  for (std::size_t type = 0; type < cycles.size(); ++type) {
    const double full = bus + (one_gap ? gap_behind(away[type], dies) : gaps);
    round += std::max(cycles[type] / dies, dies == 1 ? 0 : full) / static_cast<double>(cycles.size());
  }
  return bytes / round * 1e12;
}

double ChannelForm::deviation(double measured, unsigned dies) const {
  return measured / std::clamp(measured, slowest(dies), fastest(dies));
}

/// Between the data of a die and its next command lies a gap. It is filled with the data of the next die; the command
/// goes behind them, so that two pages less than there are dies have to last for the time away.
double ChannelForm::gap_behind(double t, unsigned dies) const {
  return dies <= 2 ? gaps : std::clamp(t / (dies - 2) - bus, 0.0, gaps);
}

ChannelForm read_form(const config::Config& config, bool multi_plane, bool cache, std::optional<std::uint32_t> page) {
  const config::Layout layout = config::layout_of(config);
  const nand::ArrayPlans plans(config.nand, layout);
  const Segments s(config);
  const auto ps = &Segments::ps;
  std::vector<double> t_r;
  if (page) {
    const unsigned layer = nand::layer_of_page(config.nand.geometry, layout, PageId(*page));
    t_r.push_back(ps(plans.read(plans.page_type(*page), layer).total()));
  } else {
    for (unsigned type = 0; type < layout.page_types; ++type) t_r.push_back(ps(plans.read(type).total()));
  }
  const double planes = multi_plane ? config.nand.geometry.planes : 1;
  const double between_planes = ps(s.c.t_wb) + ps(s.c.t_dbsy);
  const double select = planes == 1 ? 0 : s.read_command();
  const double pause = ps(s.c.t_rhw) + (planes == 1 ? 0 : ps(s.c.t_ccs));  // before the next plane or command
  const double output = planes * (select + s.data_out() + pause) + (planes == 1 ? ps(s.c.t_rr) : 0);
  // 31h alone reads the next page, in the same planes.
  const bool next_page = cache && !page;
  const double commands = next_page ? s.cycles(1) : planes * s.read_command();
  const double command = commands + (next_page ? 0 : (planes - 1) * between_planes);

  ChannelForm form{};
  form.bytes = planes * static_cast<double>(config.nand.geometry.page.count());
  form.bus = commands + planes * (select + s.data_out());
  form.one_gap = planes == 1;
  form.gaps = planes * pause + (command - commands);
  const double move = ps(s.c.t_rcbsy);
  for (const double t : t_r) {
    const double begun = ps(s.c.t_wb) + ps(s.c.t_rr);
    form.away.push_back(begun + (cache ? move : t));
    // With READ CACHE the array reads a page while the last one goes out: the longer of the two, then the registers are
    // moved.
    form.cycles.push_back(cache ? std::max(output + command + ps(s.c.t_wb), t) + move
                                : command + ps(s.c.t_wb) + t + output);
  }
  return form;
}

ChannelForm program_form(const config::Config& config, bool cache) {
  const config::Layout layout = config::layout_of(config);
  const nand::ArrayPlans plans(config.nand, layout);
  const Segments s(config);
  const auto ps = &Segments::ps;
  const unsigned kinds = layout.page_types / layout.pages_per_program;
  const double pages = static_cast<double>(layout.pages_per_program) * config.nand.geometry.planes;
  ChannelForm form{};
  form.bytes = pages * static_cast<double>(config.nand.geometry.page.count());
  form.bus = pages * s.load() + s.status();
  form.gaps = (pages - 1) * (ps(s.c.t_wb) + ps(s.c.t_dbsy));
  const double loaded = form.bus + form.gaps + ps(s.c.t_wb) + ps(s.c.t_rhw);
  for (unsigned kind = 0; kind < kinds; ++kind) {
    const double t_prog = ps(plans.program(kind).total());
    form.away.push_back(t_prog);
    // With CACHE PROGRAM a unit comes in while the one before is programmed: the longer of the two, then the registers
    // are moved.
    form.cycles.push_back(cache ? std::max(loaded, t_prog) + ps(s.c.t_pcbsy) : loaded + t_prog);
  }
  if (cache) form.gaps = 0;  // when the bus is full, every die waits with its next unit
  return form;
}

}  // namespace wordline::testing
