// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/die/array_results.h"

#include <fmt/core.h>

#include <systemc>

#include "tlm/protocol/interfaces.h"

namespace wordline::flash {

std::uint32_t ArrayResults::ended(const Work& work) {
  if (work.end() >= fails_at_) array_.set_time(work.end(), true);
  if (page_age_) array_.set_time(pin_.now());
  if (work.operation != Operation::kRead) context_.array_wrote({work.begin, work.end()});
  switch (work.operation) {
    case Operation::kRead: {
      array_.commit_read(work.planes, work.blocks, work.page, work.read);
      const bool ahead = work.sequence->effect == onfi::Effect::kReadAhead;
      output_.page_arrives({work.planes, work.block, work.page, work.read, work.blocks}, !ahead);
      return 0;
    }
    case Operation::kProgram:
      return programmed(work);
    case Operation::kErase: {
      const nand::OperationStatus status = array_.commit_erase(work.planes, work.blocks);
      erased(work);
      return failed_planes(work, status);
    }
    case Operation::kNone:
      break;
  }
  return 0;
}

std::uint32_t ArrayResults::failed_planes(const Work& work, nand::OperationStatus status) const {
  if (status == nand::OperationStatus::kOk) return 0;
  return status == nand::OperationStatus::kFail ? array_.failed_planes() : work.planes;
}

std::uint32_t ArrayResults::programmed(const Work& work) {
  const nand::OperationStatus status = loads_.program(array_, work, work.program, copied_);
  features_.programmed(work, status != nand::OperationStatus::kOk);
  if (status == nand::OperationStatus::kRefused) {
    SC_REPORT_ERROR(kDieReport,
                    fmt::format("{}: program of block {} page {} failed: already programmed, not the next page of "
                                "the block, or in another mode than the block (A2h)",
                                name_, work.block.value(), work.page.value())
                        .c_str());
  }
  return failed_planes(work, status);
}

void ArrayResults::erased(const Work& work) {
  features_.blocks_lost(work);
  std::uint8_t plane = 0;
  for (std::uint32_t planes = work.planes; planes != 0; planes >>= 1, ++plane) {
    if ((planes & 1U) != 0) copied_.forget(PlaneId(plane), work.blocks[plane]);
  }
}

void ArrayResults::torn(const Work& work, Picoseconds passed) {
  switch (work.operation) {
    case Operation::kRead:
      return array_.interrupt_read(work.planes, work.blocks, work.page, passed, work.read);
    case Operation::kProgram:
      features_.blocks_lost(work);  // its word line may be torn, too
      return array_.interrupt_program(work.planes, work.blocks, work.page, passed, work.program);
    case Operation::kErase:
      array_.interrupt_erase(work.planes, work.blocks, passed);
      return erased(work);
    case Operation::kNone:
      return;
  }
}

}  // namespace wordline::flash
