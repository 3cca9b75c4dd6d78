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
/// Waits for pools that are remembered before those of commands long finished are looked for.
constexpr std::size_t kManyWaits = 16'384;

struct StageEntry {
  Stage stage;
  std::string_view name;
  bool wait;
};

constexpr std::array<StageEntry, static_cast<std::size_t>(Stage::kCount)> kTable{{
    {Stage::kSubmit, "submit", false},           {Stage::kFetch, "fetch", false},
    {Stage::kQueueCore, "queue_core", true},     {Stage::kQueueBuffer, "queue_buffer", true},
    {Stage::kQueueOrder, "queue_order", true},   {Stage::kFirmware, "firmware", false},
    {Stage::kEngine, "engine", false},           {Stage::kQueueFlash, "queue_flash", true},
    {Stage::kBusCommand, "bus_command", false},  {Stage::kArray, "array", false},
    {Stage::kQueueBus, "queue_bus", true},       {Stage::kBusData, "bus_data", false},
    {Stage::kQueueEcc, "queue_ecc", true},       {Stage::kEcc, "ecc", false},
    {Stage::kQueueStore, "queue_store", true},   {Stage::kRetry, "retry", false},
    {Stage::kQueueResume, "queue_resume", true}, {Stage::kFirmwareDone, "firmware_done", false},
    {Stage::kEngineDone, "engine_done", false},  {Stage::kQueueDma, "queue_dma", true},
    {Stage::kDmaSetup, "dma_setup", false},      {Stage::kDma, "dma", false},
    {Stage::kSettle, "settle", false},           {Stage::kProgram, "program", false},
    {Stage::kComplete, "complete", false},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].stage) != i) return false;
  }
  return true;
}
static_assert(in_order(), "one row per stage, in the order of the enumeration");

constexpr std::uint32_t bit(Stage stage) { return 1U << static_cast<unsigned>(stage); }

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
  record.marked |= bit(stage);
  record.at[s] = at;
  record.turn[s] = ++record.marks;
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
  record.turn[0] = record.marks = 0;
  record.marked = bit(Stage::kSubmit);
  record.die = tlm_if::Finished::kNoDie;
  record.work.clear();
  record.held.clear();
  record.held_since = Picoseconds(-1);
  record.flash.clear();
  ++in_flight_;
}

void StageClock::begin(std::uint16_t tag, std::uint16_t qid, std::uint16_t cid, Picoseconds arrived) {
  if (foreign_host_) submitted(qid, cid, arrived);
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
  const bool divided = stage == Stage::kQueueBuffer || stage == Stage::kQueueOrder || stage == Stage::kFirmware ||
                       stage == Stage::kFirmwareDone;
  if (stage == Stage::kSubmit || divided || stage >= Stage::kCount) {
    report(
        fmt::format("tag {}: stage {} cannot be marked; submitted() starts the first one, and what the firmware does "
                    "comes from work(), held() and pool()",
                    tag, static_cast<unsigned>(stage)));
    return;
  }
  put_or_report(*record, tag, stage, at);
}

void StageClock::put_or_report(Record& record, std::uint16_t tag, Stage stage, Picoseconds at) {
  if (put(record, stage, at)) return;
  report(fmt::format("tag {}: stage {} begins at {} ps, before the submission at {} ps", tag, stage_name(stage),
                     at.count(), record.at[0].count()));
}

void StageClock::flash_read(std::uint16_t tag, std::uint16_t die, const tlm_if::ReadMarks& marks, bool attempt) {
  if (tag == WL_NO_TAG) return;
  Record* record = tagged(tag, "flash read");
  if (record == nullptr) return;
  record->die = die;
  if (is_observed()) record->flash.push_back({die, attempt, marks, context_.now()});
  if (attempt) {
    // All attempts are one retry: it began with the first of them.
    const bool begun = (record->marked & bit(Stage::kRetry)) != 0;
    if (!begun) put_or_report(*record, tag, Stage::kRetry, marks.arrived);
    return;
  }
  put_or_report(*record, tag, Stage::kQueueFlash, marks.arrived);
  put_or_report(*record, tag, Stage::kBusCommand, marks.command);
  put_or_report(*record, tag, Stage::kArray, marks.array);
  put_or_report(*record, tag, Stage::kQueueBus, marks.ready);
  put_or_report(*record, tag, Stage::kBusData, marks.data);
  put_or_report(*record, tag, Stage::kQueueEcc, marks.decode_wait);
  put_or_report(*record, tag, Stage::kEcc, marks.decode);
  // Both stages may be marked by a job that ended earlier.
  record->marked &= ~(bit(Stage::kRetry) | bit(Stage::kQueueStore));
  if (marks.retry >= Picoseconds(0)) {
    put_or_report(*record, tag, Stage::kRetry, marks.retry);
  } else if (marks.store >= Picoseconds(0)) {
    put_or_report(*record, tag, Stage::kQueueStore, marks.store);
  }
}

void StageClock::work(std::uint16_t tag, Picoseconds from, Picoseconds to) {
  if (tag >= tags_.size() || tags_[tag] == kNone || to <= from) return;
  Record& record = queues_[tags_[tag] >> 16][tags_[tag] & 0xffffU];
  if (record.held_since >= Picoseconds(0) && from > record.held_since) {
    record.held.push_back({record.held_since, from});
    record.held_since = Picoseconds(-1);
  }
  std::vector<CoreWork>& work = record.work;
  if (!work.empty() && work.back().to == from && work.back().core == core_) {
    work.back().to = to;
  } else {
    work.push_back({from, to, core_});
  }
}

void StageClock::held(std::uint16_t tag, Picoseconds at) {
  if (tag >= tags_.size() || tags_[tag] == kNone) return;
  Record& record = queues_[tags_[tag] >> 16][tags_[tag] & 0xffffU];
  // A core polled it again and held it again; work() reports that poll when it has ended.
  if (record.held_since >= Picoseconds(0) && at > record.held_since) record.held.push_back({record.held_since, at});
  record.held_since = at;
}

void StageClock::programs(std::uint16_t tag, Picoseconds at) {
  if (tag < tags_.size() && tags_[tag] != kNone) mark(tag, Stage::kProgram, at);
}

void StageClock::pool(unsigned waiter, unsigned pool, Picoseconds at) {
  pools_.set(waiter, pool, at);
  if (pools_.remembered() >= kManyWaits) forget_old_waits();
}

/// What ended before the oldest command in flight was submitted.
void StageClock::forget_old_waits() {
  Picoseconds oldest(INT64_MAX);
  for (const std::vector<Record>& queue : queues_) {
    for (const Record& record : queue) {
      if (record.state != State::kFree) oldest = std::min(oldest, record.at[0]);
    }
  }
  pools_.forget_before(oldest);
}

void StageClock::release(std::uint16_t tag, Picoseconds at) {
  Record* record = tagged(tag, "release");
  if (record == nullptr) return;
  mark(tag, Stage::kComplete, at);
  if (is_observed()) {
    observer_->released(static_cast<std::uint16_t>(tags_[tag] >> 16), static_cast<std::uint16_t>(tags_[tag]), tag);
  }
  tags_[tag] = kNone;
  record->state = State::kReleased;
  if (!foreign_host_) return;
  record->state = State::kFree;
  --in_flight_;
}

/// The marked stages in order of time, and of marking within an instant, those beyond `end` left out; returns how many
/// they are.
std::size_t StageClock::sort(const Record& record, Picoseconds end, Order& order) {
  // Commands pass stages in the order of the enumeration, nearly: insertion sort.
  std::size_t kept = 0;
  for (std::uint32_t marked = record.marked; marked != 0; marked &= marked - 1) {
    const auto s = static_cast<std::size_t>(__builtin_ctz(marked));
    const Picoseconds begins = record.at[s];
    if (begins > end) continue;
    std::size_t place = kept++;
    for (; place > 0; --place) {
      const auto before = static_cast<std::size_t>(order[place - 1]);
      if (record.at[before] < begins || (record.at[before] == begins && record.turn[before] < record.turn[s])) break;
      order[place] = order[place - 1];
    }
    order[place] = static_cast<Stage>(s);
  }
  return kept;
}

/// Marks beyond the finish are errors, but for that of a core, whose clock runs ahead.
void StageClock::report_late(const Record& record, Picoseconds end, std::uint16_t qid, std::uint16_t cid) {
  for (std::size_t s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    if ((record.marked & bit(stage)) == 0 || record.at[s] <= end || stage == Stage::kProgram) continue;
    report(fmt::format("{}: stage {} begins at {} ps, after the finish at {} ps", command(qid, cid), stage_name(stage),
                       record.at[s].count(), end.count()));
  }
}

/// Time with the firmware: a core worked for the command, or its kind waited for a pool, or it waited for a core.
void StageClock::divide(const Record& record, Stretch phase, unsigned waiter, Stage queue, Stage service,
                        tlm_if::StageTimes& times) const {
  Picoseconds worked{};
  Picoseconds blocked{};
  Picoseconds held{};
  const auto wait = [&](Picoseconds from, Picoseconds to) {
    Picoseconds of_it{};
    for (const Stretch& by_others : record.held) {
      of_it += std::max(std::min(to, by_others.to) - std::max(from, by_others.from), Picoseconds(0));
    }
    held += of_it;
    blocked += std::min(pools_.overlap(waiter, from, to), to - from - of_it);
  };
  Picoseconds at = phase.from;
  for (const CoreWork& work : record.work) {
    const Picoseconds from = std::max(work.from, at);
    const Picoseconds to = std::min(work.to, phase.to);
    if (to <= from) continue;
    if (from > at) wait(at, from);
    worked += to - from;
    at = to;
  }
  if (phase.to > at) wait(at, phase.to);
  times[static_cast<std::size_t>(service)] += worked;
  times[static_cast<std::size_t>(Stage::kQueueBuffer)] += blocked;
  times[static_cast<std::size_t>(Stage::kQueueOrder)] += held;
  times[static_cast<std::size_t>(queue)] += phase.to - phase.from - worked - blocked - held;
}

tlm_if::Finished StageClock::finish(std::uint16_t qid, std::uint16_t cid, Picoseconds at, unsigned waiter) {
  tlm_if::Finished finished;
  Record* found = find(qid, cid);
  if (found == nullptr) {
    report(command(qid, cid) + " finished, but it was not submitted");
    return finished;
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
    return finished;
  }
  finished.die = record.die;
  const auto begins_earlier = [](const CoreWork& a, const CoreWork& b) { return a.from < b.from; };
  if (!std::is_sorted(record.work.begin(), record.work.end(), begins_earlier)) {
    std::stable_sort(record.work.begin(), record.work.end(), begins_earlier);
  }
  Order order;
  const std::size_t kept = sort(record, at, order);
  if (kept != static_cast<std::size_t>(__builtin_popcount(record.marked))) report_late(record, at, qid, cid);
  for (std::size_t i = 0; i < kept; ++i) {
    const Stage stage = order[i];
    const Picoseconds begins = record.at[static_cast<std::size_t>(stage)];
    const Picoseconds ends = i + 1 < kept ? record.at[static_cast<std::size_t>(order[i + 1])] : at;
    if (stage == Stage::kQueueCore) {
      divide(record, {begins, ends}, waiter, stage, Stage::kFirmware, finished.times);
    } else if (stage == Stage::kQueueResume) {
      divide(record, {begins, ends}, waiter, stage, Stage::kFirmwareDone, finished.times);
    } else {
      finished.times[static_cast<std::size_t>(stage)] = ends - begins;
    }
  }
  if (is_observed()) report_command(record, qid, cid, at, waiter == WL_WAITER_READ, order, kept, finished);
  return finished;
}

void StageClock::report_command(const Record& record, std::uint16_t qid, std::uint16_t cid, Picoseconds at, bool reads,
                                const Order& order, std::size_t kept, const tlm_if::Finished& finished) {
  spans_.clear();
  for (std::size_t i = 0; i < kept; ++i) {
    const Picoseconds begins = record.at[static_cast<std::size_t>(order[i])];
    const Picoseconds ends = i + 1 < kept ? record.at[static_cast<std::size_t>(order[i + 1])] : at;
    spans_.push_back({order[i], begins, ends});
  }
  observer_->finished({qid, cid, reads, record.at[0], at, spans_, record.work, record.flash, finished});
}

}  // namespace wordline::observe
