// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the pace of GC, and of Flexible Data Placement.
#include "models/config/assign.h"
#include "models/config/schema.h"

namespace wordline::config {

void add_placement_keys(std::vector<Key>& keys) {
  keys.push_back(
      needing("ftl.gc_pacing = true: nothing else is paced",
              {"ftl.pace.gain", Kind::kReal, "", "0.5", "0.0", "8.0",
               "Control of the room that GC holds, ftl.gc_start_superblocks: copies more, as a share of those that a "
               "write costs, for "
               "each superblock that is missing. More: a shortage ends sooner, at the price of bursts of copies.",
               "an event model: from 0.3 to 1 is alike", FIELD(ftl.pace.gain)}));
  keys.push_back(
      needing("ftl.gc_pacing = true: nothing else is paced",
              {"ftl.pace.lead", Kind::kReal, "units", "2.0", "0.0625", "64.0",
               "Copies that GC may owe before the host's data wait for them, in program units a die. More: the host "
               "rides over pauses of GC; at most a quarter of a superblock.",
               "two: a die programs one while the next is read", FIELD(ftl.pace.lead)}));
  keys.push_back(
      {"ftl.fdp.handles", Kind::kInteger, "handles", "0", "0", "16",
       "Flexible Data Placement (docs/fdp.md): placement handles that writes may name, each with a "
       "superblock of its own. More: more superblocks are open, and over-provisioning must hold them. 0: the "
       "drive has no FDP.",
       "NVM Express TP4146", FIELD(ftl.fdp.handles)});
  keys.push_back(choice("ftl.fdp.isolation", "initially", {"initially", "persistently"},
                        "How long data of a handle are kept apart from those of others. initially: until GC moves "
                        "them, to superblocks that all share; persistently: always, so GC has an open superblock for "
                        "each handle.",
                        "NVM Express TP4146", FIELD(ftl.fdp.isolation)));
}

}  // namespace wordline::config
