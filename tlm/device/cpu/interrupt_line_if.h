// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/units/quantity.h"

namespace wordline::cpu {

/// The external interrupt input of one core: a level, and word of every rise of an enabled source, so that a sleeping
/// core needs no polling.
class InterruptLineIf : virtual public sc_core::sc_interface {
 public:
  class Listener {
   public:
    /// The line is high, or a source will be latched at `at`: read the level then.
    virtual void interrupt_rises(Picoseconds at) = 0;

   protected:
    ~Listener() = default;
  };

  [[nodiscard]] virtual bool level() const = 0;
  /// `listener` outlives the line's use; a line has one.
  virtual void listen(Listener& listener) = 0;
  /// Notifies the listener again of what is on its way: for a core that reads the level, finds it low, and sleeps.
  virtual void announce() const = 0;
};

}  // namespace wordline::cpu
