// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the decoders and of read retry.
#include "models/config/assign.h"
#include "models/config/schema.h"

namespace wordline::config {
void add_ecc_keys(std::vector<Key>& keys) {
  const Key table[] = {
      choice("ecc.model", "calibrated", {"calibrated", "rtl"},
             "calibrated = outcome and decode time from statistics of the bit-true decoders; rtl = decoders and "
             "read-retry controllers in gates, Verilated: slower, and visible in a waveform.",
             "", FIELD(ecc.model)),
      {"ecc.clock", Kind::kFrequency, "", "500MHz", "1MHz", "1000GHz",
       "Clock of the decoder. Decode time scales with it.", "assumed, nothing was synthesised", FIELD(ecc.clock)},
      {"ecc.max_retries", Kind::kInteger, "steps", "4", "0", "16",
       "Re-reads with shifted references before soft reads are tried.",
       "four quarters of the way from fresh to aged references", FIELD(ecc.max_retries)},
      {"ecc.max_soft", Kind::kInteger, "level", "2", "0", "2",
       "Soft reads when no reference helps: 0 = none, 1 = three reads, 2 = then seven. More: fewer logical pages lost, "
       "longer worst reads.",
       "three reads bring most of the gain (docs/ecc.md)", FIELD(ecc.max_soft)},
      choice("ecc.ort", "retry", {"off", "retry", "first"},
             "Table of optimal references, by die and h-layer: the step that worked last. retry = retries start from "
             "it; first = first reads too, for a SET FEATURES each.",
             "Shim, SNU 2020", FIELD(ecc.ort)),
      needing(
          "ecc.ort = retry or first",
          choice(
              "ecc.ort_scope", "die", {"die", "block"},
              "What an entry of the table of optimal references speaks of: die = an h-layer of a die, in all its "
              "blocks; "
              "block = an h-layer of one block, forgotten when the block is erased, and ecc.ort = first starts at the "
              "soft level that worked, too. block takes a byte per block and h-layer.",
              "block: Shim, SNU 2020, 2 B per h-layer", FIELD(ecc.ort_scope))),
      needing(
          "ecc.model = rtl",
          {"ecc.rtl_every", Kind::kInteger, "codewords", "1", "1", "1000000000",
           "With ecc.model = rtl, one codeword in so many goes through the gates, the others through the statistics.",
           "", FIELD(ecc.rtl_every)}),
      needing("ecc.model = rtl",
              only_observes(
                  {"ecc.rtl_threads", Kind::kInteger, "threads", "1", "1", "64",
                   "With ecc.model = rtl, so many codewords of a page are decoded at a time, each by a thread of the "
                   "machine that simulates. Results do not depend on it. While a waveform is recorded, and with "
                   "blocks of the user's own, one thread does all.",
                   "", FIELD(ecc.rtl_threads)})),
      needing("ecc.model = rtl", {"ecc.rtl_encoder", Kind::kBool, "", "false", "", "",
                                  "With ecc.model = rtl, the parity of the codewords that go through the gates is made "
                                  "by the encoder in gates, "
                                  "too. It takes no time of the drive: encoding overlaps the transfer to the die.",
                                  "", FIELD(ecc.rtl_encoder)}),
      {"ecc.table", Kind::kString, "", "\"\"", "", "",
       "File with decoder statistics, relative to the working directory; empty: the built-in table.", "",
       FIELD(ecc.table)},
      needing("ecc.model = rtl: the statistics decode no bits",
              {"ecc.rtl.tier1", Kind::kString, "", "\"\"", "", "",
               "With ecc.model = rtl, a shared object with a decoder of your own at the place of tier 1, made by "
               "wordline_rtl_block() of CMake (docs/own_rtl.md), relative to the working directory; empty: the shipped "
               "one. "
               "Its ports are checked in every clock, its bits against those written.",
               "", FIELD(ecc.rtl.tier1)}),
      needing("ecc.model = rtl: the statistics decode no bits",
              {"ecc.rtl.tier2", Kind::kString, "", "\"\"", "", "", "As ecc.rtl.tier1, at the place of tier 2.", "",
               FIELD(ecc.rtl.tier2)}),
      needing("ecc.model = rtl: the statistics decode no bits",
              {"ecc.rtl.encoder", Kind::kString, "", "\"\"", "", "",
               "As ecc.rtl.tier1, an encoder of your own: it makes the parity of the codewords that go through the "
               "gates, and "
               "is compared with the model's. It takes no time of the drive, as with ecc.rtl_encoder.",
               "", FIELD(ecc.rtl.encoder)}),
      needing(
          "ecc.model = rtl: the statistics decode no bits",
          {"ecc.rtl.tap", Kind::kString, "", "\"\"", "", "",
           "As ecc.rtl.tier1, a block in the data stream of each channel: between CRC and data buffer, for writes and "
           "reads. "
           "It may change the data, as encryption does; what is read has to be what was written. The clocks that it "
           "takes "
           "of a read are in the drive's time.",
           "empty: no block is there", FIELD(ecc.rtl.tap)}),
      needing(
          "ecc.model = rtl: the statistics decode no bits",
          {"ecc.rtl.read_retry", Kind::kString, "", "\"\"", "", "",
           "As ecc.rtl.tier1, a read-retry controller of your own, one for each die.", "", FIELD(ecc.rtl.read_retry)}),
      {"ecc.rtl.read_retry_check", Kind::kBool, "", "true", "", "",
       "Commands and results of the block of ecc.rtl.read_retry are compared with those of the reference in every "
       "read. "
       "false: for a controller with another strategy; its ports are checked all the same.",
       "", FIELD(ecc.rtl.read_retry_check)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

}  // namespace wordline::config
