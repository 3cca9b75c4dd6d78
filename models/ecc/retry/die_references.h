// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What was set in the die for one read: the step of its references, and whether a RESTORE is due. The die itself is
/// models/nand; a command counts as obeyed once it was taken, also when it fails.
#pragma once

namespace wordline::ecc {

class DieReferences {
 public:
  void start() { *this = {}; }  ///< a read begins: the default references are set
  void set(unsigned step) {     ///< a SET_VREF was taken
    step_ = step;
    changed_ = true;
  }
  void move() { changed_ = true; }      ///< a soft read was taken
  void restore() { changed_ = false; }  ///< a RESTORE ended, or failed: it is not repeated

  [[nodiscard]] bool changed() const { return changed_; }
  [[nodiscard]] bool at(unsigned step) const { return step_ == step; }

 private:
  unsigned step_ = 0;
  bool changed_ = false;
};

}  // namespace wordline::ecc
