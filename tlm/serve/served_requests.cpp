// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/served_requests.h"

#include <algorithm>
#include <utility>

namespace wordline::serve {
namespace {

using served::ClientError;
using served::ClientOp;
using workload::Op;

/// A good mixture of two numbers: what a read found does not depend on the order of its commands.
std::uint64_t mixed(std::uint64_t lba, std::uint64_t stamp) {
  std::uint64_t x = (lba + 1) * 0x9e3779b97f4a7c15ULL ^ stamp * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 27U);
}

/// A client asks again from where an answer ends: so a large drive is no long wait for the others.
constexpr std::uint64_t kMostStatusBytes = 64ULL << 20U;

std::vector<served::Extent> extents_of(std::uint64_t offset, const std::vector<bool>& hole) {
  std::vector<served::Extent> extents;
  for (std::size_t i = 0; i != hole.size(); ++i) {
    if (extents.empty() || extents.back().hole != hole[i])
      extents.push_back({offset + i * served::kBlockBytes, 0, hole[i]});
    extents.back().length += served::kBlockBytes;
  }
  return extents;
}

}  // namespace

ServedRequests::ServedRequests(tlm_if::SimulationContext& context, data::ContentStore& store, unsigned cores,
                               AnswersIf* answers, std::uint64_t whole_bytes)
    : context_(context), whole_bytes_(whole_bytes), store_(store), answers_(answers), queues_(cores) {}

/// By what was written here, and no request of the drive: what it was filled with before is no hole, and zeros.
void ServedRequests::answer_status(const served::ClientRequest& request) {
  served::Answer answer;
  answer.client = request.client;
  answer.cookie = request.cookie;
  answer.op = request.op;
  answer.whole = request.whole;
  answer.offset = request.offset;
  answer.cost = served::cost_of(request.op, request.length);
  const std::uint64_t end = request.offset + std::min<std::uint64_t>(request.length, kMostStatusBytes);
  for (std::uint64_t at = request.offset; at != end; at += served::kBlockBytes) {
    const auto holds = store_.holds(at / served::kBlockBytes);
    const bool hole = holds == data::ContentStore::Holds::kNothing && !filled_;
    const bool zeros = holds != data::ContentStore::Holds::kBytes;
    if (answer.extents.empty() || answer.extents.back().hole != hole || answer.extents.back().zeros != zeros)
      answer.extents.push_back({at, 0, hole, zeros});
    answer.extents.back().length += served::kBlockBytes;
  }
  ++counters_.answered;
  if (answers_ != nullptr) answers_->answer(std::move(answer));
}

void ServedRequests::take(served::ClientRequest&& request) {
  if (request.op == ClientOp::kBlockStatus) return answer_status(request);
  const std::uint64_t tag = ++tags_;
  for (ServedListenerIf* const listener : listeners_) listener->arrived(tag, request, context_.now());
  Record& record = records_[tag];
  record.request = std::move(request);
  const std::uint64_t offset = record.request.offset;
  const std::uint32_t length = record.request.length;
  switch (record.request.op) {
    case ClientOp::kRead:
      record.data.resize(length);
      record.hole.resize(length / served::kBlockBytes);
      add_part(tag, record, Op::kRead, offset, length);
      break;
    case ClientOp::kWrite:
      add_part(tag, record, Op::kWrite, offset, length);
      break;
    case ClientOp::kFlush:
      add_part(tag, record, Op::kFlush, 0, 0);
      break;
    case ClientOp::kTrim:
      record.then_flush = record.request.fua;
      add_part(tag, record, Op::kTrim, offset, length);
      break;
    case ClientOp::kWriteZeroes:
      add_zeroes(tag, record);
      break;
    case ClientOp::kBlockStatus:  // answered above
      break;
  }
}

void ServedRequests::add_zeroes(std::uint64_t tag, Record& record) {
  const std::uint64_t begin = record.request.offset, end = begin + record.request.length;
  const std::uint64_t first = (begin + whole_bytes_ - 1) / whole_bytes_ * whole_bytes_,
                      last = end / whole_bytes_ * whole_bytes_;
  if (record.request.no_hole || first >= last) return add_part(tag, record, Op::kWrite, begin, end - begin);
  record.then_flush = record.request.fua;
  if (begin != first) add_part(tag, record, Op::kWrite, begin, first - begin);
  add_part(tag, record, Op::kTrim, first, last - first);
  if (end != last) add_part(tag, record, Op::kWrite, last, end - last);
}

void ServedRequests::add_part(std::uint64_t tag, Record& record, Op op, std::uint64_t offset, std::uint64_t length) {
  workload::Request part;
  part.op = op;
  part.lba = Lba(offset / served::kBlockBytes);
  part.nlb = static_cast<std::uint32_t>(length / served::kBlockBytes);
  part.job = static_cast<std::uint16_t>(record.request.client % queues_.size());
  part.fua = record.request.fua && op == Op::kWrite;
  part.tag = tag;
  ++record.parts;
  queues_[part.job].push_back(part);
}

bool ServedRequests::next(unsigned job, Picoseconds now, workload::Request& out) {
  if (queues_[job].empty()) return false;
  out = queues_[job].front();
  out.arrival = now;
  queues_[job].pop_front();
  return true;
}

void ServedRequests::begins(Op op, std::uint64_t tag, std::uint64_t slba, std::uint64_t nlb, std::uint32_t version) {
  Record& record = records_.at(tag);
  if (op == Op::kRead && record.read == 0) record.read = store_.begin_read();
  if (op == Op::kTrim) store_.begin_trim(version, slba, nlb);
  if (op != Op::kWrite) return;
  const bool zeros = record.request.op != ClientOp::kWrite;
  const std::uint64_t behind = slba * served::kBlockBytes - record.request.offset;
  store_.begin_write(version, slba, nlb, zeros ? nullptr : record.request.data.data() + behind);
}

void ServedRequests::found(std::uint64_t tag, std::uint64_t lba, const data::LbaStamp* stamps, std::uint32_t nlb) {
  Record& record = records_.at(tag);
  std::uint64_t block = lba - record.request.offset / served::kBlockBytes;
  for (std::uint32_t i = 0; i != nlb; ++i, ++block) {
    const auto got = store_.get(stamps[i], record.data.data() + block * served::kBlockBytes);
    if (got == data::ContentStore::Found::kForgotten) ++counters_.forgotten;
    record.hole[block] = got == data::ContentStore::Found::kZeros;
    record.found += mixed(lba + i, stamps[i].bits());
    store_.settle(record.read, lba + i, stamps[i]);
  }
}

void ServedRequests::ended(Op op, std::uint64_t /*tag*/, std::uint64_t slba, std::uint64_t nlb, std::uint32_t version,
                           bool succeeded) {
  if (op == Op::kWrite || op == Op::kTrim) store_.end(version, slba, nlb, succeeded);
}

void ServedRequests::request_ended(std::uint64_t tag, host::CommandStatus status, Picoseconds at) {
  Record& record = records_.at(tag);
  if (status != 0) record.error = ClientError::kIo;
  if (--record.parts != 0) return;
  if (record.then_flush && record.error == ClientError::kNone) {
    record.then_flush = false;
    add_part(tag, record, Op::kFlush, 0, 0);
    return;
  }
  finish(tag, record, at);
  records_.erase(tag);
  // The simulation looks whether the answer has brought something.
  context_.alarms().stop();
}

void ServedRequests::finish(std::uint64_t tag, Record& record, Picoseconds at) {
  if (record.read != 0) store_.end_read(record.read);
  const served::ClientRequest& request = record.request;
  for (ServedListenerIf* const listener : listeners_) listener->answered(tag, request, record.error, record.found, at);
  ++counters_.answered;
  if (record.error != ClientError::kNone) ++counters_.failed;
  if (answers_ == nullptr || request.client == 0) return;
  served::Answer answer;
  answer.client = request.client;
  answer.cookie = request.cookie;
  answer.op = request.op;
  answer.error = record.error;
  answer.whole = request.whole;
  answer.offset = request.offset;
  answer.cost = served::cost_of(request.op, request.length);
  if (record.error == ClientError::kNone) {
    answer.data = std::move(record.data);
    answer.extents = extents_of(request.offset, record.hole);
  }
  answers_->answer(std::move(answer));
}

bool ServedRequests::concerns(std::uint64_t offset, std::uint64_t length) const {
  return std::any_of(records_.begin(), records_.end(), [&](const auto& each) {
    const served::ClientRequest& open = each.second.request;
    return open.offset < offset + length && offset < open.offset + open.length;
  });
}

void ServedRequests::give_up() {
  for (auto& [tag, record] : records_) {
    record.error = ClientError::kIo;
    finish(tag, record, context_.now());
  }
  records_.clear();
}

}  // namespace wordline::serve
