// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/wait_causes.h"

#include <algorithm>

namespace wordline::results {
namespace {

struct Row {
  WaitCause cause;
  std::string_view name, text;
};

constexpr std::array<Row, kWaitCauses> kRows{{
    {WaitCause::kReads, "reads", "reads of the host"},
    {WaitCause::kGcReads, "gc_reads", "reads of GC"},
    {WaitCause::kProgram, "program", "a program of host data"},
    {WaitCause::kGcProgram, "gc_program", "a program of GC"},
    {WaitCause::kErase, "erase", "an erase"},
    {WaitCause::kChannel, "channel", "the bus of its channel"},
    {WaitCause::kReadBuffer, "read_buffer", "the read buffer"},
    {WaitCause::kWriteBuffer, "write_buffer", "the write buffer"},
    {WaitCause::kFreeSpace, "free_space", "free space"},
    {WaitCause::kFlashJobs, "flash_jobs", "flash job ids"},
    {WaitCause::kOrder, "order", "writes of the same logical pages"},
    {WaitCause::kMap, "map", "a map page from flash"},
    {WaitCause::kCore, "core", "a core"},
    {WaitCause::kDecoder, "decoder", "the decoder"},
    {WaitCause::kDram, "dram", "the DRAM port"},
    {WaitCause::kTransfer, "transfer", "the transfer to the host"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].cause) != i) return false;
  }
  return true;
}
static_assert(in_order(), "one row per cause, in the order of the enumeration");

}  // namespace

std::string_view wait_cause_name(std::size_t cause) { return kRows.at(cause).name; }
std::string_view wait_cause_text(std::size_t cause) { return kRows.at(cause).text; }

std::string_view wait_cause_text(std::string_view name) {
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [name](const Row& known) { return known.name == name; });
  return row == kRows.end() ? name : row->text;
}

std::size_t longest_wait(const Picoseconds* waits) {
  const auto* longest = std::max_element(waits, waits + kWaitCauses);
  return *longest > Picoseconds(0) ? static_cast<std::size_t>(longest - waits) : kWaitCauses;
}

}  // namespace wordline::results
