// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/flash/channel_forms.h"

#include <algorithm>
#include <cmath>

#include "models/nand/timing.h"

namespace wordline::testing {
namespace {

/// Lengths of segments, written down a second time: docs/channel.md.
struct Segments {
  explicit Segments(const config::Config& config)
      : c(config.channels),
        page_bytes(static_cast<double>(config.nand.geometry.page.count() + used_spare(config))),
        in_out(page_bytes / static_cast<double>(c.rate.count()) * 1e12) {}

  // 552 spare bytes per sector are sent, whatever the page has.
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
  /// 00h or 06h, five address cycles, confirm.
  [[nodiscard]] double read_command() const { return cycles(7); }
  /// 80h, five address cycles, tADL, data, confirm.
  [[nodiscard]] double load() const { return cycles(6) + ps(c.t_adl) + data_in() + cycles(1); }
  [[nodiscard]] double status() const { return cycles(1) + ps(c.t_whr) + one_byte_out(); }

  const config::Channels& c;
  double page_bytes;
  double in_out;
};

}  // namespace

double ChannelForm::job_time(unsigned dies) const {
  const double n = dies;
  double full = bus;
  if (scarce > 0) {
    // All dies but the one that streams and those at work wait with data.
    const double waiting = n - 1 - std::ceil(array / (bus + gaps));
    if (waiting * burst < scarce) full += gaps;
  } else {
    // Of the dies beyond those that the cycle needs one waits to be next, the others fill gaps.
    full += gaps * std::clamp(2 - (n - die_cycle / bus), 0.0, 1.0);
  }
  return std::max(die_cycle / n, full);
}

ChannelForm read_form(const config::Config& config, bool multi_plane, bool cache) {
  const config::Layout layout = config::layout_of(config);
  const nand::ArrayPlans plans(config.nand, layout);
  const Segments s(config);
  const auto ps = &Segments::ps;
  double t_r = 0;
  double least_t_r = ps(plans.read(0).total());
  for (unsigned type = 0; type < layout.page_types; ++type) {
    t_r += ps(plans.read(type).total()) / layout.page_types;
    least_t_r = std::min(least_t_r, ps(plans.read(type).total()));
  }

  const double planes = multi_plane ? config.nand.geometry.planes : 1;
  const double between_planes = ps(s.c.t_wb) + ps(s.c.t_dbsy);
  const double command = planes * s.read_command() + (planes - 1) * between_planes;
  ChannelForm form{};
  form.bytes = planes * static_cast<double>(config.nand.geometry.page.count());
  form.array = ps(s.c.t_wb) + t_r;
  form.burst = s.data_out();
  if (cache) {
    // The array reads a page while the last one goes out: the longer of the two, then the registers are moved.
    const double select = s.read_command();
    const double output = planes == 1 ? ps(s.c.t_rr) + s.data_out() + ps(s.c.t_rhw)
                                      : planes * (select + ps(s.c.t_ccs) + s.data_out() + ps(s.c.t_rhw));
    const double move = ps(s.c.t_rcbsy);
    form.bus = s.cycles(1) + planes * ((planes == 1 ? 0 : select) + s.data_out());
    for (unsigned type = 0; type < layout.page_types; ++type) {
      const double longer = std::max(output + s.cycles(1) + ps(s.c.t_wb), ps(plans.read(type).total()));
      form.die_cycle += (longer + move) / layout.page_types;
    }
    return form;
  }
  if (planes == 1) {
    form.bus = s.read_command() + s.data_out();
    form.die_cycle = command + form.array + ps(s.c.t_rr) + s.data_out() + ps(s.c.t_rhw);
    return form;
  }
  const double select = s.read_command();
  form.bus = planes * (s.read_command() + select + s.data_out());
  form.die_cycle = command + form.array + planes * (select + ps(s.c.t_ccs) + s.data_out() + ps(s.c.t_rhw));
  // Before each plane but the first: tRHW, tCCS. Then tRHW, and between the commands the time in which the next die
  // selects its first column.
  form.gaps = (planes - 1) * (ps(s.c.t_rhw) + ps(s.c.t_ccs)) + ps(s.c.t_rhw) + (planes - 1) * between_planes - select;
  form.scarce = least_t_r;
  return form;
}

ChannelForm program_form(const config::Config& config, bool cache) {
  const config::Layout layout = config::layout_of(config);
  const nand::ArrayPlans plans(config.nand, layout);
  const Segments s(config);
  const auto ps = &Segments::ps;
  const unsigned kinds = layout.page_types / layout.pages_per_program;
  double t_prog = 0;
  for (unsigned kind = 0; kind < kinds; ++kind) t_prog += ps(plans.program(kind).total()) / kinds;

  const double pages = static_cast<double>(layout.pages_per_program) * config.nand.geometry.planes;
  ChannelForm form{};
  form.bytes = pages * static_cast<double>(config.nand.geometry.page.count());
  form.bus = pages * s.load() + s.status();
  form.gaps = (pages - 1) * (ps(s.c.t_wb) + ps(s.c.t_dbsy));
  form.array = ps(s.c.t_wb) + t_prog;
  form.burst = s.data_in();
  form.die_cycle = form.bus + form.gaps + form.array + ps(s.c.t_rhw);
  if (cache) {
    // A unit comes in while the one before is programmed: the longer of the two, then the registers are moved.
    form.die_cycle = std::max(form.bus + form.gaps + ps(s.c.t_rhw) + ps(s.c.t_wb), t_prog) + ps(s.c.t_pcbsy);
    form.gaps = 0;  // when the bus is full, every die waits with its next unit
  }
  return form;
}

}  // namespace wordline::testing
