// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/served/nbd_session.h"

#include <gtest/gtest.h>

#include <random>

namespace wordline::served::nbd_session_test {
namespace {

using namespace nbd;
using Step = NbdSession::Step;

constexpr std::uint64_t kDevice = 1U << 20U;

/// A client of a session, byte by byte.
struct Client {
  Export device{kDevice, 512, 4096, "a drive"};
  NbdSession session{device};
  ClientRequest request;

  std::string said() {
    std::string out;
    out.swap(session.out());
    return out;
  }
  Step send(const std::string& bytes) {
    session.take(bytes);
    return session.step(request);
  }
  static std::string option(std::uint32_t number, const std::string& data = {}) {
    std::string bytes;
    put<std::uint64_t>(bytes, kOptionMagic);
    put<std::uint32_t>(bytes, number);
    put<std::uint32_t>(bytes, static_cast<std::uint32_t>(data.size()));
    return bytes + data;
  }
  static std::string command(std::uint16_t type, std::uint64_t offset, std::uint32_t length, std::uint16_t flags = 0,
                             std::uint64_t cookie = 7) {
    std::string bytes;
    put<std::uint32_t>(bytes, kRequestMagic);
    put<std::uint16_t>(bytes, flags);
    put<std::uint16_t>(bytes, type);
    put<std::uint64_t>(bytes, cookie);
    put<std::uint64_t>(bytes, offset);
    put<std::uint32_t>(bytes, length);
    return bytes;
  }
  static std::string go_data(const std::string& name = {}, std::uint16_t infos = 0) {
    std::string data;
    put<std::uint32_t>(data, static_cast<std::uint32_t>(name.size()));
    data += name;
    put<std::uint16_t>(data, infos);
    return data;
  }
  void begin(std::uint32_t flags = kFixedNewstyle | kNoZeroes) {
    said();
    std::string bytes;
    put<std::uint32_t>(bytes, flags);
    EXPECT_EQ(send(bytes), Step::kNeedsMore);
  }
  void go() {
    begin();
    EXPECT_EQ(send(option(kOptGo, go_data())), Step::kNeedsMore);
    EXPECT_TRUE(session.transmitting());
    said();
  }
  /// Type of the first reply to an option.
  std::uint32_t reply_type(const std::string& bytes) {
    EXPECT_NE(send(bytes), Step::kRequest);
    const std::string out = said();
    EXPECT_GE(out.size(), 20U);
    return out.size() < 20 ? 0 : get<std::uint32_t>(out, 12);
  }
  /// Error of a command that is refused at once.
  std::uint32_t refused(const std::string& bytes) {
    EXPECT_EQ(send(bytes), Step::kNeedsMore);
    const std::string out = said();
    EXPECT_EQ(out.size(), 16U);
    EXPECT_EQ(get<std::uint32_t>(out, 0), kSimpleReplyMagic);
    EXPECT_EQ(get<std::uint64_t>(out, 8), 7U);
    return get<std::uint32_t>(out, 4);
  }
};

TEST(NbdSession, GreetsAndNamesTheDevice) {
  Client client;
  const std::string greeting = client.said();
  ASSERT_EQ(greeting.size(), 18U);
  EXPECT_EQ(greeting.substr(0, 16), "NBDMAGICIHAVEOPT");
  EXPECT_EQ(get<std::uint16_t>(greeting, 16), 3);
  client.begin();
  client.send(Client::option(kOptExportName));
  const std::string device = client.said();
  ASSERT_EQ(device.size(), 10U);
  EXPECT_EQ(get<std::uint64_t>(device, 0), kDevice);
  EXPECT_EQ(get<std::uint16_t>(device, 8),
            kHasFlags | kSendFlush | kSendFua | kSendTrim | kSendWriteZeroes | kCanMultiConn);
  EXPECT_TRUE(client.session.transmitting());
}

TEST(NbdSession, PadsForClientsThatWantIt) {
  Client client;
  client.begin(kFixedNewstyle);
  client.send(Client::option(kOptExportName));
  EXPECT_EQ(client.said().size(), 10U + 124U);
}

TEST(NbdSession, OptionsAndWhatIsWrongWithThem) {
  Client client;
  client.begin();
  EXPECT_EQ(client.reply_type(Client::option(kOptList)), +kRepServer);
  EXPECT_EQ(client.reply_type(Client::option(kOptList, "x")), +kRepErrInvalid);
  EXPECT_EQ(client.reply_type(Client::option(5)), +kRepErrUnsupported);  // TLS
  EXPECT_EQ(client.reply_type(Client::option(0xffffffff, "what")), +kRepErrUnsupported);
  EXPECT_EQ(client.reply_type(Client::option(kOptInfo, "abc")), +kRepErrInvalid);
  EXPECT_EQ(client.reply_type(Client::option(kOptInfo, std::string("\xff\xff\xff\xff\0\0", 6))), +kRepErrInvalid);
  EXPECT_EQ(client.reply_type(Client::option(kOptInfo, Client::go_data("", 9))),
            +kRepErrInvalid);  // 9 that are not there
  EXPECT_EQ(client.reply_type(Client::option(kOptInfo, Client::go_data("other"))), +kRepErrUnknown);
  EXPECT_EQ(client.reply_type(Client::option(kOptStructuredReply, "x")), +kRepErrInvalid);
  EXPECT_EQ(client.reply_type(Client::option(kOptStructuredReply)), +kRepAck);
  EXPECT_EQ(client.reply_type(Client::option(kOptInfo, Client::go_data())), +kRepInfo);
  EXPECT_FALSE(client.session.transmitting());
  EXPECT_EQ(client.reply_type(Client::option(kOptAbort)), +kRepAck);
  EXPECT_TRUE(client.session.closed());
  EXPECT_EQ(client.session.fault(), "");
}

TEST(NbdSession, SaysWhichBlocksItTakes) {
  Client client;
  client.begin();
  client.send(Client::option(kOptGo, Client::go_data()));
  const std::string out = client.said();
  std::string expected;
  put<std::uint16_t>(expected, kInfoBlockSize);
  put<std::uint32_t>(expected, 512);
  put<std::uint32_t>(expected, 4096);
  put<std::uint32_t>(expected, NbdSession::kMostPayload);
  EXPECT_NE(out.find(expected), std::string::npos);
}

TEST(NbdSession, WhatCannotBeSkippedEndsTheConnection) {
  for (const std::string& bytes : {std::string(16, 'x'), [] {
                                     std::string huge = Client::option(kOptInfo);
                                     huge.replace(12, 4, "\xff\xff\xff\xff");
                                     return huge;
                                   }()}) {
    Client client;
    client.begin();
    EXPECT_EQ(client.send(bytes), Step::kClosed);
    EXPECT_NE(client.session.fault(), "");
  }
  Client flags;
  flags.said();
  EXPECT_EQ(flags.send(std::string("\x80\0\0\x01", 4)), Step::kClosed);
  Client magic;
  magic.go();
  EXPECT_EQ(magic.send(std::string(kRequestBytes, 'x')), Step::kClosed);
  Client large;
  large.go();
  EXPECT_EQ(large.send(Client::command(kCmdWrite, 0, NbdSession::kMostPayload + 512)), Step::kClosed);
  Client name;
  name.begin();
  EXPECT_EQ(name.send(Client::option(kOptExportName, "other")), Step::kClosed);
}

TEST(NbdSession, CommandsComeWholeHoweverTheyAreCut) {
  const std::string bytes = Client::command(kCmdWrite, 1024, 1024, kFlagFua, 99) + std::string(1024, 'd') +
                            Client::command(kCmdRead, 0, 4096, 0, 100);
  for (std::size_t piece : {1U, 3U, 27U, 28U, 29U, 500U, 5000U}) {
    Client client;
    client.go();
    std::vector<ClientRequest> got;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      client.session.take(std::string_view(bytes).substr(at, piece));
      while (client.session.step(client.request) == Step::kRequest) got.push_back(client.request);
    }
    ASSERT_EQ(got.size(), 2U) << piece;
    EXPECT_EQ(got[0].op, ClientOp::kWrite);
    EXPECT_TRUE(got[0].fua);
    EXPECT_EQ(got[0].cookie, 99U);
    EXPECT_EQ(got[0].offset, 1024U);
    EXPECT_EQ(got[0].data, std::string(1024, 'd'));
    EXPECT_EQ(got[1].op, ClientOp::kRead);
    EXPECT_EQ(got[1].length, 4096U);
  }
}

TEST(NbdSession, RefusesWhatTheDeviceHasNot) {
  Client client;
  client.go();
  constexpr auto kInvalid = static_cast<std::uint32_t>(ClientError::kInvalid);
  constexpr auto kNoSpace = static_cast<std::uint32_t>(ClientError::kNoSpace);
  EXPECT_EQ(client.refused(Client::command(kCmdRead, kDevice, 512)), kInvalid);
  EXPECT_EQ(client.refused(Client::command(kCmdRead, kDevice - 512, 1024)), kInvalid);
  EXPECT_EQ(client.refused(Client::command(kCmdRead, UINT64_MAX - 511, 512)), kInvalid);
  EXPECT_EQ(client.refused(Client::command(kCmdRead, 1, 512)), kInvalid);
  EXPECT_EQ(client.refused(Client::command(kCmdRead, 0, 513)), kInvalid);
  EXPECT_EQ(client.refused(Client::command(kCmdRead, 0, 0)), kInvalid);
  EXPECT_EQ(client.refused(Client::command(kCmdRead, 0, UINT32_MAX)), kInvalid);
  EXPECT_EQ(client.refused(Client::command(kCmdRead, 0, 512, kFlagDf)), kInvalid);  // not agreed upon
  EXPECT_EQ(client.refused(Client::command(kCmdFlush, 512, 0)), kInvalid);
  EXPECT_EQ(client.refused(Client::command(kCmdTrim, 0, UINT32_MAX)), kInvalid);
  EXPECT_EQ(client.refused(Client::command(kCmdWriteZeroes, kDevice, 512)), kNoSpace);
  EXPECT_EQ(client.refused(Client::command(kCmdWriteZeroes, 0, 512, 1U << 4U)), kInvalid);  // fast zero
  EXPECT_EQ(client.refused(Client::command(5, 0, 512)), kInvalid);                          // CACHE
  EXPECT_EQ(client.refused(Client::command(kCmdWrite, kDevice, 512) + std::string(512, 'x')), kNoSpace);
  // After all that the session is where it was.
  EXPECT_EQ(client.send(Client::command(kCmdRead, kDevice - 512, 512)), Step::kRequest);
  EXPECT_EQ(client.request.offset, kDevice - 512);
}

TEST(NbdSession, AnswersAreSimpleUnlessAgreedOtherwise) {
  Client client;
  client.go();
  Answer answer;
  answer.cookie = 5;
  answer.data = std::string(1024, 'a');
  answer.extents = {{0, 512, false}, {512, 512, true}};
  client.session.answer(answer);
  const std::string out = client.said();
  ASSERT_EQ(out.size(), 16U + 1024U);
  EXPECT_EQ(get<std::uint64_t>(out, 8), 5U);
}

TEST(NbdSession, StructuredAnswersHaveHolesAndErrors) {
  Client client;
  client.begin();
  client.send(Client::option(kOptStructuredReply));
  client.send(Client::option(kOptGo, Client::go_data()));
  client.said();
  Answer answer;
  answer.cookie = 5;
  answer.offset = 4096;
  answer.data = std::string(512, 'a') + std::string(512, '\0') + std::string(512, 'b');
  answer.extents = {{4096, 512, false}, {4608, 512, true}, {5120, 512, false}};
  client.session.answer(answer);
  std::string out = client.said();
  ASSERT_EQ(out.size(), 20U + 8 + 512 + 20 + 12 + 20 + 8 + 512);
  EXPECT_EQ(get<std::uint16_t>(out, 4), 0);
  EXPECT_EQ(get<std::uint16_t>(out, 6), kChunkOffsetData);
  EXPECT_EQ(get<std::uint64_t>(out, 20), 4096U);
  EXPECT_EQ(get<std::uint16_t>(out, 540 + 6), kChunkOffsetHole);
  EXPECT_EQ(get<std::uint64_t>(out, 540 + 20), 4608U);
  EXPECT_EQ(get<std::uint32_t>(out, 540 + 28), 512U);
  EXPECT_EQ(get<std::uint16_t>(out, 572 + 4), kChunkDone);
  EXPECT_EQ(out.substr(600), std::string(512, 'b'));
  answer.whole = true;
  client.session.answer(answer);
  out = client.said();
  ASSERT_EQ(out.size(), 20U + 8 + 1536);
  EXPECT_EQ(get<std::uint16_t>(out, 4), kChunkDone);
  answer.error = ClientError::kIo;
  client.session.answer(answer);
  out = client.said();
  ASSERT_EQ(out.size(), 26U);
  EXPECT_EQ(get<std::uint16_t>(out, 6), kChunkError);
  EXPECT_EQ(get<std::uint32_t>(out, 20), 5U);
}

TEST(NbdSession, BlockStatusWantsItsContext) {
  Client client;
  client.begin();
  std::string chosen;
  put<std::uint32_t>(chosen, 0);
  put<std::uint32_t>(chosen, 2);
  for (const std::string& name : {std::string("other:dirty"), std::string(kAllocation)}) {
    put<std::uint32_t>(chosen, static_cast<std::uint32_t>(name.size()));
    chosen += name;
  }
  client.send(Client::option(kOptSetMetaContext, chosen));
  EXPECT_EQ(get<std::uint32_t>(client.said(), 12), kRepErrInvalid);  // structured replies come first
  client.send(Client::option(kOptStructuredReply));
  client.said();
  for (std::size_t cut = 0; cut != chosen.size(); ++cut) {
    client.send(Client::option(kOptSetMetaContext, chosen.substr(0, cut)));
    EXPECT_EQ(get<std::uint32_t>(client.said(), 12), kRepErrInvalid);
  }
  client.send(Client::option(kOptSetMetaContext, chosen));
  const std::string said = client.said();
  EXPECT_EQ(get<std::uint32_t>(said, 12), kRepMetaContext);
  EXPECT_EQ(said.substr(24, kAllocation.size()), kAllocation);
  client.send(Client::option(kOptGo, Client::go_data()));
  client.said();
  ASSERT_EQ(client.send(Client::command(kCmdBlockStatus, 0, 8192)), Step::kRequest);
  EXPECT_EQ(client.request.op, ClientOp::kBlockStatus);
  Answer answer;
  answer.op = ClientOp::kBlockStatus;
  answer.cookie = 7;
  answer.extents = {{0, 4096, false, false}, {4096, 4096, true, true}};
  client.session.answer(answer);
  const std::string status = client.said();
  ASSERT_EQ(status.size(), 40U);
  EXPECT_EQ(get<std::uint16_t>(status, 6), kChunkBlockStatus);
  EXPECT_EQ(get<std::uint32_t>(status, 20), kAllocationId);
  EXPECT_EQ(get<std::uint32_t>(status, 36), kStateHole | kStateZero);
}

TEST(NbdSession, DisconnectIsNoFault) {
  Client client;
  client.go();
  EXPECT_EQ(client.send(Client::command(kCmdDisconnect, 0, 0)), Step::kClosed);
  EXPECT_EQ(client.session.fault(), "");
}

/// Valid messages with bytes changed, cut and repeated: nothing but requests within the device comes out, and what is
/// held of them stays small.
TEST(NbdSession, BelievesNoClient) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  std::uint64_t requests = 0, closed = 0;
  for (int round = 0; round != 3000; ++round) {
    Client client;
    client.begin();
    std::string bytes;
    for (int i = 0; i != 6; ++i) {
      const std::uint32_t options[] = {kOptList, kOptInfo, kOptStructuredReply, 77};
      if (below(2) == 0) bytes += Client::option(options[below(4)], below(2) == 0 ? "" : Client::go_data("", 0));
    }
    bytes += Client::option(kOptGo, Client::go_data());
    for (int i = 0; i != 6; ++i) {
      const std::uint16_t type = static_cast<std::uint16_t>(below(8));
      const std::uint32_t length = static_cast<std::uint32_t>(below(8) * 512);
      bytes += Client::command(type, below(2048) * 512, length, static_cast<std::uint16_t>(below(8)));
      if (type == kCmdWrite) bytes += std::string(length, 'w');
    }
    for (std::size_t i = below(2) * below(4); i != 0; --i) bytes[below(bytes.size())] = static_cast<char>(random());
    if (below(4) == 0) bytes.resize(below(bytes.size()) + 1);
    if (below(4) == 0) bytes.insert(below(bytes.size()), bytes.substr(0, below(bytes.size())));
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = 1 + below(600);
      client.session.take(std::string_view(bytes).substr(at, piece));
      at += piece;
      Step step{};
      while ((step = client.session.step(client.request)) == Step::kRequest) {
        ++requests;
        const ClientRequest& got = client.request;
        if (got.op == ClientOp::kFlush) continue;
        ASSERT_LE(got.offset + got.length, kDevice);
        ASSERT_EQ((got.offset | got.length) % 512, 0U);
        ASSERT_GT(got.length, 0U);
        ASSERT_EQ(got.data.size(), got.op == ClientOp::kWrite ? got.length : 0);
      }
      ASSERT_LT(client.session.out().size(), std::size_t{64} << 10U);
      if (step == Step::kClosed) {
        ++closed;
        break;
      }
    }
  }
  EXPECT_GT(requests, 1000U);
  EXPECT_GT(closed, 500U);
}

}  // namespace
}  // namespace wordline::served::nbd_session_test
