// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of Flexible Data Placement.
#include "models/config/assign.h"
#include "models/config/schema.h"

namespace wordline::config {

void add_placement_keys(std::vector<Key>& keys) {
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
