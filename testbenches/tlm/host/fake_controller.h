// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <systemc>
#include <vector>

#include "models/units/keyed_random.h"
#include "tlm/device/nvme/interrupts.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/protocol/host_path_if.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::testing {

/// What a command asked for, as a controller reads it from queue entry and PRPs.
struct SeenCommand {
  std::uint8_t opcode = 0;
  std::uint16_t cid = 0;
  std::uint64_t slba = 0;
  std::uint32_t nlb = 0;
  std::vector<std::uint64_t> pages;
  Picoseconds fetched{};
  Picoseconds completed{};
};

/// A controller as simple as can be, for tests of the host: memory instead of flash, a latency of the test's choice,
/// faults on demand. It checks what the host may do: queues within their size, PRPs aligned and not in use twice.
class FakeController : public sc_core::sc_module, public host::HostPathIf {
 public:
  explicit FakeController(const sc_core::sc_module_name& name, host::HostMemory& memory, std::uint64_t lbas)
      : sc_module(name), memory_(memory), lbas_(lbas) {
    SC_HAS_PROCESS(FakeController);
    socket.register_b_transport(this, &FakeController::b_transport);
    SC_METHOD(act);
    sensitive << wake_;
    dont_initialize();
  }

  tlm_utils::simple_target_socket_optional<FakeController> socket{"socket"};  // unbound: direct
  sc_core::sc_port<tlm_if::StageClockIf> stages{"stages"};
  host::HostInterruptIf* host = nullptr;
  host::HostPathClientIf* direct = nullptr;

  // The test's choices.
  std::uint64_t cap = std::uint64_t{1} << 37 | std::uint64_t{2} << 24 | 1 << 16 | 1023;  // TO = 1 s, MQES = 1023
  std::uint8_t mdts = 5;
  std::uint64_t nsze = 0;  // 0: as many as there are
  Picoseconds boot{35'000'000};
  bool never_ready = false;
  bool fatal = false;
  std::function<Picoseconds(const SeenCommand&)> latency = [](const SeenCommand&) { return Picoseconds(10'000'000); };
  std::function<host::nvme::Status(const SeenCommand&)> status = [](const SeenCommand&) {
    return host::nvme::kSuccess;
  };
  std::function<void(std::uint64_t lba, data::LbaStamp& stamp)> corrupt;  // what a read returns
  std::function<bool(const SeenCommand&)> lose;                           // writes that are acknowledged and forgotten
  unsigned tags = 1000;                                                   // direct only
  std::uint32_t most_ids = 64;                                            // direct only

  // What happened.
  std::vector<std::string> admin_log;
  std::vector<SeenCommand> commands;
  std::vector<std::pair<Picoseconds, std::uint32_t>> sq_doorbells;  // arrival, tail
  unsigned cq_doorbells = 0;
  unsigned in_flight = 0, most_in_flight = 0;
  unsigned refusals = 0;
  std::map<std::uint64_t, data::LbaStamp> store;

  void at(Picoseconds when, std::function<void()> what) {
    agenda_.emplace(when, std::move(what));
    wake_.notify(tlm_if::to_sc_time(when - tlm_if::kernel_time()));
  }

  // The path of host.model = direct.
  void connect(host::HostPathClientIf& client) override { direct = &client; }
  [[nodiscard]] std::uint32_t depth() const override { return most_ids; }
  void ring() override {}
  bool submit(const host::PathCommand& command) override {
    if (in_flight == tags) {
      ++refusals;
      return false;
    }
    SeenCommand seen;
    seen.opcode = static_cast<std::uint8_t>(command.op);
    seen.cid = command.id;
    seen.slba = command.slba;
    seen.nlb = command.nlb;
    seen.pages.assign(command.pages, command.pages + command.page_count);
    start(seen);
    return true;
  }

 private:
  struct Queue {
    std::uint64_t sq = 0, cq = 0;
    std::uint32_t entries = 0, sq_head = 0, cq_tail = 0, cq_head = 0;
    bool phase = true;
    bool interrupts = true;
  };

  void act() {
    while (!agenda_.empty() && agenda_.begin()->first <= tlm_if::kernel_time()) {
      const auto what = std::move(agenda_.begin()->second);
      agenda_.erase(agenda_.begin());
      what();
    }
    if (!agenda_.empty()) wake_.notify(tlm_if::to_sc_time(agenda_.begin()->first - tlm_if::kernel_time()));
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    std::uint32_t value = 0;
    const auto offset = static_cast<std::uint32_t>(payload.get_address());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.is_read()) {
      switch (offset) {
        case host::nvme::kRegCap:
          value = static_cast<std::uint32_t>(cap);
          break;
        case host::nvme::kRegCap + 4:
          value = static_cast<std::uint32_t>(cap >> 32);
          break;
        case host::nvme::kRegCsts:
          value = fatal ? host::nvme::kCstsFatal : ready_ ? host::nvme::kCstsReady : 0;
          break;
        default:
          payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      }
      std::memcpy(payload.get_data_ptr(), &value, 4);
      return;
    }
    std::memcpy(&value, payload.get_data_ptr(), 4);
    const Picoseconds arrival(tlm_if::kernel_time().count() + static_cast<std::int64_t>(delay.value()));
    at(arrival, [this, offset, value] { write(offset, value); });
  }

  void write(std::uint32_t offset, std::uint32_t value) {
    using namespace host::nvme;
    const std::uint64_t wide = value;
    switch (offset) {
      case kRegAqa:
        queues_[0].entries = (value & 0xfffU) + 1;
        return;
      case kRegAsq:
        queues_[0].sq |= wide;
        return;
      case kRegAsq + 4:
        queues_[0].sq |= wide << 32;
        return;
      case kRegAcq:
        queues_[0].cq |= wide;
        return;
      case kRegAcq + 4:
        queues_[0].cq |= wide << 32;
        return;
      case kRegCc:
        admin_log.push_back(value == kCcEnabled ? "enable" : "CC " + std::to_string(value));
        if (!never_ready) at(tlm_if::kernel_time() + boot, [this] { ready_ = true; });
        return;
      default:
        break;
    }
    if (offset == sq_tail_doorbell(0) || offset == sq_tail_doorbell(1)) {
      const unsigned qid = offset == sq_tail_doorbell(0) ? 0 : 1;
      if (qid == 1) sq_doorbells.emplace_back(tlm_if::kernel_time(), value);
      fetch(qid, value);
    } else if (offset == cq_head_doorbell(0) || offset == cq_head_doorbell(1)) {
      Queue& queue = queues_[offset == cq_head_doorbell(0) ? 0 : 1];
      queue.cq_head = value;
      if (&queue == &queues_[1]) ++cq_doorbells;
    } else {
      SC_REPORT_ERROR("fake", ("write to " + std::to_string(offset)).c_str());
    }
  }

  void fetch(unsigned qid, std::uint32_t tail) {
    Queue& queue = queues_[qid];
    if (tail >= queue.entries) SC_REPORT_ERROR("fake", "tail beyond the queue");
    while (queue.sq_head != tail) {
      host::nvme::SubmissionEntry entry{};
      memory_.read(queue.sq + queue.sq_head * sizeof entry, &entry, sizeof entry);
      queue.sq_head = (queue.sq_head + 1) % queue.entries;
      if (qid == 0) {
        at(tlm_if::kernel_time() + Picoseconds(1'000'000), [this, entry] { admin(entry); });
      } else {
        start(decode(entry));
      }
    }
  }

  SeenCommand decode(const host::nvme::SubmissionEntry& entry) {
    using namespace host::nvme;
    SeenCommand seen;
    seen.opcode = entry.opcode;
    seen.cid = entry.cid;
    if (entry.nsid != 1) SC_REPORT_ERROR("fake", "wrong namespace");
    if (entry.opcode == kDatasetManagement) {
      if (entry.cdw10 != 0 || entry.cdw11 != kDsmDeallocate) SC_REPORT_ERROR("fake", "not one range to deallocate");
      seen.pages.push_back(entry.prp1);
    } else if (entry.opcode != kFlush) {
      seen.slba = std::uint64_t{entry.cdw11} << 32 | entry.cdw10;
      seen.nlb = (entry.cdw12 & 0xffffU) + 1;
      if (seen.nlb > (8U << mdts)) SC_REPORT_ERROR("fake", "longer than MDTS");
      const std::size_t count = (seen.nlb + 7) / 8;
      seen.pages.push_back(entry.prp1);
      if (count == 2) seen.pages.push_back(entry.prp2);
      if (count > 2) {
        if (entry.prp2 % 4096 != 0) SC_REPORT_ERROR("fake", "PRP list not aligned");
        seen.pages.resize(count);
        memory_.read(entry.prp2, &seen.pages[1], (count - 1) * 8);
      }
    }
    return seen;
  }

  void start(SeenCommand seen) {
    seen.fetched = tlm_if::kernel_time();
    for (const std::uint64_t page : seen.pages) {
      if (page % 4096 != 0 || !memory_.allocated(page)) SC_REPORT_ERROR("fake", "a PRP names no page");
      if (!busy_pages_.insert(page).second) SC_REPORT_ERROR("fake", "a page is used by two commands");
    }
    most_in_flight = std::max(most_in_flight, ++in_flight);
    const std::size_t index = commands.size();
    commands.push_back(seen);
    stages->begin(seen.cid, 1, seen.cid, seen.fetched);
    at(seen.fetched + latency(seen), [this, index] { complete(index); });
  }

  void complete(std::size_t index) {
    using namespace host::nvme;
    SeenCommand& seen = commands[index];
    seen.completed = tlm_if::kernel_time();
    const Status result = status(seen);
    if (result == kSuccess) carry_out(seen);
    for (const std::uint64_t page : seen.pages) busy_pages_.erase(page);
    --in_flight;
    stages->release(seen.cid, seen.completed);
    if (direct != nullptr) {
      direct->completed(0, seen.cid, result, seen.completed);
    } else {
      post(1, seen.cid, result);
    }
  }

  void carry_out(const SeenCommand& seen) {
    using namespace host::nvme;
    if (seen.opcode == kDatasetManagement) {
      DsmRange range{};
      memory_.read(seen.pages[0], &range, sizeof range);
      for (std::uint64_t lba = range.slba; lba < range.slba + range.nlb; ++lba) store[lba] = {};
      return;
    }
    for (std::uint32_t i = 0; i < seen.nlb; ++i) {
      data::LbaStamp& stamp = memory_.stamp(seen.pages[i / 8] + i % 8 * 512);
      const std::uint64_t lba = seen.slba + i;
      if (seen.opcode == kRead) {
        const auto found = store.find(lba);
        stamp = found == store.end() ? data::LbaStamp() : found->second;
        if (corrupt) corrupt(lba, stamp);
      } else if (!lose || !lose(seen)) {
        store[lba] = stamp;
      }
    }
  }

  void post(unsigned qid, std::uint16_t cid, host::nvme::Status result) {
    Queue& queue = queues_[qid];
    host::nvme::CompletionEntry entry{};
    entry.sq_head = static_cast<std::uint16_t>(queue.sq_head);
    entry.sq_id = static_cast<std::uint16_t>(qid);
    entry.cid = cid;
    entry.status = host::nvme::status_word(result, queue.phase);
    memory_.write(queue.cq + queue.cq_tail * sizeof entry, &entry, sizeof entry);
    if (++queue.cq_tail == queue.entries) {
      queue.cq_tail = 0;
      queue.phase = !queue.phase;
    }
    if (queue.cq_tail == queue.cq_head) SC_REPORT_ERROR("fake", "completion queue full");
    if (queue.interrupts) host->interrupt(qid, tlm_if::kernel_time());
  }

  void admin(const host::nvme::SubmissionEntry& entry) {
    using namespace host::nvme;
    switch (entry.opcode) {
      case kIdentify: {
        std::vector<std::uint8_t> page(4096);
        if (entry.cdw10 == kCnsController) {
          page[identify_controller::kMdts] = mdts;
        } else {
          const std::uint64_t size = nsze == 0 ? lbas_ : nsze;
          std::memcpy(&page[identify_namespace::kNsze], &size, 8);
          page[identify_namespace::kLbaf0 + 2] = 9;
        }
        memory_.write(entry.prp1, page.data(), page.size());
        admin_log.push_back("identify " + std::to_string(entry.cdw10));
        break;
      }
      case kSetFeatures:
        admin_log.push_back("set feature " + std::to_string(entry.cdw10));
        break;
      case kCreateIoCq:
        queues_[1].cq = entry.prp1;
        queues_[1].entries = (entry.cdw10 >> 16) + 1;
        queues_[1].interrupts = (entry.cdw11 & 2U) != 0;
        admin_log.push_back("create CQ " + std::to_string(entry.cdw10 & 0xffffU));
        break;
      case kCreateIoSq:
        queues_[1].sq = entry.prp1;
        admin_log.push_back("create SQ " + std::to_string(entry.cdw10 & 0xffffU));
        break;
      default:
        admin_log.push_back("opcode " + std::to_string(entry.opcode));
    }
    post(0, entry.cid, kSuccess);
  }

  host::HostMemory& memory_;
  std::uint64_t lbas_;
  bool ready_ = false;
  Queue queues_[2];
  std::multimap<Picoseconds, std::function<void()>> agenda_;
  std::set<std::uint64_t> busy_pages_;
  sc_core::sc_event wake_;
};

}  // namespace wordline::testing
