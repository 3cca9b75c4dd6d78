// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/nvme/nvme_fuzz.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "models/checks/load.h"
#include "testbenches/fuzz/nvme/hostile_commands.h"
#include "testbenches/fuzz/nvme/hostile_host.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/platform/installed_files.h"

namespace wordline::fuzz {

namespace nvme = host::nvme;

namespace {

/// A hostile host names commands twice and forgets others, which the stage clock (the host's own) reports; and whatever
/// the controller ignores is a warning. Any other report ends the simulation.
void handler(const sc_core::sc_report& report, const sc_core::sc_actions& /*actions*/) {
  if (report.get_severity() < sc_core::SC_ERROR) return;
  if (std::string_view(report.get_msg_type()) == "/wordline/observe/stage_clock") return;
  sc_core::sc_report_handler::default_handler(report, sc_core::SC_THROW);
}

/// What the host does, one thing after the other.
class Siege {
 public:
  Siege(HostileHost& host, Tally& tally, std::uint64_t commands, std::uint64_t seed, const config::Config& config)
      : host_(host), tally_(tally), commands_(commands), make_(host, seed, config), draws_(make_.draws()) {
    for (std::uint32_t qid = 1; qid <= kPairs + 1; ++qid) {
      sq_memory_[qid] = host.memory.allocate(kMostEntries * 64 / 4096);
      cq_memory_[qid] = host.memory.allocate(1);
    }
    admin_sq_ = host.memory.allocate(1);
    admin_cq_ = host.memory.allocate(1);
  }

  void run() {
    if (!begin()) return;
    while (!host_.broken() && sent_ < commands_) {
      load();
      if (draws_.once_in(3)) (void)host_.admin(make_.admin());
      if (draws_.once_in(4)) event_request();
      if (draws_.once_in(4)) doorbells();
      if (draws_.once_in(6)) queues_under_load();
      if (draws_.once_in(6)) junk();
      if (draws_.once_in(12)) reset();
      if (draws_.once_in(60) && (!make_.format_needs_quiet() || drain())) (void)host_.admin(make_.format());
      if (draws_.once_in(15)) unwritten_errors();
      if (host_.namespace_ids != 1 && draws_.once_in(25)) namespaces();
      if (draws_.once_in(20)) shut_down();
      if (draws_.once_in(30)) fatal();
      if (draws_.once_in(2)) healthy();
    }
    healthy();
  }

 private:
  static constexpr std::uint32_t kPairs = 4, kMostEntries = 64;

  bool begin() {
    host_.admin_sq_base = sq_place(0);
    host_.admin_cq_base = admin_cq_;
    if (!host_.enable(static_cast<std::uint32_t>(draws_.between(2, 64)))) return false;
    for (std::uint32_t qid = 1; qid <= kPairs; ++qid) make_pair(qid);
    return !host_.broken();
  }

  void make_pair(std::uint32_t qid) {
    const auto entries = [this] { return static_cast<std::uint32_t>(draws_.between(2, kMostEntries)); };
    if (!host_.cq(qid).exists) host_.create_cq(qid, entries(), cq_memory_[qid], draws_.once_in(2));
    // Some queues share a completion queue.
    const std::uint32_t cqid = qid > 2 && draws_.once_in(3) ? 2 : qid;
    host_.create_sq(qid, cqid, entries(), sq_place(qid));
  }

  /// A page for a submission queue, in memory of the host or the controller.
  std::uint64_t sq_place(std::uint32_t qid) {
    if (qid < host_.controller_pages() && draws_.once_in(2)) return HostileHost::controller_page(qid);
    return qid == 0 ? admin_sq_ : sq_memory_[qid];
  }

  /// Some commands into every queue.
  void load() {
    for (std::uint32_t qid = 1; qid <= kPairs && !host_.broken(); ++qid) {
      if (!host_.sq(qid).exists) continue;
      const std::uint64_t most = std::min<std::uint64_t>(host_.room(qid), draws_.between(1, 16));
      for (std::uint64_t i = 0; i < most; ++i) {
        host_.put(qid, make_.io());
        ++sent_;
        if (draws_.once_in(3)) host_.ring_tail(qid);
      }
      host_.ring_tail(qid);
      if (draws_.once_in(2)) host_.reap(static_cast<std::uint32_t>(draws_.below(4)));
    }
    if (draws_.once_in(2)) {
      host_.pass(Picoseconds(static_cast<std::int64_t>(draws_.below(400'000'000))));
      host_.reap();
    } else {
      drain();
    }
  }

  bool drain() {
    return host_.wait_for([&] { return host_.outstanding() == 0; }, "commands in flight");
  }

  /// The controller still knows who it is, and its data are right.
  void healthy() {
    HostileCommand identify;
    identify.input_class = "identify, checked";
    identify.entry.opcode = nvme::kIdentify;
    identify.entry.cdw10 = nvme::kCnsController;
    identify.entry.prp1 = information_page();
    identify.fits = {nvme::kSuccess};
    if (host_.admin(identify) != nvme::kSuccess) return;
    std::array<char, nvme::identify_controller::kMnBytes> model{};
    host_.memory.read(identify.entry.prp1 + nvme::identify_controller::kMn, model.data(), model.size());
    if (std::string(model.data(), 18) != "Wordline SSD model") host_.fail("Identify does not give the model's name");
    if (!drain() || host_.room(1) == 0) return;
    for (int i = 0; i < 8 && host_.room(1) != 0; ++i) {
      host_.put(1, make_.checked_read());
      ++sent_;
    }
    host_.ring_tail(1);
    drain();
  }

  /// An Asynchronous Event Request, which a doorbell may complete, and another command behind it: its completion says
  /// that the controller has taken the entry.
  void event_request() {
    if (host_.sq(0).size < 8 || host_.room(0) < 4) return;
    HostileCommand request;
    request.input_class = "asynchronous event request";
    request.entry.opcode = nvme::kAsyncEventRequest;
    request.fits = {nvme::kSuccess, nvme::kAsyncEventLimitExceeded};
    host_.put(0, std::move(request));
    host_.ring_tail(0);
    HostileCommand log;
    log.input_class = "error log";
    log.entry.opcode = nvme::kGetLogPage;
    log.entry.cdw10 = 15U << 16 | nvme::kLogErrorInformation | (draws_.once_in(2) ? nvme::kRetainEvent : 0U);
    log.entry.prp1 = information_page();
    log.fits = {nvme::kSuccess};
    (void)host_.admin(std::move(log));
  }

  /// Registers and doorbells as no host may use them. All of it is ignored but for an event.
  void doorbells() {
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t qid = draws_.once_in(2) ? static_cast<std::uint32_t>(draws_.between(kPairs + 2, 63)) : 1;
      switch (draws_.below(5)) {
        case 0:
          host_.write32(nvme::sq_tail_doorbell(qid),
                        static_cast<std::uint32_t>(draws_.between(kMostEntries, 1U << 31)));
          break;
        case 1:
          host_.write32(nvme::cq_head_doorbell(qid),
                        static_cast<std::uint32_t>(draws_.between(kMostEntries, 1U << 31)));
          break;
        case 2: {  // of a size, or at an address, that the controller does not take
          std::array<std::uint8_t, 64> bytes{};
          const auto size = draws_.one_of<unsigned>({1, 2, 3, 5, 7, 12, 16, 64});
          const bool taken = host_.access(draws_.once_in(2), draws_.below(0x1200), bytes.data(), size);
          const std::uint64_t behind =
              host_.controller_pages() == 0 ? 0x1200 : nvme::kCmbOffset + host_.controller_pages() * 4096;
          const bool outside = host_.access(draws_.once_in(2), behind + draws_.below(1U << 20) * 4, bytes.data(), 4);
          if (taken || outside) host_.fail("an access that no controller takes was taken");
          tally_.refused("register: bad access");
          continue;
        }
        case 3:
          host_.write32(
              draws_.one_of<std::uint32_t>({0x00, 0x04, 0x08, 0x18, 0x1c, 0x20, 0x24, 0x28, 0x34, 0x38, 0xff0}),
              static_cast<std::uint32_t>(draws_.extreme()));
          break;
        default:
          host_.write32(draws_.once_in(2) ? nvme::kRegIntms : nvme::kRegIntmc,
                        static_cast<std::uint32_t>(draws_.bits()));
          tally_.accepted("register: interrupt mask");
          continue;
      }
      tally_.refused("register: ignored write");
    }
  }

  void queues_under_load() {
    const auto qid = static_cast<std::uint32_t>(draws_.between(2, kPairs));
    if (!host_.sq(qid).exists) return;
    load();
    if (host_.broken()) return;
    const std::uint32_t cqid = host_.sq(qid).cq;
    host_.delete_sq(qid);
    if (host_.broken()) return;
    host_.write32(nvme::sq_tail_doorbell(qid), 1);
    bool used = false;
    for (std::uint32_t other = 1; other <= kPairs; ++other) used |= host_.sq(other).exists && host_.sq(other).cq == qid;
    if (!used && cqid == qid) host_.delete_cq(qid);
    if (!host_.broken()) make_pair(qid);
  }

  /// A queue of any bits, with identifiers used twice, and a doorbell that jumps.
  void junk() {
    constexpr std::uint32_t kQueue = kPairs + 1, kEntries = 32;
    host_.create_cq(kQueue, 8, cq_memory_[kQueue], true);
    host_.create_sq(kQueue, kQueue, kEntries, sq_memory_[kQueue]);
    if (host_.broken()) return;
    host_.sq(kQueue).foreign_ids = true;
    std::array<nvme::SubmissionEntry, kEntries> entries;
    for (auto& entry : entries) entry = make_.any_bits();
    host_.memory.write(sq_memory_[kQueue], entries.data(), sizeof entries);
    std::uint64_t due = 0;
    for (int i = 0; i < 3; ++i) {
      HostileHost::Submission& queue = host_.sq(kQueue);
      const auto to = static_cast<std::uint32_t>(draws_.below(kEntries));
      due += (to + kEntries - queue.tail) % kEntries;
      queue.tail = to;
      host_.ring_tail(kQueue);
      const bool all = host_.wait_for([&] { return host_.sq(kQueue).completions == due; }, "a queue of any bits");
      if (!all) return;
    }
    for (std::uint64_t i = 0; i < due; ++i) tally_.refused("queue of any bits");
    sent_ += due;
    host_.delete_sq(kQueue);
    if (!host_.broken()) host_.delete_cq(kQueue);
  }

  void reset() {
    load();
    const auto how = static_cast<HostileHost::Reset>(draws_.below(3));
    if (host_.broken() || !host_.reset(how)) return;
    tally_.accepted(how == HostileHost::Reset::kController  ? "controller reset under load"
                    : how == HostileHost::Reset::kSubsystem ? "subsystem reset under load"
                                                            : "function reset under load");
    begin();
  }

  /// Reads of blocks without data are errors for a while (DULBE).
  void unwritten_errors() {
    const auto set = [&](std::uint32_t value) {
      HostileCommand feature;
      feature.input_class = "unwritten blocks are errors";
      feature.entry.opcode = nvme::kSetFeatures;
      feature.entry.nsid = draws_.once_in(2) ? nvme::kNamespace : nvme::kAllNamespaces;
      feature.entry.cdw10 = nvme::kFeatureErrorRecovery;
      feature.entry.cdw11 = value;
      feature.fits = {nvme::kSuccess};
      return drain() && host_.admin(std::move(feature)) == nvme::kSuccess;
    };
    if (!set(nvme::kUnwrittenErrors)) return;
    make_.unwritten_are_errors(true);
    load();
    make_.unwritten_are_errors(false);
    if (!host_.broken()) (void)set(0);
  }

  /// Namespace 1 goes and comes under load.
  void namespaces() {
    load();
    for (HostileCommand& command : make_.namespaces())
      if (host_.broken() || host_.admin(std::move(command)) != nvme::kSuccess) return;
  }

  void shut_down() {
    load();
    if (host_.broken()) return;
    const std::uint32_t kind = draws_.once_in(2) ? 1U : 2U;
    host_.write32(nvme::kRegCc, nvme::kCcEnabled | kind << 14);
    const bool over = host_.wait_for(
        [&] { return (host_.read32(nvme::kRegCsts) & nvme::kCstsShutdownMask) == nvme::kCstsShutdownComplete; },
        "the end of a shutdown");
    if (!over || !host_.reset()) return;
    tally_.accepted("shutdown under load");
    begin();
  }

  /// What the controller can only answer with CSTS.CFS, and a reset must heal.
  void fatal() {
    constexpr std::uint32_t kQueue = kPairs + 1;
    constexpr std::uint64_t kNowhere = 0x6'0000'0000;
    const std::uint64_t how = draws_.below(5);
    if (how < 2) {
      load();
      if (host_.broken()) return;
      host_.create_cq(kQueue, 8, how == 0 ? cq_memory_[kQueue] : kNowhere, true);
      host_.create_sq(kQueue, kQueue, 8, how == 0 ? kNowhere : sq_memory_[kQueue]);
      const nvme::SubmissionEntry flush = {};
      host_.memory.write(sq_memory_[kQueue], &flush, sizeof flush);
      host_.write32(nvme::sq_tail_doorbell(kQueue), 1);
    } else {
      if (!host_.reset()) return;
      if (how == 2) host_.write32(nvme::kRegAqa, 0);
      host_.write32(nvme::kRegAsq,
                    how == 3 ? static_cast<std::uint32_t>(kNowhere) : static_cast<std::uint32_t>(admin_sq_));
      if (how == 3) host_.write32(nvme::kRegAsq + 4, static_cast<std::uint32_t>(kNowhere >> 32));
      host_.write32(nvme::kRegCc, nvme::kCcEnabled | (how == 4 ? 1U << 7 : 0U));  // CC.MPS = 1
      if (how == 3) {
        host_.pass(Picoseconds(1'000'000));
        host_.write32(nvme::sq_tail_doorbell(0), 1);
      }
    }
    if (!host_.wait_for([&] { return host_.fatal(); }, "CSTS.CFS")) return;
    if (!host_.reset()) return;
    tally_.refused("controller: fatal, then reset");
    begin();
  }

  std::uint64_t information_page() {
    if (information_ == 0) information_ = host_.memory.allocate(1);
    return information_;
  }

  HostileHost& host_;
  Tally& tally_;
  const std::uint64_t commands_;
  HostileCommands make_;
  Draws& draws_;
  std::array<std::uint64_t, kPairs + 2> sq_memory_{}, cq_memory_{};
  std::uint64_t admin_sq_ = 0, admin_cq_ = 0, information_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace

Tally fuzz_nvme(const std::string& path, const std::vector<std::string>& sets, std::uint64_t commands,
                std::uint64_t seed) {
  sc_core::sc_report_handler::set_handler(handler);
  Tally tally;
  const config::Loaded loaded = config::load(path, sets);
  if (loaded.config.nvme.lba_size != config::LbaSize::k512 || loaded.config.nvme.namespaces.size() > 1) {
    throw config::ConfigError(
        "fuzz_nvme: error: the checked commands are of blocks of 512 bytes in one namespace; leave out nvme.lba_size "
        "and nvme.namespaces");
  }
  const config::Layout layout = config::layout_of(loaded.config);
  tlm_if::SimulationContext context;
  device::Drive drive("ssd", loaded.config, layout, {context, nullptr, platform::firmware_for(loaded.config, "")});
  HostileHost host("hostile_host", layout.lpage.first_lba(layout.user_lpages), loaded.config.nvme.cmb, drive, tally);
  if (loaded.config.ftl.recovery == config::Recovery::kNone && loaded.config.ftl.fdp.handles == 0) {
    host.namespace_ids = nvme::Namespaces::kMost;
  }
  host.body = [&](HostileHost& hostile) { Siege(hostile, tally, commands, seed, loaded.config).run(); };
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    tally.failed(std::string(report.get_msg_type()) + ": " + report.get_msg());
    return tally;
  }
  const struct wl_map_cache_statistics map = drive.map_cache_statistics();
  if (map.fetched != 0) tally.accepted("copies of map pages fetched");
  if (map.spoiled != 0) tally.accepted("copies of map pages spoiled");
  if (!host.finished()) tally.failed("the drive has nothing more to do, and the host waits");
  return tally;
}

}  // namespace wordline::fuzz
