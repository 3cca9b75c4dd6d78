// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/rtl/read_retry/world.h"

#include <algorithm>

#include "models/units/keyed_random.h"
#include "registers/wordline_regs.hpp"

namespace wordline::testing {
namespace {

namespace reg = registers::ecc;

// Purposes of random values.
enum : unsigned {
  kSettings,
  kRequest,
  kVerdict,
  kFlashReady,
  kDecodeReady,
  kResultReady,
  kDelay,
  kLost,
  kFlashError,
  kAbort,
  kAccess,
  kAccessWhat,
  kLate,
  kOrder,
};

}  // namespace

std::uint64_t World::random(unsigned purpose, std::uint64_t place) const {
  return keyed_hash(seed_, purpose, reads_, place);
}

void World::set_up() {
  const std::uint64_t r = random(kSettings, 0);
  const std::uint64_t q = random(kSettings, 1);
  const bool times_out = habits_.lost != 0;
  lockstep_.write(reg::control, r % 7 == 0 ? 20 : r % 7);
  lockstep_.write(reg::escalation, static_cast<std::uint32_t>((r >> 8) & 0x70f0f) & 0x7030f);
  lockstep_.write(reg::iterations, static_cast<std::uint32_t>(q & 0xffff));
  lockstep_.write(reg::soft_delta, static_cast<std::uint32_t>(q >> 16 & 0x1f1f));
  lockstep_.write(reg::llr_hard, static_cast<std::uint32_t>(q >> 24 & 0x7777));
  lockstep_.write(reg::llr_three, static_cast<std::uint32_t>(q >> 28 & 0x7777));
  lockstep_.write(reg::llr_seven, static_cast<std::uint32_t>(q >> 32 & 0x7777));
  lockstep_.write(reg::flash_timeout, times_out ? habits_.delay + 3 + (r >> 40 & 7) : 0);
  lockstep_.write(reg::decode_timeout, times_out ? habits_.delay + 3 + (r >> 44 & 7) : 0);
  lockstep_.write(reg::irq_enable, static_cast<std::uint32_t>(r >> 48 & 15));
  // One bit set at most, in half of the reads none.
  const unsigned inject = r >> 52 & 15;
  lockstep_.write(reg::inject, inject < 4 ? 1U << inject : inject < 6 ? (r >> 56 & 7) << reg::inject_steps_shift : 0);
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint64_t entry = random(kSettings, 2 + i);
    lockstep_.write(reg::retry_table + static_cast<std::uint32_t>(entry % reg::retry_table_count) * 4,
                    static_cast<std::uint32_t>(entry >> 32));
  }
}

ecc::RetryRequest World::request() const {
  const std::uint64_t r = random(kRequest, 0);
  ecc::RetryRequest request;
  request.tag = static_cast<std::uint16_t>(r);
  request.die = static_cast<std::uint16_t>(r >> 16);
  request.address = static_cast<std::uint32_t>(r >> 8);
  request.group = static_cast<std::uint16_t>(r >> 32 & 3);
  request.layer = static_cast<std::uint16_t>((r >> 34 & 3) * 85);  // few, so that reads meet the entries of others
  request.page_type = static_cast<std::uint8_t>(r >> 40);
  request.sensed = (r >> 44 & 3) == 0;
  const unsigned count = 1 + static_cast<unsigned>((r >> 48) % habits_.codewords);
  for (unsigned i = 0; i < count; ++i) request.codewords.set(random(kRequest, 1 + i) % ecc::kRetryCodewords);
  return request;
}

ecc::CodewordVerdict World::verdict(unsigned codeword) const {
  const std::uint64_t r = random(kVerdict, lockstep_.clocks() * ecc::kRetryCodewords + codeword);
  ecc::CodewordVerdict v;
  v.codeword = codeword;
  v.ok = (r & 255) < habits_.good_codeword;
  v.crc_ok = (r >> 8 & 255) >= habits_.bad_crc;
  v.iterations = r >> 16 & 31;
  v.corrected = r >> 24 & 0xff;
  if ((r >> 21 & 7) == 0) {  // as large as they can be said
    v.iterations = r >> 46 & 0xff;
    v.corrected = r >> 49 & 0x7fff;
  }
  v.weight = (r >> 32 & 7) == 0 ? 4095 + (r >> 36 & 1) * 9 : r >> 36 & 0x3ff;
  return v;
}

rtl::ReadRetry::ApbTransfer World::transfer() const {
  const std::uint64_t r = random(kAccessWhat, lockstep_.clocks());
  static constexpr std::array<std::uint32_t, 12> kInteresting{
      {reg::control, reg::escalation, reg::inject, reg::irq_status, reg::irq_enable, reg::ort_index, reg::ort_entry,
       reg::ort_clear, reg::command, reg::status, reg::llr_three, reg::last_status}};
  rtl::ReadRetry::ApbTransfer t{(r & 1) != 0, static_cast<std::uint32_t>(r >> 8 & 0xfff), 0,
                                static_cast<std::uint8_t>((r >> 4 & 15) == 0 ? r >> 20 & 15 : 15)};
  if ((r & 6) != 0) t.address = kInteresting[(r >> 24) % kInteresting.size()];
  t.data = static_cast<std::uint32_t>(r >> 32);
  if (t.address == reg::ort_index) t.data = (t.data & 0x00ff0003U) | ((t.data & 0x80000000U) != 0 ? 8U : 0U);
  if (t.address == reg::ort_clear) t.data &= 7;
  if (t.address == reg::control) t.data &= 0x1f;
  if (t.address == reg::escalation) t.data |= 0x200;  // soft reads often
  if (t.address == reg::inject) t.data &= (r & 0x700000) == 0 ? 0x1f0fU : 0U;
  if (t.address == reg::flash_timeout || t.address == reg::decode_timeout) t.write = false;
  if (t.write && t.address == reg::command && happens(250, kAbort)) t.data = 0;  // few aborts
  return t;
}

void World::note_commands(const Stimulus& s) {
  const ecc::ReadRetry& model = lockstep_.model();
  const std::uint64_t now = lockstep_.clocks();
  const auto delay = [&](std::uint64_t place) { return 1 + random(kDelay, place) % (habits_.delay + 1); };
  if (model.offers_flash() && s.flash_ready) {
    ++flash_taken_;
    answers_.push_back(
        {(lockstep_.flash_tag() + 1) % rtl::ReadRetry::kTags, now + delay(now), happens(habits_.lost, kLost), 0});
  }
  if (model.offers_decode() && s.decode_ready) {
    ++decode_taken_;
    const ecc::DecodeCommand command = model.decode_command();
    std::uint64_t due = now;
    const unsigned first = static_cast<unsigned>(random(kOrder, now) % ecc::kRetryCodewords);
    bool lost = happens(habits_.lost, kLost);
    for (unsigned i = 0; i < ecc::kRetryCodewords; ++i) {
      const unsigned c = (first + i * 37) % ecc::kRetryCodewords;
      if (!command.codewords[c]) continue;
      due += delay(now * ecc::kRetryCodewords + c);
      verdicts_.push_back({(lockstep_.decode_tag() + 1) % rtl::ReadRetry::kTags, due, lost, c});
      lost = lost || (random(kLost, now * 256 + c) & 1023) < habits_.lost;  // this one and those after it
    }
  }
}

void World::answer(Stimulus& s) {
  const std::uint64_t now = lockstep_.clocks();
  // What nothing waits for any more was lost; it may still come, but not when its tag may be in use again.
  const auto forget = [&](std::vector<Pending>& list, bool flash) {
    for (auto it = list.begin(); it != list.end();) {
      const bool awaited = flash ? lockstep_.model().awaits_flash() && it->tag == lockstep_.flash_tag()
                                 : lockstep_.model().awaits_verdict() && it->tag == lockstep_.decode_tag();
      if (awaited) {
        ++it;
        continue;
      }
      late_.push_back({flash ? flash_taken_ : decode_taken_, *it});
      if (flash) late_.back().second.codeword = ecc::kRetryCodewords;
      it = list.erase(it);
    }
  };
  forget(answers_, true);
  forget(verdicts_, false);
  for (auto it = late_.begin(); it != late_.end();) {
    const bool flash = it->second.codeword == ecc::kRetryCodewords;
    if ((flash ? flash_taken_ : decode_taken_) > it->first + 8)
      it = late_.erase(it);
    else
      ++it;
  }
  if (!late_.empty() && happens(30, kLate)) {
    const Pending late = late_.front().second;
    late_.erase(late_.begin());
    if (late.codeword == ecc::kRetryCodewords) {
      s.flash_answer = {late.tag, true};
    } else {
      s.verdict = {late.tag, verdict(late.codeword)};
    }
  }
  if (!s.flash_answer && !answers_.empty() && !answers_.front().lost && answers_.front().due <= now) {
    s.flash_answer = {answers_.front().tag, !happens(habits_.flash_error, kFlashError)};
    answers_.erase(answers_.begin());
  }
  if (!s.verdict && !verdicts_.empty() && !verdicts_.front().lost && verdicts_.front().due <= now) {
    s.verdict = {verdicts_.front().tag, verdict(verdicts_.front().codeword)};
    verdicts_.erase(verdicts_.begin());
  }
}

void World::read() {
  ++reads_;
  const std::uint64_t results = lockstep_.results();
  const ecc::RetryRequest wanted = request();
  const std::uint64_t begin = lockstep_.clocks();
  bool taken = false;
  while (lockstep_.results() == results) {
    if (lockstep_.clocks() > begin + 200'000) throw std::runtime_error("the read does not end");
    const ecc::ReadRetry& model = lockstep_.model();
    Stimulus s;
    if (!taken) s.request = wanted;
    taken = taken || model.idle();
    s.abort = (random(kAbort, lockstep_.clocks()) & 65535) < habits_.abort;
    s.flash_ready = happens(habits_.ready, kFlashReady);
    s.decode_ready = happens(habits_.ready, kDecodeReady);
    s.result_ready = happens(habits_.ready, kResultReady);
    answer(s);
    if (lockstep_.apb_idle() && happens(habits_.access, kAccess)) s.apb = transfer();
    const auto state = static_cast<std::size_t>(model.state());
    if (s.abort) ++aborts_[state];
    note_commands(s);
    const std::uint64_t time_outs = lockstep_.time_outs();
    lockstep_.clock(s);
    time_outs_[state] += lockstep_.time_outs() - time_outs;
  }
  Stimulus quiet;
  while (!lockstep_.apb_idle()) lockstep_.clock(quiet);
}

}  // namespace wordline::testing
