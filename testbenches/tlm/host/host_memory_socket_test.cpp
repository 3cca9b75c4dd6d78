// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The drive behind TLM-2.0 sockets only: a host that is written here, with a memory of its own, drives the whole
// controller. And what is refused on the way.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <string>
#include <vector>

#include "testbenches/tlm/host/foreign_host.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/dma/host_memory_initiator.h"
#include "tlm/host/memory/host_memory_target.h"
#include "tlm/protocol/stamp_extension.h"

namespace wordline::testing::host_memory_socket_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;

TEST(HostMemorySocketTest, ForeignHostDrivesTheWholeController) {
  ForeignHost host;
  play([&] {
    host.bring_up();

    // Identify, over a page border: two pieces.
    const std::uint64_t first = host.foreign.map(0x7'1000'0000), second = host.foreign.map(0x7'2000'0000);
    nvme::SubmissionEntry sqe{};
    sqe.opcode = nvme::kIdentify;
    sqe.prp1 = first + 0xffc;
    sqe.prp2 = second;
    sqe.cdw10 = nvme::kCnsController;
    EXPECT_EQ(nvme::status_of(host.admin(sqe)), nvme::kSuccess);
    const auto serial = host.foreign.get<std::array<char, 12>>(second - 4 + nvme::identify_controller::kSn);
    EXPECT_EQ(std::string(serial.data(), serial.size()), "WL0000000001");
    EXPECT_EQ(host.foreign.get<std::uint8_t>(second - 4 + nvme::identify_controller::kMdts), 5);
    EXPECT_EQ(host.foreign.get<std::uint8_t>(first + 0xffb), 0xa5) << "nothing before PRP1";

    // A write of 34 blocks, on pages that lie apart and in no order, by a PRP list; it begins in the middle of a
    // logical page.
    const std::uint64_t list = host.foreign.map(0x7'3000'0000);
    std::vector<std::uint64_t> pages;
    for (std::uint64_t i = 0; i < 5; ++i)
      pages.push_back(host.foreign.map(0x7'4000'0000 + (7 * i + 3) % 5 * 0x10'0000));
    for (std::uint64_t i = 1; i < 5; ++i) host.foreign.put(list + 16 + (i - 1) * 8, pages[i]);
    for (unsigned i = 0; i < 34; ++i) host.foreign.stamp(pages[i / 8] + i % 8 * 512) = LbaStamp(Lba(12 + i), 9);
    host.submit_io(foreign_io(nvme::kWrite, 7, 12, 34, pages[0], list + 16));
    wl_host_event event = host.event();
    EXPECT_EQ(event.blocks, 34U);
    host.run_job(job_of(WL_JOB_DMA_IN, event, 20, 5, WL_JOB_THEN_COMPLETE | WL_JOB_ZERO_REST));
    nvme::CompletionEntry done = host.io_completion();
    EXPECT_EQ(done.cid, 7);
    EXPECT_EQ(nvme::status_of(done), nvme::kSuccess);
    for (std::uint64_t lba = 8; lba < 48; ++lba) {
      const LbaStamp expected = lba < 12 || lba >= 46 ? LbaStamp() : LbaStamp(Lba(lba), 9);
      EXPECT_EQ(host.buffer.pool().stamp(host.buffer.slot(static_cast<std::uint32_t>(20 + lba / 8 - 1)), lba % 8),
                expected)
          << lba;
    }

    // A read of the same by two pages, the first with an offset: stamps arrive, and bytes that are zeros.
    const std::uint64_t left = host.foreign.map(0x7'5000'0000), right = host.foreign.map(0x7'6000'0000);
    host.submit_io(foreign_io(nvme::kRead, 8, 16, 8, left + 5 * 512, right));
    event = host.event();
    host.run_job(job_of(WL_JOB_DMA_OUT, event, 21, 1, WL_JOB_THEN_COMPLETE));
    done = host.io_completion();
    EXPECT_EQ(done.cid, 8);
    EXPECT_EQ(nvme::status_of(done), nvme::kSuccess);
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint64_t at = i < 3 ? left + (5 + i) * 512 : right + (i - 3) * 512;
      EXPECT_EQ(host.foreign.stamp(at), LbaStamp(Lba(16 + i), 9)) << i;
      EXPECT_EQ(host.foreign.get<std::uint64_t>(at), 0U) << i;
    }
    EXPECT_EQ(host.foreign.get<std::uint8_t>(left + 5 * 512 - 1), 0xa5);
    EXPECT_EQ(host.foreign.get<std::uint8_t>(right + 5 * 512), 0xa5);

    // Ranges are bytes.
    host.foreign.put(list, nvme::DsmRange{0, 24, 800});
    sqe = foreign_io(nvme::kDatasetManagement, 9, 0, 1, list);
    sqe.cdw10 = 0;
    sqe.cdw11 = nvme::kDsmDeallocate;
    host.submit_io(sqe);
    event = host.event();
    EXPECT_EQ(event.slba, 800U);
    EXPECT_EQ(event.blocks, 24U);
    host.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    EXPECT_EQ(host.io_completion().cid, 9);

    // Both queues go round; the phase turns.
    for (std::uint16_t cid = 20; cid < 40; ++cid) {
      host.submit_io(foreign_io(nvme::kRead, cid, 0, 8, right));
      host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
      EXPECT_EQ(host.io_completion().cid, cid);
    }
    EXPECT_TRUE(host.foreign.stamp(right).is_zero());

    EXPECT_GT(host.foreign.transactions, 80U);
    EXPECT_EQ(host.foreign.with_stamps, 9U + 2U + 20U)
        << "the write is cut at pages and logical pages, the read at pages";
    EXPECT_EQ(host.memory.pages_in_use(), 0U) << "there is no other memory";
    EXPECT_EQ(host.controller.tags_in_use(), 0U);
  });
}

// To the picosecond as with a memory that is reached without a socket (nvme_io_test.cpp).
TEST(HostMemorySocketTest, TheSocketTakesNoTime) {
  ForeignHost host;
  play([&] {
    host.bring_up();
    pass(10_us);
    const std::uint64_t page = host.foreign.map(0x7'1000'0000);
    host.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    const Picoseconds start = tlm_if::kernel_time();
    host.submit_io(foreign_io(nvme::kRead, 1, 24, 8, page));
    host.run_job(job_of(WL_JOB_DMA_OUT, host.event(), 5, 1, WL_JOB_THEN_COMPLETE));
    host.io_completion();
    // Entry fetched and parsed, DRAM, logical page on the wire, entry and message.
    EXPECT_EQ(tlm_if::kernel_time(), start + 312_ns + 200_ns + 1074_ns + 4480_ns + 168_ns);
  });
}

TEST(HostMemorySocketTest, AddressErrorsAreReported) {
  expect_reports(true);
  ForeignHost host;
  play([&] {
    host.bring_up();
    EXPECT_EQ(reports_seen(), 0U);
    // Data to a page that is not there.
    host.submit_io(foreign_io(nvme::kRead, 1, 0, 8, 0x9'0000'0000));
    host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kDataTransferError | nvme::kDnr);
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("write of 4096 bytes of host memory at 0x900000000 was answered with "
                                 "TLM_ADDRESS_ERROR_RESPONSE"),
              std::string::npos)
        << last_report();
    // Data from there: the slot keeps what it held.
    host.buffer.slot(3) = LpageToken::uniform(Lpn(0), 5);
    host.submit_io(foreign_io(nvme::kWrite, 2, 0, 8, 0x9'0000'0000));
    host.run_job(job_of(WL_JOB_DMA_IN, host.event(), 3, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kDataTransferError | nvme::kDnr);
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("read of 4096 bytes"), std::string::npos) << last_report();
    EXPECT_EQ(host.buffer.slot(3), LpageToken::uniform(Lpn(0), 5));
    // A PRP list.
    host.submit_io(foreign_io(nvme::kRead, 3, 0, 24, host.foreign.map(0x7'1000'0000), 0x9'0000'0000));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kDataTransferError | nvme::kDnr);
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("read of 16 bytes of host memory at 0x900000000"), std::string::npos) << last_report();
  });
}

TEST(HostMemorySocketTest, BytesAreNoUserData) {
  expect_reports(true);
  ForeignHost host;
  host.foreign.serves_stamps = false;  // as a host that moves real bytes
  play([&] {
    host.bring_up();
    EXPECT_EQ(reports_seen(), 0U) << "entries and registers are bytes";
    const std::uint64_t page = host.foreign.map(0x7'1000'0000);
    host.buffer.slot(3) = LpageToken::uniform(Lpn(0), 5);
    host.submit_io(foreign_io(nvme::kWrite, 1, 0, 8, page));
    host.run_job(job_of(WL_JOB_DMA_IN, host.event(), 3, 1, WL_JOB_THEN_COMPLETE));
    host.io_completion();
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("read of user data at 0x710000000 was answered without stamps"), std::string::npos)
        << last_report();
    host.submit_io(foreign_io(nvme::kRead, 2, 0, 8, page));
    host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    host.io_completion();
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("write of user data at 0x710000000 was answered without stamps"), std::string::npos)
        << last_report();
  });
}

/// A master of a foreign host, and our bridge, at a HostMemory behind sockets.
struct Served : sc_core::sc_module {
  explicit Served(const sc_core::sc_module_name& name = "served")
      : sc_module(name), target("target", memory), other("other", memory) {
    bridge.socket.bind(target.socket);
    master.bind(other.socket);
  }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& bytes,
                                  host::StampExtension* extension = nullptr) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(static_cast<unsigned>(bytes.size()));
    payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    if (extension != nullptr) payload.set_extension(extension);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    master->b_transport(payload, delay);
    if (extension != nullptr) payload.clear_extension(extension);
    return payload.get_response_status();
  }
  host::HostMemory memory;
  host::HostMemoryTarget target, other;
  host::HostMemoryInitiator bridge{"bridge", testing::context()};
  tlm_utils::simple_initiator_socket<Served> master{"master"};
  tlm::tlm_generic_payload payload;
};

TEST(HostMemoryTargetTest, BytesAndStampsGoThrough) {
  Served served;
  play([&] {
    const std::uint64_t page = served.memory.allocate(2);
    std::vector<std::uint32_t> out(1500), in(1500);
    for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = i * i;
    served.bridge.write(page + 20, out.data(), 6000);
    served.bridge.read(page + 20, in.data(), 6000);
    EXPECT_EQ(in, out);
    const std::array<LbaStamp, 3> stamps{LbaStamp(Lba(5), 2), LbaStamp(Lba(6), 3), LbaStamp()};
    std::array<LbaStamp, 4> found{};
    served.memory.stamp(page + 5 * 512) = LbaStamp(Lba(4), 1);
    served.bridge.write_stamps(page + 6 * 512 - 0x200, stamps.data(), 3);
    served.bridge.read_stamps(page + 5 * 512, found.data(), 3);
    EXPECT_EQ(found[0], stamps[0]);
    EXPECT_EQ(found[1], stamps[1]);
    EXPECT_EQ(served.memory.page(page)[6], stamps[1]);
  });
}

TEST(HostMemoryTargetTest, BytesOfAForeignMasterTakeTheStampsAway) {
  expect_reports(true);
  Served served;
  play([&] {
    const std::uint64_t page = served.memory.allocate();
    served.memory.page(page).fill(LbaStamp(Lba(1), 2));
    std::vector<unsigned char> bytes(600, 1);
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page + 1000, bytes), tlm::TLM_OK_RESPONSE);  // blocks 1 to 3
    std::array<LbaStamp, 8> found;
    found.fill(LbaStamp(Lba(9), 9));
    served.bridge.read_stamps(page, found.data(), 1);
    served.bridge.read_stamps(page + 4 * 512, found.data() + 4, 4);
    EXPECT_EQ(reports_seen(), 0U);
    EXPECT_EQ(found[7], LbaStamp(Lba(1), 2));
    for (const unsigned block : {1U, 2U, 3U}) {
      served.bridge.read_stamps(page + block * 512, &found[block], 1);
      EXPECT_EQ(reports_seen(), 1U) << block;
      EXPECT_NE(last_report().find("TLM_GENERIC_ERROR_RESPONSE"), std::string::npos) << last_report();
      EXPECT_TRUE(found[block].is_zero());
    }
    // The same without a socket between.
    served.memory.read_stamps(page + 512, &found[1], 1);
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_NE(last_report().find("the host has written bytes there"), std::string::npos) << last_report();
    // New stamps make them user data again.
    const LbaStamp fresh(Lba(3), 4);
    served.bridge.write_stamps(page + 512, &fresh, 1);
    served.bridge.read_stamps(page + 512, &found[1], 1);
    EXPECT_EQ(found[1], fresh);
    EXPECT_EQ(reports_seen(), 0U);
    EXPECT_EQ(served.memory.without_stamp(page, 8), 0b1100U);
  });
}

TEST(HostMemoryTargetTest, RefusesWhatItCannotServe) {
  Served served;
  play([&] {
    const std::uint64_t page = served.memory.allocate();
    std::vector<unsigned char> bytes(1024, 7), enables(1024, TLM_BYTE_ENABLED);
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page + 4096, bytes), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(served.access(tlm::TLM_READ_COMMAND, page + 4095, bytes), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    for (const std::uint64_t before_the_end : {1U, 512U, 1023U, 1024U}) {
      EXPECT_EQ(served.access(tlm::TLM_READ_COMMAND, 0 - before_the_end, bytes), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    served.payload.set_byte_enable_ptr(enables.data());
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page, bytes), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    served.payload.set_byte_enable_ptr(nullptr);
    host::StampExtension extension;
    extension.nlb = 2;
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page + 512, bytes, &extension), tlm::TLM_OK_RESPONSE);
    EXPECT_TRUE(extension.served);
    extension.served = false;
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page + 100, bytes, &extension), tlm::TLM_BURST_ERROR_RESPONSE);
    extension.nlb = 3;
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page, bytes, &extension), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_FALSE(extension.served);
    EXPECT_EQ(served.payload.get_data_length(), 1024U);
    // A debugger sees bytes.
    EXPECT_EQ(served.access(tlm::TLM_WRITE_COMMAND, page, bytes), tlm::TLM_OK_RESPONSE);
    std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
    served.payload.set_command(tlm::TLM_READ_COMMAND);
    EXPECT_EQ(served.master->transport_dbg(served.payload), 1024U);
    EXPECT_EQ(bytes[1023], 7);
    served.payload.set_address(page + 4096);
    EXPECT_EQ(served.master->transport_dbg(served.payload), 0U);
  });
}

}  // namespace
}  // namespace wordline::testing::host_memory_socket_test
