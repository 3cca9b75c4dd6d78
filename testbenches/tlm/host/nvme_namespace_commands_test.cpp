// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Namespace Management and Namespace Attachment: what Identify says before and after, what is refused, what a deletion
// asks of the firmware, and the notice of a change.
#include <gtest/gtest.h>

#include <vector>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_namespace_commands_test {
namespace {

namespace nvme = host::nvme;
namespace id = nvme::identify_namespace;
using namespace wordline::literals;

constexpr std::uint64_t kBlocks = NvmeBench::kLpages * 8;
constexpr std::uint64_t kGrain = config::kNamespaceGrain;

config::Config config_of(std::vector<double> shares, bool parse = true) {
  config::Config config = parse ? nvme_bench_config() : unparsed_config();
  config.nvme.namespaces = std::move(shares);
  return config;
}

nvme::SubmissionEntry to(std::uint32_t nsid, nvme::SubmissionEntry sqe) {
  sqe.nsid = nsid;
  return sqe;
}

/// The host of these tests: one page for data, in both directions.
struct Host {
  explicit Host(NvmeBench& controller) : bench(controller), page(controller.memory.allocate()) {}

  template <class T>
  T get(std::size_t offset) {
    T value{};
    bench.memory.read(page + offset, &value, sizeof value);
    return value;
  }
  void clear() {
    const std::vector<std::uint8_t> zeros(4096);
    bench.memory.write(page, zeros.data(), zeros.size());
  }
  template <class T>
  void put(std::size_t offset, T value) {
    bench.memory.write(page + offset, &value, sizeof value);
  }
  nvme::Status identify(std::uint32_t cns, std::uint32_t nsid = 0) {
    return admin_status(bench, to(nsid, admin_command(nvme::kIdentify, cns, 0, page)));
  }
  std::vector<std::uint32_t> list(std::uint32_t cns) {
    EXPECT_EQ(identify(cns), nvme::kSuccess);
    return words();
  }
  std::vector<std::uint32_t> words() {
    std::vector<std::uint32_t> found;
    for (std::size_t at = 0; get<std::uint32_t>(at) != 0; at += 4) found.push_back(get<std::uint32_t>(at));
    return found;
  }
  std::uint64_t unallocated() {
    EXPECT_EQ(identify(nvme::kCnsController), nvme::kSuccess);
    return get<std::uint64_t>(nvme::identify_controller::kUnvmcap) / 512;
  }
  /// What a create has to say of the namespace.
  void describe(std::uint64_t nsze, std::uint64_t ncap, std::uint8_t flbas = 0) {
    clear();
    put(id::kNsze, nsze);
    put(id::kNcap, ncap);
    put(id::kFlbas, flbas);
  }
  nvme::CompletionEntry create() {
    return bench.admin(admin_command(nvme::kNamespaceManagement, nvme::kCreateNamespace, 0, page));
  }
  nvme::Status create_status() { return nvme::status_of(create()) & ~nvme::kDnr; }
  std::uint32_t create(std::uint64_t blocks) {
    describe(blocks, blocks);
    const nvme::CompletionEntry entry = create();
    EXPECT_EQ(nvme::status_of(entry), nvme::kSuccess);
    return entry.dw0;
  }
  static nvme::SubmissionEntry remove(std::uint32_t nsid) {
    return to(nsid, admin_command(nvme::kNamespaceManagement, nvme::kDeleteNamespace));
  }
  /// The entry with which a deletion comes to the firmware, which carries it out.
  wl_sqe deletes(std::uint32_t nsid, nvme::Status status = nvme::kSuccess) {
    bench.submit(0, remove(nsid));
    const wl_host_event event = bench.event();
    const wl_sqe entry = bench.admin_entry();
    bench.answer(event, status);
    EXPECT_EQ(nvme::status_of(bench.completion(0)) & ~nvme::kDnr, status);
    return entry;
  }
  nvme::SubmissionEntry attachment(std::uint32_t nsid, std::uint32_t select) {
    return to(nsid, admin_command(nvme::kNamespaceAttachment, select, 0, page));
  }
  nvme::Status attach(std::uint32_t nsid, std::uint32_t select = nvme::kAttachControllers) {
    clear();
    put<std::uint16_t>(0, 1);
    put<std::uint16_t>(2, nvme::kControllerId);
    return admin_status(bench, attachment(nsid, select)) & ~nvme::kDnr;
  }
  nvme::Status detach(std::uint32_t nsid) { return attach(nsid, nvme::kDetachControllers); }
  /// How a read of one block ends that is not to get to the firmware.
  nvme::Status read(std::uint32_t nsid, std::uint64_t lba = 0) {
    bench.submit(1, to(nsid, io(nvme::kRead, lba, 1, page)));
    return nvme::status_of(bench.completion(1)) & ~nvme::kDnr;
  }
  /// Where a write of the first block goes.
  std::uint64_t first_block_of(std::uint32_t nsid) {
    bench.submit(1, to(nsid, io(nvme::kWriteZeroes, 0, 1, 0)));
    const wl_host_event event = bench.event();
    bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    return event.slba;
  }

  NvmeBench& bench;
  std::uint64_t page;
};

std::uint64_t word(const wl_sqe& sqe, unsigned low) {
  return static_cast<std::uint64_t>(sqe.dword[low + 1]) << 32 | sqe.dword[low];
}

TEST(NvmeNamespaceCommands, ANamespaceComesAndGoes) {
  NvmeBench bench(config_of({0.25, 0.75}));
  play([&] {
    bench.bring_up();
    Host host(bench);
    EXPECT_EQ(host.unallocated(), 0U);
    const auto serial = [&](std::uint32_t nsid) {
      EXPECT_EQ(host.identify(nvme::kCnsNamespaceDescriptors, nsid), nvme::kSuccess);
      return host.get<std::uint64_t>(4);
    };
    const std::uint64_t old = serial(1);
    const wl_sqe entry = host.deletes(1);
    EXPECT_EQ(word(entry, 12), 0U) << "the blocks to deallocate";
    EXPECT_EQ(word(entry, 14), kBlocks / 4);
    EXPECT_EQ(host.unallocated(), kBlocks / 4);
    EXPECT_EQ(host.list(nvme::kCnsActiveNamespaces), std::vector<std::uint32_t>{2});
    EXPECT_EQ(host.list(nvme::kCnsAllocatedNamespaces), std::vector<std::uint32_t>{2});
    EXPECT_EQ(host.read(1), nvme::kInvalidField) << "an identifier that is not active";
    EXPECT_EQ(host.first_block_of(2), kBlocks / 4);

    EXPECT_EQ(host.create(kGrain + 1), 1U);
    EXPECT_EQ(host.unallocated(), kBlocks / 4 - 2 * kGrain) << "in whole 64 KiB";
    EXPECT_EQ(host.list(nvme::kCnsActiveNamespaces), std::vector<std::uint32_t>{2});
    EXPECT_EQ(host.list(nvme::kCnsAllocatedNamespaces), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(host.identify(nvme::kCnsNamespace, 1), nvme::kSuccess);
    EXPECT_EQ(host.get<std::uint64_t>(id::kNsze), 0U) << "not attached";
    EXPECT_EQ(host.identify(nvme::kCnsAllocatedNamespace, 1), nvme::kSuccess);
    EXPECT_EQ(host.get<std::uint64_t>(id::kNsze), kGrain + 1);
    EXPECT_EQ(host.get<std::uint64_t>(id::kNvmcap), 2 * kGrain * 512);
    EXPECT_EQ(host.identify(nvme::kCnsControllersOfNamespace, 1), nvme::kSuccess);
    EXPECT_EQ(host.get<std::uint32_t>(0), 0U);
    EXPECT_EQ(host.read(1), nvme::kInvalidField);

    EXPECT_EQ(host.attach(1), nvme::kSuccess);
    EXPECT_EQ(host.list(nvme::kCnsActiveNamespaces), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(host.identify(nvme::kCnsControllersOfNamespace, 1), nvme::kSuccess);
    EXPECT_EQ(host.get<std::uint32_t>(0), nvme::kControllerId << 16 | 1U);
    EXPECT_NE(serial(1), old) << "it is another one";
    EXPECT_EQ(host.first_block_of(1), 0U);
    EXPECT_EQ(host.read(1, kGrain + 1), nvme::kLbaOutOfRange);

    EXPECT_EQ(host.detach(1), nvme::kSuccess);
    EXPECT_EQ(host.read(1), nvme::kInvalidField);
    EXPECT_EQ(host.list(nvme::kCnsAllocatedNamespaces), (std::vector<std::uint32_t>{1, 2}));
    host.deletes(nvme::kAllNamespaces);
    EXPECT_EQ(host.unallocated(), kBlocks);
    EXPECT_TRUE(host.list(nvme::kCnsAllocatedNamespaces).empty());
    bench.submit(0, Host::remove(nvme::kAllNamespaces));
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess) << "there is none";
  });
}

/// The smallest gap that takes it; what none takes alone is refused, whatever they have together.
TEST(NvmeNamespaceCommands, GapsAreFilled) {
  NvmeBench bench(config_of({0.25, 0.25, 0.125, 0.375}));
  play([&] {
    bench.bring_up();
    Host host(bench);
    host.deletes(1);
    host.deletes(3);
    EXPECT_EQ(host.unallocated(), kBlocks / 4 + kBlocks / 8);
    host.describe(kBlocks / 4 + 1, kBlocks / 4 + 1);
    EXPECT_EQ(host.create_status(), nvme::kNoNamespaceCapacity);
    EXPECT_EQ(
        admin_status(bench, admin_command(nvme::kGetLogPage, 15U << 16 | nvme::kLogErrorInformation, 0, host.page)),
        nvme::kSuccess);
    EXPECT_EQ(host.get<nvme::ErrorEntry>(0).command_specific, (kBlocks / 4 + 1) * 512) << "what it would take";
    EXPECT_EQ(host.create(kBlocks / 8), 1U);
    EXPECT_EQ(host.create(kBlocks / 4), 3U);
    EXPECT_EQ(host.attach(1), nvme::kSuccess);
    EXPECT_EQ(host.attach(3), nvme::kSuccess);
    EXPECT_EQ(host.first_block_of(1), kBlocks / 2);
    EXPECT_EQ(host.first_block_of(3), 0U);
    EXPECT_EQ(host.unallocated(), 0U);
    // Neighbours that have gone are one gap.
    host.deletes(1);
    host.deletes(2);
    host.deletes(3);
    EXPECT_EQ(host.create(kBlocks / 2 + kBlocks / 8), 1U);
    EXPECT_EQ(host.attach(1), nvme::kSuccess);
    EXPECT_EQ(host.first_block_of(1), 0U);
  });
}

TEST(NvmeNamespaceCommands, WhatIsRefused) {
  NvmeBench bench(config_of({0.75, 0.25}));
  play([&] {
    bench.enable();
    Host host(bench);
    host.deletes(1);
    const auto create = [&](auto&& change) {
      host.describe(kGrain, kGrain);
      change();
      return host.create_status();
    };
    const auto refused_field = [&](std::size_t at) { return create([&] { host.put<std::uint8_t>(at, 1); }); };
    for (const std::size_t at : {id::kNmic, id::kAnagrpid, id::kNvmsetid, id::kEndgid, id::kLbstm}) {
      EXPECT_EQ(refused_field(at), nvme::kInvalidField) << at;
    }
    EXPECT_EQ(refused_field(id::kFlbas), nvme::kInvalidFormat) << "all have the format of the others";
    EXPECT_EQ(refused_field(id::kDps), nvme::kInvalidFormat);
    EXPECT_EQ(create([&] { host.put<std::uint8_t>(id::kFlbas, 2); }), nvme::kInvalidFormat);
    EXPECT_EQ(create([&] { host.put<std::uint64_t>(id::kNsze, 0); }), nvme::kInvalidField);
    EXPECT_EQ(create([&] { host.put(id::kNcap, kGrain + 1); }), nvme::kInvalidField);
    EXPECT_EQ(create([&] { host.put(id::kNcap, kGrain - 1); }), nvme::kThinProvisioning);
    for (const std::uint64_t size : {kBlocks + 1, std::uint64_t{1} << 56, UINT64_MAX}) {
      host.describe(size, size);
      EXPECT_EQ(host.create_status(), nvme::kNoNamespaceCapacity) << size;
    }
    host.describe(kGrain, kGrain);
    const auto status = [&](nvme::SubmissionEntry sqe) { return admin_status(bench, sqe) & ~nvme::kDnr; };
    EXPECT_EQ(status(admin_command(nvme::kNamespaceManagement, nvme::kCreateNamespace, 1U << 24, host.page)),
              nvme::kCommandSetNotSupported);
    EXPECT_EQ(status(admin_command(nvme::kNamespaceManagement, nvme::kCreateNamespace, 0, host.page + 2)),
              nvme::kPrpOffsetInvalid);
    EXPECT_EQ(status(admin_command(nvme::kNamespaceManagement, 2, 0, host.page)), nvme::kInvalidField);
    EXPECT_EQ(status(Host::remove(1)), nvme::kInvalidField) << "it has gone";
    EXPECT_EQ(status(Host::remove(0)), nvme::kInvalidNamespace);
    EXPECT_EQ(status(Host::remove(33)), nvme::kInvalidNamespace);

    EXPECT_EQ(host.attach(1), nvme::kInvalidField);
    EXPECT_EQ(host.attach(33), nvme::kInvalidNamespace);
    EXPECT_EQ(host.attach(nvme::kAllNamespaces), nvme::kInvalidNamespace);
    EXPECT_EQ(host.attach(2, 2), nvme::kInvalidField);
    EXPECT_EQ(host.attach(2), nvme::kAlreadyAttached);
    host.create(kGrain);
    EXPECT_EQ(host.detach(1), nvme::kNotAttached);
    const auto lists = [&](std::uint16_t count, std::uint16_t first, std::uint16_t second) {
      host.clear();
      host.put(0, count);
      host.put(2, first);
      host.put(4, second);
      return status(host.attachment(1, nvme::kAttachControllers));
    };
    EXPECT_EQ(lists(0, 1, 0), nvme::kInvalidControllerList);
    EXPECT_EQ(lists(1, 2, 0), nvme::kInvalidControllerList);
    EXPECT_EQ(lists(2, 1, 2), nvme::kInvalidControllerList);
    EXPECT_EQ(lists(2, 1, 1), nvme::kInvalidControllerList);
    EXPECT_EQ(lists(2048, 1, 0), nvme::kInvalidControllerList);
    EXPECT_EQ(lists(1, 1, 0), nvme::kSuccess);
    for (std::uint32_t nsid = 3; nsid <= 32; ++nsid) EXPECT_EQ(host.create(1), nsid);
    host.describe(1, 1);
    EXPECT_EQ(host.create_status(), nvme::kNoNamespaceIdentifier);
  });
}

/// With no namespace the next one says which format there is.
TEST(NvmeNamespaceCommands, TheFirstBringsTheFormat) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    Host host(bench);
    EXPECT_EQ(host.identify(nvme::kCnsNamespace, nvme::kAllNamespaces), nvme::kSuccess);
    EXPECT_EQ(host.get<std::uint8_t>(id::kNlbaf), 1) << "what all have in common";
    EXPECT_EQ(host.get<std::uint64_t>(id::kNsze), 0U);
    host.deletes(1);
    host.describe(100, 100, 1);
    EXPECT_EQ(host.create_status(), nvme::kSuccess);
    EXPECT_EQ(host.attach(1), nvme::kSuccess);
    EXPECT_EQ(host.identify(nvme::kCnsNamespace, 1), nvme::kSuccess);
    EXPECT_EQ(host.get<std::uint64_t>(id::kNsze), 100U);
    EXPECT_EQ(host.get<std::uint8_t>(id::kFlbas), 1);
    EXPECT_EQ(host.read(1, 100), nvme::kLbaOutOfRange);
    EXPECT_EQ(host.unallocated(), kBlocks - 7 * kGrain) << "800 blocks of 512 bytes";
  });
}

wl_host_event begin_write(NvmeBench& bench, std::uint32_t nsid) {
  bench.submit(1, to(nsid, io(nvme::kWrite, 0, 8, bench.memory.allocate())));
  return bench.event();
}

/// Commands under way are waited for, those that come meanwhile are refused; other namespaces do not notice.
void expect_that_commands_end(bool deletion) {
  NvmeBench bench(config_of({0.25, 0.75}));
  play([&] {
    bench.bring_up();
    Host host(bench);
    const wl_host_event first = begin_write(bench, 1), second = begin_write(bench, 2);
    host.put<std::uint16_t>(0, 1);
    host.put<std::uint16_t>(2, nvme::kControllerId);
    bench.submit(0, deletion ? Host::remove(1) : host.attachment(1, nvme::kDetachControllers));
    pass(20_us);
    EXPECT_FALSE(bench.has_event());
    EXPECT_FALSE(bench.has_completion(0));
    EXPECT_EQ(host.read(1), nvme::kInvalidField);
    EXPECT_EQ(host.first_block_of(2), kBlocks / 4);
    bench.run_job(job_of(WL_JOB_COMPLETE, second, 0, 0));
    bench.completion(1);
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0));
    bench.run_job(job_of(WL_JOB_COMPLETE, first, 0, 0));
    bench.completion(1);
    if (deletion) {
      const wl_host_event event = bench.event();
      EXPECT_EQ(host.read(1), nvme::kInvalidField) << "the firmware is at it";
      bench.answer(event, 0);
    }
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    EXPECT_EQ(host.list(nvme::kCnsAllocatedNamespaces).size(), deletion ? 1U : 2U);
    EXPECT_EQ(host.list(nvme::kCnsActiveNamespaces), std::vector<std::uint32_t>{2});
  });
}

TEST(NvmeNamespaceCommands, CommandsUnderWayEndBeforeItIsDetached) { expect_that_commands_end(false); }
TEST(NvmeNamespaceCommands, CommandsUnderWayEndBeforeItIsDeleted) { expect_that_commands_end(true); }

/// A reset forgets what waits, and not what the firmware has.
TEST(NvmeNamespaceCommands, ResetsOfTheController) {
  NvmeBench bench(config_of({0.25, 0.25, 0.5}));
  play([&] {
    bench.bring_up();
    Host host(bench);
    const wl_host_event write = begin_write(bench, 1);
    bench.submit(0, Host::remove(1));
    pass(20_us);
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    bench.run_job(job_of(WL_JOB_COMPLETE, write, 0, 0));
    bench.bring_up();
    EXPECT_EQ(host.first_block_of(1), 0U) << "nothing was deleted";

    bench.submit(0, Host::remove(1));
    const wl_host_event event = bench.event();
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    bench.bring_up();
    EXPECT_EQ(host.read(1), nvme::kInvalidField);
    // Another one, which waits for the first: both go, each with its own answer.
    bench.submit(0, Host::remove(2));
    pass(20_us);
    EXPECT_FALSE(bench.has_event());
    bench.answer(event, 0);
    const wl_host_event next = bench.event();
    EXPECT_EQ(word(bench.admin_entry(), 12), kBlocks / 4);
    EXPECT_EQ(host.read(2), nvme::kInvalidField);
    bench.answer(next, 0);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    EXPECT_EQ(host.list(nvme::kCnsAllocatedNamespaces), std::vector<std::uint32_t>{3});
  });
}

TEST(NvmeNamespaceCommands, TheHostIsToldOfChanges) {
  NvmeBench bench(config_of({0.25, 0.75}));
  play([&] {
    bench.enable();
    Host host(bench);
    const auto log = [&](std::uint32_t flags = 0) {
      EXPECT_EQ(admin_status(bench, admin_command(nvme::kGetLogPage, 1023U << 16 | flags | nvme::kLogChangedNamespaces,
                                                  0, host.page)),
                nvme::kSuccess);
      return host.words();
    };
    bench.submit(0, admin_command(nvme::kAsyncEventRequest));
    EXPECT_EQ(host.detach(1), nvme::kSuccess);
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0)) << "it does not want to know";
    EXPECT_EQ(log(), std::vector<std::uint32_t>{1});
    EXPECT_TRUE(log().empty()) << "it has been read";

    bench.submit(0, admin_command(nvme::kSetFeatures, nvme::kFeatureAsyncEvents, nvme::kNamespaceNotices));
    bench.answer(bench.event(), 0);
    bench.completion(0);
    // The notice comes before the completion of the command: both are there at once.
    host.put<std::uint16_t>(0, 1);
    host.put<std::uint16_t>(2, nvme::kControllerId);
    bench.submit(0, host.attachment(1, nvme::kAttachControllers));
    EXPECT_EQ(bench.completion(0).dw0, 0x00040002U);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    bench.submit(0, admin_command(nvme::kAsyncEventRequest));
    EXPECT_EQ(host.detach(1), nvme::kSuccess);
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0)) << "not before the log has been read";
    EXPECT_EQ(log(nvme::kRetainEvent), std::vector<std::uint32_t>{1});
    EXPECT_EQ(log(), std::vector<std::uint32_t>{1});
    bench.submit(0, Host::remove(2));
    bench.answer(bench.event(), 0);
    EXPECT_EQ(bench.completion(0).dw0, 0x00040002U);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    EXPECT_EQ(log(), std::vector<std::uint32_t>{2});
  });
}

/// The firmware that parses entries is given what the controller would decide by.
TEST(NvmeNamespaceCommands, TheTableOfTheFirmwareFollows) {
  NvmeBench bench(config_of({0.25, 0.75}, false));
  play([&] {
    bench.bring_up();
    Host host(bench);
    const auto entry = [&](std::uint32_t nsid) {
      wl_namespace_table table;
      std::memcpy(&table, bench.tcm.at(NvmeBench::kNamespaceTable, sizeof table), sizeof table);
      EXPECT_EQ(table.count, 32U);
      return table.namespaces[nsid - 1];
    };
    EXPECT_EQ(entry(2).first, kBlocks / 4);
    EXPECT_EQ(entry(2).blocks, kBlocks - kBlocks / 4);
    EXPECT_EQ(entry(3).blocks, 0U);
    EXPECT_EQ(host.detach(2), nvme::kSuccess);
    EXPECT_EQ(entry(2).blocks, 0U);
    EXPECT_EQ(host.attach(2), nvme::kSuccess);
    EXPECT_EQ(entry(2).blocks, kBlocks - kBlocks / 4);
    host.deletes(1);
    EXPECT_EQ(host.create(kGrain), 1U);
    EXPECT_EQ(host.attach(1), nvme::kSuccess);
    EXPECT_EQ(entry(1).blocks, kGrain);
  });
}

void expect_no_management(const config::Config& config) {
  NvmeBench bench(config);
  play([&] {
    bench.enable();
    Host host(bench);
    EXPECT_EQ(host.attach(1), nvme::kInvalidOpcode);
    EXPECT_EQ(admin_status(bench, Host::remove(1)), nvme::kInvalidOpcode | nvme::kDnr);
    EXPECT_EQ(host.identify(nvme::kCnsController), nvme::kSuccess);
    EXPECT_EQ(host.get<std::uint16_t>(nvme::identify_controller::kOacs) & 1U << 3, 0U);
    EXPECT_EQ(host.get<std::uint32_t>(nvme::identify_controller::kNn), 1U);
    EXPECT_EQ(host.identify(nvme::kCnsNamespace, 2), nvme::kInvalidNamespace | nvme::kDnr);
  });
}

TEST(NvmeNamespaceCommands, ANewOneHasTheMetadataOfTheOthers) {
  config::Config config = config_of({0.25, 0.75});
  config.nvme.lba_size = config::LbaSize::k4096;
  config.nvme.metadata = config::BlockMetadata::kSeparate;
  config.nvme.protection = data::ProtectionType::kType1;
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    Host host(bench);
    const auto created = [&host](std::uint8_t flbas, std::uint8_t dps) {
      host.describe(kGrain / 8, kGrain / 8, flbas);
      host.put(id::kDps, dps);
      return host.create_status();
    };
    constexpr std::uint8_t kWith = nvme::Namespaces::kWithoutMetadata, kType1 = 1;
    host.deletes(1);
    EXPECT_EQ(created(kWith, 0), nvme::kInvalidFormat) << "another protection";
    EXPECT_EQ(created(kWith | id::kFlbasInterleaved, kType1), nvme::kInvalidFormat);
    EXPECT_EQ(created(1, 0), nvme::kInvalidFormat);
    EXPECT_EQ(created(kWith, kType1), nvme::kSuccess);
    host.deletes(nvme::kAllNamespaces);
    EXPECT_EQ(created(1, kType1), nvme::kInvalidFormat) << "a format without metadata";
    EXPECT_EQ(created(kWith, 4), nvme::kInvalidFormat) << "no such type";
    EXPECT_EQ(created(kWith | id::kFlbasInterleaved, 2), nvme::kSuccess) << "the first brings the format";
    EXPECT_EQ(host.attach(1), nvme::kSuccess);
    EXPECT_EQ(host.identify(nvme::kCnsNamespace, 1), nvme::kSuccess);
    EXPECT_EQ(host.get<std::uint8_t>(id::kFlbas), kWith | id::kFlbasInterleaved);
    EXPECT_EQ(host.get<std::uint8_t>(id::kDps), 2U);
  });
}

TEST(NvmeNamespaceCommands, NotWhereACutIsOutlived) {
  config::Config config = nvme_bench_config();
  config.ftl.recovery = config::Recovery::kScan;
  expect_no_management(config);
}
TEST(NvmeNamespaceCommands, NotWithPlacementHandles) {
  config::Config config = nvme_bench_config();
  config.ftl.fdp = {2, config::Isolation::kInitially};
  expect_no_management(config);
}

}  // namespace
}  // namespace wordline::testing::nvme_namespace_commands_test
