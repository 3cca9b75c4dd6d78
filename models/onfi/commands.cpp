// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/commands.h"

namespace wordline::onfi {

unsigned address_cycles(AddressKind kind, unsigned row_cycles, unsigned column_cycles) {
  switch (kind) {
    case AddressKind::kNone:
      return 0;
    case AddressKind::kColumn:
      return column_cycles;
    case AddressKind::kRow:
      return row_cycles;
    case AddressKind::kColumnRow:
      return column_cycles + row_cycles;
    case AddressKind::kFeature:
      return 1;
    case AddressKind::kLunFeature:
      return 2;
  }
  return 0;
}

}  // namespace wordline::onfi
