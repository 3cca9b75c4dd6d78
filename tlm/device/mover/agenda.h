// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/units/quantity.h"
#include "tlm/protocol/simulation_context.h"
#include "tlm/protocol/time_ordered.h"

namespace wordline::host {

/// What the blocks of a host interface will do, in order of time; actions of one time in the order in which they were
/// added. One alarm serves all of them, so blocks that act at one instant act in a fixed order.
/// Memory grows to the largest number outstanding and stays.
///
/// It is not a queue of messages between blocks: an action belongs to the block that added it.
class Agenda final : private tlm_if::AlarmQueue::Client {
 public:
  explicit Agenda(tlm_if::SimulationContext& context) : alarm_(context.alarms(), *this) {}

  struct Action;

  /// A block that acts later. `kind` of an action is the block's own enum.
  class Client {
   public:
    virtual void act(const Action& action) = 0;

   protected:
    ~Client() = default;
  };

  struct Action {
    Picoseconds at{};
    std::uint64_t order = 0;
    Client* client = nullptr;
    std::uint32_t kind = 0;
    std::uint32_t index = 0;
    std::uint64_t value = 0;
  };

  /// Calls client.act() at `at`, or at the present if that lies behind.
  template <class Kind>
  void schedule(Picoseconds at, Client& client, Kind kind, std::uint32_t index, std::uint64_t value = 0) {
    add({at, 0, &client, static_cast<std::uint32_t>(kind), index, value});
  }

  /// The action takes no instant of its own: it goes before the actions of the first instant at `at` or later. Times of
  /// such actions do not fall.
  template <class Kind>
  void put_off(Picoseconds at, Client& client, Kind kind, std::uint32_t index, std::uint64_t value = 0) {
    put_off_.push_back({at, 0, &client, static_cast<std::uint32_t>(kind), index, value});
  }
  /// All actions that were put off get an instant of their own.
  void schedule_put_off();
  /// Drops the actions that were put off.
  void drop_put_off();

  /// Simulated time.
  [[nodiscard]] Picoseconds now() const { return alarm_.now(); }
  /// Instants at which something was done.
  [[nodiscard]] std::uint64_t instants() const { return instants_; }

 private:
  void add(Action action);
  void take_put_off(Picoseconds now);
  void alarm() override;

  tlm_if::TimeOrdered<Action> actions_;
  std::uint64_t next_order_ = 0;
  std::vector<Action> put_off_;  // put off in order of time, from next_put_off_ on
  std::size_t next_put_off_ = 0;
  bool running_ = false;
  std::uint64_t instants_ = 0;
  tlm_if::Alarm alarm_;
};

}  // namespace wordline::host
