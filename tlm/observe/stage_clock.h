// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tlm/observe/command_observer.h"
#include "tlm/observe/pool_waits.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::observe {

/// Name of a stage as results and reports write it ("queue_core"), and whether it is waiting apart from service.
[[nodiscard]] std::string_view stage_name(tlm_if::Stage stage);
[[nodiscard]] bool stage_is_wait(tlm_if::Stage stage);

/// Stage clock of all commands in flight: one record per queue and command identifier, kept and used again, found in
/// O(1); nothing is allocated once a queue's largest identifier has been seen.
///
/// Stages that begin at the same time are taken in the order in which they were marked: the last one lasts, the others
/// are 0. A mark before the submission or after the finish, a tag that is not in use, or an identifier used twice is an
/// SC_ERROR; the mark is left out, so that the stages still sum to the latency.
///
/// Accuracy: exact, in integer picoseconds; the work of a native core in stretches of its mean cost. Known gaps: of
/// several flash jobs of one command the last mark of each stage counts, so a stage shows the job that delivered its
/// marks last, not the union of all; nor is what it waited behind. Work on a notification that data have moved is not
/// counted as the command's. The program stage begins by the clock of a core, which cpu.quantum lets run ahead of the
/// others: where that is beyond the finish, the command has no such stage.
class StageClock final : public tlm_if::StageClockIf {
 public:
  explicit StageClock(const tlm_if::SimulationContext& context) : context_(context) {}

  void submitted(std::uint16_t qid, std::uint16_t cid, Picoseconds at) override;
  void begin(std::uint16_t tag, std::uint16_t qid, std::uint16_t cid, Picoseconds arrived) override;
  void mark(std::uint16_t tag, tlm_if::Stage stage, Picoseconds at) override;
  void flash_read(std::uint16_t tag, std::uint16_t die, const tlm_if::ReadMarks& marks, bool attempt) override;
  void work(std::uint16_t tag, Picoseconds from, Picoseconds to) override;
  void held(std::uint16_t tag, tlm_if::Stage stage, Picoseconds at) override;
  void programs(std::uint16_t tag, Picoseconds at) override;
  void pool(unsigned waiter, unsigned pool, Picoseconds at) override;
  void release(std::uint16_t tag, Picoseconds at) override;
  tlm_if::Finished finish(std::uint16_t qid, std::uint16_t cid, Picoseconds at, unsigned waiter) override;

  /// The host calls neither submitted() nor finish(), and measures by itself: a command is known from begin() to
  /// release(). `waiter` says of a tag whose waits for pools are the command's (wl_waiter): with it the observer is
  /// told the story of each command of an I/O queue, which ends with release(). Before the first command.
  void serve_foreign_host(std::function<unsigned(std::uint16_t tag)> waiter = {}) {
    foreign_host_ = true;
    waiter_ = std::move(waiter);
  }
  /// Reports every command to the observer from now on; before the first one.
  void observe(CommandObserver& observer) { observer_ = &observer; }
  /// The work that is reported next was done by this core; asked for when somebody observes.
  void works_on(unsigned core) { core_ = core; }

  /// Commands submitted and not finished.
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
  [[nodiscard]] const PoolWaits& pool_waits() const { return pools_; }

 private:
  static constexpr std::size_t kStages = static_cast<std::size_t>(tlm_if::Stage::kCount);
  static_assert(kStages <= 32, "a bit per stage in Record::marked");
  enum class State : std::uint8_t { kFree, kSubmitted, kTagged, kReleased };
  struct Held {
    Picoseconds from, to;
    tlm_if::Stage stage;
  };
  struct Record {
    State state = State::kFree;
    std::uint16_t qid = 0, cid = 0, tag = 0;
    std::uint16_t die = tlm_if::Finished::kNoDie;
    std::uint32_t marked = 0;  // bit s: stage s
    std::uint32_t marks = 0;   // so far
    std::array<Picoseconds, kStages> at{};
    std::array<std::uint32_t, kStages> turn{};  // order of the marks
    std::vector<CoreWork> work;                 // those of different cores may overlap
    std::vector<Held> held;                     // by other commands, or for a map page
    Picoseconds held_since{-1};
    tlm_if::Stage held_by = tlm_if::Stage::kQueueOrder;
    std::vector<FlashRead> flash;   // when somebody observes
    tlm_if::DieWorkTimes behind{};  // of the flash job that delivered its marks last
    std::uint32_t retries = 0;
    std::vector<std::uint16_t> dies;  // of all flash reads
  };

  [[nodiscard]] bool is_observed() const { return observer_ != nullptr && observer_->listening(); }
  Record* find(std::uint16_t qid, std::uint16_t cid);
  Record* tagged(std::uint16_t tag, const char* what);
  /// Of a tag that is not in use: null.
  [[nodiscard]] Record* in_use(std::uint16_t tag) const { return tag < tags_.size() ? tags_[tag] : nullptr; }
  static void put(Record& record, tlm_if::Stage stage, Picoseconds at);
  static void put_read(Record& record, const tlm_if::ReadMarks& marks);
  static bool walk(const Record& record, std::uint32_t stages, std::size_t& last, tlm_if::StageTimes& times);
  static bool usual_order(const Record& record, Picoseconds end, bool reads, tlm_if::StageTimes& times);
  static void any_order(const Record& record, Picoseconds end, tlm_if::StageTimes& times);
  using Order = std::array<tlm_if::Stage, kStages>;
  static void sort(std::vector<CoreWork>& work);
  static std::size_t sort(const Record& record, Picoseconds end, Order& order);
  static void report_early(const Record& record, tlm_if::Stage stage, Picoseconds at);
  static void report_late(const Record& record, Picoseconds end);
  void divide(const Record& record, unsigned waiter, tlm_if::Stage queue, tlm_if::Stage service,
              tlm_if::StageTimes& times, PoolWaits::ByPool& pools) const;
  void forget_old_waits();
  tlm_if::Finished close(Record& record, Picoseconds at, unsigned waiter);
  void report_command(const Record& record, Picoseconds at, bool reads, const tlm_if::Finished& finished);

  const tlm_if::SimulationContext& context_;
  std::vector<std::vector<std::unique_ptr<Record>>> queues_;  // queues by qid, then cid; null: never used
  std::vector<Record*> tags_;                                 // null: not in use
  std::size_t in_flight_ = 0;
  PoolWaits pools_;
  bool foreign_host_ = false;
  std::function<unsigned(std::uint16_t)> waiter_;  // of a foreign host; empty: nobody hears the stories
  CommandObserver* observer_ = nullptr;
  unsigned core_ = 0;
  std::vector<StageSpan> spans_;  // spans of the command that the observer is given
};

}  // namespace wordline::observe
