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
      {"ftl.ppb.half_full_blocks", Kind::kInteger, "superblocks", "1", "0", "4",
       "With ftl.policy = ppb: a superblock is opened for slow pages while at most so many others of its area have "
       "only fast pages left; with more, slow data take fast pages. 0: as the source prints it; then an area has free "
       "pages of one speed at a time, and hotness decides nothing. Each beyond the first is one more open superblock "
       "for each of four areas.",
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
      of_policy(choice("ftl.ppb.table", "flat", {"flat", "bounded"},
                       "With ftl.policy = ppb: what is kept of map units. flat: 8 bytes of each. bounded: half a byte "
                       "of each, which counts reads up to 13, and up to 20 bytes for each unit that the two lists can "
                       "hold; smaller where these are short (docs/ppb.md).",
                       "not given; the lists are the same with both", SET(ftl.ppb.table)),
                SAME(ftl.ppb.table)),
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
                 "leaders of the host's superblocks first, while little is to be written (ftl.cube.demand_threshold), "
                 "so that "
                 "followers are left for bursts.",
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

void add_agcr(std::vector<Key>& keys) {
  const Key table[] = {
      {"ftl.agcr.coarse_step", Kind::kReal, "", "1.333", "1.0", "3.0",
       "With ftl.policy = agcr or agcr_li: ISPP step of a coarse program, times nand.ispp.step, in whole millivolts. "
       "More: "
       "shorter "
       "programs, more bit errors.",
       "not given, assumed: with tPROG as 1 / step, 450 us beside 600 us", FIELD(ftl.agcr.coarse_step)},
      {"ftl.agcr.fine_step", Kind::kReal, "", "0.75", "0.25", "1.0",
       "With ftl.policy = agcr or agcr_li: ISPP step of a fine program, times nand.ispp.step, in whole millivolts. "
       "Less: longer "
       "programs, fewer bit errors.",
       "not given, assumed: 800 us beside 600 us", FIELD(ftl.agcr.fine_step)},
      {"ftl.agcr.window", Kind::kInteger, "accesses", "2", "2", "8",
       "With ftl.policy = agcr: accesses of a map unit that its class is judged by, the upcoming one and the most "
       "recent ones. More: fewer units are read-only or write-only, and more of these stay so.",
       "AGCR (FAST'16 slides): upcoming and most recent access", FIELD(ftl.agcr.window)},
      of_policy(choice("ftl.agcr.classes", "history", {"default", "coarse", "fine", "history"},
                       "With ftl.policy = agcr: how data are programmed. history = what is only written in coarse "
                       "steps, what is "
                       "only read in fine ones, the rest by the device's; coarse, default, fine = all in these steps.",
                       "AGCR (FAST'16 slides): preliminary study and ideal case", SET(ftl.agcr.classes)),
                SAME(ftl.agcr.classes)),
      of_policy(choice("ftl.agcr.read_levels", "measured", {"measured", "assumed"},
                       "With ftl.policy = agcr or agcr_li, how a read begins: measured = as any read, and the decoder "
                       "asks for more "
                       "senses as the bit errors need; assumed = with as many senses as ftl.agcr.fine_senses, "
                       "default_senses and "
                       "coarse_senses say for the step that its data were programmed in.",
                       "the latencies that are quoted for the source (70, 170, 310 us) are not in it",
                       SET(ftl.agcr.read_levels)),
                SAME(ftl.agcr.read_levels)),
      {"ftl.agcr.fine_senses", Kind::kInteger, "senses", "1", "1", "7",
       "With ftl.agcr.read_levels = assumed: senses of each reference that a read of data programmed finely begins "
       "with: 1, 2, 3, 5 or 7. Each is a sensing and a transfer.",
       "assumed", FIELD(ftl.agcr.fine_senses)},
      {"ftl.agcr.default_senses", Kind::kInteger, "senses", "2", "1", "7",
       "The same for data programmed by the device's own step.", "assumed", FIELD(ftl.agcr.default_senses)},
      {"ftl.agcr.coarse_senses", Kind::kInteger, "senses", "5", "1", "7",
       "The same for data programmed coarsely. 1 beside the same for the others is the source's ideal case.", "assumed",
       FIELD(ftl.agcr.coarse_senses)},
      of_policy(choice("ftl.agcr.initial", "default", {"default", "coarse", "fine"},
                       "With ftl.agcr.read_levels = assumed: what the data that the drive begins with are taken for. "
                       "On flash they "
                       "lie as the device's own program leaves them.",
                       "not given", SET(ftl.agcr.initial)),
                SAME(ftl.agcr.initial)),
      of_policy(
          choice(
              "ftl.agcr.rewrite", "off", {"off", "coarse", "all"},
              "With ftl.policy = agcr: read-only data that are programmed anew in fine steps while the host is silent "
              "(ftl.idle_after): coarse = those programmed coarsely, as the source's tag of one bit says; all = those "
              "programmed by the device's own step, too.",
              "AGCR (FAST'16 slides): in idle time, data accessed by high-cost read", SET(ftl.agcr.rewrite)),
          SAME(ftl.agcr.rewrite)),
      {"ftl.agcr.queue", Kind::kInteger, "jobs", "1", "1", "65535",
       "With ftl.policy = agcr_li: a program is coarse when its die has so many jobs that have not ended, the one that "
       "it "
       "carries out among them; else fine.",
       "Li et al. (DATE'15), as the AGCR slides name it: queue not empty", FIELD(ftl.agcr.queue)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

void add_mpnfm(std::vector<Key>& keys) {
  const Key table[] = {
      {"ftl.mpnfm.threshold", Kind::kBytes, "", "0B", "0B", "64KiB",
       "With ftl.policy = mpnfm: commands that write no more write small pages, longer ones large pages. 0 = "
       "nand.region.page.",
       "Kim et al., TVLSI 2016, section IV-B: one small page; <= as in its Fig. 1, where the text says <",
       FIELD(ftl.mpnfm.threshold)},
      {"ftl.mpnfm.gc_start_blocks", Kind::kInteger, "superblocks", "1", "1", "65535",
       "With ftl.policy = mpnfm: small pages are collected, into large ones, while no more than this many superblocks "
       "of them are free. ftl.gc_start_superblocks speaks of those of large pages.",
       "not given, assumed", FIELD(ftl.mpnfm.gc_start_blocks)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

}  // namespace

void add_policy_keys(std::vector<Key>& keys) {
  add_ppb(keys);
  add_cube(keys);
  add_vert(keys);
  add_agcr(keys);
  add_mpnfm(keys);
}

bool is_default(std::string_view key, const Config& config) {
  static const Config defaults = [] {
    Config c{};
    for (const Key& row : schema()) {
      if (row.same != nullptr) row.set(c, default_value(row));
    }
    return c;
  }();
  return schema().at(static_cast<std::size_t>(find_key(key))).same(config, defaults);
}

}  // namespace wordline::config

#undef FIELD
#undef SAME
#undef SET
