// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/stage_clock.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/firmware/contract/contract.h"

namespace wordline::observe {
namespace {

using tlm_if::Stage;

constexpr const char* kReport = "/wordline/observe/stage_clock";

struct StageEntry {
  Stage stage;
  std::string_view name;
  bool wait;
};

constexpr std::array<StageEntry, static_cast<std::size_t>(Stage::kCount)> kTable{{
    {Stage::kSubmit, "submit", false},
    {Stage::kFetch, "fetch", false},
    {Stage::kQueueFirmware, "queue_firmware", true},
    {Stage::kFirmware, "firmware", false},
    {Stage::kEngine, "engine", false},
    {Stage::kQueueFlash, "queue_flash", true},
    {Stage::kBusCommand, "bus_command", false},
    {Stage::kArray, "array", false},
    {Stage::kQueueBus, "queue_bus", true},
    {Stage::kBusData, "bus_data", false},
    {Stage::kEcc, "ecc", false},
    {Stage::kQueueResume, "queue_resume", true},
    {Stage::kFirmwareDone, "firmware_done", false},
    {Stage::kEngineDone, "engine_done", false},
    {Stage::kDma, "dma", false},
    {Stage::kComplete, "complete", false},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].stage) != i) return false;
  }
  return true;
}
static_assert(in_order(), "one row per stage, in the order of the enumeration");

/// The other stages are marked by hardware, which does not run ahead.
constexpr bool marked_by_cores(Stage stage) { return stage == Stage::kFirmware || stage == Stage::kFirmwareDone; }

std::string command(std::uint16_t qid, std::uint16_t cid) { return fmt::format("command {} of queue {}", cid, qid); }

void report(const std::string& text) { SC_REPORT_ERROR(kReport, text.c_str()); }

}  // namespace

std::string_view stage_name(Stage stage) { return kTable.at(static_cast<std::size_t>(stage)).name; }
bool stage_is_wait(Stage stage) { return kTable.at(static_cast<std::size_t>(stage)).wait; }

StageClock::Record* StageClock::find(std::uint16_t qid, std::uint16_t cid) {
  if (qid >= queues_.size() || cid >= queues_[qid].size()) return nullptr;
  Record& record = queues_[qid][cid];
  return record.state == State::kFree ? nullptr : &record;
}

StageClock::Record* StageClock::tagged(std::uint16_t tag, const char* what) {
  if (tag >= tags_.size() || tags_[tag] == kNone) {
    report(fmt::format("{} with tag {}, which is not in use", what, tag));
    return nullptr;
  }
  return &queues_[tags_[tag] >> 16][tags_[tag] & 0xffffU];
}

// False when the mark lies before the submission.
bool StageClock::put(Record& record, Stage stage, Picoseconds at) {
  const auto s = static_cast<std::size_t>(stage);
  if (at < record.at[0]) return false;
  const auto bit = static_cast<std::uint16_t>(1U << s);
  if ((record.marked & bit) == 0) {
    record.marked = static_cast<std::uint16_t>(record.marked | bit);
    record.order[record.marks++] = stage;
  } else {
    const auto end = record.order.begin() + record.marks;
    const auto found = std::find(record.order.begin(), end, stage);
    std::rotate(found, found + 1, end);  // marked last now
  }
  record.at[s] = at;
  return true;
}

void StageClock::submitted(std::uint16_t qid, std::uint16_t cid, Picoseconds at) {
  if (qid >= queues_.size()) queues_.resize(qid + 1U);
  if (cid >= queues_[qid].size()) queues_[qid].resize(std::max<std::size_t>(cid + 1U, 2 * queues_[qid].size()));
  Record& record = queues_[qid][cid];
  if (record.state != State::kFree) {
    report(command(qid, cid) + " submitted again before it was finished");
    return;
  }
  record.state = State::kSubmitted;
  record.at[0] = at;
  record.order[0] = Stage::kSubmit;
  record.marks = 1;
  record.marked = 1;
  ++in_flight_;
}

void StageClock::begin(std::uint16_t tag, std::uint16_t qid, std::uint16_t cid, Picoseconds arrived) {
  Record* record = find(qid, cid);
  if (record == nullptr || record->state != State::kSubmitted) {
    report(fmt::format("{} begun, but it was {}", command(qid, cid),
                       record == nullptr ? "not submitted" : "begun before"));
    return;
  }
  if (tag == WL_NO_TAG) {
    report(command(qid, cid) + " begun without a tag");
    return;
  }
  if (tag >= tags_.size()) tags_.resize(tag + 1U, kNone);
  if (tags_[tag] != kNone) {
    report(fmt::format("{} begun with tag {}, which is in use by {}", command(qid, cid), tag,
                       command(static_cast<std::uint16_t>(tags_[tag] >> 16), static_cast<std::uint16_t>(tags_[tag]))));
    return;
  }
  tags_[tag] = static_cast<std::uint32_t>(qid) << 16 | cid;
  record->tag = tag;
  record->state = State::kTagged;
  mark(tag, Stage::kFetch, arrived);
}

void StageClock::mark(std::uint16_t tag, Stage stage, Picoseconds at) {
  if (tag == WL_NO_TAG) return;
  Record* record = tagged(tag, "mark");
  if (record == nullptr) return;
  if (stage == Stage::kSubmit || stage >= Stage::kCount) {
    report(fmt::format("tag {}: stage {} cannot be marked; submitted() starts the first one", tag,
                       static_cast<unsigned>(stage)));
    return;
  }
  if (!put(*record, stage, at)) {
    report(fmt::format("tag {}: stage {} begins at {} ps, before the submission at {} ps", tag, stage_name(stage),
                       at.count(), record->at[0].count()));
  }
}

void StageClock::release(std::uint16_t tag, Picoseconds at) {
  Record* record = tagged(tag, "release");
  if (record == nullptr) return;
  mark(tag, Stage::kComplete, at);
  tags_[tag] = kNone;
  record->state = State::kReleased;
}

tlm_if::StageTimes StageClock::finish(std::uint16_t qid, std::uint16_t cid, Picoseconds at) {
  tlm_if::StageTimes times{};
  Record* found = find(qid, cid);
  if (found == nullptr) {
    report(command(qid, cid) + " finished, but it was not submitted");
    return times;
  }
  Record& record = *found;
  if (record.state != State::kReleased) {
    if (record.state == State::kTagged) tags_[record.tag] = kNone;
    report(command(qid, cid) + " finished, but its tag was not released");
  }
  record.state = State::kFree;
  --in_flight_;
  if (at < record.at[0]) {
    report(fmt::format("{} finished at {} ps, before its submission at {} ps", command(qid, cid), at.count(),
                       record.at[0].count()));
    return times;
  }
  // At most kCount marks, nearly in order already: insertion sort, stable, without memory.
  auto& order = record.order;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < record.marks; ++i) {
    const Stage stage = order[i];
    Picoseconds& begins = record.at[static_cast<std::size_t>(stage)];
    // A core within its quantum may pass the command on to a core that is behind it, whose doorbell then comes first.
    if (begins > at && marked_by_cores(stage)) begins = at;
    if (begins > at) {
      report(fmt::format("{}: stage {} begins at {} ps, after the finish at {} ps", command(qid, cid),
                         stage_name(stage), begins.count(), at.count()));
      continue;
    }
    std::size_t place = kept++;
    for (; place > 0 && record.at[static_cast<std::size_t>(order[place - 1])] > begins; --place) {
      order[place] = order[place - 1];
    }
    order[place] = stage;
  }
  for (std::size_t i = 0; i < kept; ++i) {
    const auto stage = static_cast<std::size_t>(order[i]);
    const Picoseconds ends = i + 1 < kept ? record.at[static_cast<std::size_t>(order[i + 1])] : at;
    times[stage] = ends - record.at[stage];
  }
  return times;
}

}  // namespace wordline::observe
