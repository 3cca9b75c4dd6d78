// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/memory/interconnect.h"

#include <gtest/gtest.h>

#include "models/firmware/contract/contract.h"
#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/memory/bus_master.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/memory/dram.h"
#include "tlm/device/memory/tcm.h"
#include "tlm/protocol/register_socket.h"

namespace wordline::memory::interconnect_test {
namespace {

using namespace wordline::literals;
using testing::BusMaster;
using testing::RegisterProbe;
using testing::simulate;

constexpr unsigned kChannels = 3;
constexpr Picoseconds kLatency = 8_ns;
constexpr Picoseconds kLimit = 1_ms;

// Everything bound but the UART.
class InterconnectTest : public ::testing::Test {
 protected:
  InterconnectTest() {
    a.socket.bind(bus.cores[0]);
    b.socket.bind(bus.cores[1]);
    bus.itcm.bind(itcm.socket);
    bus.tcm.bind(tcm.socket);
    bus.dram.bind(dram.socket);
    bus.nvme.bind(nvme.socket);
    bus.flash.bind(flash.socket);
    bus.ecc.bind(ecc.socket);
    bus.irq.bind(irq.socket);
    bus.timer.bind(timer.socket);
    for (unsigned i = 0; i < kChannels; ++i) bus.channels[i].bind(channels[i].socket);
  }
  void expect_at(RegisterProbe& target, std::uint32_t offset, std::uint32_t inside) {
    const unsigned before = target.accesses;
    const unsigned all = total();
    a.write(WL_MMIO_BASE + offset, offset ^ 0x5a5a, 3_ns);
    EXPECT_EQ(a.status, tlm::TLM_OK_RESPONSE) << std::hex << offset;
    EXPECT_EQ(target.accesses, before + 1) << std::hex << offset;
    EXPECT_EQ(total(), all + 1) << "nobody else saw it";
    EXPECT_EQ(target.offset, inside) << std::hex << offset;
    EXPECT_EQ(target.value, offset ^ 0x5a5a);
    EXPECT_EQ(target.arrival, tlm_if::kernel_time() + 3_ns + kLatency);
    EXPECT_EQ(a.delay, 3_ns + kLatency);
    EXPECT_EQ(b.read(WL_MMIO_BASE + offset), offset ^ 0x5a5a);
    EXPECT_EQ(b.delay, kLatency);
  }
  unsigned total() {
    unsigned sum = 0;
    for (const RegisterProbe* p : {&nvme, &flash, &ecc, &irq, &timer}) sum += p->accesses;
    for (const RegisterProbe& p : channels) sum += p.accesses;
    return sum;
  }

  BusMaster a{"a"}, b{"b"};
  Interconnect bus{"bus", 2, kChannels, kLatency};
  Tcm itcm{"itcm", WL_ITCM_BASE, WL_ITCM_SIZE};
  Tcm tcm{"tcm", WL_TCM_BASE, WL_TCM_SIZE};
  Dram dram{"dram", testing::context(), {BytesPerSecond(1'000'000'000), 50_ns}};
  RegisterProbe nvme{"nvme"}, flash{"flash"}, ecc{"ecc"}, irq{"irq"}, timer{"timer"};
  sc_core::sc_vector<RegisterProbe> channels{"channels", kChannels};
};

TEST_F(InterconnectTest, RoutesRegistersByAddress) {
  simulate(
      [&] {
        namespace r = registers;
        expect_at(nvme, r::nvme::kBase, 0);
        expect_at(nvme, r::nvme::kBase + r::nvme::control, r::nvme::control);
        expect_at(flash, r::flash::kBase + r::flash::slot_table, r::flash::slot_table);
        expect_at(ecc, r::ecc::kBase + r::ecc::uncorrectable, r::ecc::uncorrectable);
        expect_at(irq, r::irq::kBase + 7 * r::irq::kStride + r::irq::ipi, 7 * r::irq::kStride + r::irq::ipi);
        expect_at(timer, r::timer::kBase + r::timer::compare, r::timer::compare);
        expect_at(channels[0], r::channel::kBase, 0);
        expect_at(channels[2], r::channel::kBase + 2 * r::channel::kStride + r::channel::job_doorbell,
                  r::channel::job_doorbell);
      },
      tlm_if::to_sc_time(kLimit));
}

struct GrantingBlock : sc_core::sc_module {
  explicit GrantingBlock(const sc_core::sc_module_name& name) : sc_module(name) {}
  tlm_if::RegisterSocket socket{"socket", [](std::uint32_t, std::uint32_t&, Picoseconds&) { return true; },
                                [](std::uint32_t, std::uint32_t, Picoseconds&) { return true; }};
};

// Behind the bus are blocks that grant it, and some that do not.
TEST(InterconnectDirectTest, HandsOnRequestsForTheDirectWayWithItsLatency) {
  BusMaster a("a");
  Interconnect bus("bus", 1, 2, kLatency);
  GrantingBlock irq("irq");
  GrantingBlock channel("channel");
  RegisterProbe probe("probe");
  Tcm tcm("tcm", WL_TCM_BASE, WL_TCM_SIZE);
  a.socket.bind(bus.cores[0]);
  bus.irq.bind(irq.socket);
  bus.channels[1].bind(channel.socket);
  bus.channels[0].bind(probe.socket);
  bus.tcm.bind(tcm.socket);
  simulate(
      [&] {
        namespace r = registers;
        const auto ask = [&](std::uint64_t address) {
          tlm_if::DirectRegister direct;
          tlm::tlm_dmi dmi;
          a.payload.set_extension(&direct);
          EXPECT_EQ(a.dmi(address, dmi), address == WL_TCM_BASE);
          EXPECT_EQ(a.payload.get_address(), address) << "put back";
          a.payload.clear_extension(&direct);
          return direct;
        };
        const auto second = ask(WL_MMIO_BASE + r::channel::kBase + r::channel::kStride + r::channel::job_doorbell);
        EXPECT_EQ(second.block, &channel.socket);
        EXPECT_EQ(second.offset, r::channel::job_doorbell);
        EXPECT_EQ(second.latency, kLatency);
        const auto ipi = ask(WL_MMIO_BASE + r::irq::kBase + 3 * r::irq::kStride + r::irq::ipi);
        EXPECT_EQ(ipi.block, &irq.socket);
        EXPECT_EQ(ipi.offset, 3 * r::irq::kStride + r::irq::ipi);
        EXPECT_EQ(ask(WL_MMIO_BASE + r::channel::kBase).block, nullptr) << "a block of another kind";
        EXPECT_EQ(ask(WL_MMIO_BASE + r::timer::kBase).block, nullptr) << "nothing is bound";
        EXPECT_EQ(ask(WL_TCM_BASE).block, nullptr) << "memory";
      },
      tlm_if::to_sc_time(kLimit));
}

TEST_F(InterconnectTest, HolesAndUnboundBlocksAnswerWithAnAddressError) {
  simulate(
      [&] {
        namespace r = registers;
        const std::uint64_t holes[] = {
            WL_ITCM_BASE + WL_ITCM_SIZE,
            WL_TCM_BASE - 4,
            WL_TCM_BASE + WL_TCM_SIZE,
            WL_MMIO_BASE - 4,
            WL_MMIO_BASE + r::nvme::kStride,
            WL_MMIO_BASE + r::irq::kBase + r::irq::kCount * r::irq::kStride,
            WL_MMIO_BASE + r::uart::kBase,
            WL_MMIO_BASE + r::channel::kBase - 4,
            WL_MMIO_BASE + r::channel::kBase + kChannels * r::channel::kStride,
            WL_MMIO_BASE + WL_MMIO_SIZE - 4,
            WL_MMIO_BASE + WL_MMIO_SIZE,
            WL_DRAM_BASE - 4ULL,
            0x1'0000'0000ULL,
        };
        for (const std::uint64_t address : holes) {
          a.write(address, 1);
          EXPECT_EQ(a.status, tlm::TLM_ADDRESS_ERROR_RESPONSE) << std::hex << address;
          EXPECT_EQ(a.delay, kLatency);
          tlm::tlm_dmi dmi;
          EXPECT_FALSE(a.dmi(address, dmi)) << std::hex << address;
        }
        EXPECT_EQ(total(), 0U);
      },
      tlm_if::to_sc_time(kLimit));
}

TEST_F(InterconnectTest, MemoriesAreReachedThroughTheBusAndDirectly) {
  simulate(
      [&] {
        struct Case {
          std::uint32_t base, size;
          std::byte* data;
          Picoseconds latency;
        };
        const Case cases[] = {{WL_ITCM_BASE, WL_ITCM_SIZE, itcm.data(), 0_ps},
                              {WL_TCM_BASE, WL_TCM_SIZE, tcm.data(), 0_ps},
                              {WL_DRAM_BASE, WL_DRAM_SIZE, dram.data(), 50_ns}};
        for (const Case& c : cases) {
          const std::uint64_t last = std::uint64_t{c.base} + c.size - 4;
          a.write(last, c.base + 1);
          EXPECT_EQ(a.status, tlm::TLM_OK_RESPONSE);
          EXPECT_EQ(a.delay, c.latency);
          EXPECT_EQ(b.read(last), c.base + 1);
          tlm::tlm_dmi dmi;
          ASSERT_TRUE(b.dmi(c.base + 0x100, dmi));
          EXPECT_EQ(dmi.get_start_address(), c.base);
          EXPECT_EQ(dmi.get_end_address(), std::uint64_t{c.base} + c.size - 1);
          EXPECT_EQ(reinterpret_cast<std::byte*>(dmi.get_dmi_ptr()), c.data);
          std::uint32_t word = 0;
          EXPECT_EQ(a.debug(tlm::TLM_READ_COMMAND, last, &word, 4), 4U);
          EXPECT_EQ(word, c.base + 1);
        }
        std::uint32_t word = 0;
        EXPECT_EQ(a.debug(tlm::TLM_READ_COMMAND, WL_MMIO_BASE, &word, 4), 0U) << "registers have side effects";
        tlm::tlm_dmi dmi;
        EXPECT_FALSE(a.dmi(WL_MMIO_BASE, dmi));
      },
      tlm_if::to_sc_time(kLimit));
}

TEST(InterconnectSizeTest, MoreChannelsThanTheRegisterMapIsAnError) {
  testing::expect_reports(true);
  Interconnect bus("bus", 1, registers::channel::kCount + 1, kLatency);
  EXPECT_EQ(testing::reports_seen(), 1U);
}

}  // namespace
}  // namespace wordline::memory::interconnect_test
