// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/die/suspended_work.h"

#include <fmt/core.h>

namespace wordline::flash {

std::string SuspendedWork::refuses(const onfi::Sequence& sequence, const Selection& wanted) const {
  if (!holds()) return {};
  if (wanted.operation != Operation::kRead && !allows(sequence)) {
    return wanted.operation == Operation::kErase ? "erase while another operation is suspended"
                                                 : "program while the page buffers hold a suspended one";
  }
  for (const Work& held : held_) {
    if (belongs(held, wanted)) {
      return fmt::format("block {} page {} belongs to the suspended operation", wanted.block.value(),
                         wanted.page.value());
    }
  }
  return {};
}

/// Whether `wanted` has a block of an erase, or a page of the unit of a program.
bool SuspendedWork::belongs(const Work& held, const Selection& wanted) const {
  if (held.empty()) return false;
  bool same_block = false;
  for (std::size_t plane = 0; plane < wanted.blocks.size(); ++plane) {
    const bool both = (held.planes & wanted.planes) >> plane & 1U;
    same_block = same_block || (both && held.blocks[plane] == wanted.blocks[plane]);
  }
  const bool same_unit = wanted.page.value() / pages_per_unit_ == held.page.value() / pages_per_unit_;
  return same_block && (held.operation != Operation::kProgram || same_unit);
}

Picoseconds SuspendedWork::boundary(const nand::Plan& plan, Picoseconds passed) {
  if (passed >= plan.total()) return plan.total();
  const nand::Plan::Step step = plan.at(passed);
  return step.begin + step.op.duration;
}

}  // namespace wordline::flash
