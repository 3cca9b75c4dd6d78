// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A host of your own before a drive: it writes and reads back 1,000 logical pages, eight at a time, over NVMe. The
// drive is reached by TLM-2.0 alone: registers by an initiator socket, DMA by a target socket, so both kinds of traffic
// are there to be watched, counted or delayed by any SystemC module between.
//
// usage: own_host [CONFIG [resolution=1fs|10ps] [out=FOLDER] [KEY=VALUE...]]
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "tlm/device/nvme/nvme.h"
#include "tlm/platform/drive_endpoint.h"
#include "tlm/protocol/stamp_extension.h"

namespace {

using namespace wordline::host;
using sc_core::sc_time;
using sc_core::sc_time_stamp;
using wordline::data::LbaStamp;

constexpr std::uint32_t kPage = 4096, kBlocks = kPage / 512;

double in_us(const sc_time& time) { return time.to_seconds() * 1e6; }

/// The host's memory, at any address: bytes, and a stamp for each 512 bytes of user data, which stands for their
/// content (models/data/stamp.h).
class Memory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  std::uint64_t reads = 0, writes = 0, bytes = 0;  // of the drive

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
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& /*delay*/) {
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

class Host final : public sc_core::sc_module, public HostInterruptIf {
 public:
  tlm_utils::simple_initiator_socket<Host> registers{"registers"};
  std::uint64_t accesses = 0;  // of registers
  bool failed = true;          // until the end was reached

  Host(const sc_core::sc_module_name& name, Memory& memory) : sc_module(name), memory_(memory) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }

 private:
  static constexpr std::uint32_t kEntries = 64, kDepth = 8, kPages = 1000;
  static constexpr std::uint64_t kQueues = 0x1'0000'0000, kData = 0x2'0000'0000;

  struct Queue {
    std::uint32_t id;
    std::uint64_t submissions = kQueues + id * 2 * kPage, completions = submissions + kPage;
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

  void bring_up() {
    write(nvme::kRegAqa, (kEntries - 1) << 16 | (kEntries - 1));
    write(nvme::kRegAsq, static_cast<std::uint32_t>(admin_.submissions));
    write(nvme::kRegAsq + 4, static_cast<std::uint32_t>(admin_.submissions >> 32));
    write(nvme::kRegAcq, static_cast<std::uint32_t>(admin_.completions));
    write(nvme::kRegAcq + 4, static_cast<std::uint32_t>(admin_.completions >> 32));
    write(nvme::kRegCc, nvme::kCcEnabled);
    while ((read(nvme::kRegCsts) & nvme::kCstsReady) == 0) wait(10, sc_core::SC_US);
    admin(nvme::kIdentify, kData, nvme::kCnsController, 0);
    const auto model = memory_.get<std::array<char, 40>>(kData + nvme::identify_controller::kMn);
    std::printf("%.18s is ready at %.3f us\n", model.data(), in_us(sc_time_stamp()));
    admin(nvme::kCreateIoCq, io_.completions, (kEntries - 1) << 16 | io_.id, 3);  // contiguous, with interrupts
    admin(nvme::kCreateIoSq, io_.submissions, (kEntries - 1) << 16 | io_.id, io_.id << 16 | 1);
  }

  /// Page `n` of all, in host page `slot`.
  void start(std::uint8_t opcode, std::uint32_t n, std::uint16_t slot) {
    nvme::SubmissionEntry entry{};
    entry.opcode = opcode;
    entry.cid = slot;
    entry.nsid = nvme::kNamespace;
    entry.prp1 = kData + slot * kPage;
    entry.cdw10 = n * kBlocks;
    entry.cdw12 = kBlocks - 1;
    for (std::uint32_t i = 0; i < kBlocks; ++i) {
      memory_.stamp(entry.prp1 + 512 * i) =
          opcode == nvme::kWrite ? LbaStamp(wordline::Lba(n * kBlocks + i), kVersion) : LbaStamp();
    }
    pages_[slot] = n;
    started_[slot] = sc_time_stamp();
    submit(io_, entry);
  }

  void run_all(std::uint8_t opcode, const char* name) {
    std::vector<sc_time> latencies;
    std::uint32_t next = 0;
    for (std::uint16_t slot = 0; slot < kDepth; ++slot) start(opcode, next++, slot);
    while (latencies.size() < kPages) {
      const std::uint16_t slot = completion(io_).cid;
      latencies.push_back(sc_time_stamp() - started_.at(slot));
      for (std::uint32_t i = 0; opcode == nvme::kRead && i < kBlocks; ++i) {
        const LbaStamp expected(wordline::Lba(pages_[slot] * kBlocks + i), kVersion);
        if (memory_.stamp(kData + slot * kPage + 512 * i) != expected) SC_REPORT_ERROR("own_host", "wrong data");
      }
      if (next < kPages) start(opcode, next++, slot);
    }
    std::sort(latencies.begin(), latencies.end());
    std::printf("%u %s: p50 %.3f us, p99 %.3f us\n", kPages, name, in_us(latencies[kPages / 2]),
                in_us(latencies[kPages * 99 / 100]));
  }

  void run() {
    bring_up();
    run_all(nvme::kWrite, "writes");
    run_all(nvme::kRead, "reads");
    failed = false;
    sc_core::sc_stop();
  }

  static constexpr std::uint32_t kVersion = 2;  // of what this host writes

  Memory& memory_;
  Queue admin_{0}, io_{1};
  std::array<std::uint32_t, kDepth> pages_{};
  std::array<sc_time, kDepth> started_{};
  sc_core::sc_event interrupt_;
};

}  // namespace

int sc_main(int argc, char** argv) try {
  wordline::platform::DriveOptions options;
  options.config = argc > 1 ? argv[1] : CONFIGS "/ssds/small.toml";
  for (int i = 2; i < argc; ++i) {
    // The simulation is this program's, and so are its ticks: the drive counts in picoseconds, or in parts of them.
    if (std::string_view(argv[i]) == "resolution=1fs") {
      sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    } else if (std::string_view(argv[i]) == "resolution=10ps") {
      sc_core::sc_set_time_resolution(10, sc_core::SC_PS);  // refused
    } else if (std::string_view(argv[i]).substr(0, 4) == "out=") {
      options.out = argv[i] + 4;
    } else {
      options.sets.emplace_back(argv[i]);
    }
  }
  options.firmware = WORDLINE_FIRMWARE;
  wordline::platform::DriveEndpoint drive("drive", options);
  Memory memory("host_memory");
  Host host("host", memory);
  host.registers.bind(drive.registers);
  drive.memory().bind(memory.socket);
  drive.interrupt().bind(host);

  sc_core::sc_start();
  std::printf("%llu accesses of registers; DMA: %llu reads, %llu writes, %llu bytes\n",
              static_cast<unsigned long long>(host.accesses), static_cast<unsigned long long>(memory.reads),
              static_cast<unsigned long long>(memory.writes), static_cast<unsigned long long>(memory.bytes));
  if (host.failed) std::fprintf(stderr, "own_host: the drive has nothing more to do, and the host waits\n");
  return host.failed ? 1 : 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
