// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/gdb_server.h"

#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "models/riscv/gdb_packets.h"
#include "models/riscv/insn.h"

namespace wordline::riscv {
namespace {

constexpr unsigned kPcRegister = 32, kFirstCsr = 65;
constexpr std::uint32_t kMaxTransfer = 0x4000;
const char* const kError = "E01";

/// The registers gdb shall show: the integer ones, and the CSRs a firmware uses.
std::string target_description() {
  constexpr const char* kNames[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "pc"};
  constexpr std::pair<const char*, unsigned> kCsrs[] = {
      {"mstatus", 0x300}, {"mie", 0x304}, {"mtvec", 0x305},  {"mscratch", 0x340}, {"mepc", 0x341},   {"mcause", 0x342},
      {"mtval", 0x343},   {"mip", 0x344}, {"mcycle", 0xb00}, {"minstret", 0xb02}, {"mhartid", 0xf14}};
  const auto reg = [](const char* name, unsigned number, const char* type) {
    return fmt::format(R"(<reg name="{}" bitsize="32" regnum="{}" type="{}"/>)", name, number, type);
  };
  std::string out =
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
      "<architecture>riscv:rv32</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">";
  for (unsigned i = 0; i <= kPcRegister; ++i) out += reg(kNames[i], i, i == kPcRegister ? "code_ptr" : "int");
  out += "</feature><feature name=\"org.gnu.gdb.riscv.csr\">";
  for (const auto& [name, number] : kCsrs) out += reg(name, kFirstCsr + number, "int");
  return out + "</feature></target>";
}

/// Thread ids are in hex digits.
std::string thread_id(unsigned hart) { return fmt::format("{:x}", hart + 1); }

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

}  // namespace

GdbServer::GdbServer(std::vector<Hart*> harts, std::function<void(const std::string&)> serve)
    : harts_(std::move(harts)), serve_(std::move(serve)), held_(harts_.size(), false) {
  for (unsigned i = 0; i < harts_.size(); ++i) hooks_.emplace_back(*this, i);
  for (unsigned i = 0; i < harts_.size(); ++i) harts_[i]->set_debug_hook(&hooks_[i]);
}

GdbServer::~GdbServer() { detach(); }

void GdbServer::detach() {
  for (Hart* hart : harts_) hart->set_debug_hook(nullptr);
  breakpoints_.clear();
  watches_.clear();
  release();
  step_ = watch_hart_ = kNone;
  halt_ = false;
}

void GdbServer::halt(Stop why) {
  halt_ = true;
  why_ = why;
}

void GdbServer::before_instruction(unsigned index) {
  Hart& hart = *harts_[index];
  if (watch_hart_ == index) {
    watch_hart_ = kNone;
    stop(index, Stop::kWatch);
  } else if (halt_) {
    stop(index, why_);
  } else if (step_ == index && step_begun_) {
    stop(index, Stop::kStep);
  } else if (step_ != index && breakpoints_.count(hart.pc()) != 0) {
    stop(index, Stop::kBreakpoint);
  }
  if (step_ == index) step_begun_ = true;
  if (!watches_.empty()) watch_access(index);
}

// A held hart is where gdb's interrupt is seen, too: the others may be asleep.
bool GdbServer::held(unsigned index) {
  if (held_[index] && halt_) stop(index, why_);
  return held_[index];
}

void GdbServer::release() { held_.assign(held_.size(), false); }

void GdbServer::exception(unsigned index, std::uint32_t cause) {
  watch_hart_ = kNone;
  stop(index, cause == kCauseIllegal || cause == kCauseEcall ? Stop::kIllegal
              : cause == kCauseBreakpoint                    ? Stop::kBreakpoint
                                                             : Stop::kFault);
}

void GdbServer::stop(unsigned index, Stop why) {
  current_ = stopped_ = index;
  why_ = why;
  halt_ = false;
  step_ = kNone;
  serve_(stop_reply());
}

GdbServer::Access GdbServer::access_of(const Hart& hart) const {
  std::uint32_t raw = 0;
  const std::byte* code = hart.host_pointer(hart.pc(), 2);
  if (code == nullptr) return {};
  std::memcpy(&raw, code, 2);
  if ((raw & 3U) == 3U) {
    code = hart.host_pointer(hart.pc(), 4);
    if (code == nullptr) return {};
    std::memcpy(&raw, code, 4);
  } else {
    raw = expand_compressed(static_cast<std::uint16_t>(raw));
  }
  const Insn insn = decode(raw, hart.pc(), 0);
  const std::uint32_t address = hart.reg(insn.rs1) + insn.imm;
  switch (insn.op) {
    case Op::kLb:
    case Op::kLbu:
      return {true, false, address, 1};
    case Op::kLh:
    case Op::kLhu:
      return {true, false, address, 2};
    case Op::kLw:
      return {true, false, address, 4};
    case Op::kSb:
      return {false, true, address, 1};
    case Op::kSh:
      return {false, true, address, 2};
    case Op::kSw:
      return {false, true, address, 4};
    case Op::kAtomic:
      return {insn.imm != 3, insn.imm != 2, hart.reg(insn.rs1), 4};  // lr only loads, sc only stores
    default:
      return {};
  }
}

void GdbServer::watch_access(unsigned index) {
  const Access access = access_of(*harts_[index]);
  if (access.bytes == 0) return;
  for (const Watch& watch : watches_) {
    const bool direction = watch.kind == '2' ? access.store : watch.kind == '3' ? access.load : true;
    const bool overlap = access.address - watch.address < watch.bytes || watch.address - access.address < access.bytes;
    if (!direction || !overlap) continue;
    watch_hart_ = index;
    watch_ = watch;
    return;
  }
}

std::string GdbServer::stop_reply() const {
  const char* const signal = why_ == Stop::kInterrupt ? "02"
                             : why_ == Stop::kIllegal ? "04"
                             : why_ == Stop::kFault   ? "0b"
                                                      : "05";
  std::string out = fmt::format("T{}thread:{};", signal, thread_id(stopped_));
  if (why_ == Stop::kWatch) {
    const char* const name = watch_.kind == '2' ? "watch" : watch_.kind == '3' ? "rwatch" : "awatch";
    out += fmt::format("{}:{:08x};", name, watch_.address);
  }
  return out;
}

std::string GdbServer::read_register(unsigned number) const {
  const Hart& hart = *harts_[current_];
  if (number < 32) return hex_word(hart.reg(number));
  if (number == kPcRegister) return hex_word(hart.pc());
  std::uint32_t value = 0;
  if (number >= kFirstCsr && number - kFirstCsr < 4096 && hart.read_csr(number - kFirstCsr, value)) {
    return hex_word(value);
  }
  return kError;
}

bool GdbServer::write_register(unsigned number, std::uint32_t value) {
  Hart& hart = *harts_[current_];
  if (number < 32) {
    hart.set_reg(number, value);
    return true;
  }
  if (number == kPcRegister) {
    hart.set_pc(value);
    return true;
  }
  return number >= kFirstCsr && number - kFirstCsr < 4096 && hart.write_csr(number - kFirstCsr, value);
}

std::string GdbServer::read_memory(std::string_view arguments) const {
  std::uint32_t address = 0, bytes = 0;
  if (!take_hex(arguments, address) || !take(arguments, ',') || !take_hex(arguments, bytes)) return kError;
  if (bytes == 0 || bytes > kMaxTransfer) return kError;
  const std::byte* from = harts_[current_]->host_pointer(address, bytes);
  if (from == nullptr) return kError;
  return hex_bytes({reinterpret_cast<const char*>(from), bytes});
}

std::string GdbServer::write_memory(std::string_view arguments, bool binary) {
  std::uint32_t address = 0, bytes = 0;
  if (!take_hex(arguments, address) || !take(arguments, ',') || !take_hex(arguments, bytes) || !take(arguments, ':')) {
    return kError;
  }
  std::string data(arguments);
  if (!binary && !bytes_of_hex(arguments, data)) return kError;
  if (data.size() != bytes) return kError;
  if (bytes == 0) return "OK";
  std::byte* to = harts_[current_]->host_pointer(address, bytes);
  if (to == nullptr) return kError;
  std::memcpy(to, data.data(), bytes);
  for (Hart* hart : harts_) hart->invalidate_code();
  return "OK";
}

std::string GdbServer::breakpoint(char kind, std::string_view arguments, bool set) {
  std::uint32_t address = 0, bytes = 0;
  if (!take(arguments, ',') || !take_hex(arguments, address) || !take(arguments, ',') || !take_hex(arguments, bytes)) {
    return kError;
  }
  if (kind == '0' || kind == '1') {
    if (set) {
      breakpoints_.insert(address);
    } else {
      breakpoints_.erase(address);
    }
    return "OK";
  }
  if (kind < '2' || kind > '4') return {};
  if (bytes == 0) return kError;
  if (set) {
    watches_.insert({kind, address, bytes});
  } else {
    watches_.erase({kind, address, bytes});
  }
  return "OK";
}

bool GdbServer::thread(std::string_view text, unsigned& hart) const {
  if (text == "0" || text == "-1") {
    hart = current_;
    return true;
  }
  std::uint32_t number = 0;
  if (!take_hex(text, number) || !text.empty() || number == 0 || number > harts_.size()) return false;
  hart = number - 1;
  return true;
}

std::string GdbServer::select_thread(std::string_view arguments) {
  if (arguments.empty()) return kError;
  unsigned hart = 0;
  if (!thread(arguments.substr(1), hart)) return kError;
  if (arguments[0] == 'g' || arguments[0] == 'c') current_ = hart;
  return "OK";
}

std::string GdbServer::query(std::string_view packet) const {
  if (starts_with(packet, "qSupported")) return "PacketSize=4000;qXfer:features:read+;vContSupported+";
  if (packet == "qAttached") return "1";
  if (packet == "qC") return "QC" + thread_id(current_);
  if (packet == "qsThreadInfo") return "l";
  if (packet == "qfThreadInfo") {
    std::string out = "m";
    for (unsigned i = 0; i < harts_.size(); ++i) out += (i == 0 ? "" : ",") + thread_id(i);
    return out;
  }
  if (starts_with(packet, "qThreadExtraInfo,")) {
    unsigned hart = 0;
    if (!thread(packet.substr(17), hart)) return kError;
    return hex_bytes(fmt::format("core {}{}", hart, harts_[hart]->asleep() ? " asleep" : ""));
  }
  constexpr std::string_view kFeatures = "qXfer:features:read:target.xml:";
  if (starts_with(packet, kFeatures)) {
    packet.remove_prefix(kFeatures.size());
    std::uint32_t offset = 0, bytes = 0;
    if (!take_hex(packet, offset) || !take(packet, ',') || !take_hex(packet, bytes)) return kError;
    const std::string target = target_description();
    if (offset >= target.size()) return "l";
    const std::string part = target.substr(offset, bytes);
    return (offset + part.size() == target.size() ? "l" : "m") + part;
  }
  return {};
}

GdbServer::Answer GdbServer::resume(std::string_view packet, bool step) {
  std::uint32_t address = 0;
  if (take_hex(packet, address)) harts_[current_]->set_pc(address);
  step_ = step ? current_ : kNone;
  step_begun_ = false;
  release();
  return {Action::kResume, {}};
}

/// "vCont;s:2;c": the first action that fits a thread counts, so at most one hart steps and the others go on.
/// "vCont;s:2": the others are held.
GdbServer::Answer GdbServer::resume_by_thread(std::string_view packet) {
  step_ = kNone;
  step_begun_ = false;
  std::vector<bool> held(harts_.size(), true);
  while (take(packet, ';')) {
    std::string_view action = packet.substr(0, packet.find(';'));
    packet.remove_prefix(action.size());
    const char what = action.empty() ? '\0' : action[0];
    const bool signal = what == 'C' || what == 'S';  // there are no signals to deliver: "C05" is "c"
    if ((what != 'c' && what != 's' && !signal) || (signal && action.size() < 3)) return {Action::kReply, kError};
    action.remove_prefix(signal ? 3 : 1);
    unsigned hart = current_;
    if (!action.empty() && (action[0] != ':' || !thread(action.substr(1), hart))) return {Action::kReply, kError};
    if ((what == 's' || what == 'S') && step_ == kNone) step_ = hart;
    if (action.empty() || action == ":-1") {
      held.assign(harts_.size(), false);
    } else {
      held[hart] = false;
    }
  }
  held_ = std::move(held);
  return {Action::kResume, {}};
}

GdbServer::Answer GdbServer::command(std::string_view packet) {
  if (packet.empty()) return {Action::kReply, {}};
  const auto reply = [](std::string text) { return Answer{Action::kReply, std::move(text)}; };
  std::string_view rest = packet.substr(1);
  std::uint32_t number = 0;
  switch (packet[0]) {
    case '?':
      return reply(stop_reply());
    case 'g': {
      std::string all;
      for (unsigned i = 0; i <= kPcRegister; ++i) all += read_register(i);
      return reply(all);
    }
    case 'G': {
      std::string bytes;
      if (!bytes_of_hex(rest, bytes) || bytes.size() != 4 * (kPcRegister + 1)) return reply(kError);
      for (unsigned i = 0; i <= kPcRegister; ++i) {
        std::memcpy(&number, bytes.data() + 4 * i, 4);
        if (!write_register(i, number)) return reply(kError);
      }
      return reply("OK");
    }
    case 'p':
      return reply(take_hex(rest, number) ? read_register(number) : kError);
    case 'P': {
      std::string bytes;
      std::uint32_t value = 0;
      if (!take_hex(rest, number) || !take(rest, '=') || !bytes_of_hex(rest, bytes) || bytes.size() != 4) {
        return reply(kError);
      }
      std::memcpy(&value, bytes.data(), 4);
      return reply(write_register(number, value) ? "OK" : kError);
    }
    case 'm':
      return reply(read_memory(rest));
    case 'M':
    case 'X':
      return reply(write_memory(rest, packet[0] == 'X'));
    case 'Z':
    case 'z':
      return reply(rest.empty() ? kError : breakpoint(rest[0], rest.substr(1), packet[0] == 'Z'));
    case 'H':
      return reply(select_thread(rest));
    case 'T':
      return reply(thread(rest, number) ? "OK" : kError);
    case 'c':
    case 's':
      return resume(rest, packet[0] == 's');
    case 'v':
      if (packet == "vCont?") return reply("vCont;c;C;s;S");
      if (starts_with(packet, "vCont;")) return resume_by_thread(packet.substr(5));
      return reply({});
    case 'D':
      return {Action::kDetach, "OK"};
    case 'k':
      return {Action::kKill, {}};
    case 'q':
      return reply(query(packet));
    default:
      return reply({});
  }
}

}  // namespace wordline::riscv
