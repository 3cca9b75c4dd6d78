// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/riscv/hart.h"

namespace wordline::riscv {

/// The commands of gdb's remote serial protocol for a set of harts that run in one host thread. A hart is a gdb thread,
/// number = position + 1. No connection and no framing here: `serve` is called when the harts must halt, and its
/// owner exchanges payloads by command() until that says to go on. As all harts share the host's thread, that halts
/// all of them, and the simulation. A hart can also be halted by itself: those that a vCont has no action for (gdb's
/// `set scheduler-locking on`) are held, while time and the others go on.
///
/// Commands: ? g G p P m M X c s vCont H T Z0/z0, Z1/z1 (breakpoints), Z2-Z4 (watchpoints) D k qSupported qC
/// qfThreadInfo qThreadExtraInfo qAttached qXfer:features (target description).
///
/// An exception that ends the run (Probe::exception()) halts before it does: gdb sees SIGILL or SIGSEGV.
///
/// Accuracy: a breakpoint stops before its instruction; a watchpoint after the access, as gdb expects of RISC-V.
/// Watchpoints see what the harts' instructions do, not DMA. Only memory regions can be read and written: a register of
/// the hardware could act when it is read. While a debugger is there the harts run one instruction at a time, so
/// interrupts may be seen some instructions earlier than without. Other harts stop where they have got to: ahead of or
/// behind the one that stopped by up to cpu.quantum. A step runs one instruction of one hart; what the others do until
/// then is not held back, unless they are held. Source: "Debugging with GDB" 13, appendix E.
class GdbServer {
 public:
  enum class Action : std::uint8_t { kReply, kResume, kDetach, kKill };
  struct Answer {
    Action action;
    std::string reply;
  };
  enum class Stop : std::uint8_t { kReset, kBreakpoint, kStep, kWatch, kInterrupt, kIllegal, kFault };

  /// `serve` is called with the stop reply; when it returns the harts go on. The harts outlive this.
  GdbServer(std::vector<Hart*> harts, std::function<void(const std::string& stop_reply)> serve);
  ~GdbServer();
  GdbServer(const GdbServer&) = delete;
  GdbServer& operator=(const GdbServer&) = delete;

  /// Halts before the next instruction of any hart.
  void halt(Stop why = Stop::kInterrupt);
  /// One command's payload; kResume, kDetach: `serve` shall return. The reply of kReply may be empty: not supported.
  [[nodiscard]] Answer command(std::string_view packet);
  /// No debugger from now on: the harts run at full speed.
  void detach();

 private:
  class Hook final : public DebugHook {
   public:
    Hook(GdbServer& server, unsigned index) : server_(server), index_(index) {}
    void before_instruction() override { server_.before_instruction(index_); }
    void exception(std::uint32_t cause) override { server_.exception(index_, cause); }
    bool held() override { return server_.held(index_); }

   private:
    GdbServer& server_;
    unsigned index_;
  };
  struct Watch {
    char kind;  // '2' write, '3' read, '4' both
    std::uint32_t address, bytes;
    bool operator<(const Watch& o) const {
      return kind != o.kind ? kind < o.kind : address != o.address ? address < o.address : bytes < o.bytes;
    }
  };
  struct Access {
    bool load = false, store = false;
    std::uint32_t address = 0, bytes = 0;
  };

  void before_instruction(unsigned index);
  void exception(unsigned index, std::uint32_t cause);
  bool held(unsigned index);
  void stop(unsigned index, Stop why);
  void release();
  [[nodiscard]] Access access_of(const Hart& hart) const;
  void watch_access(unsigned index);
  [[nodiscard]] std::string stop_reply() const;
  [[nodiscard]] std::string read_register(unsigned number) const;
  [[nodiscard]] bool write_register(unsigned number, std::uint32_t value);
  [[nodiscard]] std::string read_memory(std::string_view arguments) const;
  [[nodiscard]] std::string write_memory(std::string_view arguments, bool binary);
  [[nodiscard]] std::string breakpoint(char kind, std::string_view arguments, bool set);
  [[nodiscard]] std::string select_thread(std::string_view arguments);
  [[nodiscard]] std::string query(std::string_view packet) const;
  [[nodiscard]] Answer resume(std::string_view packet, bool step);
  [[nodiscard]] Answer resume_by_thread(std::string_view packet);
  /// Position of the hart of a thread id; false: no such thread. "0" and "-1": any, so `current`.
  [[nodiscard]] bool thread(std::string_view text, unsigned& hart) const;

  std::vector<Hart*> harts_;
  std::function<void(const std::string&)> serve_;
  std::vector<Hook> hooks_;
  std::set<std::uint32_t> breakpoints_;
  std::set<Watch> watches_;
  static constexpr unsigned kNone = ~0U;
  unsigned current_ = 0;  // the hart that stopped, or that Hg chose
  unsigned stopped_ = 0;
  Stop why_ = Stop::kReset;
  unsigned step_ = kNone;  // the hart that runs one instruction
  bool step_begun_ = false;
  std::vector<bool> held_;  // by hart
  bool halt_ = false;
  unsigned watch_hart_ = kNone;  // whose access was seen and is now done
  Watch watch_{};
};

}  // namespace wordline::riscv
