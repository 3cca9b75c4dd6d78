// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/commands.h"

namespace wordline::onfi {

namespace {

constexpr SequenceRule kRules[] = {
    {"READ", kRead, AddressKind::kColumnRow, kReadConfirm},
    {"READ NEXT PLANE", kRead, AddressKind::kColumnRow, kReadNextPlane},
    {"COPYBACK READ", kRead, AddressKind::kColumnRow, kReadCopyback},
    {"READ CACHE", kReadCache, AddressKind::kNone, kNoConfirm},
    {"READ CACHE RANDOM", kRead, AddressKind::kColumnRow, kReadCache},
    {"READ CACHE END", kReadCacheEnd, AddressKind::kNone, kNoConfirm},
    {"READ MODE", kRead, AddressKind::kNone, kNoConfirm},
    {"CHANGE READ COLUMN", kChangeReadColumn, AddressKind::kColumn, kChangeColumnConfirm},
    {"CHANGE READ COLUMN ENHANCED", kChangeReadColumnEnhanced, AddressKind::kColumnRow, kChangeColumnConfirm},
    {"SELECT SOFT DATA", kSelectSoftPlane, AddressKind::kFeature, kNoConfirm},
    {"PROGRAM", kProgram, AddressKind::kColumnRow, kNoConfirm},
    {"PROGRAM CONFIRM", kProgramConfirm, AddressKind::kNone, kNoConfirm},
    {"PROGRAM NEXT PLANE", kProgramNextPlane, AddressKind::kNone, kNoConfirm},
    {"PROGRAM NEXT PAGE", kProgramNextPage, AddressKind::kNone, kNoConfirm},
    {"CACHE PROGRAM CONFIRM", kProgramCache, AddressKind::kNone, kNoConfirm},
    {"COPYBACK PROGRAM", kCopybackProgram, AddressKind::kColumnRow, kNoConfirm},
    {"CHANGE WRITE COLUMN", kChangeWriteColumn, AddressKind::kColumn, kNoConfirm},
    {"ERASE", kErase, AddressKind::kRow, kEraseConfirm},
    {"ERASE NEXT PLANE", kErase, AddressKind::kRow, kEraseNextPlane},
    {"PROGRAM SUSPEND", kSuspendProgram, AddressKind::kColumnRow, kNoConfirm},
    {"PROGRAM RESUME", kResumeProgram, AddressKind::kColumnRow, kNoConfirm},
    {"ERASE SUSPEND", kSuspendErase, AddressKind::kRow, kNoConfirm},
    {"ERASE RESUME", kResumeErase, AddressKind::kNone, kNoConfirm},
    {"ERASE RESUME", kResumeErase, AddressKind::kRow, kNoConfirm},
    {"READ STATUS", kReadStatus, AddressKind::kNone, kNoConfirm},
    {"READ STATUS ENHANCED", kReadStatusEnhanced, AddressKind::kRow, kNoConfirm},
    {"SET FEATURES", kSetFeatures, AddressKind::kFeature, kNoConfirm},
    {"GET FEATURES", kGetFeatures, AddressKind::kFeature, kNoConfirm},
    {"LUN SET FEATURES", kLunSetFeatures, AddressKind::kLunFeature, kNoConfirm},
    {"LUN GET FEATURES", kLunGetFeatures, AddressKind::kLunFeature, kNoConfirm},
    {"RESET", kReset, AddressKind::kNone, kNoConfirm},
    {"SYNCHRONOUS RESET", kResetSync, AddressKind::kNone, kNoConfirm},
    {"RESET LUN", kResetLun, AddressKind::kRow, kNoConfirm},
};

}  // namespace

unsigned address_cycles(AddressKind kind, unsigned row_cycles) {
  switch (kind) {
    case AddressKind::kNone:
      return 0;
    case AddressKind::kColumn:
      return 2;
    case AddressKind::kRow:
      return row_cycles;
    case AddressKind::kColumnRow:
      return 2 + row_cycles;
    case AddressKind::kFeature:
      return 1;
    case AddressKind::kLunFeature:
      return 2;
  }
  return 0;
}

const SequenceRule* find_rule(const Cycles& cycles, unsigned row_cycles) {
  for (const SequenceRule& rule : kRules) {
    if (rule.opcode == cycles.opcode && rule.confirm == cycles.confirm &&
        address_cycles(rule.address, row_cycles) == cycles.address_count) {
      return &rule;
    }
  }
  return nullptr;
}

}  // namespace wordline::onfi
