// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "ecc/builtin_table.h"
#include "models/ecc/decoders/calibrated_decoder.h"

namespace wordline::ecc {

Table builtin_table() {
  static const Table table = [] {  // `check` and the drive ask for it
    std::istringstream in(kBuiltinTable);
    return parse_table(in, "models/ecc/decoders/decoder.table");
  }();
  return table;
}

}  // namespace wordline::ecc
