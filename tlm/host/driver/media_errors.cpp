// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/media_errors.h"

#include <fmt/format.h>

#include <string_view>

#include "tlm/device/nvme/nvme.h"

namespace wordline::host {
namespace {

using workload::kOpCount;
using workload::Op;

constexpr CommandStatus kTypeAndCode = 0x7ff;
constexpr CommandStatus kType = 0x700;
constexpr CommandStatus kMedia = 0x200;

struct ErrorKind {
  const char* key;
  Op usual;           // what every report has, also when it did not occur; of the rest, what occurred
  const char* words;  // "12 reads ended with ..."
  const char* text;   // text for the glossary
};
constexpr std::array<ErrorKind, 4> kTable{{
    {"unrecovered_read", Op::kRead, "an unrecovered read error",
     "Requests that ended with status 281h, unrecovered read error: the decoder failed after all retries, or the data "
     "were lost before. Of a write: the rest of a 4 KiB page that it changes in part could not be read. Not in `ios`."},
    {"write_fault", Op::kWrite, "a write fault",
     "Requests that ended with status 280h, write fault: data that the drive had taken found no place on flash any "
     "more (a FLUSH of a drive that has become read-only). Not in `ios`."},
    {"write_protected", Op::kWrite, "a refusal to write",
     "Writes that the drive refused because it is read-only, out of superblocks (status 020h, or 182h of another "
     "firmware). Not in `ios`."},
    {"other_media", Op::kRead, "another media error",
     "Requests that ended with another status of type 2, media and data integrity errors. Not in `ios`."},
}};

std::string row_name(std::size_t row) { return row < kOpCount ? workload::op_name(static_cast<Op>(row)) : "verify"; }

}  // namespace

std::size_t MediaErrors::kind_of(CommandStatus status) {
  static_assert(kTable.size() == kKinds);
  switch (status & kTypeAndCode) {
    case nvme::kUnrecoveredRead:
      return 0;
    case nvme::kWriteFault:
      return 1;
    case nvme::kWriteProtected:
    case nvme::kReadOnlyRange:
      return 2;
    default:
      return (status & kType) == kMedia ? 3 : kKinds;
  }
}

bool MediaErrors::is_one(CommandStatus status) { return kind_of(status) != kKinds; }

void MediaErrors::count(Op op, bool verify, CommandStatus status) {
  ++counts_[verify ? kOpCount : static_cast<std::size_t>(op)].at(kind_of(status));
}

std::uint64_t MediaErrors::total() const {
  std::uint64_t sum = 0;
  for (const auto& row : counts_) {
    for (const std::uint64_t count : row) sum += count;
  }
  return sum;
}

void MediaErrors::register_statistics(results::Registry& registry) const {
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const std::string path = fmt::format("errors.OP.{}", kTable[kind].key);
      results::Statistic& added = registry.add({path.c_str(), {row_name(row)}}, "requests", kTable[kind].text,
                                               [&count = counts_[row][kind]] { return count; });
      if (row != static_cast<std::size_t>(kTable[kind].usual)) added.only_if_nonzero();
    }
  }
}

std::vector<std::string> MediaErrors::notices() const {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const std::uint64_t count = counts_[row][kind];
      if (count == 0) continue;
      const std::string what = row < kOpCount ? row_name(row) : "read of --verify-all";
      texts.push_back(fmt::format("{} request{} ({}) ended with {}, see errors in result.json", count,
                                  count == 1 ? "" : "s", what, kTable[kind].words));
    }
  }
  return texts;
}

}  // namespace wordline::host
