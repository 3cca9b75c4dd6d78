// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/mover/agenda.h"

#include <algorithm>

#include "tlm/protocol/interfaces.h"

namespace wordline::host {

Agenda::Agenda(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_METHOD(run);
  sensitive << wake_;
  dont_initialize();
}

void Agenda::add(Action action) {
  const Picoseconds now = tlm_if::now();
  action.at = std::max(action.at, now);
  action.order = next_order_++;
  heap_.push_back(action);
  std::push_heap(heap_.begin(), heap_.end(), later);
  // Inside run() one notification at its end serves all. A pending one that is earlier stays, a later one is replaced.
  if (!running_) wake_.notify(tlm_if::to_sc_time(action.at - now));
}

Agenda::Action Agenda::take() {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const Action action = heap_.back();
  heap_.pop_back();
  return action;
}

void Agenda::run() {
  const Picoseconds now = tlm_if::now();
  running_ = true;
  ++instants_;
  take_put_off(now);
  while (!heap_.empty() && heap_.front().at <= now) {
    const Action action = take();
    action.client->act(action);
  }
  running_ = false;
  if (!heap_.empty()) wake_.notify(tlm_if::to_sc_time(heap_.front().at - now));
}

void Agenda::take_put_off(Picoseconds now) {
  for (; next_put_off_ < put_off_.size() && put_off_[next_put_off_].at <= now; ++next_put_off_) {
    const Action action = put_off_[next_put_off_];
    action.client->act(action);
  }
  if (next_put_off_ == put_off_.size()) drop_put_off();
}

void Agenda::schedule_put_off() {
  for (; next_put_off_ < put_off_.size(); ++next_put_off_) add(put_off_[next_put_off_]);
}

void Agenda::drop_put_off() {
  put_off_.clear();
  next_put_off_ = 0;
}

}  // namespace wordline::host
