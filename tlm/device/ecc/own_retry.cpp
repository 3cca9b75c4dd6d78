// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/own_retry.h"

#include <fmt/format.h>

#include <systemc>
#include <utility>

#include "models/checks/load.h"
#include "tlm/device/ecc/block_statistics.h"

namespace wordline::ecc {
namespace {

constexpr unsigned kLimit = 100'000;  // clocks between two commands: far beyond what any controller takes

const char* name_of(RetryAction action) {
  static constexpr const char* kNames[] = {"nothing", "a flash command", "a decoder command", "a result"};
  return kNames[static_cast<unsigned>(action)];
}

std::string text_of(const FlashCommand& c) {
  std::string offsets;
  for (const auto offset : c.offsets) offsets += fmt::format("{}{}", offsets.empty() ? "" : " ", int{offset});
  return fmt::format("op {}, step {}, offsets {}, soft read {} at {}, codewords {:x}", static_cast<unsigned>(c.op),
                     c.step, offsets, c.soft_read, c.soft_offset,
                     (c.codewords & CodewordMask(~std::uint64_t{0})).to_ullong());
}

std::string text_of(const DecodeCommand& c) {
  return fmt::format("op {}, level {}, {} iterations, magnitudes {} {} {} {}, codewords {:x}",
                     static_cast<unsigned>(c.op), c.level, c.max_iterations, c.llr[0], c.llr[1], c.llr[2], c.llr[3],
                     (c.codewords & CodewordMask(~std::uint64_t{0})).to_ullong());
}

std::string text_of(const RetryResult& r) {
  return fmt::format("tag {}, code {}, failed codewords {:x}, status {:x}", r.tag, static_cast<unsigned>(r.code),
                     (r.failed & CodewordMask(~std::uint64_t{0})).to_ullong(), r.status);
}

std::unique_ptr<rtl::SlotReadRetry> made(const std::string& file) {
  try {
    return std::make_unique<rtl::SlotReadRetry>(file);
  } catch (const rtl::SlotError& error) {
    throw config::ConfigError(fmt::format("ecc.rtl.read_retry: error: {}", error.what()));
  }
}

}  // namespace

OwnRetry::OwnRetry(const RetrySettings& settings, OptimalReferences& ort, RetryCounters& counters,
                   const config::RtlBlocks& blocks, std::string scope)
    : file_(blocks.read_retry),
      scope_(std::move(scope)),
      made_(made(file_)),
      block_(*made_),
      engine_(settings, ort, counters, std::move(made_)) {
  if (blocks.read_retry_check) reference_.emplace(settings, ort, reference_counters_);
}

template <class Step>
void OwnRetry::guarded(Step step) {
  if (failed_) return;
  try {
    step();
  } catch (const std::runtime_error& error) {  // a SlotError, or what the engine says of the port
    failed_ = true;
    const std::string text = fmt::format("ecc.rtl.read_retry = {}: {} ({})", file_, error.what(), scope_);
    SC_REPORT_ERROR("wordline/ecc", text.c_str());
  }
}

void OwnRetry::differs(const std::string& what) const {
  throw rtl::SlotError(fmt::format("{}: {}", block_.place(), what));
}

void OwnRetry::start(const RetryRequest& request) {
  guarded([&] {
    engine_.start(request);
    ++reads_;
    waited_ = 0;
    if (reference_) reference_->start(request);
  });
}

void OwnRetry::compare(RetryAction block) {
  const RetryAction right = reference_->next();
  if (block != right) differs(fmt::format("{} is offered, the reference has {}", name_of(block), name_of(right)));
  std::string is, expected;
  if (block == RetryAction::kFlash) {
    is = text_of(engine_.flash_command());
    expected = text_of(reference_->flash_command());
  } else if (block == RetryAction::kDecode) {
    is = text_of(engine_.decode_command());
    expected = text_of(reference_->decode_command());
  }
  if (is != expected) differs(fmt::format("{} is {}, that of the reference {}", name_of(block), is, expected));
}

RetryAction OwnRetry::next() {
  RetryAction action = RetryAction::kNothing;
  guarded([&] {
    action = engine_.next();
    waited_ = 0;
    if (reference_) compare(action);
  });
  return action;
}

void OwnRetry::accept() {
  guarded([&] {
    engine_.accept();
    if (reference_) reference_->accept();
  });
}

void OwnRetry::advance() {
  guarded([&] {
    if (++waited_ > kLimit) differs(fmt::format("no command and no result for {} clocks", kLimit));
    engine_.advance();
  });
}

void OwnRetry::flash_done(bool ok) {
  guarded([&] {
    engine_.flash_done(ok);
    if (reference_) reference_->flash_done(ok);
  });
}

void OwnRetry::verdict(const CodewordVerdict& verdict) {
  guarded([&] {
    engine_.verdict(verdict);
    if (reference_) reference_->verdict(verdict);
  });
}

void OwnRetry::abort() {
  guarded([&] {
    engine_.abort();
    if (reference_) reference_->abort();
  });
}

RetryResult OwnRetry::take_result() {
  RetryResult result;
  guarded([&] {
    RetryResult right;
    if (reference_) right = reference_->take_result();
    result = engine_.take_result();
    if (reference_ && text_of(result) != text_of(right)) {
      differs(fmt::format("the result is {}, that of the reference {}", text_of(result), text_of(right)));
    }
  });
  return result;
}

std::vector<std::string> OwnRetry::leave_evidence(const std::string& folder) const {
  if (!failed_) return {};
  const std::string file = fmt::format("{}/{}.read_retry.vcd", folder, scope_);
  block_.write_window(file);
  return {file};
}

void OwnRetry::register_statistics(results::Registry& registry) const {
  add_passages(
      registry, "read_retry", [this] { return reads_; }, [this] { return engine_.clocks(); });
  add_block_counters(registry, "read_retry", block_.block());
}

}  // namespace wordline::ecc
