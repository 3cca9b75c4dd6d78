// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <systemc>

#include "tlm/device/nvme/interrupts.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/protocol/stamp_extension.h"

namespace own_host {

using namespace wordline::host;
using sc_core::sc_time;
using sc_core::sc_time_stamp;
using wordline::data::LbaStamp;

constexpr std::uint32_t kPage = 4096, kBlocks = kPage / 512;

inline double in_us(const sc_time& time) { return time.to_seconds() * 1e6; }

/// The host's memory, at any address: bytes, and a stamp for each 512 bytes of user data, which stands for their
/// content (models/data/stamp.h).
class Memory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  std::uint64_t reads = 0, writes = 0, bytes = 0;  // of the drive

  /// What each access of the drive takes, waited for or annotated.
  sc_time each = sc_core::SC_ZERO_TIME;
  bool waits = false;

  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::b_transport);
  }
  template <class T>
  void put(std::uint64_t address, const T& value) {
    std::memcpy(&pages_[address / kPage].bytes.at(address % kPage), &value, sizeof value);
  }
  template <class T>
  T get(std::uint64_t address) {
    T value;
    std::memcpy(&value, &pages_[address / kPage].bytes.at(address % kPage), sizeof value);
    return value;
  }
  LbaStamp& stamp(std::uint64_t address) { return pages_[address / kPage].stamps.at(address % kPage / 512); }

 private:
  struct Page {
    std::array<unsigned char, kPage> bytes{};
    std::array<LbaStamp, kBlocks> stamps{};
  };

  /// A transaction of the drive stays within a page.
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    delay += each;
    if (waits) {
      wait(delay);  // for the access to arrive, and for the memory
      delay = sc_core::SC_ZERO_TIME;
    }
    Page& page = pages_[payload.get_address() / kPage];
    const std::size_t offset = payload.get_address() % kPage, length = payload.get_data_length();
    ++(payload.is_read() ? reads : writes);
    bytes += length;
    unsigned char* at = page.bytes.data() + offset;
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), at, length);
    if (payload.is_write()) std::memcpy(at, payload.get_data_ptr(), length);
    if (auto* user_data = payload.get_extension<StampExtension>()) {
      LbaStamp* stamps = page.stamps.data() + offset / 512;
      if (payload.is_read()) std::copy_n(stamps, user_data->nlb, user_data->stamps.begin());
      if (payload.is_write()) std::copy_n(user_data->stamps.begin(), user_data->nlb, stamps);
      user_data->served = true;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  std::map<std::uint64_t, Page> pages_;
};

/// The host's driver of one drive: an admin queue and one queue pair, by interrupts.
class NvmeHost : public sc_core::sc_module, public HostInterruptIf {
 public:
  tlm_utils::simple_initiator_socket<NvmeHost> registers{"registers"};
  std::uint64_t accesses = 0;  // of registers

 protected:
  static constexpr std::uint32_t kEntries = 64;

  /// `base`: of what the host has in memory for this drive, a gigabyte.
  NvmeHost(const sc_core::sc_module_name& name, Memory& memory, std::uint64_t base)
      : sc_module(name), memory_(memory), base_(base) {}

  struct Queue {
    std::uint32_t id;
    std::uint64_t submissions, completions;
    std::uint32_t tail = 0, head = 0;
    bool phase = true;
  };

  void interrupt(unsigned /*vector*/, wordline::Picoseconds /*at*/) override { interrupt_.notify(); }

  std::uint32_t access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t value = 0) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    sc_time delay = sc_core::SC_ZERO_TIME;
    registers->b_transport(payload, delay);
    if (!payload.is_response_ok()) SC_REPORT_ERROR("own_host", payload.get_response_string().c_str());
    ++accesses;
    if (payload.is_read()) wait(delay);  // a write is posted: the host does not wait for it
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t value) { access(tlm::TLM_WRITE_COMMAND, offset, value); }
  std::uint32_t read(std::uint32_t offset) { return access(tlm::TLM_READ_COMMAND, offset); }

  void submit(Queue& queue, const nvme::SubmissionEntry& entry) {
    memory_.put(queue.submissions + queue.tail * sizeof entry, entry);
    queue.tail = (queue.tail + 1) % kEntries;
    write(nvme::sq_tail_doorbell(queue.id), queue.tail);
  }
  /// Waits for the next completion of the queue.
  nvme::CompletionEntry completion(Queue& queue) {
    const std::uint64_t at = queue.completions + queue.head * sizeof(nvme::CompletionEntry);
    while (nvme::phase_of(memory_.get<nvme::CompletionEntry>(at)) != queue.phase) wait(interrupt_);
    queue.head = (queue.head + 1) % kEntries;
    if (queue.head == 0) queue.phase = !queue.phase;
    write(nvme::cq_head_doorbell(queue.id), queue.head);
    const auto entry = memory_.get<nvme::CompletionEntry>(at);
    if (nvme::status_of(entry) != nvme::kSuccess) SC_REPORT_ERROR("own_host", "a command has failed");
    return entry;
  }
  void admin(std::uint8_t opcode, std::uint64_t address, std::uint32_t cdw10, std::uint32_t cdw11) {
    nvme::SubmissionEntry entry{};
    entry.opcode = opcode;
    entry.prp1 = address;
    entry.cdw10 = cdw10;
    entry.cdw11 = cdw11;
    submit(admin_, entry);
    completion(admin_);
  }

  /// Enables the controller, which is not enabled, and makes the queue pair.
  void bring_up() {
    for (Queue* queue : {&admin_, &io_}) {
      for (std::uint32_t i = 0; i < kEntries; ++i)
        memory_.put(queue->completions + i * sizeof(nvme::CompletionEntry), nvme::CompletionEntry{});
      queue->tail = queue->head = 0;
      queue->phase = true;
    }
    write(nvme::kRegAqa, (kEntries - 1) << 16 | (kEntries - 1));
    write(nvme::kRegAsq, static_cast<std::uint32_t>(admin_.submissions));
    write(nvme::kRegAsq + 4, static_cast<std::uint32_t>(admin_.submissions >> 32));
    write(nvme::kRegAcq, static_cast<std::uint32_t>(admin_.completions));
    write(nvme::kRegAcq + 4, static_cast<std::uint32_t>(admin_.completions >> 32));
    write(nvme::kRegCc, nvme::kCcEnabled);
    while ((read(nvme::kRegCsts) & nvme::kCstsReady) == 0) wait(10, sc_core::SC_US);
    admin(nvme::kIdentify, data_page(0), nvme::kCnsController, 0);
    const auto model = memory_.get<std::array<char, 40>>(data_page(0) + nvme::identify_controller::kMn);
    std::printf("%.18s is ready at %.3f us\n", model.data(), in_us(sc_time_stamp()));
    admin(nvme::kCreateIoCq, io_.completions, (kEntries - 1) << 16 | io_.id, 3);  // contiguous, with interrupts
    admin(nvme::kCreateIoSq, io_.submissions, (kEntries - 1) << 16 | io_.id, io_.id << 16 | 1);
  }

  [[nodiscard]] std::uint64_t data_page(std::uint32_t slot) const {
    return base_ + 0x1000'0000 + slot * std::uint64_t{kPage};
  }
  /// Submits a read or write of the logical page `n` of 4 KiB, whose data are in host page `slot`.
  void start(std::uint8_t opcode, std::uint32_t n, std::uint16_t slot) {
    nvme::SubmissionEntry entry{};
    entry.opcode = opcode;
    entry.cid = slot;
    entry.nsid = nvme::kNamespace;
    entry.prp1 = data_page(slot);
    entry.cdw10 = n * kBlocks;
    entry.cdw12 = kBlocks - 1;
    submit(io_, entry);
  }

  Memory& memory_;
  const std::uint64_t base_;
  Queue admin_{0, base_, base_ + kPage}, io_{1, base_ + 2 * kPage, base_ + 3 * kPage};
  sc_core::sc_event interrupt_;
};

}  // namespace own_host
