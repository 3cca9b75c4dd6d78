// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/data/protection.h"
#include "testbenches/tlm/host/nvme_bench.h"

/// Blocks with metadata at the bench of the NVMe controller.
namespace wordline::testing::protection {

inline constexpr std::uint32_t kGuard = 4, kApplication = 2, kReference = 1, kAll = 7, kAct = 8;
inline constexpr std::uint16_t kTag = 0x4711;

inline config::Config protected_config(config::LbaSize size, config::BlockMetadata metadata,
                                       data::ProtectionType type) {
  config::Config config = nvme_bench_config();
  config.nvme.lba_size = size;
  config.nvme.metadata = metadata;
  config.nvme.protection = type;
  config.nand.geometry.spare = Bytes(2400);  // room for the metadata of small blocks
  return config;
}

/// A read, write and so on of `nlb` logical blocks under protection information.
inline host::nvme::SubmissionEntry protected_entry(std::uint8_t opcode, std::uint64_t slba, std::uint32_t nlb,
                                                   std::uint64_t prp1, std::uint64_t mptr, std::uint32_t prinfo,
                                                   std::uint32_t reference, std::uint64_t prp2 = 0) {
  host::nvme::SubmissionEntry sqe = io(opcode, slba, nlb, prp1, prp2);
  sqe.mptr = mptr;
  sqe.cdw12 |= prinfo << host::nvme::kPrinfoShift;
  sqe.cdw14 = reference;
  sqe.cdw15 = 0xffff0000U | kTag;
  return sqe;
}

/// Eight blocks of 512 bytes from LBA 24 on, logical page 3, in slot 5.
class SmallBlocks {
 public:
  explicit SmallBlocks(config::BlockMetadata metadata = config::BlockMetadata::kSeparate,
                       data::ProtectionType type = data::ProtectionType::kType1)
      : bench(protected_config(config::LbaSize::k512, metadata, type)) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      stamps[i] = data::LbaStamp(Lba(24 + i), 7);
      tuples[i] = {guard_of(&stamps[i], 1), kTag, type == data::ProtectionType::kType3 ? 24 : 24 + i};
    }
  }
  void bring_up() {
    bench.bring_up();
    pages = bench.memory.allocate(2);
    metadata = bench.memory.allocate();
  }
  /// What the slot holds, and the tuples with it.
  void hold() { bench.buffer.slot(5) = bench.buffer.pool().intern(stamps, tuples); }
  [[nodiscard]] data::LpageTuples held() {
    const data::LpageToken token = bench.buffer.slot(5);
    const data::TupleRule rule(0, {0}, bench.config.nvme.protection);
    data::LpageTuples all = tuples_of(bench.buffer.pool(), token, bench.buffer.pool().expand(token), rule);
    std::fill(all.begin() + LpageSize().lbas(), all.end(), data::BlockTuple{});  // it has no such blocks
    return all;
  }
  /// The stamps as a page of the host has them.
  [[nodiscard]] data::HostPageStamps page() const {
    data::HostPageStamps page;
    std::copy_n(stamps.begin(), page.size(), page.begin());
    return page;
  }
  void give() {
    bench.memory.page(pages) = page();
    put(metadata);
  }
  void put(std::uint64_t at) {
    for (std::uint32_t i = 0; i < 8; ++i) put(at + 8 * i, tuples[i]);
  }
  void put(std::uint64_t at, const data::BlockTuple& tuple) {
    std::array<std::byte, 8> bytes{};
    tuple.to_bytes(bytes.data());
    bench.memory.write(at, bytes.data(), bytes.size());
  }
  [[nodiscard]] data::BlockTuple tuple_at(std::uint64_t at) {
    std::array<std::byte, 8> bytes{};
    bench.memory.read(at, bytes.data(), bytes.size());
    return data::BlockTuple::from_bytes(bytes.data());
  }
  /// The status of a command of logical page 3, in one job of slot 5.
  host::nvme::Status status_of(const host::nvme::SubmissionEntry& sqe) {
    bench.submit(1, sqe);
    const wl_host_event event = bench.event();
    const bool in = event.opcode == host::nvme::kWrite;
    bench.run_job(job_of(in ? WL_JOB_DMA_IN : WL_JOB_DMA_OUT, event, 5, 1, WL_JOB_THEN_COMPLETE));
    return host::nvme::status_of(bench.completion(1));
  }
  host::nvme::Status refusal(const host::nvme::SubmissionEntry& sqe) {
    bench.submit(1, sqe);
    const host::nvme::Status status = host::nvme::status_of(bench.completion(1));
    EXPECT_FALSE(bench.has_event());
    return status & ~host::nvme::kDnr;
  }
  host::nvme::SubmissionEntry read(std::uint32_t prinfo, std::uint32_t reference = 24) const {
    return protected_entry(host::nvme::kRead, 24, 8, pages, metadata, prinfo, reference, pages + 4096);
  }
  host::nvme::SubmissionEntry write(std::uint32_t prinfo, std::uint32_t reference = 24) const {
    return protected_entry(host::nvme::kWrite, 24, 8, pages, metadata, prinfo, reference, pages + 4096);
  }

  NvmeBench bench;
  data::LpageStamps stamps{};
  data::LpageTuples tuples{};
  std::uint64_t pages = 0, metadata = 0;
};

template <class T>
T field(NvmeBench& bench, std::uint64_t page, std::size_t offset) {
  T value{};
  bench.memory.read(page + offset, &value, sizeof value);
  return value;
}

}  // namespace wordline::testing::protection
