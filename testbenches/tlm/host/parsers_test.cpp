// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The controller's parser and the firmware's share no code: random and malformed entries go through both, and what
// comes of them must be the same: status, request, data. Two benches: in one the controller parses and the test takes
// its events; in the other the host task of the firmware (native) parses, and the test takes its requests to the ftl
// task. Behind both, a slot of the data buffer is a logical page.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "models/units/keyed_random.h"
#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

extern "C" {
#include "models/firmware/host/host.h"
#include "models/firmware/host/job_ring.h"
#include "models/firmware/rooms.h"
}

namespace wordline::testing {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;

constexpr std::uint32_t kSlots = 256;     // of the bench's buffer: logical page i lies in slot i % kSlots
constexpr std::uint32_t kDataPages = 48;  // of the host, for data
constexpr std::uint32_t kBehind = 256;    // pages behind these: PRPs that are taken for an SGL may reach there
constexpr std::uint32_t kListPages = 4;   // for PRP lists and ranges

/// What a command asks of the ftl task.
using Request = std::tuple<unsigned, std::uint64_t, std::uint32_t, unsigned>;  // opcode, slba, blocks, flags

/// One command at a time, through one of the two parsers.
class Side {
 public:
  explicit Side(NvmeBench& given) : bench(given) {}
  virtual ~Side() = default;
  /// The host's pages, and what lies in them and in the buffer.
  void prepare() {
    data = bench.memory.allocate(kDataPages + kBehind);
    lists = bench.memory.allocate(kListPages);
    for (std::uint32_t i = 0; i < (kDataPages + kBehind) * 8; ++i)
      bench.memory.stamp(data + i * 512) = LbaStamp(Lba(i), 2);
    for (std::uint32_t i = 0; i < kSlots; ++i) bench.buffer.slot(i) = LpageToken::uniform(Lpn(i), 3);
  }
  nvme::Status run(const nvme::SubmissionEntry& sqe) {
    requests.clear();
    bench.submit(1, sqe);
    while (!bench.has_completion(1)) {
      serve();
      pass(100_ns);
    }
    return nvme::status_of(bench.completion(1));
  }
  /// All data, the host's and the buffer's.
  [[nodiscard]] std::vector<LbaStamp> image() {
    std::vector<LbaStamp> out;
    for (std::uint32_t i = 0; i < (kDataPages + kBehind) * 8; ++i) out.push_back(bench.memory.stamp(data + i * 512));
    for (std::uint32_t i = 0; i < kSlots; ++i) {
      for (unsigned b = 0; b < 8; ++b) out.push_back(bench.buffer.pool().stamp(bench.buffer.slot(i), b));
    }
    return out;
  }
  NvmeBench& bench;
  std::vector<Request> requests;
  std::uint64_t data = 0, lists = 0;

 protected:
  virtual void serve() = 0;
  virtual void send(const wl_host_job& job) = 0;
  void take(unsigned opcode, std::uint64_t slba, std::uint32_t nlb, unsigned flags, std::uint16_t tag) {
    requests.emplace_back(opcode, slba, nlb, flags);
    if (opcode == nvme::kDatasetManagement && (flags & WL_EVENT_LAST) == 0) return;
    wl_host_job job{};
    job.tag = tag;
    job.op = WL_JOB_COMPLETE;
    if (opcode != nvme::kRead && opcode != nvme::kWrite) {
      send(job);
      return;
    }
    job.op = opcode == nvme::kRead ? WL_JOB_DMA_OUT : WL_JOB_DMA_IN;
    const auto lpages = static_cast<std::uint32_t>((slba + nlb + 7) / 8 - slba / 8);
    for (std::uint32_t i = 0; i < lpages; ++i) {  // a job each; the last completes
      job.count = 1;
      job.lpage = i;
      job.slot = static_cast<std::uint32_t>(slba / 8 + i) % kSlots;
      job.flags = i + 1 == lpages ? WL_JOB_THEN_COMPLETE : 0;
      send(job);
    }
  }
};

class HardwareSide final : public Side {
 public:
  using Side::Side;

 private:
  void serve() override {
    while (bench.has_event()) {
      const wl_host_event e = bench.event();
      EXPECT_EQ(e.type, WL_EVENT_COMMAND);
      take(e.opcode, e.slba, e.blocks, e.flags, e.tag);
    }
  }
  void send(const wl_host_job& job) override { bench.run_job(job); }
};

/// The host task of the firmware, booted over the bench's memory; the ftl task never runs.
class FirmwareSide final : public Side {
 public:
  explicit FirmwareSide(NvmeBench& given) : Side(given), dram_(1 << 20) {
    hal_.self = this;
    hal_.write32 = [](void* self, std::uint32_t offset, std::uint32_t value) {
      static_cast<FirmwareSide*>(self)->access(true, offset, value);
    };
    hal_.read32 = [](void* self, std::uint32_t offset) {
      std::uint32_t value = 0;
      static_cast<FirmwareSide*>(self)->access(false, offset, value);
      return value;
    };
    hal_.task = [](void*, std::uint32_t) {};
    hal_.mark = [](void*, std::uint32_t, std::uint32_t) {};
    hal_.panic = [](void*, const char* file, std::uint32_t line) {
      FAIL() << "the firmware panics at " << file << ":" << line;
    };
    hal_.tcm = reinterpret_cast<std::uint8_t*>(bench.tcm.data());
    hal_.dram = dram_.data();
    wl_boot_info info{};
    info.magic = WL_BOOT_MAGIC;
    info.cores = info.channels = info.dies = info.planes = info.pages_per_program = 1;
    info.blocks = 96;
    info.pages = 4;
    info.ftl.lpage_shift = 3;
    info.lpages_per_page = 4;
    info.user_lpages = NvmeBench::kLpages;
    info.write_slots = info.read_slots = info.gc_slots = 16;
    info.host_tags = bench.config.nvme.tags;
    info.gc_start_superblocks = 4;
    info.gc_reserve_superblocks = 2;
    info.tcm_bytes = 0x40000;
    info.dram_bytes = static_cast<std::uint32_t>(dram_.size());
    info.engines = WL_ENGINE_RETRY;
    info.ftl.placement.handles = bench.config.ftl.fdp.handles;
    info.write_slots += 8 * bench.config.ftl.fdp.handles;  // units of their own
    std::memcpy(hal_.tcm, &info, sizeof info);
    fw_ = wl_firmware_boot(&hal_);
  }

 private:
  void access(bool write, std::uint32_t offset, std::uint32_t& value) {  // the rest of the drive is not there
    if (offset < registers::nvme::kStride) {
      EXPECT_EQ(bench.firmware_access(write, offset, value), tlm::TLM_OK_RESPONSE) << offset;
    }
  }
  void serve() override {
    wl_host_poll(fw_, &hal_);
    wl_queue& queue = reinterpret_cast<wl_rooms*>(fw_)->host.requests;
    while (!wl_queue_empty(&queue)) {
      const wl_request r = static_cast<const wl_request*>(queue.entries)[queue.consumed & queue.mask];
      wl_queue_pop(&queue);
      take(r.op, std::uint64_t{r.lpn} * 8 + r.first, r.blocks, r.flags, r.tag);
    }
  }
  void send(const wl_host_job& job) override { wl_host_post(fw_, &hal_, &job); }

  std::vector<std::uint8_t> dram_;
  wl_hal hal_{};
  wl_firmware* fw_ = nullptr;
};

/// An entry, and what it points to.
struct Entry {
  nvme::SubmissionEntry sqe{};
  std::vector<std::byte> lists = std::vector<std::byte>(kListPages * 4096);
};

/// Good in most fields, so that each reason to refuse is met alone and with others.
class Generator {
 public:
  /// `handles`: of Flexible Data Placement; most writes name one.
  Generator(std::uint64_t data, std::uint64_t lists, const nvme::Namespaces& namespaces, std::uint32_t handles)
      : data_(data), lists_(lists), namespaces_(namespaces), handles_(handles) {}

  Entry next() {
    Entry e;
    nvme::SubmissionEntry& s = e.sqe;
    for (std::uint32_t* word : {&s.cdw2, &s.cdw3, &s.cdw13, &s.cdw14, &s.cdw15}) *word = word32();
    s.mptr = draw();
    static constexpr std::uint8_t kOpcodes[] = {1,
                                                1,
                                                1,
                                                1,
                                                1,
                                                1,
                                                2,
                                                2,
                                                2,
                                                2,
                                                2,
                                                2,
                                                0,
                                                8,
                                                8,
                                                9,
                                                9,
                                                9,
                                                nvme::kWriteUncorrectable,
                                                nvme::kCompare,
                                                nvme::kCompare,
                                                nvme::kVerify,
                                                nvme::kCopy,
                                                nvme::kCopy,
                                                nvme::kCopy};
    s.opcode = kOpcodes[below(std::size(kOpcodes))];
    if (one_in(16)) s.opcode = static_cast<std::uint8_t>(below(12));
    if (one_in(32)) s.opcode = static_cast<std::uint8_t>(draw());
    // With handles these are the controller's, whoever parses.
    if (s.opcode == nvme::kManagementReceive || s.opcode == nvme::kManagementSend) s.opcode = 0xff;
    if (one_in(16)) s.flags = static_cast<std::uint8_t>(one_in(2) ? 1U << below(8) : draw());
    s.nsid = 1 + static_cast<std::uint32_t>(made() == 1 ? 0 : below(made()));
    end_ = namespaces_.at(s.nsid).lbas >> namespaces_.shift();
    if (one_in(12)) s.nsid = one_in(2) ? 0xffffffff : one_in(2) ? static_cast<std::uint32_t>(below(6)) : word32();
    if (s.opcode == nvme::kDatasetManagement) {
      ranges(e);
    } else if (s.opcode == nvme::kCopy) {
      copy(e);
    } else {
      nlb(e);
    }
    return e;
  }

 private:
  void copy(Entry& e) {
    nvme::SubmissionEntry& s = e.sqe;
    const std::uint64_t source = 2048 >> namespaces_.shift(), all = 8192 >> namespaces_.shift();
    const std::uint64_t count = one_in(12) ? 1 + below(256) : 1 + below(6);
    s.cdw12 = (word32() & 0xfffff000U) | (one_in(16) ? static_cast<std::uint32_t>(below(16)) << 8 : 0) |
              static_cast<std::uint32_t>(count - 1);
    if (handles_ != 0) name_handle(s);
    const std::uint64_t at = one_in(2) ? 0 : below(1024) * 4;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 128); ++i) {
      std::uint64_t nlb = one_in(8) ? std::min(source, end_) : 1 + below(40);
      if (one_in(60)) nlb = source + 1;
      if (one_in(16) && all > sum) nlb = std::min(all - sum + below(2), source);
      nvme::CopyRange range{
          draw(), below(end_ - std::min(nlb, end_ - 1)), static_cast<std::uint16_t>(nlb - 1), 0, word32(), word32(), 0,
          0};
      if (one_in(30))
        range.slba = one_in(2) ? end_ - nlb + below(3) - 1 : one_in(2) ? draw() : range.slba + (1ULL << 32);
      std::memcpy(&e.lists[at + i * sizeof range], &range, sizeof range);
      sum += nlb;
    }
    std::uint64_t slba = below(end_ - std::min(sum, end_ - 1));
    if (one_in(8)) slba = end_ - sum + below(3) - 1;
    if (one_in(30)) slba = draw();
    s.cdw10 = static_cast<std::uint32_t>(slba);
    s.cdw11 = static_cast<std::uint32_t>(slba >> 32);
    s.prp1 = lists_ + at + (one_in(16) ? 1 + below(3) : 0);
    s.prp2 = lists_ + 4096 + (one_in(16) ? 1 + below(4095) : 0);
    if (at == 0 && one_in(2)) sgl(e, count * sizeof(nvme::CopyRange), 4, lists_, 4096);
  }

  void nlb(Entry& e) {
    nvme::SubmissionEntry& s = e.sqe;
    const std::uint64_t most = 256 >> namespaces_.shift();  // MDTS
    std::uint64_t count = 1 + below(most / 10 + 1);
    if (one_in(3)) count = 1 + below(most);
    if (one_in(6)) count = most - 6 + below(12);
    if (one_in(16)) count = 1 + below(65536);
    std::uint64_t slba = below(end_ - std::min(count, end_ - 1));
    if (one_in(5)) slba = end_ - count + below(3) - 1;  // one before, at, one past the end
    if (one_in(20)) slba = end_ + below(3) - 1;
    if (one_in(20)) slba = one_in(2) ? draw() : UINT64_MAX - below(300);
    if (one_in(20)) slba += std::uint64_t{1} << (32 + below(32));
    s.cdw10 = static_cast<std::uint32_t>(slba);
    s.cdw11 = static_cast<std::uint32_t>(slba >> 32);
    s.cdw12 = (word32() & 0xffff0000U) | static_cast<std::uint32_t>(count - 1);
    if (handles_ != 0) name_handle(s);
    std::uint64_t offset = one_in(2) ? 0 : below(8) * 512;
    if (one_in(16)) offset = one_in(2) ? below(1024) * 4 : below(4096);
    s.prp1 = page(e) + offset;
    const std::uint64_t pages = (offset + (count * 512 << namespaces_.shift()) + 4095) / 4096;
    s.prp2 = pages == 1 ? draw() : page(e);
    if (pages > 2 && pages <= 40) s.prp2 = list(e, pages - 1);
    // Not at 0, where this host has no page, nor at a good place with no list.
    if (pages > 1 && one_in(12)) s.prp2 += 1 + below(7);
    if (pages == 2 && one_in(12)) s.prp2 += one_in(2) ? 512 : 8;
    if (pages > 2 && one_in(12)) s.prp2 = 0;
    if (one_in(3)) sgl(e, count * 512 << namespaces_.shift(), 512, data_, kDataPages * 4096);
  }

  /// Instead of PRPs: an SGL over `bytes` bytes somewhere in `room` bytes from `from` on, in one descriptor or in
  /// segments of the last two pages of the lists.
  void sgl(Entry& e, std::uint64_t bytes, std::uint32_t unit, std::uint64_t from, std::uint64_t room) {
    nvme::SubmissionEntry& s = e.sqe;
    s.flags |= one_in(2) ? nvme::kPsdtSgl : nvme::kPsdtSglMptr;
    if (one_in(10)) bytes += one_in(2) ? unit : -static_cast<std::uint64_t>(std::min<std::uint64_t>(unit, bytes));
    std::uint64_t at = 2 * 4096;
    const auto add = [&](const nvme::SglDescriptor& d) {
      std::memcpy(&e.lists[at], &d, sizeof d);
      at += sizeof d;
    };
    std::uint64_t left = bytes, begin = at;
    nvme::SglDescriptor first{};
    bool in_entry = false;  // a descriptor that says where the present segment begins
    std::uint64_t place = 0;
    const auto close = [&](bool last) {
      nvme::SglDescriptor d{
          lists_ + begin, static_cast<std::uint32_t>(at - begin), {}, last ? nvme::kSglLastSegment : nvme::kSglSegment};
      if (one_in(20)) d.identifier ^= 0x10;
      if (one_in(30)) d.address += 4;
      if (one_in(30)) d.length += 8;
      in_entry ? void(std::memcpy(&e.lists[place], &d, sizeof d)) : void(first = d);
    };
    while (left != 0 && at < 4 * 4096 - 64) {
      if (at != begin && one_in(6)) {  // another segment
        const std::uint64_t names_next = at;
        at += sizeof first;
        close(false);
        in_entry = true;
        place = names_next;
        begin = at;
      }
      std::uint64_t size = std::min<std::uint64_t>(left, one_in(2) ? unit * (1 + below(24)) : left);
      size = std::min(size, room);
      nvme::SglDescriptor d{
          from + below((room - size) / unit + 1) * unit, static_cast<std::uint32_t>(size), {}, nvme::kSglDataBlock};
      if (one_in(5)) d.identifier = nvme::kSglBitBucket;
      if (one_in(40)) d.identifier = static_cast<std::uint8_t>(one_in(3) ? nvme::kSglSegment : draw());
      if (one_in(60)) d.address += 1 + below(unit - 1);
      if (one_in(60)) d.length += static_cast<std::uint32_t>(1 + below(unit - 1));
      if (d.identifier != nvme::kSglBitBucket || s.opcode == nvme::kRead) left -= size;
      add(d);
    }
    if (!in_entry && at - begin == sizeof first && one_in(2)) {
      std::memcpy(&first, &e.lists[begin], sizeof first);
    } else {
      close(true);
    }
    std::memcpy(&s.prp1, &first, sizeof first);
  }

  /// Or one that there is not, or another directive.
  void name_handle(nvme::SubmissionEntry& s) {
    const std::uint32_t directive = one_in(8) ? static_cast<std::uint32_t>(below(16)) : one_in(4) ? 0 : 2;
    s.cdw12 = (s.cdw12 & ~(nvme::kDirectiveMask << nvme::kDirectiveShift)) | directive << nvme::kDirectiveShift;
    s.cdw13 = static_cast<std::uint32_t>(below(handles_ + 2)) << 16;
  }

  /// Entries for `pages` pages, often so near the end of a page that the list goes on in another one.
  std::uint64_t list(Entry& e, std::uint64_t pages) {
    const std::uint64_t here = one_in(2) ? 4096 - 8 * (1 + below(6)) : below(400) * 8;
    std::uint64_t at = here;
    for (std::uint64_t i = 0; i < pages; ++i) {
      if (at % 4096 == 4088 && i + 1 < pages) {
        put(e, at, lists_ + 4096);
        at = 4096;
      }
      put(e, at, page(e));
      at += 8;
    }
    if (one_in(8)) {  // an entry that is no page
      const std::uint64_t bad = here + below(pages) * 8;
      std::uint64_t value;
      std::memcpy(&value, &e.lists[bad], 8);
      put(e, bad, value + (one_in(2) ? 512 : 1 + below(4095)));
    }
    return lists_ + here;
  }

  void ranges(Entry& e) {
    nvme::SubmissionEntry& s = e.sqe;
    const std::uint64_t count = one_in(2) ? 1 + below(4) : 1 + below(256);
    s.cdw10 = (word32() & 0xffffff00U) | static_cast<std::uint32_t>(count - 1);
    s.cdw11 = (word32() & ~nvme::kDsmDeallocate) | (one_in(6) ? 0 : nvme::kDsmDeallocate);
    s.cdw12 = word32();
    std::uint64_t at = one_in(2) ? 0 : below(1024) * 4;
    const std::uint64_t bad = one_in(4) ? below(count) : UINT64_MAX;
    const bool empty = one_in(10);
    for (std::uint64_t i = 0; i < count; ++i) {
      nvme::DsmRange range{word32(), 0, 0};
      if (!empty && !one_in(8)) range.nlb = static_cast<std::uint32_t>(1 + below(100));
      range.slba = below(end_ - range.nlb + 1);
      if (one_in(16)) range.slba = end_ - range.nlb;
      if (i == bad) range.slba = one_in(2) ? end_ - range.nlb + 1 : one_in(2) ? draw() : range.slba + (1ULL << 32);
      std::memcpy(&e.lists[at + i * sizeof range], &range, sizeof range);
    }
    if (one_in(16)) at += 1 + below(3);
    s.prp1 = lists_ + at;
    s.prp2 = lists_ + 4096;
    if (one_in(16)) s.prp2 += 1 + below(4095);
    if (one_in(3)) sgl(e, count * sizeof(nvme::DsmRange), 4, lists_, 4096);
  }

  void put(Entry& e, std::uint64_t at, std::uint64_t value) { std::memcpy(&e.lists[at], &value, 8); }
  std::uint64_t page(Entry&) { return data_ + below(kDataPages) * 4096; }
  std::uint64_t draw() { return keyed_hash(4711, ++draws_); }
  std::uint32_t word32() { return static_cast<std::uint32_t>(draw()); }
  std::uint64_t below(std::uint64_t n) { return draw() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  std::uint64_t data_, lists_;
  /// Namespaces that the drive was made with: the first identifiers.
  [[nodiscard]] std::uint32_t made() const {
    std::uint32_t count = 0;
    while (namespaces_.has(count + 1)) ++count;
    return count;
  }

  const nvme::Namespaces& namespaces_;
  std::uint32_t handles_;
  std::uint64_t end_ = 0;  // of the namespace, in its LBAs
  std::uint64_t draws_ = 0;
};

void expect_same_answers(const config::Nvme& namespaces, std::uint32_t handles) {
  const auto with_these = [&](config::Config config) {
    config.nvme.namespaces = namespaces.namespaces;
    config.nvme.lba_size = namespaces.lba_size;
    config.ftl.fdp.handles = handles;
    return config;
  };
  const nvme::Namespaces all(with_these(nvme_bench_config()), NvmeBench::kLpages * 8);
  NvmeBench a(with_these(nvme_bench_config()), nullptr, "hardware");
  NvmeBench b(with_these(unparsed_config()), nullptr, "firmware");
  std::map<nvme::Status, unsigned> answers;
  std::map<unsigned, unsigned> good;  // by opcode
  simulate(
      [&] {
        HardwareSide hardware(a);
        FirmwareSide firmware(b);
        for (Side* side : {static_cast<Side*>(&hardware), static_cast<Side*>(&firmware)}) {
          side->bench.bring_up();
          side->prepare();
        }
        ASSERT_EQ(hardware.data, firmware.data);
        ASSERT_EQ(hardware.lists, firmware.lists);
        Generator generator(hardware.data, hardware.lists, all, handles);
        for (int i = 0; i < 8000; ++i) {
          const Entry e = generator.next();
          for (NvmeBench* bench : {&a, &b}) bench->memory.write(hardware.lists, e.lists.data(), e.lists.size());
          const nvme::Status status = hardware.run(e.sqe);
          ASSERT_EQ(firmware.run(e.sqe), status)
              << i << ": opcode " << int{e.sqe.opcode} << " flags " << int{e.sqe.flags};
          ASSERT_EQ(firmware.requests, hardware.requests) << i << ": opcode " << int{e.sqe.opcode};
          ++answers[status];
          if (status == nvme::kSuccess) ++good[e.sqe.opcode];
          if (i % 16 == 0) {
            ASSERT_EQ(hardware.image(), firmware.image()) << i;
          }
        }
        EXPECT_EQ(hardware.image(), firmware.image());
        const auto counted = [](const host::NvmeController& controller) {
          const auto& c = controller.mover.counters();
          const auto& d = controller.mover.data_counters();
          return std::vector<std::uint64_t>{c.reads,     c.writes,       c.flushes,          c.write_zeroes,
                                            d.lbas_read, d.lbas_written, controller.errors()};
        };
        EXPECT_EQ(counted(a.controller), counted(b.controller));
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  for (const nvme::Status status :
       {nvme::kInvalidOpcode, nvme::kInvalidField, nvme::kInvalidNamespace, nvme::kPrpOffsetInvalid,
        nvme::kLbaOutOfRange, nvme::kCommandSizeLimitExceeded, nvme::kCompareFailure, nvme::kInvalidSglSegment,
        nvme::kSglLengthInvalid, nvme::kSglTypeInvalid, nvme::kSglGranularityInvalid}) {
    EXPECT_GT(answers[status | nvme::kDnr], 20U) << status;
  }
  EXPECT_GT(answers[nvme::kUnrecoveredRead], 5U) << "blocks that are marked";
  EXPECT_GT(answers[nvme::kInvalidSglCount | nvme::kDnr], 4U);
  EXPECT_EQ(answers.size(), 14U) << "these and success";
  for (const unsigned opcode : {0x00U, 0x01U, 0x02U, 0x04U, 0x08U, 0x09U, 0x0cU, 0x19U})
    EXPECT_GT(good[opcode], 30U) << opcode;
}

TEST(ParsersTest, RandomEntriesGetTheSameAnswers) { expect_same_answers({}, 0); }

TEST(ParsersTest, SoDoThoseThatNamePlacementHandles) { expect_same_answers({}, 5); }

TEST(ParsersTest, SoDoThoseOfThreeNamespacesWithBlocksOfFourKib) {
  config::Nvme namespaces{};
  namespaces.namespaces = {0.3, 0.5, 0.2};
  namespaces.lba_size = config::LbaSize::k4096;
  expect_same_answers(namespaces, 0);
}

}  // namespace
}  // namespace wordline::testing
