// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the flash channels and the NAND device. The defaults are a 3D TLC device of 48 h-layers x 4 word lines.
#include "models/config/assign.h"
#include "models/config/bus_modes.h"
#include "models/config/schema.h"

#define VOLTS(path)                                                   \
  Field {                                                             \
    [](Config& c, const Value& v) { c.path = volts(v); },             \
        [](const Config& c) -> Value { return Scalar(1e3 * c.path); } \
  }
#define AMPERES(path)                                                 \
  Field {                                                             \
    [](Config& c, const Value& v) { c.path = amperes(v); },           \
        [](const Config& c) -> Value { return Scalar(1e6 * c.path); } \
  }

namespace wordline::config {
namespace {

constexpr const char* kOnfi = "ONFI 5.0, tables 4-73..80";
constexpr const char* kL06b = "Micron L06B";
constexpr const char* kShim = "Shim, SNU 2020";
constexpr const char* kMpnfm = "Kim et al., TVLSI 2016";

/// An ONFI timing parameter.
Key bus_time(std::string_view name, std::string_view value, std::string_view text, std::string_view source,
             Field field) {
  return {name, Kind::kTime, "", value, "0ps", "1ms", text, source, field};
}

std::vector<std::string_view> mode_names() {
  std::vector<std::string_view> names;
  for (const BusModeName& mode : bus_modes()) names.push_back(mode.name);
  return names;
}
void set_mode(Config& c, const Value& v) {
  c.channels.mode = bus_modes().at(static_cast<std::size_t>(std::get<std::int64_t>(std::get<Scalar>(v)))).mode;
}
Value get_mode(const Config& c) {
  return Scalar(static_cast<std::int64_t>(find_bus_mode(c.channels.mode) - bus_modes().data()));
}

}  // namespace

void add_channel_keys(std::vector<Key>& keys) {
  const Key table[] = {
      {"channels.count", Kind::kInteger, "channels", "8", "1", "64",
       "Flash channels, each with its own bus and controller. Bounds bandwidth.", "REF-TLC32", FIELD(channels.count)},
      {"channels.packages", Kind::kInteger, "packages", "4", "1", "64", "Packages (chip enables) per channel.",
       "REF-TLC32", FIELD(channels.packages)},
      {"channels.dies_per_package", Kind::kInteger, "dies", "1", "1", "16",
       "LUNs behind one chip enable; as parallel as packages of their own.", "REF-TLC32",
       FIELD(channels.dies_per_package)},
      choice(
          "channels.model", "tlm", {"tlm", "rtl"},
          "rtl = the flash interface of one channel is in gates, clock by clock at its pins (docs/channel_rtl.md); the "
          "other channels, and all with tlm, are the model that it is compared with.",
          "", FIELD(channels.model)),
      needing("channels.model = rtl",
              {"channels.rtl_channel", Kind::kInteger, "", "0", "0", "63",
               "With channels.model = rtl, the channel that is in gates.", "", FIELD(channels.rtl_channel)}),
      choice("channels.mode", "nv-ddr3-10", mode_names(),
             "Interface and ONFI timing mode of the flash bus. The data rate and the times of a bus cycle follow from "
             "it; those set beside it or later keep their value, those of a file that this one extends do not.",
             "ONFI timing mode 10: 800 MT/s", {set_mode, get_mode}),
      {"channels.rate", Kind::kTransferRate, "", "800MT/s", "10MT/s", "4800MT/s",
       "Data rate of the 8-bit bus with DQS; SDR goes by t_rc and t_wc. A 4 KiB logical page is 4,648 bytes on the "
       "bus, one of 2 KiB half of it.",
       "ONFI timing mode 10", FIELD(channels.rate)},
      bus_time("channels.t_rc", "2500ps", "Read cycle: SDR moves a byte in each; with DQS the data rate counts.", kOnfi,
               FIELD(channels.t_rc)),
      {"channels.warmup_cycles", Kind::kInteger, "cycles", "0", "0", "8",
       "DQS cycles before the data of a burst; status and feature bytes have none (assumed).",
       "ONFI 5.0: 2 above 800 MT/s", FIELD(channels.warmup_cycles)},
      bus_time("channels.t_wc", "25ns", "Cycle time of commands and addresses: a read pays 7, a program 7, an erase 5.",
               kOnfi, FIELD(channels.t_wc)),
      bus_time("channels.t_cs", "20ns", "Chip enable set-up before the first cycle of a segment.", kOnfi,
               FIELD(channels.t_cs)),
      bus_time("channels.t_cals", "15ns", "CLE, ALE set-up before a data burst.", kOnfi, FIELD(channels.t_cals)),
      bus_time("channels.t_adl", "400ns", "Address cycle to data: PROGRAM, SET FEATURES.", kOnfi,
               FIELD(channels.t_adl)),
      bus_time("channels.t_ccs", "400ns", "Change column set-up: each plane after the first.", kL06b,
               FIELD(channels.t_ccs)),
      bus_time("channels.t_whr", "80ns", "Command or address cycle to status output.", kOnfi, FIELD(channels.t_whr)),
      bus_time("channels.t_rhw", "100ns", "Data output to the next command cycle.", kOnfi, FIELD(channels.t_rhw)),
      bus_time("channels.t_wb", "100ns", "Last cycle of a command to busy.", kOnfi, FIELD(channels.t_wb)),
      bus_time("channels.t_rr", "20ns", "Ready to data output.", kOnfi, FIELD(channels.t_rr)),
      bus_time("channels.t_feat", "1us", "Busy time of SET FEATURES and GET FEATURES: the cost of moving a parameter.",
               kOnfi, FIELD(channels.t_feat)),
      bus_time("channels.t_rpre", "15ns", "Read preamble.", kL06b, FIELD(channels.t_rpre)),
      bus_time("channels.t_dqsre", "25ns", "RE to DQS and data valid.", kL06b, FIELD(channels.t_dqsre)),
      bus_time("channels.t_rpst", "26.25ns", "Read postamble.", "Micron L06B: tDQSRE + tRC/2 at 800 MT/s",
               FIELD(channels.t_rpst)),
      bus_time("channels.t_wpre", "15ns", "Write preamble.", kL06b, FIELD(channels.t_wpre)),
      bus_time("channels.t_wpst", "6.5ns", "Write postamble.", kL06b, FIELD(channels.t_wpst)),
      bus_time("channels.t_wpsth", "15ns", "Write postamble hold.", kL06b, FIELD(channels.t_wpsth)),
      bus_time("channels.t_dbsy", "500ns", "Dummy busy time between the planes of a multi-plane operation.",
               "assumed, typical of data sheets", FIELD(channels.t_dbsy)),
      bus_time("channels.t_rcbsy", "3us",
               "READ CACHE: page register to cache register, once the array has read the page.",
               "SLC models: 3 to 5 us; Micron L06B gives the maximum, tR", FIELD(channels.t_rcbsy)),
      bus_time("channels.t_pcbsy", "3us",
               "CACHE PROGRAM: cache register to page register, once the array has programmed the program unit before.",
               "SLC models: 4 us; Micron L06B gives the maximum, tPROG", FIELD(channels.t_pcbsy)),
      bus_time("channels.t_rst", "5us", "RESET of an idle die.", kL06b, FIELD(channels.t_rst)),
      bus_time("channels.t_rst_read", "10us", "RESET during a read.", kL06b, FIELD(channels.t_rst_read)),
      bus_time("channels.t_rst_program", "30us", "RESET during a program, or with one suspended.", kL06b,
               FIELD(channels.t_rst_program)),
      bus_time("channels.t_rst_erase", "500us", "RESET during an erase, or with one suspended.", kL06b,
               FIELD(channels.t_rst_erase)),
      bus_time("channels.t_suspend_program", "100us",
               "Program suspend: from the end of the micro-operation under way to ready (lines discharged, loop kept).",
               "with a pulse of 52.6 us, the 150 us of Micron L06B; MQSim: 100 us", FIELD(channels.t_suspend_program)),
      bus_time("channels.t_suspend_erase", "300us",
               "Erase suspend: from the end of the micro-operation under way to ready.",
               "with a pulse of 750 us, the 1.1 ms of Micron L06B; MQSim: 700 us", FIELD(channels.t_suspend_erase)),
      {"channels.starvation_bound", Kind::kInteger, "reads", "16", "0", "65535",
       "Reads served ahead of a waiting program or erase of the same die. More: shorter reads, longer writes. 0: reads "
       "and others as they came.",
       "assumed", FIELD(channels.starvation_bound)},
      choice(
          "channels.queue_order", "kind", {"arrival", "alternate", "kind"},
          "Which job of a die goes next when no host read does: arrival = the first that came; alternate = a program "
          "of the host and a job of GC in turn; kind = in turn, and of GC's jobs erases first, then reads, then "
          "programs, each passed by at most channels.starvation_bound others.",
          "measured: docs/firmware.md", FIELD(channels.queue_order)),
      {"channels.pair_planes", Kind::kBool, "", "true", "", "",
       "Reads of one page number and block that wait for a die, in any plane, are sensed together.", "",
       FIELD(channels.pair_planes)},
      {"channels.register_hits", Kind::kBool, "", "false", "", "",
       "A read of the page that its plane read last, with no program or erase in between, takes the data from the "
       "plane's register (06h ADDR E0h) and does not sense the page again.",
       "", FIELD(channels.register_hits)},
      {"channels.cache_read", Kind::kBool, "", "false", "", "",
       "A die reads the page of the next waiting read while the data of the last one go out (31h, 00h ADDR 31h).", "",
       FIELD(channels.cache_read)},
      {"channels.cache_program", Kind::kBool, "", "false", "", "",
       "A die takes the program unit that follows while it programs the last one (15h). More write bandwidth of few "
       "dies; a read waits longer.",
       "", FIELD(channels.cache_program)},
      choice("channels.suspend", "never", {"never", "program", "erase", "both"},
             "Which operations of a die a host read suspends. Reads wait less, programs and erases last longer.",
             "assumed", FIELD(channels.suspend)),
      needing(
          "channels.suspend = erase or both",
          choice("channels.suspended_by", "reads", {"reads", "all"},
                 "Who suspends an erase. reads = host reads; all = programs and GC, too: they then wait for the end "
                 "of an erase pulse instead of the erase.",
                 "measured: docs/measurements/firmware.md", FIELD(channels.suspended_by))),
      {"channels.suspend_limit", Kind::kInteger, "times", "4", "1", "255",
       "How often one program or erase is suspended, each time for at most channels.starvation_bound jobs: so it ends "
       "within a bound.",
       "assumed", FIELD(channels.suspend_limit)},
      needing(
          "channels.suspend = erase or both",
          {"channels.cut_erase_pulse", Kind::kBool, "", "false", "", "",
           "The suspend of an erase stops the pulse under way, and the resume goes on with the rest of it; else the "
           "suspend waits for the end of the pulse.",
           "Wu and He, FAST 2012, suspend at any time; false: a pulse is not interrupted",
           FIELD(channels.cut_erase_pulse)}),
      needing(
          "channels.suspended_by = all",
          {"channels.suspend_depth", Kind::kInteger, "operations", "1", "1", "2",
           "Operations of a die that are suspended at a time. 2: a program that goes while an erase is suspended is "
           "suspended by host reads, too.",
           "1: data sheets name one", FIELD(channels.suspend_depth)}),
      {"channels.read_ahead", Kind::kBytes, "", "0B", "0B", "256MiB",
       "When the host reads in order, pages are read into a buffer of the channels, so far ahead of it; its reads then "
       "find their data there. By physical order: it helps where data lie as they were written. One stream is "
       "followed: "
       "a read elsewhere ends it. 0: never.",
       "0: random reads gain nothing", FIELD(channels.read_ahead)},
      {"channels.read_ahead_after", Kind::kInteger, "reads", "2", "1", "255",
       "Reads, each of which begins where the one before it ended, until channels.read_ahead begins.", "assumed",
       FIELD(channels.read_ahead_after)},
      {"channels.hand_over", Kind::kTime, "", "0ps", "0ps", "1ms",
       "From the end of a die's job until its next may begin: the end is noticed, the next is chosen and handed over. "
       "Pages of READ CACHE and CACHE PROGRAM follow without.",
       "0: the controller has the next job ready", FIELD(channels.hand_over)},
      {"channels.split_data_out", Kind::kBool, "", "false", "", "",
       "The data of a page leave the die by its logical pages, and commands to other dies go between them; behind one "
       "to its own package the page needs a column selection.",
       "", FIELD(channels.split_data_out)},
      {"channels.page_latency", Kind::kTime, "", "0ps", "0ps", "1ms",
       "Time of a logical page between decoder and data buffer (descrambler, end-to-end check, hand-over), for many at "
       "once.",
       "0: within the times of decoder and DRAM", FIELD(channels.page_latency)},
      {"channels.page_engine", Kind::kTime, "", "0ps", "0ps", "1ms",
       "Time of 4 KiB (a logical page of 2 KiB takes as long) in the one engine that checks and moves what the "
       "dies of all channels have read. The planes of a multi-plane read pass side by side, in the time of one. 0: no "
       "such engine.",
       "0: decoders and DRAM keep up", FIELD(channels.page_engine)},
      needing(
          "channels.model = rtl: the model has no pins",
          {"channels.rtl.flash_sequencer", Kind::kString, "", "\"\"", "", "",
           "With channels.model = rtl, a shared object with a sequencer and digital PHY of your own for the channel in "
           "gates, made by wordline_rtl_block() of CMake (docs/own_rtl.md), relative to the working directory; empty: "
           "the "
           "shipped one. Its ports are checked in every clock, its cycles, bytes and times at the pins in every "
           "segment.",
           "", FIELD(channels.rtl.flash_sequencer)}),
      {"channels.rtl.flash_sequencer_exact", Kind::kBool, "", "false", "", "",
       "Every port of the block of channels.rtl.flash_sequencer is that of the shipped one in every clock. false: it "
       "may take other clocks, as long as ONFI's times are kept.",
       "", FIELD(channels.rtl.flash_sequencer_exact)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

void add_nand_keys(std::vector<Key>& keys) {
  const Key table[] = {
      choice("nand.cell", "tlc", {"slc", "mlc", "tlc", "qlc"}, "Bits per cell: 1, 2, 3, 4; pages per word line.", kShim,
             FIELD(nand.geometry.cell)),
      {"nand.planes", Kind::kInteger, "planes", "2", "1", "16",
       "Planes of a die; a superpage of all planes is programmed and erased at once.", "assumed",
       FIELD(nand.geometry.planes)},
      {"nand.blocks_per_plane", Kind::kInteger, "blocks", "214", "8", "65535",
       "Blocks of a plane, and superblocks of the drive; those of nand.region come on top.",
       "Shim, SNU 2020: 428 blocks per chip", FIELD(nand.geometry.blocks_per_plane)},
      {"nand.scale_down", Kind::kInteger, "", "1", "1", "4096",
       "Divides the blocks of each plane, and so the capacity: the drive keeps its dies, channels, cores and times, "
       "and "
       "the share of over-provisioning. For drives that are larger than the map allows, and for states that are "
       "made sooner. GC comes as often in relation to writes; only what needs many superblocks (a skew of data over "
       "them, wear) is coarser. 1: all blocks.",
       "", FIELD(nand.geometry.scale_down)},
      {"nand.layers", Kind::kInteger, "h-layers", "48", "1", "1024",
       "Stacked word-line layers of a block; the raw bit error rate follows the layer.", kShim,
       FIELD(nand.geometry.layers)},
      {"nand.wls_per_layer", Kind::kInteger, "word lines", "4", "1", "1024",
       "Word lines of one layer (v-layers); they behave alike.", kShim, FIELD(nand.geometry.wls_per_layer)},
      {"nand.page", Kind::kBytes, "", "16KiB", "2KiB", "64KiB",
       "Data bytes of a page: 2 KiB or a multiple of 4 KiB. A drive with pages of 2 KiB maps, buffers and corrects 2 "
       "KiB "
       "at a time, in one codeword.",
       kShim, FIELD(nand.geometry.page)},
      {"nand.spare", Kind::kBytes, "", "2208B", "0B", "64KiB",
       "Spare bytes of a page; the code needs 276 per 2 KiB (a codeword of 2,324 bytes).", kL06b,
       FIELD(nand.geometry.spare)},
      choice("nand.program", "wordline", {"page", "wordline"},
             "page = a program operation per page; wordline = all pages of a word line in one shot.",
             "3D TLC: one shot", FIELD(nand.geometry.program)),
      choice("nand.program_order", "horizontal", {"horizontal", "vertical", "mixed"},
             "Which word line follows which: layer by layer, v-layer by v-layer, or any whose lower neighbour in its "
             "v-layer is programmed. Pages count layer by layer in mixed order.",
             kShim, FIELD(nand.geometry.order)),
      choice("nand.plane_blocks", "same", {"same", "any"},
             "Multi-plane block address restriction: the planes of one operation address the same block, or any. any "
             "lets reads of different blocks share a sense, and bad blocks be replaced plane by plane "
             "(ftl.spare_blocks).",
             "ONFI: multi-plane attributes; same = restricted", FIELD(nand.geometry.plane_blocks)),

      {"nand.region.page", Kind::kBytes, "", "4KiB", "2KiB", "4KiB",
       "Data bytes of the pages of nand.region, one logical page: 2 KiB or 4 KiB, below nand.page. With 2 KiB the "
       "drive "
       "maps, buffers and corrects 2 KiB at a time. Spare bytes are in proportion.",
       kMpnfm, FIELD(nand.region.page)},
      {"nand.region.blocks_per_plane", Kind::kInteger, "blocks", "0", "0", "65535",
       "Blocks of a plane beside nand.blocks_per_plane, behind them, with smaller pages: two page sizes in a die, for "
       "ftl.policy = mpnfm. 0: none.",
       "0: one page size", FIELD(nand.region.blocks_per_plane)},
      {"nand.region.pages_per_block", Kind::kInteger, "pages", "0", "0", "65535",
       "Pages of a block of nand.region, in one plane: whole programs, no more than the other blocks have. 0: as many.",
       kMpnfm, FIELD(nand.region.pages_per_block)},

      choice("nand.timing.mode", "derived", {"pinned", "derived"},
             "derived = tR, tPROG and tBERS follow from senses, pulses and verifies; pinned = totals given, "
             "micro-operations scaled to them.",
             "", FIELD(nand.timing.mode)),
      {"nand.timing.t_precharge", Kind::kTime, "", "12us", "1ns", "1s", "Bit-line precharge: once per read.",
       "AiF (ISCA'25): tR = 19 + 9 n us; the split of 19 is assumed", FIELD(nand.timing.t_precharge)},
      {"nand.timing.t_sense", Kind::kTime, "", "9us", "1ns", "1s", "One sense: once per read reference.",
       "AiF (ISCA'25): 28, 37, 46 us for 1, 2, 3 senses", FIELD(nand.timing.t_sense)},
      {"nand.timing.t_discharge", Kind::kTime, "", "7us", "1ns", "1s", "Discharge: once per read.",
       "AiF (ISCA'25), split assumed", FIELD(nand.timing.t_discharge)},
      {"nand.timing.senses_per_page",
       Kind::kInteger,
       "senses",
       "[]",
       "1",
       "15",
       "Read references by page type, LSB first, as a Gray code gives them; empty: 1 | 1, 2 | 2, 3, 2 | 1, 2, 4, 8 for "
       "slc to qlc.",
       "AiF (ISCA'25): 2, 3, 2 for TLC",
       FIELD(nand.timing.senses_per_page),
       {},
       0,
       4},
      {"nand.timing.t_pgm", Kind::kTime, "", "52.6us", "1ns", "1s", "One program pulse: once per ISPP loop.",
       "from Shim, SNU 2020: tPROG 700 us, -16.2 % without 21 verifies", FIELD(nand.timing.t_pgm)},
      {"nand.timing.t_vfy", Kind::kTime, "", "5.4us", "1ns", "1s", "One verify: once per state not yet done, per loop.",
       "from Shim, SNU 2020: as t_pgm", FIELD(nand.timing.t_vfy)},
      {"nand.timing.t_erase_pulse", Kind::kTime, "", "750us", "1ns", "1s", "One erase pulse.",
       "five loops give the 4 ms of PPB (DAC'17)", FIELD(nand.timing.t_erase_pulse)},
      {"nand.timing.t_erase_verify", Kind::kTime, "", "50us", "1ns", "1s", "One erase verify.", "assumed",
       FIELD(nand.timing.t_erase_verify)},
      {"nand.timing.erase_loops", Kind::kInteger, "loops", "5", "1", "64", "Pulse-verify loops of an erase.",
       "AERO (arXiv 2404.10355): up to five", FIELD(nand.timing.erase_loops)},
      {"nand.timing.t_r",
       Kind::kTime,
       "",
       "[]",
       "1ns",
       "1s",
       "pinned: tR, one for all page types or one for each, LSB first.",
       "",
       FIELD(nand.timing.t_r),
       {},
       0,
       4},
      {"nand.timing.t_prog",
       Kind::kTime,
       "",
       "[]",
       "1ns",
       "10s",
       "pinned: tPROG, one for all or one for each page type; a single one when word lines are programmed in one shot.",
       "",
       FIELD(nand.timing.t_prog),
       {},
       0,
       4},
      {"nand.timing.t_bers", Kind::kTime, "", "4ms", "1ns", "10s", "pinned: tBERS.", "PPB (DAC'17)",
       FIELD(nand.timing.t_bers)},

      {"nand.timing.page", Kind::kBytes, "", "0B", "0B", "1MiB",
       "Page size at which program and erase times hold; both grow by 10 % per doubling of nand.page, and of "
       "nand.region.page. 0 = nand.page.",
       kMpnfm, FIELD(nand.timing.page)},

      {"nand.slc_mode.t_r", Kind::kTime, "", "25us", "1ns", "1s",
       "tR of a block in SLC mode, one bit a cell (ftl.slc_cache).", "JSTS 2013, Table 2: SLC",
       FIELD(nand.slc_mode.t_r)},
      {"nand.slc_mode.t_prog", Kind::kTime, "", "200us", "1ns", "10s",
       "tPROG of a word line in SLC mode: its one page, in all planes.", "JSTS 2013, Table 2: SLC",
       FIELD(nand.slc_mode.t_prog)},

      {"nand.layer_speed.read", Kind::kReal, "", "1.0", "1.0", "10.0",
       "tR of the top layer over that of the bottom layer; the mean of the block stays.",
       "PPB (DAC'17): 2 to 5, within 2 for 64 layers", FIELD(nand.layer_speed.read)},
      {"nand.layer_speed.program", Kind::kReal, "", "1.0", "1.0", "10.0", "The same for tPROG.",
       "as nand.layer_speed.read", FIELD(nand.layer_speed.program)},
      choice("nand.layer_speed.profile", "linear", {"linear", "step"},
             "How the speed goes from the top layer to the bottom one: evenly, or in two halves.", "assumed",
             FIELD(nand.layer_speed.profile)),

      {"nand.ispp.step", Kind::kVoltage, "", "180mV", "1mV", "2V",
       "Rise of the program voltage per loop. Coarser: fewer loops, wider states, more bit errors.",
       "from Shim, SNU 2020: 9 loops for P7", FIELD(nand.ispp.step)},
      {"nand.ispp.window", Kind::kVoltage, "", "1624mV", "1mV", "20V",
       "Vfinal - Vstart; divided by the step it gives MaxLoop.", "from Shim, SNU 2020: 320 mV are 19.7 % of tPROG",
       FIELD(nand.ispp.window)},
      {"nand.ispp.state_loops", Kind::kInteger, "loops", "3", "1", "64",
       "Loops in which one state is verified: the width of [Lmin, Lmax].", "Shim, SNU 2020, Fig. 12(b)",
       FIELD(nand.ispp.state_loops)},
      {"nand.ispp.erase_pulse_voltage", Kind::kVoltage, "", "20V", "0V", "40V",
       "Well voltage of the first erase pulse, for the record.", "assumed", VOLTS(nand.ispp.erase_pulse_voltage)},
      {"nand.ispp.start_voltage", Kind::kVoltage, "", "16V", "0V", "40V",
       "Word-line voltage of the first program pulse, for the record.", "assumed", VOLTS(nand.ispp.start_voltage)},

      {"nand.aging.pe_cycles", Kind::kInteger, "P/E cycles", "0", "0", "1000000",
       "Wear of all blocks before the run, and before the erases that made its initial state (precondition.wear). "
       "More: "
       "more bit errors, more retries.",
       "fresh", FIELD(nand.aging.pe_cycles)},
      {"nand.aging.retention_days", Kind::kReal, "days", "0.0", "0.0", "36500.0",
       "Time since the data were written. More: more bit errors, more retries.", "fresh",
       FIELD(nand.aging.retention_days)},
      {"nand.aging.temperature_c", Kind::kReal, "degrees C", "30.0", "-40.0", "125.0",
       "Temperature of retention; accelerates it with 1.1 eV.", "Shim, SNU 2020; JESD218B client",
       FIELD(nand.aging.temperature_c)},
      {"nand.aging.early_loss", Kind::kBool, "", "false", "", "",
       "true = cells of 3D devices widen and drift from 7 minutes after the program on; false = all data are at least "
       "a day old.",
       "Luo et al., SIGMETRICS 2018", FIELD(nand.aging.early_loss)},
      {"nand.aging.page_age", Kind::kBool, "", "false", "", "",
       "true = data written in the run are as old as they are; false = all data carry nand.aging.retention_days.", "",
       FIELD(nand.aging.page_age)},
      needing("nand.aging.page_age = true: else no data age in a run",
              {"nand.aging.acceleration", Kind::kReal, "", "1.0", "1.0", "100000000.0",
               "Data age so many times faster than time passes in the run, and the clock of the firmware's refresh and "
               "patrol runs as fast: with 1e7 a run of 3.2 s is a year. Above 1 what the drive begins with ages, too.",
               "", FIELD(nand.aging.acceleration)}),
      {"nand.aging.young_cycles", Kind::kReal, "P/E cycles", "0.0", "0.0", "10000.0",
       "Cells lose charge as if they had so many P/E cycles more than they have: retention of young blocks. 0: data of "
       "a block without P/E cycles do not age.",
       "0: as before; more than 3 retry steps at 3 months and 0 P/E cycles (Park et al., ASPLOS'21) are about 2,000",
       FIELD(nand.aging.young_cycles)},
      {"nand.aging.wear_times", Kind::kBool, "", "false", "", "",
       "true = tPROG and tBERS follow the P/E cycles of a block: a program takes 3 % less for each 1,000 (15 % at "
       "most), "
       "an erase one loop when fresh and one more for each 1,000, up to nand.timing.erase_loops; false = the same "
       "times always.",
       "form and size assumed, after Grupp et al., MICRO'09, and AERO, ASPLOS'24", FIELD(nand.aging.wear_times)},

      {"nand.faults.bad_blocks", Kind::kReal, "share", "0.0", "0.0", "0.5",
       "Blocks bad from the factory. Every program and erase of them fails. ftl.spare_blocks take their place; without "
       "these the firmware retires their superblocks.",
       "0: no bad blocks", FIELD(nand.faults.bad_blocks)},
      {"nand.faults.rated_cycles", Kind::kInteger, "P/E cycles", "3000", "1", "1000000",
       "Endurance: the wear at which the two failure probabilities below hold.", "Cai et al., Proc. IEEE 2017: 3,000",
       FIELD(nand.faults.rated_cycles)},
      {"nand.faults.program_failures", Kind::kReal, "probability", "5e-8", "0.0", "1.0",
       "That one program of a block fails at the rated wear; grows with the fourth power of the wear, none when new.",
       "assumed: with erase_failures, 2 % of the blocks fail in a rated life", FIELD(nand.faults.program_failures)},
      {"nand.faults.erase_failures", Kind::kReal, "probability", "2e-5", "0.0", "1.0",
       "That one erase of a block fails at the rated wear; grows as above.", "assumed, as above",
       FIELD(nand.faults.erase_failures)},
      {"nand.faults.unreadable_pages", Kind::kReal, "probability", "0.0", "0.0", "1.0",
       "That a page of one plane holds more bit errors, from its program to the next erase of its block, than any step "
       "or soft read could correct. Keyed by flash address and P/E count. To see what becomes of lost data.",
       "0: only what wear, retention and read disturb do", FIELD(nand.faults.unreadable_pages)},
      {"nand.faults.program_disturb", Kind::kReal, "share", "0.0", "0.0", "1.0",
       "Word lines that come out of their program with three times the bit errors of the others, in all planes and "
       "pages, until the block is erased; BER_EP1 shows it.",
       "assumed: a case for policies that check what they have programmed", FIELD(nand.faults.program_disturb)},
      {"nand.faults.moved_references", Kind::kReal, "share", "0.0", "0.0", "1.0",
       "h-layers of blocks, until the block is erased, whose word lines can be read at one other step of the retry "
       "table "
       "only. Keyed by flash address and P/E count. Read retries by a share of the reads, whatever the cells are like.",
       "0: only what wear, retention and read disturb do", FIELD(nand.faults.moved_references)},
      {"nand.faults.moved_steps", Kind::kInteger, "steps", "3", "1", "7",
       "With nand.faults.moved_references, the step that a moved h-layer wants is one of 1 to this, each as often.",
       "assumed", FIELD(nand.faults.moved_steps)},
      list_of({"nand.faults.dead_dies", Kind::kInteger, "", "[]", "0", "1023",
               "Dies that die in the run: nothing can be read from them any more, and their programs and erases fail. "
               "Die d is on channel d modulo channels.count. ftl.parity = dies rebuilds what was on one.",
               "", FIELD(nand.faults.dead_dies)},
              0, 4),
      list_of({"nand.faults.dead_at", Kind::kTime, "", "[]", "0s", "1000s",
               "When each of nand.faults.dead_dies does: the first operation of its array that ends then or later "
               "fails. As many as there are dead dies; 0s: from the beginning.",
               "", FIELD(nand.faults.dead_at)},
              0, 4),

      {"nand.energy.vcc", Kind::kVoltage, "", "3.3V", "500mV", "20V", "Supply of the array. Energy is V * I * t.",
       "SimpleSSD 2.0", VOLTS(nand.energy.vcc)},
      {"nand.energy.icc_read", Kind::kCurrent, "", "25mA", "0mA", "10A", "Current of a read, above standby.",
       "SimpleSSD 2.0", AMPERES(nand.energy.icc_read)},
      {"nand.energy.icc_program", Kind::kCurrent, "", "25mA", "0mA", "10A", "Current of a program, above standby.",
       "SimpleSSD 2.0", AMPERES(nand.energy.icc_program)},
      {"nand.energy.icc_erase", Kind::kCurrent, "", "25mA", "0mA", "10A", "Current of an erase, above standby.",
       "SimpleSSD 2.0", AMPERES(nand.energy.icc_erase)},
      {"nand.energy.icc_standby", Kind::kCurrent, "", "10uA", "0mA", "1A", "Current of an idle die.", "SimpleSSD 2.0",
       AMPERES(nand.energy.icc_standby)},
      {"nand.energy.further_planes", Kind::kReal, "share", "1.0", "0.0", "1.0",
       "What each further plane of a multi-plane operation adds, over the energy of the first.",
       "assumed: nothing published says what planes share", FIELD(nand.energy.further_planes)},
      {"nand.energy.bus", Kind::kReal, "pJ/bit", "5.8", "0.0", "1000.0",
       "Energy of a bit on the flash bus (data, commands, addresses, status), typical.", "AiF, ISCA'25: flash channel",
       FIELD(nand.energy.bus)},
      {"nand.energy.icc_burst", Kind::kCurrent, "", "0mA", "0mA", "10A",
       "Current from vcc while the bus is taken, beside the energy of the bits: for sources that give a typical "
       "current. ONFI's ICC4 (50 to 180 mA) is a limit for the supply, not what a transfer takes.",
       "", AMPERES(nand.energy.icc_burst)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

}  // namespace wordline::config
#undef VOLTS
#undef AMPERES
