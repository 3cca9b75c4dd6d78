// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two registers at work at once: READ CACHE, CACHE PROGRAM; and copyback, which fills one from the other.
#include <algorithm>
#include <stdexcept>

#include "models/ecc/code/codeword.h"
#include "tlm/flash/die/nand_die.h"

namespace wordline::flash {

// 31h: the page behind the one that is in the page register, or on its way there.
void NandDie::read_next(OnfiTransaction& t) {
  const bool reading = work_.operation == Operation::kRead;
  Selection next{Operation::kRead, reading ? work_.planes : page_register_.planes,
                 reading ? work_.block : page_register_.block, reading ? work_.page : page_register_.page};
  if (next.page.value() + 1 >= pages_) {
    error(t, "31h after the last page of the block; end the sequence with 3Fh");
    return;
  }
  next.page = PageId(next.page.value() + 1);
  read_cache(t, &next);
}

// 31h, 00h ADDR 31h and 3Fh (`next` null).
void NandDie::read_cache(OnfiTransaction& t, const Selection* next) {
  const bool reading = work_.operation == Operation::kRead;
  std::string wrong;
  if (!reading && page_register_.planes == 0) {
    wrong = "READ CACHE without a page that was read before (00h ADDR 30h)";
  } else if (suspended()) {
    wrong = "READ CACHE while an operation is suspended";
  } else if (unit_.operation != Operation::kNone) {
    wrong = "READ CACHE between the loads of a program";
  } else if (signal_pending_) {
    wrong = "READ CACHE announced before the end of the read";
  }
  if (!wrong.empty()) {
    error(t, wrong);
    return;
  }
  const Picoseconds fall = t.end + t_wb_;
  const Picoseconds move = reading ? std::max(fall, work_.end()) : fall;
  if (reading) commit();  // its end is known; only RESET could come between, and that forgets the registers
  cache_register_ = page_register_;
  page_register_.planes = 0;
  output_ = Output::kData;
  out_column_ = 0;
  soft_plane_ = 0;
  if ((cache_register_.planes >> out_plane_.value() & 1U) == 0) {
    std::uint8_t plane = 0;
    while ((cache_register_.planes >> plane & 1U) == 0) ++plane;
    out_plane_ = PlaneId(plane);
  }
  busy_until_ = move + t_rcbsy_;
  t.ready_at = busy_until_;
  announce(fall, busy_until_);
  if (recorder_ != nullptr) record_state(move, busy_until_, State::kCacheBusy);
  if (next == nullptr) return;

  work_.read = features_.read();
  const nand::Plan plan = array_.plan_read(next->block, next->page, work_.read);
  static_cast<Selection&>(work_) = *next;
  work_.state = State::kCacheRead;
  work_.done = Picoseconds(0);
  work_.begin = busy_until_;
  work_.remaining = plan.total();
  busy_.add(plan.total());
  t.array_ready_at = work_.end();
  if (recorder_ != nullptr) record(work_, plan);
}

// 10h and, with `more`, 15h of a unit that is complete.
void NandDie::program_unit(OnfiTransaction& t, const Selection& what, bool more) {
  const bool waits = work_.operation == Operation::kProgram;
  nand::Plan plan;
  try {
    plan = array_.plan_program(what.block, what.page, features_.program());
  } catch (const std::invalid_argument& e) {
    failed_ = true;
    error(t, std::string("the program parameters of features 90h..95h do not fit together: ") + e.what());
    return;
  }
  if (!more && !waits) {
    const bool follows = cache_sequence_;
    const bool failed = failed_;
    start(t, what, plan, State::kProgram);
    if (!t.ok) return;
    work_.program = features_.program();
    std::swap(load_, latched_);
    failed_before_ = follows && failed;
    return;
  }
  if (signal_pending_) {
    error(t, "CACHE PROGRAM announced before the end of the operation before");
    return;
  }
  const Picoseconds fall = t.end + t_wb_;
  const Picoseconds move = waits ? std::max(fall, work_.end()) : fall;
  Work& work = waits ? queued_ : work_;
  static_cast<Selection&>(work) = what;
  work.state = more ? State::kCacheProgram : State::kProgram;
  work.done = Picoseconds(0);
  work.begin = move + t_pcbsy_;
  work.remaining = plan.total();
  work.plan = plan;
  work.program = features_.program();
  busy_.add(plan.total());
  forget_registers();
  output_ = Output::kNone;
  if (!waits) begin_program(cache_sequence_);
  cache_sequence_ = more;
  if (recorder_ != nullptr) {
    record_state(move, work.begin, State::kCacheBusy);
    record(work, plan);
  }
  if (more) {
    busy_until_ = work.begin;
    t.ready_at = busy_until_;
    t.array_ready_at = work.end();
    announce(fall, busy_until_);
    return;
  }
  busy_until_ = work.end();
  signal_pending_ = true;
  end_.notify(tlm_if::to_sc_time(busy_until_ - tlm_if::now()));
  if (snoop_ != nullptr) snoop_->ready_busy(index_, false, fall);
}

// 85h ADDR: the page in the register of this plane becomes the load, with the errors it was read with.
void NandDie::load_copy(const onfi::Address& at) {
  if (load_.errors.empty()) load_.errors.resize(load_.sectors.size() * ecc::kCodewordsPerSector);
  const Register& from = cache_register_;
  const bool programmed = array_.programmed(at.plane, from.block, from.page);
  const std::size_t row = static_cast<std::size_t>(load_page_) * planes_ + at.plane.value();
  for (std::uint32_t s = 0; s < sectors_per_page_; ++s) {
    const std::size_t to = row * sectors_per_page_ + s;
    load_.sectors[to] = array_.sector({at.plane, from.block, from.page, s});
    for (unsigned c = 0; c < ecc::kCodewordsPerSector; ++c) {
      load_.errors[to * ecc::kCodewordsPerSector + c] =
          programmed ? static_cast<std::uint16_t>(bit_errors(at.plane, s, c)) : std::uint16_t{0};
    }
  }
  loaded_sectors_ = (1U << sectors_per_page_) - 1U;
}

}  // namespace wordline::flash
