// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/served/vfio_session.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "models/served/pci_function.h"

namespace wordline::served::vfio_session_test {
namespace {

using namespace vfio;

/// A device that counts.
struct Device final : VfioDeviceIf {
  MessageVectors interrupts{4};
  std::vector<std::byte> bar = std::vector<std::byte>(16384);
  unsigned resets = 0, maps = 0;
  bool mapped = false;

  VfioRegion region(std::uint32_t index) const override {
    if (index != kBar0) return {};
    return mapped ? VfioRegion{bar.size(), 5, 0x1000, 0x1000} : VfioRegion{bar.size(), -1, 0, 0};
  }
  int read(std::uint32_t, std::uint64_t offset, std::byte* to, std::uint32_t count) override {
    std::memcpy(to, &bar.at(offset), count);
    return 0;
  }
  int write(std::uint32_t, std::uint64_t offset, const std::byte* from, std::uint32_t count) override {
    std::memcpy(&bar.at(offset), from, count);
    return 0;
  }
  int map(const DmaMap&, Descriptor) override {
    ++maps;
    return 0;
  }
  int unmap(const DmaUnmap&) override { return 0; }
  void reset() override { ++resets; }
  MessageVectors& vectors() override { return interrupts; }
};

struct Client {
  Device device;
  VfioSession session{device};

  template <class... Parts>
  std::vector<std::byte> ask(std::uint16_t command, std::uint32_t flags, const Parts&... parts) {
    VfioMessage message;
    message.header.id = 7;
    message.header.command = command;
    message.header.flags = flags;
    [[maybe_unused]] const auto add = [&](const auto& part) {
      const std::size_t at = message.body.size();
      message.body.resize(at + sizeof part);
      std::memcpy(message.body.data() + at, &part, sizeof part);
    };
    (add(parts), ...);
    return session.take(std::move(message)).bytes;
  }
  void begin() { (void)ask(kVersion, 0, std::uint32_t{0}); }
  static Header header_of(const std::vector<std::byte>& reply) {
    Header header;
    EXPECT_GE(reply.size(), sizeof header);
    std::memcpy(&header, reply.data(), sizeof header);
    EXPECT_EQ(header.size, reply.size());
    EXPECT_EQ(header.id, 7);
    return header;
  }
  static std::uint32_t error_of(const std::vector<std::byte>& reply) {
    const Header header = header_of(reply);
    EXPECT_EQ(header.error != 0, (header.flags & kError) != 0);
    return header.error;
  }
};

TEST(VfioSession, VersionComesFirstAndOnce) {
  Client client;
  EXPECT_EQ(Client::error_of(client.ask(kDeviceReset, 0)), EINVAL);
  EXPECT_TRUE(client.session.closed());
  Client other;
  const auto reply = other.ask(kVersion, 0, std::uint16_t{0}, std::uint16_t{9});
  EXPECT_EQ(Client::error_of(reply), 0U);
  EXPECT_EQ(reply[sizeof(Header) + 2], std::byte{1});  // the minor that it speaks
  EXPECT_EQ(reply.back(), std::byte{0});
  EXPECT_TRUE(other.session.open());
  (void)other.ask(kVersion, 0, std::uint32_t{0});
  EXPECT_TRUE(other.session.closed());
}

TEST(VfioSession, ClientSaysWhatItTakesInOneMessage) {
  Client client;
  (void)client.ask(kVersion, 0, std::uint32_t{0}, "{\"capabilities\":{\"max_data_xfer_size\": 8192}}");
  EXPECT_EQ(client.session.most_data(), 8192U);
}

TEST(VfioSession, NoReplyWhereNoneIsWanted) {
  Client client;
  client.begin();
  const RegionAccess access{0x14, kBar0, 4};
  EXPECT_TRUE(client.ask(kRegionWrite, kNoReply, access, 0x460001U).empty());
  EXPECT_EQ(client.device.bar[0x14], std::byte{1});
  EXPECT_FALSE(client.ask(kRegionWrite, 0, access, 0x460001U).empty());
}

TEST(VfioSession, AccessesStayWithinTheirRegion) {
  Client client;
  client.begin();
  for (const RegionAccess& access : {RegionAccess{16384, kBar0, 1}, RegionAccess{UINT64_MAX, kBar0, 4},
                                     RegionAccess{0, kBar0, UINT32_MAX}, RegionAccess{0, 1, 1}, RegionAccess{0, 9, 1}})
    EXPECT_EQ(Client::error_of(client.ask(kRegionRead, 0, access)), EINVAL);
  EXPECT_EQ(Client::error_of(client.ask(kRegionRead, 0, RegionAccess{16383, kBar0, 1})), 0U);
}

TEST(VfioSession, MapOfARegionIsACapabilityThatHasRoom) {
  Client client;
  client.device.mapped = true;
  client.begin();
  const auto whole = client.ask(kRegionInfo, 0, RegionInfo{64, 0, kBar0, 0, 0, 0});
  EXPECT_EQ(whole.size(), sizeof(Header) + sizeof(RegionInfo) + sizeof(SparseMap));
  const auto small = client.ask(kRegionInfo, 0, RegionInfo{32, 0, kBar0, 0, 0, 0});
  EXPECT_EQ(small.size(), sizeof(Header) + sizeof(RegionInfo));
  std::uint32_t needed = 0;
  std::memcpy(&needed, small.data() + sizeof(Header), sizeof needed);
  EXPECT_EQ(needed, sizeof(RegionInfo) + sizeof(SparseMap));
  // QEMU refuses the region where this is 0.
  std::uint32_t capabilities = 0;
  std::memcpy(&capabilities, small.data() + sizeof(Header) + 12, sizeof capabilities);
  EXPECT_EQ(capabilities, sizeof(RegionInfo));
}

TEST(VfioSession, AnythingIsAnswered) {
  std::mt19937 chance(1);
  Client client;
  client.begin();
  for (unsigned i = 0; i != 100'000; ++i) {
    VfioMessage message;
    message.header.id = 7;
    message.header.command = static_cast<std::uint16_t>(2 + chance() % 14);
    message.body.resize(chance() % 48);
    for (std::size_t at = 0; at + 4 <= message.body.size(); at += 4) {
      constexpr std::uint32_t kOften[] = {0, 0, 0, 1, 2, 3, 32, 64, UINT32_MAX};
      const std::uint32_t word = chance() % 8 == 0 ? static_cast<std::uint32_t>(chance()) : kOften[chance() % 9];
      std::memcpy(message.body.data() + at, &word, sizeof word);
    }
    (void)Client::header_of(client.session.take(std::move(message)).bytes);
  }
  EXPECT_FALSE(client.session.closed());
  EXPECT_GT(client.device.resets, 100U);
  EXPECT_GT(client.device.maps, 0U);
}

TEST(MessageVectors, PendingUntilTheyAreUnmasked) {
  MessageVectors vectors(2);
  const int event = eventfd(0, EFD_NONBLOCK);
  ASSERT_TRUE(vectors.hook(1, Descriptor(dup(event))));
  std::uint64_t count = 0;
  vectors.mask(1, true);
  vectors.trigger(1);
  vectors.trigger(1);
  EXPECT_EQ(read(event, &count, sizeof count), -1);
  vectors.mask(1, false);
  EXPECT_EQ(read(event, &count, sizeof count), 8);
  EXPECT_EQ(count, 1U);
  vectors.trigger(0);
  vectors.trigger(9);
  EXPECT_EQ(vectors.messages(), 4U);
  EXPECT_EQ(vectors.told(), 1U);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(vectors.hook(0, Descriptor(ends[1])));
  close(ends[0]);
  close(event);
}

TEST(PciFunction, SizesOfBarsAndResets) {
  PciFunction function(65536, 64, {0x1b36, 0x1234, PciFunction::link_speed_of(7'876'923'000)});
  std::uint32_t names = 0;
  function.read(0, 4, reinterpret_cast<std::byte*>(&names));
  EXPECT_EQ(names, 0x12341b36U);
  const std::uint64_t ones = UINT64_MAX;
  EXPECT_FALSE(function.write(0x10, 8, reinterpret_cast<const std::byte*>(&ones)));
  std::uint64_t bar = 0;
  function.read(0x10, 8, reinterpret_cast<std::byte*>(&bar));
  EXPECT_EQ(bar, ~std::uint64_t{65535} | 4U);
  // The capability of PCI Express, by the list.
  std::byte at{};
  function.read(0x34, 1, &at);
  for (std::byte id{}; id != std::byte{0x10};) {
    const auto offset = static_cast<std::uint32_t>(at);
    function.read(offset, 1, &id);
    if (id != std::byte{0x10}) function.read(offset + 1, 1, &at);
  }
  std::uint16_t link = 0;
  function.read(static_cast<std::uint32_t>(at) + 0x12, 2, reinterpret_cast<std::byte*>(&link));
  EXPECT_EQ(link, 0x44U) << "four lanes of 16 GT/s";
  function.read(static_cast<std::uint32_t>(at) + 0x2c, 2, reinterpret_cast<std::byte*>(&link));
  EXPECT_EQ(link, 0x1eU) << "and all speeds below";
  const std::uint16_t flr = 0x8000;
  EXPECT_TRUE(function.write(static_cast<std::uint32_t>(at) + 8, 2, reinterpret_cast<const std::byte*>(&flr)));
  function.read(0x10, 8, reinterpret_cast<std::byte*>(&bar));
  EXPECT_EQ(bar, 4U);
}

TEST(PciFunction, SpeedOfTheLink) {
  EXPECT_EQ(PciFunction::link_speed_of(1'000'000), 1);
  EXPECT_EQ(PciFunction::link_speed_of(3'938'461'000), 3);
  EXPECT_EQ(PciFunction::link_speed_of(3'950'000'000), 4);
  EXPECT_EQ(PciFunction::link_speed_of(15'753'846'000), 5);
  EXPECT_EQ(PciFunction::link_speed_of(100'000'000'000), 6);
}

}  // namespace
}  // namespace wordline::served::vfio_session_test
