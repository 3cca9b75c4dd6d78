// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/checks/load.h"
#include "models/config/sha256.h"
#include "models/precondition/logical_ftl.h"
#include "models/precondition/state_file.h"
#include "models/riscv/block_cache.h"
#include "models/riscv/elf_loader.h"
#include "models/riscv/gdb_packets.h"
#include "models/riscv/gdb_server.h"
#include "testbenches/fuzz/mutator.h"
#include "testbenches/fuzz/readers/subjects.h"

namespace wordline::fuzz {

namespace fs = std::filesystem;

namespace {

/// The last bytes of a state are the SHA-256 of those before.
void sign(std::string& bytes) {
  constexpr std::size_t kDigest = 32;
  if (bytes.size() < kDigest) return;
  const std::string digits = config::sha256(std::string_view(bytes).substr(0, bytes.size() - kDigest));
  std::string digest;
  (void)riscv::bytes_of_hex(digits, digest);
  std::copy(digest.begin(), digest.end(), bytes.end() - kDigest);
}

/// A state of a drive; half of the inputs have a checksum that fits, or nothing but that would be tried.
class State final : public Subject {
 public:
  explicit State(const fs::path& folder) : path_((folder / "fuzzed.state").string()) {
    precondition::DriveState state;
    state.geometry = {2, 1, 12, 8, 2, 2, 256, 4096};
    precondition::LogicalFtl ftl({12, state.geometry.superblock_lpages(), 256, 2, precondition::Victims::kGreedy});
    ftl.fill_in_order();
    ftl.overwrite(1000, 3);
    ftl.finish(state);
    state.origin = "an example";
    geometry_ = state.geometry;
    precondition::save_state(path_, state);
    example_ = content_of(path_);
  }
  [[nodiscard]] const char* name() const override { return "state of a drive"; }
  Verdict read(Draws& draws) override {
    input_ = damaged_bytes(example_, draws);
    if (draws.once_in(2)) sign(input_);
    write_content(path_, input_);
    precondition::DriveState state;
    try {
      state = precondition::load_state(path_, geometry_);
    } catch (const config::ConfigError& error) {
      return refused(error.what(), path_ + ": error: ");
    }
    precondition::save_state(path_, state);
    if (content_of(path_) != input_) return {true, "written again it is another file"};
    return {true, {}};
  }

 private:
  std::string path_, example_;
  precondition::Geometry geometry_;
};

/// A core with the memories of the drive's map, the small ones in part, and nothing on its bus.
class Core final : public riscv::Bus {
 public:
  static constexpr std::uint32_t kCode = 0x40000, kData = 0x800000, kDram = 0x100000;

  Core() : hart({}, *this) {
    hart.add_region({0, kCode, code_.data(), 1, 1, true, true});
    hart.add_region({0x10000000, kData, data_.data(), 1, 1, true, true});
    hart.add_region({0x80000000, kDram, dram_.data(), 20, 5, true, true});
  }
  bool read(std::uint32_t address, unsigned /*size*/, std::uint32_t& value) override {
    value = address * 2654435761U;
    return address % 64 != 60;
  }
  bool write(std::uint32_t address, unsigned /*size*/, std::uint32_t /*value*/) override { return address % 64 != 60; }

 private:
  std::vector<std::byte> code_ = std::vector<std::byte>(kCode), data_ = std::vector<std::byte>(kData),
                         dram_ = std::vector<std::byte>(kDram);

 public:
  riscv::Hart hart;
};

class Firmware final : public Subject {
 public:
  explicit Firmware(const fs::path& folder)
      : path_((folder / "fuzzed.elf").string()), example_(content_of(WORDLINE_FIRMWARE)) {}
  [[nodiscard]] const char* name() const override { return "firmware, run"; }
  Verdict read(Draws& draws) override {
    input_ = damaged_bytes(example_, draws);
    // Instructions, in the first segment.
    for (std::uint64_t n = draws.below(40); n != 0 && input_.size() > 0x3000; --n) {
      input_[0x1000 + draws.below(0x2000)] = static_cast<char>(draws.bits());
    }
    write_content(path_, input_);
    try {
      const riscv::ElfFile image(path_);
      if (!core_ || runs_++ % 16 == 0) core_ = std::make_unique<Core>();
      image.load(
          [this](std::uint32_t address, std::uint32_t bytes) { return core_->hart.host_pointer(address, bytes); });
      core_->hart.reset(image.entry());
      (void)core_->hart.run(20'000);
      (void)image.function_name(core_->hart.pc());
    } catch (const std::runtime_error& error) {
      return refused(error.what(), "firmware file " + path_);
    }
    return {true, {}};
  }

 private:
  std::string path_, example_;
  std::unique_ptr<Core> core_;
  unsigned runs_ = 0;
};

/// Packets as a stream of bytes, as gdb sends them and damaged, to a server whose core runs a small program.
class Packets final : public Subject {
 public:
  [[nodiscard]] const char* name() const override { return "packets of gdb"; }
  Verdict read(Draws& draws) override {
    static const std::vector<std::string> kExamples{"g",
                                                    "G00000000",
                                                    "p0",
                                                    "p20",
                                                    "P5=00000000",
                                                    "m10000000,40",
                                                    "M10000000,4:01020304",
                                                    "X10000000,4:abcd",
                                                    "Z0,10,4",
                                                    "z0,10,4",
                                                    "Z1,10,4",
                                                    "Z2,10000040,4",
                                                    "Z3,10000040,4",
                                                    "Z4,10000000,8",
                                                    "z2,10000040,4",
                                                    "c",
                                                    "s",
                                                    "C05",
                                                    "S05",
                                                    "vCont?",
                                                    "vCont;c",
                                                    "vCont;s:1;c",
                                                    "Hg0",
                                                    "Hc-1",
                                                    "H",
                                                    "T1",
                                                    "T99",
                                                    "?",
                                                    "qSupported:xmlRegisters=i386",
                                                    "qXfer:features:read:target.xml:0,ffb",
                                                    "qfThreadInfo",
                                                    "qsThreadInfo",
                                                    "qAttached",
                                                    "qC",
                                                    "qRcmd,68656c70",
                                                    "D",
                                                    "k",
                                                    "!",
                                                    "R00",
                                                    "mffffffff,ffffffff",
                                                    "m0,0",
                                                    "M0,ffffffff:",
                                                    "vMustReplyEmpty"};
    Core core;
    program(core);
    std::uint64_t packets = 0;
    riscv::GdbPackets stream;
    bool detached = false;
    input_.clear();
    std::string failure;
    riscv::GdbServer* server = nullptr;
    const auto serve = [&](const std::string& /*stop*/) {
      while (packets < 40) {
        std::string packet = damaged_text(draws.from(kExamples), kExamples, draws);
        std::string framed = riscv::GdbPackets::frame(packet);
        if (draws.once_in(8)) framed = damaged_bytes(framed, draws);
        input_ += framed;
        ++packets;
        stream.feed(framed);
        for (auto event = stream.next(); event; event = stream.next()) {
          if (event->kind != riscv::GdbPackets::Kind::kPacket) continue;
          const auto answer = server->command(event->payload);
          if (answer.reply.size() > 1U << 20)
            failure = "an answer of " + std::to_string(answer.reply.size()) + " bytes";
          if (answer.action == riscv::GdbServer::Action::kReply) continue;
          if (answer.action != riscv::GdbServer::Action::kResume) {
            detached = true;
            server->detach();
          }
          return;
        }
      }
      detached = true;
      server->detach();
    };
    riscv::GdbServer own({&core.hart}, serve);
    server = &own;
    own.halt(riscv::GdbServer::Stop::kReset);
    for (int i = 0; i < 200 && !detached; ++i) {
      (void)core.hart.run(50);
      own.halt();
    }
    if (!detached) failure = "the core stopped serving packets";
    return {true, failure};
  }

 private:
  static void program(Core& core) {
    // lui a1, 0x10000; sw a0, 0x40(a1); lw a2, 0x40(a1); addi a0, a0, 1; j to sw
    const std::uint32_t words[] = {0x100005b7, 0x04a5a023, 0x0405a603, 0x00150513, 0xff5ff06f};
    std::memcpy(core.hart.host_pointer(0, sizeof words), words, sizeof words);
    core.hart.reset(0);
  }
};

}  // namespace

std::vector<std::unique_ptr<Subject>> binary_subjects(const fs::path& folder) {
  std::vector<std::unique_ptr<Subject>> all;
  all.push_back(std::make_unique<State>(folder));
  all.push_back(std::make_unique<Firmware>(folder));
  all.push_back(std::make_unique<Packets>());
  return all;
}

}  // namespace wordline::fuzz
