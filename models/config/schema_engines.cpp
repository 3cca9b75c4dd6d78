// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the hardware engines: a switch and three times for each, but for the read retry.
#include "models/config/assign.h"
#include "models/config/schema.h"

#define FIELD(path) [](Config& c, const Value& v) { assign(c.path, v); }
/// `what` it does in hardware, whether it is `there` by default, and where its times are from.
#define ENGINE(name, there, what, t_latency, t_interval, places, source)                                                \
  choice("engines." #name, there, {"off", "on"}, what " off: firmware does it.", "",                                  \
         [](Config& c, const Value& v) { c.engines.name.on = std::get<std::int64_t>(std::get<Scalar>(v)) == 1; }),    \
      {"engines." #name "_latency", Kind::kTime, "", t_latency, "0ps", "1ms",                                           \
       "Time of one operation of engines." #name ", without the memory that it waits for.", source,                   \
       FIELD(engines.name.latency)},                                                                                  \
      {"engines." #name "_interval", Kind::kTime, "", t_interval, "0ps", "1ms",                                         \
       "Time from the beginning of an operation of engines." #name " to that of the next.", source,                   \
       FIELD(engines.name.interval)},                                                                                 \
      {"engines." #name "_depth", Kind::kInteger, "operations", places, "1", "64",                                     \
       "Operations of engines." #name " under way at once; further ones wait.", source, FIELD(engines.name.depth)}

namespace wordline::config {

void add_engine_keys(std::vector<Key>& keys) {
  constexpr std::string_view kAssumed = "assumed: a few stages at 500 MHz, nothing was synthesised";
  const Key table[] = {
      ENGINE(parse, "on",
             "on = the NVMe controller checks and splits the submission entry of an I/O command, and hands the firmware what "
             "it means; needed by engines.l2p. Admin commands are the controller's always, and take the same times.",
             "100ns", "100ns", "1", "assumed: 50 cycles at 500 MHz, one entry after the other; nothing was synthesised"),
      ENGINE(l2p, "off",
             "on = hardware looks up the map for reads, before their event reaches the firmware; the map entry is read "
             "from DRAM over its port.",
             "8ns", "2ns", "16", kAssumed),
      ENGINE(buffer, "off",
             "on = hardware serves what a read finds in the write buffer; needs engines.l2p and engines.completion.",
             "4ns", "2ns", "4", kAssumed),
      ENGINE(job, "off",
             "on = hardware makes the flash job from a place and hands it to the channel. With engines.l2p and "
             "engines.completion too, reads of flash are served without a core.",
             "12ns", "4ns", "4", kAssumed),
      ENGINE(completion, "off",
             "on = hardware moves the data of a finished read to the host and completes the command; of the firmware's "
             "reads, those that are one flash job and succeed.",
             "8ns", "4ns", "4", kAssumed),
      ENGINE(gc, "off",
             "on = hardware finds the valid sectors of the line that is collected; it reads the map and its inverse from "
             "DRAM over its port.",
             "4ns", "2ns", "16", kAssumed),
      ENGINE(copy, "off",
             "on = hardware copies a unit of the collector: flash reads of its runs of valid sectors, then the program; an operation "
             "is one of these. With engines.gc too, hardware fills the units with what it finds.",
             "12ns", "4ns", "4", kAssumed),
      ENGINE(victim, "off",
             "on = hardware searches the line with the fewest valid sectors, one line per operation; the firmware keeps no lists of "
             "lines by valid sectors.",
             "4ns", "2ns", "2", kAssumed),
      choice("engines.retry", "on", {"off", "on"},
             "on = a hardware controller reads a page that failed again, with other references and soft reads, until it has "
             "the data or gives up. off: firmware decides after each attempt. Times are those of ecc.",
             "", [](Config& c, const Value& v) { c.engines.retry = std::get<std::int64_t>(std::get<Scalar>(v)) == 1; }),
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

}  // namespace wordline::config

#undef ENGINE
#undef FIELD
