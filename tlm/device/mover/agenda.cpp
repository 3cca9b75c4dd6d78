// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/agenda.h"

#include <algorithm>

#include "tlm/protocol/interfaces.h"

namespace wordline::host {

void Agenda::add(Action action) {
  const Picoseconds now = alarm_.now();
  action.at = std::max(action.at, now);
  action.order = next_order_++;
  actions_.put(action);
  if (!running_) alarm_.set_no_later_than(action.at);  // inside alarm() one setting at its end serves all
}

void Agenda::alarm() {
  const Picoseconds now = alarm_.now();
  running_ = true;
  ++instants_;
  take_put_off(now);
  while (!actions_.empty() && actions_.first().at <= now) {
    const Action action = actions_.take();
    action.client->act(action);
  }
  running_ = false;
  if (!actions_.empty()) alarm_.set(actions_.first().at);
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
