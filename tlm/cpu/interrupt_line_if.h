// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

namespace wordline::cpu {

/// The external interrupt input of one core: a level, and an event at every rise of an enabled source, so that a
/// sleeping core needs no polling. Read the level first, then wait for the event.
class InterruptLineIf : virtual public sc_core::sc_interface {
 public:
  [[nodiscard]] virtual bool level() const = 0;
  [[nodiscard]] virtual const sc_core::sc_event& raised() const = 0;
};

}  // namespace wordline::cpu
