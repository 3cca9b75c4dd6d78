// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/command_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <queue>
#include <utility>

namespace wordline::serve {
namespace {

/// Blocks of one request of a capture, which has no room for more bytes.
constexpr std::uint64_t kMostTrim = 1ULL << 21U;

std::optional<served::ClientOp> op_of(const host::HostCommand& command) {
  switch (command.op) {
    case host::Operation::kRead:
      return served::ClientOp::kRead;
    case host::Operation::kWrite:
      return served::ClientOp::kWrite;
    case host::Operation::kFlush:
      return served::ClientOp::kFlush;
    case host::Operation::kDeallocate:
      return served::ClientOp::kTrim;
    case host::Operation::kWriteZeroes:
      return served::ClientOp::kWriteZeroes;
    default:
      return std::nullopt;
  }
}

/// As which request of a workload a command counts.
std::optional<results::Op> counts_as(const host::HostCommand& command, served::ClientOp op) {
  if (command.status != 0 || command.way != host::DataWay::kHost) return std::nullopt;
  switch (op) {
    case served::ClientOp::kRead:
      return results::Op::kRead;
    case served::ClientOp::kWrite:
      return results::Op::kWrite;
    case served::ClientOp::kFlush:
      return results::Op::kFlush;
    case served::ClientOp::kTrim:
      return results::Op::kTrim;
    default:
      return std::nullopt;
  }
}

}  // namespace

void CommandRecord::released(std::uint16_t queue, std::uint16_t id, std::uint16_t tag, Picoseconds came,
                             Picoseconds left) {
  if (next_ != nullptr && next_->listening()) next_->released(queue, id, tag, came, left);
  const host::HostCommand& command = (*commands_)[tag];
  const std::optional<served::ClientOp> op = op_of(command);
  if (queue == 0 || !op) return;
  if (const std::optional<results::Op> counted = counts_as(command, *op)) {
    released_.emplace();
    released_->op = *counted;
    released_->lba = command.slba;
    released_->bytes = command.nlb * kLbaBytes;
    released_->submitted = came;
    released_->completed = left;
    if (*op == served::ClientOp::kTrim) {
      const std::vector<ClientMemory::Piece>& ranges = memory_->pieces_of(tag);
      released_->lba = ranges.empty() ? 0 : ranges.front().lba;
      released_->bytes = 0;
      for (const ClientMemory::Piece& range : ranges) released_->bytes += range.nlb * kLbaBytes;
    }
  }
  if (!keeps_) return;
  const auto keep = [&](std::uint64_t lba, std::uint64_t nlb) {
    kept_.push_back({came, left, lba * kLbaBytes, static_cast<std::uint32_t>(nlb * kLbaBytes), queue, command.status,
                     *op, command.fua});
  };
  if (*op != served::ClientOp::kTrim) return keep(command.slba, command.nlb);
  for (const ClientMemory::Piece& range : memory_->pieces_of(tag))
    for (std::uint64_t lba = range.lba, end = range.lba + range.nlb; lba != end; lba += std::min(end - lba, kMostTrim))
      keep(lba, std::min(end - lba, kMostTrim));
}

void CommandRecord::finished(const observe::CommandStory& story) {
  if (next_ != nullptr && next_->listening()) next_->finished(story);
  if (!released_) return;
  released_->stages = story.times.times.data();
  released_->waits = story.times.waits.data();
  released_->die = story.times.die;
  released_->dies = story.times.dies;
  released_->retries = story.times.retries;
  statistics_.record(*released_);
  released_.reset();
}

std::string CommandRecord::text() const {
  const auto us = [](Picoseconds time) { return static_cast<double>(time.count()) * 1e-6; };
  std::string text;
  for (const auto& [name, op] : {std::pair{"Reads ", results::Op::kRead}, std::pair{"Writes", results::Op::kWrite},
                                 std::pair{"Flushes", results::Op::kFlush}}) {
    const results::Histogram* const latencies = &statistics_.latency(op);
    if (latencies->count() == 0) continue;
    text += fmt::format(
        "{} by the drive's clock, doorbell to completion entry: {}, mean {:.2f} us, p50 {:.2f}, p99 {:.2f}, max "
        "{:.2f}\n",
        name, latencies->count(), us(latencies->mean()), us(latencies->percentile(50)), us(latencies->percentile(99)),
        us(latencies->max()));
  }
  return text;
}

void CommandRecord::write(const std::string& path, const served::CapturedDrive& drive, Picoseconds end) const {
  std::vector<Command> commands = kept_;
  std::stable_sort(commands.begin(), commands.end(),
                   [](const Command& a, const Command& b) { return a.came < b.came; });
  served::CaptureWriter writer(path, drive);
  // Answers lie between the requests, at their instants.
  using Answer = std::pair<Picoseconds, std::uint64_t>;
  const auto later = [](const Answer& a, const Answer& b) { return a > b; };
  std::priority_queue<Answer, std::vector<Answer>, decltype(later)> answers(later);
  const auto answered_by = [&](Picoseconds at) {
    for (; !answers.empty() && answers.top().first <= at; answers.pop()) {
      const auto& [left, number] = answers.top();
      const bool good = commands[number - 1].status == 0;
      writer.answer(number, good ? served::ClientError::kNone : served::ClientError::kIo, 0, left);
    }
  };
  for (std::size_t i = 0; i != commands.size(); ++i) {
    const Command& command = commands[i];
    answered_by(command.came);
    served::ClientRequest request;
    request.client = command.queue;
    request.op = command.op;
    request.offset = command.offset;
    request.length = command.bytes;
    request.fua = command.fua;
    writer.request(i + 1, request, command.came);
    answers.push({command.left, i + 1});
  }
  answered_by(Picoseconds(INT64_MAX));
  writer.end(end);
}

}  // namespace wordline::serve
