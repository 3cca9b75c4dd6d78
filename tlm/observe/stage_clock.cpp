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
    {Stage::kSubmit, "submit", false},
    {Stage::kFetch, "fetch", false},
    {Stage::kQueueCore, "queue_core", true},
    {Stage::kQueueBuffer, "queue_buffer", true},
    {Stage::kQueueOrder, "queue_order", true},
    {Stage::kQueueMap, "queue_map", true},
    {Stage::kFirmware, "firmware", false},
    {Stage::kEngine, "engine", false},
    {Stage::kQueueFlash, "queue_flash", true},
    {Stage::kBusCommand, "bus_command", false},
    {Stage::kArray, "array", false},
    {Stage::kQueueBus, "queue_bus", true},
    {Stage::kBusData, "bus_data", false},
    {Stage::kQueueEcc, "queue_ecc", true},
    {Stage::kEcc, "ecc", false},
    {Stage::kQueueStore, "queue_store", true},
    {Stage::kRetry, "retry", false},
    {Stage::kQueueResume, "queue_resume", true},
    {Stage::kFirmwareDone, "firmware_done", false},
    {Stage::kEngineDone, "engine_done", false},
    {Stage::kQueueDma, "queue_dma", true},
    {Stage::kDmaSetup, "dma_setup", false},
    {Stage::kDma, "dma", false},
    {Stage::kSettle, "settle", false},
    {Stage::kProgram, "program", false},
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
/// Stages before `stage`.
constexpr std::uint32_t below(Stage stage) { return bit(stage) - 1; }

constexpr std::uint32_t kMarkable =
    below(Stage::kCount) & ~(bit(Stage::kSubmit) | bit(Stage::kQueueBuffer) | bit(Stage::kQueueOrder) |
                             bit(Stage::kQueueMap) | bit(Stage::kFirmware) | bit(Stage::kFirmwareDone));
/// Stages of the transfer between host and drive: a write passes them before its firmware works.
constexpr std::uint32_t kTransfer = below(Stage::kProgram) & ~below(Stage::kQueueDma);

/// Stages that a flash job marks in one go, from this one on.
constexpr auto kFirstOfRead = static_cast<std::size_t>(Stage::kQueueFlash);
constexpr std::size_t kOfRead = 7;
static_assert(static_cast<std::size_t>(Stage::kEcc) == kFirstOfRead + kOfRead - 1, "one after the other");

/// Gives `part` of what is left, and takes it from there.
void give(Picoseconds part, Picoseconds& to, Picoseconds& left) {
  part = std::min(part, left);
  to += part;
  left -= part;
}

/// What the waiting stages in `times` were behind. `die`: the work of the die while the flash job waited; `pools`:
/// waits for them in the time with the firmware.
results::WaitTimes causes(const tlm_if::StageTimes& times, const tlm_if::DieWorkTimes& die,
                          const PoolWaits::ByPool& pools) {
  using results::WaitCause;
  results::WaitTimes waits{};
  const auto wait = [&](WaitCause cause) -> Picoseconds& { return waits[static_cast<std::size_t>(cause)]; };
  const auto stage = [&](Stage which) { return times[static_cast<std::size_t>(which)]; };
  Picoseconds flash = stage(Stage::kQueueFlash);
  constexpr std::array<WaitCause, static_cast<std::size_t>(tlm_if::DieWork::kCount)> kOfDie{
      WaitCause::kReads, WaitCause::kGcReads, WaitCause::kProgram, WaitCause::kGcProgram, WaitCause::kErase};
  if (flash > Picoseconds(0)) {
    for (std::size_t i = 0; i < die.size(); ++i) give(die[i], wait(kOfDie[i]), flash);
  }
  Picoseconds buffer = stage(Stage::kQueueBuffer);
  if (buffer > Picoseconds(0)) {
    give(pools[WL_POOL_READ_BUFFER], wait(WaitCause::kReadBuffer), buffer);
    give(pools[WL_POOL_FREE_SPACE], wait(WaitCause::kFreeSpace), buffer);
    give(pools[WL_POOL_FLASH_JOBS], wait(WaitCause::kFlashJobs), buffer);
    wait(WaitCause::kWriteBuffer) = buffer;
  }
  wait(WaitCause::kChannel) = flash + stage(Stage::kQueueBus);
  wait(WaitCause::kOrder) = stage(Stage::kQueueOrder);
  wait(WaitCause::kMap) = stage(Stage::kQueueMap);
  wait(WaitCause::kCore) = stage(Stage::kQueueCore) + stage(Stage::kQueueResume);
  wait(WaitCause::kDecoder) = stage(Stage::kQueueEcc);
  wait(WaitCause::kDram) = stage(Stage::kQueueStore);
  wait(WaitCause::kTransfer) = stage(Stage::kQueueDma);
  return waits;
}

std::string command(std::uint16_t qid, std::uint16_t cid) { return fmt::format("command {} of queue {}", cid, qid); }

void report(const std::string& text) { SC_REPORT_ERROR(kReport, text.c_str()); }

}  // namespace

std::string_view stage_name(Stage stage) { return kTable.at(static_cast<std::size_t>(stage)).name; }
bool stage_is_wait(Stage stage) { return kTable.at(static_cast<std::size_t>(stage)).wait; }

StageClock::Record* StageClock::find(std::uint16_t qid, std::uint16_t cid) {
  if (qid >= queues_.size() || cid >= queues_[qid].size()) return nullptr;
  Record* const record = queues_[qid][cid].get();
  return record == nullptr || record->state == State::kFree ? nullptr : record;
}

StageClock::Record* StageClock::tagged(std::uint16_t tag, const char* what) {
  Record* const record = in_use(tag);
  if (record == nullptr) report(fmt::format("{} with tag {}, which is not in use", what, tag));
  return record;
}

/// A mark before the submission is left out.
void StageClock::put(Record& record, Stage stage, Picoseconds at) {
  const auto s = static_cast<std::size_t>(stage);
  if (at < record.at[0]) {
    report_early(record, stage, at);
    return;
  }
  record.marked |= bit(stage);
  record.at[s] = at;
  record.turn[s] = ++record.marks;
}

void StageClock::submitted(std::uint16_t qid, std::uint16_t cid, Picoseconds at) {
  if (qid >= queues_.size()) queues_.resize(qid + 1U);
  std::vector<std::unique_ptr<Record>>& queue = queues_[qid];
  if (cid >= queue.size()) queue.resize(std::max<std::size_t>(cid + 1U, 2 * queue.size()));
  if (queue[cid] == nullptr) queue[cid] = std::make_unique<Record>();
  Record& record = *queue[cid];
  if (record.state != State::kFree) {
    report(command(qid, cid) + " submitted again before it was finished");
    return;
  }
  record.state = State::kSubmitted;
  record.qid = qid;
  record.cid = cid;
  record.at[0] = at;
  record.turn[0] = record.marks = 0;
  record.marked = bit(Stage::kSubmit);
  record.die = tlm_if::Finished::kNoDie;
  record.work.clear();
  record.held.clear();
  record.held_since = Picoseconds(-1);
  record.flash.clear();
  record.behind = {};
  record.retries = 0;
  record.dies.clear();
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
  if (tag >= tags_.size()) tags_.resize(tag + 1U, nullptr);
  if (tags_[tag] != nullptr) {
    report(fmt::format("{} begun with tag {}, which is in use by {}", command(qid, cid), tag,
                       command(tags_[tag]->qid, tags_[tag]->cid)));
    return;
  }
  tags_[tag] = record;
  record->tag = tag;
  record->state = State::kTagged;
  put(*record, Stage::kFetch, arrived);
}

void StageClock::mark(std::uint16_t tag, Stage stage, Picoseconds at) {
  if (tag == WL_NO_TAG) return;
  Record* record = tagged(tag, "mark");
  if (record == nullptr) return;
  const auto s = static_cast<unsigned>(stage);
  if (s >= kStages || (kMarkable >> s & 1U) == 0) {
    report(
        fmt::format("tag {}: stage {} cannot be marked; submitted() starts the first one, and what the firmware does "
                    "comes from work(), held() and pool()",
                    tag, s));
    return;
  }
  put(*record, stage, at);
}

/// The stages that every read passes, in their order.
void StageClock::put_read(Record& record, const tlm_if::ReadMarks& marks) {
  const std::array<Picoseconds, kOfRead> times{marks.arrived, marks.command,     marks.array, marks.ready,
                                               marks.data,    marks.decode_wait, marks.decode};
  if (*std::min_element(times.begin(), times.end()) < record.at[0]) {
    for (std::size_t i = 0; i < kOfRead; ++i) put(record, static_cast<Stage>(kFirstOfRead + i), times[i]);
    return;
  }
  for (std::size_t i = 0; i < kOfRead; ++i) {
    record.at[kFirstOfRead + i] = times[i];
    record.turn[kFirstOfRead + i] = ++record.marks;
  }
  record.marked |= below(Stage::kQueueStore) & ~below(Stage::kQueueFlash);
}

void StageClock::flash_read(std::uint16_t tag, std::uint16_t die, const tlm_if::ReadMarks& marks, bool attempt) {
  if (tag == WL_NO_TAG) return;
  Record* record = tagged(tag, "flash read");
  if (record == nullptr) return;
  record->die = die;
  record->dies.push_back(die);
  record->retries += attempt ? 1 : marks.retries;
  if (is_observed()) record->flash.push_back({die, attempt, marks, context_.now()});
  if (attempt) {
    // All attempts are one retry: it began with the first of them.
    const bool begun = (record->marked & bit(Stage::kRetry)) != 0;
    if (!begun) put(*record, Stage::kRetry, marks.arrived);
    return;
  }
  put_read(*record, marks);
  record->behind = marks.behind;
  // Both stages may be marked by a job that ended earlier.
  record->marked &= ~(bit(Stage::kRetry) | bit(Stage::kQueueStore));
  if (marks.retry >= Picoseconds(0)) {
    put(*record, Stage::kRetry, marks.retry);
  } else if (marks.store >= Picoseconds(0)) {
    put(*record, Stage::kQueueStore, marks.store);
  }
}

void StageClock::work(std::uint16_t tag, Picoseconds from, Picoseconds to) {
  Record* const record = in_use(tag);
  if (record == nullptr || to <= from) return;
  if (record->held_since >= Picoseconds(0) && from > record->held_since) {
    record->held.push_back({record->held_since, from, record->held_by});
    record->held_since = Picoseconds(-1);
  }
  std::vector<CoreWork>& work = record->work;
  if (!work.empty() && work.back().to == from && work.back().core == core_) {
    work.back().to = to;
  } else {
    work.push_back({from, to, core_});
  }
}

void StageClock::held(std::uint16_t tag, Stage stage, Picoseconds at) {
  Record* const record = in_use(tag);
  if (record == nullptr) return;
  // A core polled it again and held it again; work() reports that poll when it has ended.
  if (record->held_since >= Picoseconds(0) && at > record->held_since) {
    record->held.push_back({record->held_since, at, record->held_by});
  }
  record->held_since = at;
  record->held_by = stage;
}

void StageClock::programs(std::uint16_t tag, Picoseconds at) {
  Record* const record = in_use(tag);
  if (record != nullptr) put(*record, Stage::kProgram, at);
}

void StageClock::pool(unsigned waiter, unsigned pool, Picoseconds at) {
  pools_.set(waiter, pool, at);
  if (pools_.remembered() >= kManyWaits) forget_old_waits();
}

/// What ended before the oldest command in flight was submitted.
void StageClock::forget_old_waits() {
  Picoseconds oldest(INT64_MAX);
  for (const std::vector<std::unique_ptr<Record>>& queue : queues_) {
    for (const std::unique_ptr<Record>& record : queue) {
      if (record != nullptr && record->state != State::kFree) oldest = std::min(oldest, record->at[0]);
    }
  }
  pools_.forget_before(oldest);
}

void StageClock::release(std::uint16_t tag, Picoseconds at) {
  Record* record = tagged(tag, "release");
  if (record == nullptr) return;
  put(*record, Stage::kComplete, at);
  const bool observed = is_observed();
  if (observed) observer_->released(record->qid, record->cid, tag, record->at[0], at);
  tags_[tag] = nullptr;
  record->state = State::kReleased;
  if (!foreign_host_) return;
  if (observed && waiter_ && record->qid != 0) (void)close(*record, at, waiter_(tag));
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

/// By begin; of one begin as they were reported, which is nearly the order already.
void StageClock::sort(std::vector<CoreWork>& work) {
  for (std::size_t i = 1; i < work.size(); ++i) {
    if (work[i - 1].from <= work[i].from) continue;
    const CoreWork moved = work[i];
    std::size_t place = i;
    for (; place > 0 && work[place - 1].from > moved.from; --place) work[place] = work[place - 1];
    work[place] = moved;
  }
}

/// The marked ones of `stages` follow `last` in the order of the enumeration: each lasts until the next, and the last
/// of them becomes `last`. False: they do not.
bool StageClock::walk(const Record& record, std::uint32_t stages, std::size_t& last, tlm_if::StageTimes& times) {
  for (std::uint32_t marked = record.marked & stages; marked != 0; marked &= marked - 1) {
    const auto s = static_cast<std::size_t>(__builtin_ctz(marked));
    const Picoseconds lasts = record.at[s] - record.at[last];
    if (lasts < Picoseconds(0) || (lasts == Picoseconds(0) && record.turn[s] < record.turn[last])) return false;
    times[last] = lasts;
    last = s;
  }
  return true;
}

/// Nearly every command passes its stages as its kind does. False: this one did not, and `times` is of no use.
bool StageClock::usual_order(const Record& record, Picoseconds end, bool reads, tlm_if::StageTimes& times) {
  std::size_t last = 0;
  if (reads) {
    if (!walk(record, ~bit(Stage::kSubmit), last, times)) return false;
  } else {
    constexpr std::uint32_t kArrival = bit(Stage::kFetch);
    if (!walk(record, kArrival, last, times) || !walk(record, kTransfer, last, times) ||
        !walk(record, ~(bit(Stage::kSubmit) | kArrival | kTransfer), last, times)) {
      return false;
    }
  }
  times[last] = end - record.at[last];
  return times[last] >= Picoseconds(0);
}

void StageClock::any_order(const Record& record, Picoseconds end, tlm_if::StageTimes& times) {
  Order order;
  const std::size_t kept = sort(record, end, order);
  if (kept != static_cast<std::size_t>(__builtin_popcount(record.marked))) report_late(record, end);
  for (std::size_t i = 0; i < kept; ++i) {
    const auto stage = static_cast<std::size_t>(order[i]);
    times[stage] = (i + 1 < kept ? record.at[static_cast<std::size_t>(order[i + 1])] : end) - record.at[stage];
  }
}

void StageClock::report_early(const Record& record, Stage stage, Picoseconds at) {
  report(fmt::format("tag {}: stage {} begins at {} ps, before the submission at {} ps", record.tag, stage_name(stage),
                     at.count(), record.at[0].count()));
}

/// Marks beyond the finish are errors, but for that of a core, whose clock runs ahead.
void StageClock::report_late(const Record& record, Picoseconds end) {
  for (std::size_t s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    if ((record.marked & bit(stage)) == 0 || record.at[s] <= end || stage == Stage::kProgram) continue;
    report(fmt::format("{}: stage {} begins at {} ps, after the finish at {} ps", command(record.qid, record.cid),
                       stage_name(stage), record.at[s].count(), end.count()));
  }
}

/// Time with the firmware, all of which is with `queue` so far: a core worked for the command, or its kind waited for a
/// pool, or it waited for a core.
void StageClock::divide(const Record& record, unsigned waiter, Stage queue, Stage service, tlm_if::StageTimes& times,
                        PoolWaits::ByPool& pools) const {
  Picoseconds& left = times[static_cast<std::size_t>(queue)];
  if (left == Picoseconds(0)) return;
  const Picoseconds begins = record.at[static_cast<std::size_t>(queue)];
  const Picoseconds ends = begins + left;
  const bool waits = !record.held.empty() || pools_.overlap(waiter, begins, ends) > Picoseconds(0);
  Picoseconds worked{};
  Picoseconds blocked{};
  Picoseconds held{};
  const auto wait = [&](Picoseconds from, Picoseconds to) {
    if (!waits || to <= from) return;
    Picoseconds of_it{};
    for (const Held& stretch : record.held) {
      const Picoseconds part = std::max(std::min(to, stretch.to) - std::max(from, stretch.from), Picoseconds(0));
      times[static_cast<std::size_t>(stretch.stage)] += part;
      of_it += part;
    }
    held += of_it;
    blocked += std::min(pools_.overlap(waiter, from, to), to - from - of_it);
    pools_.add_by_pool(waiter, from, to, pools);
  };
  Picoseconds at = begins;
  for (const CoreWork& work : record.work) {
    if (work.from >= ends) break;
    const Picoseconds from = std::max(work.from, at);
    const Picoseconds to = std::min(work.to, ends);
    if (to <= from) continue;
    wait(at, from);
    worked += to - from;
    at = to;
  }
  wait(at, ends);
  times[static_cast<std::size_t>(service)] = worked;
  times[static_cast<std::size_t>(Stage::kQueueBuffer)] += blocked;
  left -= worked + blocked + held;
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
    if (record.state == State::kTagged) tags_[record.tag] = nullptr;
    report(command(qid, cid) + " finished, but its tag was not released");
  }
  record.state = State::kFree;
  --in_flight_;
  if (at < record.at[0]) {
    report(fmt::format("{} finished at {} ps, before its submission at {} ps", command(qid, cid), at.count(),
                       record.at[0].count()));
    return finished;
  }
  return close(record, at, waiter);
}

/// The command ends at `at`: its times, of which the observer hears.
tlm_if::Finished StageClock::close(Record& record, Picoseconds at, unsigned waiter) {
  tlm_if::Finished finished;
  finished.die = record.die;
  sort(record.work);
  const bool reads = waiter == WL_WAITER_READ;
  if (!usual_order(record, at, reads, finished.times)) {
    finished.times = {};
    any_order(record, at, finished.times);
  }
  PoolWaits::ByPool pools{};
  divide(record, waiter, Stage::kQueueCore, Stage::kFirmware, finished.times, pools);
  divide(record, waiter, Stage::kQueueResume, Stage::kFirmwareDone, finished.times, pools);
  finished.waits = causes(finished.times, record.behind, pools);
  finished.retries = record.retries;
  finished.dies = &record.dies;
  if (is_observed()) report_command(record, at, reads, finished);
  return finished;
}

void StageClock::report_command(const Record& record, Picoseconds at, bool reads, const tlm_if::Finished& finished) {
  Order order;
  const std::size_t kept = sort(record, at, order);
  spans_.clear();
  for (std::size_t i = 0; i < kept; ++i) {
    const Picoseconds begins = record.at[static_cast<std::size_t>(order[i])];
    const Picoseconds ends = i + 1 < kept ? record.at[static_cast<std::size_t>(order[i + 1])] : at;
    spans_.push_back({order[i], begins, ends});
  }
  observer_->finished({record.qid, record.cid, reads, record.at[0], at, spans_, record.work, record.flash, finished});
}

}  // namespace wordline::observe
