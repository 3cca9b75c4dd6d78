// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of single policies of the FTL, a table for each: ftl.ppb is of the policy ppb. With another policy they have no
// effect, and `check` refuses values beside the defaults.
#include "models/config/assign.h"
#include "models/config/schema.h"

#define SET(path) [](Config& c, const Value& v) { assign(c.path, v); }
#define SAME(path) [](const Config& a, const Config& b) { return a.path == b.path; }
#define FIELD(path) SET(path), {}, 0, 0, SAME(path)

namespace wordline::config {
namespace {

Key of_policy(Key key, bool (*same)(const Config&, const Config&)) {
  key.same = same;
  return key;
}

void add_ppb(std::vector<Key>& keys) {
  const Key table[] = {
      {"ftl.ppb.virtual_blocks", Kind::kInteger, "virtual blocks", "2", "2", "8",
       "With ftl.policy = ppb: groups of h-layers, from slow to fast, into which a block is cut. Hot and icy-cold data "
       "go to the slowest that is open, iron-hot and cold data to the fastest. At most nand.layers.",
       "PPB (DAC'17), section 3.3.1: two; more are left open", FIELD(ftl.ppb.virtual_blocks)},
      {"ftl.ppb.half_full_blocks", Kind::kInteger, "superblocks", "1", "0", "1",
       "With ftl.policy = ppb: a superblock is opened for slow pages while so many others of its area have only fast "
       "pages left. 0: as the source prints it; then an area has free pages of one speed at a time, and hotness "
       "decides nothing.",
       "PPB (DAC'17), section 3.4, says 0; its results need 1 (docs/ppb.md)", FIELD(ftl.ppb.half_full_blocks)},
      {"ftl.ppb.hot_write_size", Kind::kBytes, "", "64KiB", "0B", "2MiB",
       "With ftl.policy = ppb: commands that write no more write hot data, longer ones cold data, by the sectors "
       "they touch.",
       "PPB (DAC'17), section 3.1: a size check; no size is given, assumed", FIELD(ftl.ppb.hot_write_size)},
      {"ftl.ppb.hot_list", Kind::kReal, "", "0.25", "0.0", "1.0",
       "With ftl.policy = ppb: share of the exported map units that the hot list holds at most. What it has no room "
       "for becomes icy-cold.",
       "not given, assumed", FIELD(ftl.ppb.hot_list)},
      {"ftl.ppb.iron_hot_list", Kind::kReal, "", "0.25", "0.0", "1.0",
       "With ftl.policy = ppb: share of the exported map units that the iron-hot list holds at most. What it has no "
       "room for is hot again.",
       "not given, assumed", FIELD(ftl.ppb.iron_hot_list)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

void add_cube(std::vector<Key>& keys) {
  constexpr std::string_view kThesis = "Shim, SNU 2020, section 4.1.2: a margin of 1.7 permits 320 mV";
  const Key table[] = {
      of_policy(
          choice(
              "ftl.cube.allocation", "demand", {"demand", "horizontal"},
              "With ftl.policy = cube: which word line takes the host's next data. demand: followers while the write "
              "buffer is full to ftl.cube.demand_threshold, else leaders (cubeFTL); horizontal: h-layer by h-layer "
              "(cubeFTL-).",
              "Shim, SNU 2020, section 5.2", SET(ftl.cube.allocation)),
          SAME(ftl.cube.allocation)),
      {"ftl.cube.demand_threshold", Kind::kReal, "", "0.9", "0.0", "1.0",
       "With ftl.cube.allocation = demand: share of the write buffer beyond which much is to be written. Lower: "
       "followers are used up sooner.",
       "Shim, SNU 2020, section 5.2", FIELD(ftl.cube.demand_threshold)},
      {"ftl.cube.active_blocks", Kind::kInteger, "superblocks", "2", "1", "2",
       "With ftl.cube.allocation = demand: superblocks that are open for the host's data. With two, leaders are there "
       "when those of one are used up.",
       "Shim, SNU 2020, section 5.2", FIELD(ftl.cube.active_blocks)},
      of_policy(
          choice("ftl.cube.gc_uses", "any", {"any", "leaders"},
                 "With ftl.policy = cube: word lines for moved data. any: those of a superblock of their own; leaders: "
                 "leaders of the host's superblocks as long as there are any, so that followers are left for the host.",
                 "not said, assumed", SET(ftl.cube.gc_uses)),
          SAME(ftl.cube.gc_uses)),
      of_policy(
          choice("ftl.cube.programs", "both", {"both", "skip", "window", "default"},
                 "With ftl.policy = cube: how followers are programmed. skip: without the verifies that the leader did "
                 "not "
                 "need; window: with Vstart higher and Vfinal lower by the leader's margin; both; default: as leaders.",
                 "Shim, SNU 2020, sections 4.1.1 and 4.1.2", SET(ftl.cube.programs)),
          SAME(ftl.cube.programs)),
      {"ftl.cube.best_ber_ep1", Kind::kReal, "errors per cell", "3.06e-4", "1e-6", "1e-3",
       "With ftl.policy = cube: the unit of margins, BER_EP1 of the best h-layer of a fresh device.",
       "measured off-line on configs/nand/tlc_48x4.toml", FIELD(ftl.cube.best_ber_ep1)},
      {"ftl.cube.most_ber_ep1", Kind::kReal, "units", "2.7", "0.0", "100.0",
       "With ftl.policy = cube: BER_EP1, in units of ftl.cube.best_ber_ep1, that leaves no margin. Larger: faster "
       "followers, with more bit errors.",
       kThesis, FIELD(ftl.cube.most_ber_ep1)},
      {"ftl.cube.voltage_per_margin", Kind::kVoltage, "", "188mV", "0mV", "2V",
       "With ftl.policy = cube: by how much a unit of margin narrows the program window, half at Vstart and half at "
       "Vfinal.",
       kThesis, FIELD(ftl.cube.voltage_per_margin)},
      {"ftl.cube.most_voltage", Kind::kVoltage, "", "320mV", "0mV", "2V",
       "With ftl.policy = cube: by how much the program window is narrowed at most.", kThesis,
       FIELD(ftl.cube.most_voltage)},
      {"ftl.cube.bad_write", Kind::kReal, "", "1.5", "1.0", "100.0",
       "With ftl.policy = cube: a word line with so many times the BER_EP1 of the one before it in its h-layer is bad: "
       "its data are programmed again, and the layer is measured again.",
       "Shim, SNU 2020, section 4.1.4, says significantly; assumed", FIELD(ftl.cube.bad_write)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

void add_vert(std::vector<Key>& keys) {
  const Key table[] = {
      {"ftl.vert.final_cut", Kind::kVoltage, "", "130mV", "0mV", "2V",
       "With ftl.policy = vert: by how much the final program voltage is lower than the device's, in whole loops.",
       "Shim, SNU 2020, section 4.1.2", FIELD(ftl.vert.final_cut)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

}  // namespace

void add_policy_keys(std::vector<Key>& keys) {
  add_ppb(keys);
  add_cube(keys);
  add_vert(keys);
}

}  // namespace wordline::config

#undef FIELD
#undef SAME
#undef SET
