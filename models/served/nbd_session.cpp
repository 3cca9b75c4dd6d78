// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/served/nbd_session.h"

#include <fmt/format.h>

#include <utility>

namespace wordline::served {

using namespace nbd;

namespace {

std::optional<ClientOp> op_of(std::uint16_t type) {
  switch (type) {
    case kCmdRead:
      return ClientOp::kRead;
    case kCmdWrite:
      return ClientOp::kWrite;
    case kCmdFlush:
      return ClientOp::kFlush;
    case kCmdTrim:
      return ClientOp::kTrim;
    case kCmdWriteZeroes:
      return ClientOp::kWriteZeroes;
    case kCmdBlockStatus:
      return ClientOp::kBlockStatus;
    default:
      return std::nullopt;
  }
}

/// Flags that a command may carry. FUA is allowed with all of them, as the protocol has it.
std::uint16_t flags_of(ClientOp op, bool structured) {
  if (op == ClientOp::kWriteZeroes) return kFlagFua | kFlagNoHole;
  if (op == ClientOp::kBlockStatus) return kFlagFua | kFlagReqOne;
  if (op == ClientOp::kRead && structured) return kFlagFua | kFlagDf;
  return kFlagFua;
}

}  // namespace

NbdSession::NbdSession(const Export& device) : device_(device) {
  put<std::uint64_t>(out_, kInitMagic);
  put<std::uint64_t>(out_, kOptionMagic);
  put<std::uint16_t>(out_, kFixedNewstyle | kNoZeroes);
}

void NbdSession::drop(std::size_t bytes) {
  at_ += bytes;
  // What is done with goes when it is more than half, so that a byte is moved once.
  if (at_ == in_.size()) {
    in_.clear();
    at_ = 0;
  } else if (at_ > in_.size() / 2) {
    in_.erase(0, at_);
    at_ = 0;
  }
}

void NbdSession::end(std::string fault) {
  fault_ = std::move(fault);
  state_ = State::kClosed;
}

NbdSession::Step NbdSession::step(ClientRequest& request) {
  bool goes_on = true;
  while (goes_on) {
    switch (state_) {
      case State::kClientFlags:
        goes_on = client_flags();
        break;
      case State::kOptions:
        goes_on = option();
        break;
      case State::kTransmission: {
        const std::optional<Step> step = command(request);
        if (step) return *step;
        break;
      }
      case State::kClosed:
        return Step::kClosed;
    }
  }
  return Step::kNeedsMore;
}

bool NbdSession::client_flags() {
  if (!has(4)) return false;
  const auto flags = get<std::uint32_t>(rest(), 0);
  drop(4);
  if ((flags & ~std::uint32_t{kFixedNewstyle | kNoZeroes}) != 0) {
    end(fmt::format("handshake flags 0x{:x}, of which the server knows 0x3", flags));
    return true;
  }
  no_zeroes_ = (flags & kNoZeroes) != 0;
  state_ = State::kOptions;
  return true;
}

bool NbdSession::option() {
  if (!has(kOptionHeaderBytes)) return false;
  const auto magic = get<std::uint64_t>(rest(), 0);
  const auto number = get<std::uint32_t>(rest(), 8), length = get<std::uint32_t>(rest(), 12);
  if (magic != kOptionMagic) {
    end(fmt::format("an option begins with 0x{:016x}, not with IHAVEOPT", magic));
    return true;
  }
  if (length > kMostOption) {
    // It could be 4 GiB that nobody wants to read.
    if (number != kOptExportName) reply(number, kRepErrTooBig);
    end(fmt::format("option {} has {} bytes of data, at most {} are read", number, length, kMostOption));
    return true;
  }
  if (!has(kOptionHeaderBytes + length)) return false;
  const std::string data(rest().substr(kOptionHeaderBytes, length));
  drop(kOptionHeaderBytes + length);
  take_option(number, data);
  return true;
}

void NbdSession::take_option(std::uint32_t option, std::string_view data) {
  switch (option) {
    case kOptExportName:
      export_name(data);
      return;
    case kOptAbort:
      reply(option, kRepAck);
      state_ = State::kClosed;
      return;
    case kOptList:
      if (!data.empty()) {
        reply(option, kRepErrInvalid, "LIST has no data");
        return;
      }
      reply(option, kRepServer, std::string_view("\0\0\0\0", 4));  // the empty name
      reply(option, kRepAck);
      return;
    case kOptInfo:
    case kOptGo:
      take_info(option, data);
      return;
    case kOptStructuredReply:
      if (!data.empty()) {
        reply(option, kRepErrInvalid, "STRUCTURED_REPLY has no data");
        return;
      }
      structured_ = true;
      reply(option, kRepAck);
      return;
    case kOptListMetaContext:
    case kOptSetMetaContext:
      take_contexts(option, data);
      return;
    default:
      reply(option, kRepErrUnsupported);
  }
}

void NbdSession::export_name(std::string_view name) {
  if (!name.empty()) {  // this option cannot be refused otherwise
    end("EXPORT_NAME asks for another export than the one with the empty name");
    return;
  }
  put<std::uint64_t>(out_, device_.bytes);
  put<std::uint16_t>(out_, transmission_flags());
  if (!no_zeroes_) out_.append(124, '\0');
  state_ = State::kTransmission;
}

/// A list of contexts: all, those of a namespace ("base:"), or by their names. A choice: by their names alone.
void NbdSession::take_contexts(std::uint32_t option, std::string_view data) {
  const bool sets = option == kOptSetMetaContext;
  const auto invalid = [&](std::string_view why) { reply(option, kRepErrInvalid, why); };
  if (sets && !structured_) return invalid("STRUCTURED_REPLY comes first");
  constexpr std::string_view kExpected = "expected a name, and a list of contexts";
  if (data.size() < 8) return invalid(kExpected);
  const auto name_length = get<std::uint32_t>(data, 0);
  if (name_length > data.size() - 8) return invalid(kExpected);
  const auto count = get<std::uint32_t>(data, 4 + name_length);
  std::string_view queries = data.substr(8 + name_length);
  bool found = !sets && count == 0;
  for (std::uint32_t i = 0; i != count; ++i) {
    if (queries.size() < 4) return invalid(kExpected);
    const auto length = get<std::uint32_t>(queries, 0);
    queries.remove_prefix(4);
    if (length > queries.size()) return invalid(kExpected);
    const std::string_view query = queries.substr(0, length);
    found = found || query == kAllocation || (!sets && query == "base:");
    queries.remove_prefix(length);
  }
  if (!queries.empty()) return invalid(kExpected);
  if (name_length != 0) return reply(option, kRepErrUnknown, "the export has the empty name");
  if (sets) allocation_ = found;
  if (found) {
    std::string context;
    put<std::uint32_t>(context, sets ? kAllocationId : 0);
    context += kAllocation;
    reply(option, kRepMetaContext, context);
  }
  reply(option, kRepAck);
}

void NbdSession::take_info(std::uint32_t option, std::string_view data) {
  const auto invalid = [&] { reply(option, kRepErrInvalid, "expected a name, and a list of information"); };
  if (data.size() < 6) return invalid();
  const auto name_length = get<std::uint32_t>(data, 0);
  if (name_length > data.size() - 6) return invalid();
  const auto count = get<std::uint16_t>(data, 4 + name_length);
  if (data.size() != 6 + std::size_t{name_length} + std::size_t{count} * 2) return invalid();
  if (name_length != 0) return reply(option, kRepErrUnknown, "the export has the empty name");
  const auto asks = [&](std::uint16_t info) {
    for (std::size_t i = 0; i != count; ++i)
      if (get<std::uint16_t>(data, 6 + i * 2) == info) return true;
    return false;
  };
  std::string info;
  put<std::uint16_t>(info, kInfoExport);
  put<std::uint64_t>(info, device_.bytes);
  put<std::uint16_t>(info, transmission_flags());
  reply(option, kRepInfo, info);
  if (asks(kInfoName)) {
    info.clear();
    put<std::uint16_t>(info, kInfoName);
    reply(option, kRepInfo, info);
  }
  if (asks(kInfoDescription)) {
    info.clear();
    put<std::uint16_t>(info, kInfoDescription);
    reply(option, kRepInfo, info + device_.description);
  }
  // Unasked, too: who does not ask may go by it all the same.
  info.clear();
  put<std::uint16_t>(info, kInfoBlockSize);
  put<std::uint32_t>(info, device_.block_bytes);
  put<std::uint32_t>(info, device_.preferred_bytes);
  put<std::uint32_t>(info, kMostPayload);
  reply(option, kRepInfo, info);
  reply(option, kRepAck);
  if (option == kOptGo) state_ = State::kTransmission;
}

void NbdSession::reply(std::uint32_t option, std::uint32_t type, std::string_view data) {
  put<std::uint64_t>(out_, kOptionReplyMagic);
  put<std::uint32_t>(out_, option);
  put<std::uint32_t>(out_, type);
  put<std::uint32_t>(out_, static_cast<std::uint32_t>(data.size()));
  out_.append(data);
}

std::uint16_t NbdSession::transmission_flags() const {
  return static_cast<std::uint16_t>(kHasFlags | kSendFlush | kSendFua | kSendTrim | kSendWriteZeroes | kCanMultiConn |
                                    (structured_ ? kSendDf : 0));
}

std::optional<NbdSession::Step> NbdSession::command(ClientRequest& request) {
  if (!has(kRequestBytes)) return Step::kNeedsMore;
  const std::string_view header = rest();
  if (const auto magic = get<std::uint32_t>(header, 0); magic != kRequestMagic) {
    end(fmt::format("a request begins with 0x{:08x}, not with 0x{:08x}", magic, kRequestMagic));
    return Step::kClosed;
  }
  const auto flags = get<std::uint16_t>(header, 4), type = get<std::uint16_t>(header, 6);
  request = {};
  request.cookie = get<std::uint64_t>(header, 8);
  request.offset = get<std::uint64_t>(header, 16);
  request.length = get<std::uint32_t>(header, 24);
  if (type == kCmdDisconnect) {
    drop(kRequestBytes);
    state_ = State::kClosed;
    return Step::kClosed;
  }
  const std::size_t payload = type == kCmdWrite ? request.length : 0;
  if (payload > kMostPayload) {
    end(fmt::format("a write of {} bytes, at most {} are taken", payload, kMostPayload));
    return Step::kClosed;
  }
  if (!has(kRequestBytes + payload)) return Step::kNeedsMore;
  const std::optional<ClientOp> op = op_of(type);
  if (op) request.op = *op;
  request.fua = (flags & kFlagFua) != 0;
  request.no_hole = (flags & kFlagNoHole) != 0;
  // Without structured replies an answer is in one piece anyway.
  request.whole = (flags & (kFlagDf | kFlagReqOne)) != 0;
  const ClientError problem = problem_of(type, flags, request);
  if (problem == ClientError::kNone && payload != 0) request.data = header.substr(kRequestBytes, payload);
  drop(kRequestBytes + payload);
  if (problem == ClientError::kNone) return Step::kRequest;
  Answer refused;
  refused.cookie = request.cookie;
  refused.op = request.op;
  refused.error = problem;
  // An unknown command is refused in the simple form, which all clients take for what is no read.
  if (!op) refused.op = ClientOp::kFlush;
  answer(refused);
  return std::nullopt;
}

ClientError NbdSession::problem_of(std::uint16_t type, std::uint16_t flags, const ClientRequest& request) const {
  const std::optional<ClientOp> op = op_of(type);
  if (!op || (flags & ~flags_of(*op, structured_)) != 0) return ClientError::kInvalid;
  if (*op == ClientOp::kBlockStatus && !allocation_) return ClientError::kInvalid;
  if (*op == ClientOp::kFlush)
    return request.offset == 0 && request.length == 0 ? ClientError::kNone : ClientError::kInvalid;
  if (request.length == 0 || (*op == ClientOp::kRead && request.length > kMostPayload)) return ClientError::kInvalid;
  if (request.offset > device_.bytes || request.length > device_.bytes - request.offset) {
    const bool fills = *op == ClientOp::kWrite || *op == ClientOp::kWriteZeroes;
    return fills ? ClientError::kNoSpace : ClientError::kInvalid;
  }
  const bool aligned = request.offset % device_.block_bytes == 0 && request.length % device_.block_bytes == 0;
  return aligned ? ClientError::kNone : ClientError::kInvalid;
}

void NbdSession::chunk(std::uint16_t flags, std::uint16_t type, std::uint64_t cookie, std::uint32_t length) {
  put<std::uint32_t>(out_, kStructuredReplyMagic);
  put<std::uint16_t>(out_, flags);
  put<std::uint16_t>(out_, type);
  put<std::uint64_t>(out_, cookie);
  put<std::uint32_t>(out_, length);
}

void NbdSession::answer(const Answer& answer) {
  if (answer.op == ClientOp::kRead && structured_) return answer_read(answer);
  if (answer.op == ClientOp::kBlockStatus && structured_) return answer_status(answer);
  put<std::uint32_t>(out_, kSimpleReplyMagic);
  put<std::uint32_t>(out_, static_cast<std::uint32_t>(answer.error));
  put<std::uint64_t>(out_, answer.cookie);
  if (answer.error == ClientError::kNone) out_.append(answer.data);
}

void NbdSession::answer_error(const Answer& answer) {
  chunk(kChunkDone, kChunkError, answer.cookie, 6);
  put<std::uint32_t>(out_, static_cast<std::uint32_t>(answer.error));
  put<std::uint16_t>(out_, 0);  // no message
}

void NbdSession::answer_status(const Answer& answer) {
  if (answer.error != ClientError::kNone) return answer_error(answer);
  const std::size_t count = answer.whole ? 1 : answer.extents.size();
  chunk(kChunkDone, kChunkBlockStatus, answer.cookie, static_cast<std::uint32_t>(4 + 8 * count));
  put<std::uint32_t>(out_, kAllocationId);
  for (std::size_t i = 0; i != count; ++i) {
    const Extent& extent = answer.extents[i];
    put<std::uint32_t>(out_, extent.length);
    put<std::uint32_t>(out_, (extent.hole ? kStateHole : 0) | (extent.zeros ? kStateZero : 0));
  }
}

/// A structured answer: data and holes, each in a chunk.
void NbdSession::answer_read(const Answer& answer) {
  if (answer.error != ClientError::kNone) return answer_error(answer);
  const Extent all{answer.offset, static_cast<std::uint32_t>(answer.data.size()), false};
  const bool one = answer.whole || answer.extents.empty();
  const Extent* const extents = one ? &all : answer.extents.data();
  const std::size_t count = one ? 1 : answer.extents.size();
  for (std::size_t i = 0; i != count; ++i) {
    const Extent& extent = extents[i];
    const std::uint16_t done = i + 1 == count ? kChunkDone : 0;
    chunk(done, extent.hole ? kChunkOffsetHole : kChunkOffsetData, answer.cookie, extent.hole ? 12 : 8 + extent.length);
    put<std::uint64_t>(out_, extent.offset);
    if (extent.hole) {
      put<std::uint32_t>(out_, extent.length);
    } else {
      out_.append(answer.data, extent.offset - answer.offset, extent.length);
    }
  }
}

}  // namespace wordline::served
