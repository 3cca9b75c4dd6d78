// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The C interface of a Verilated block. Compiled into the shared object of each block by wordline_rtl_block() of CMake
// (cmake/WordlineRtlBlock.cmake), which lists the module's ports in wordline_pins.inc and its status in
// wordline_status.inc. It reads the ports and nothing else. Not part of Wordline's own libraries.
#include <verilated.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "Vwordline_block.h"
#include "wordline_rtl_slot.h"
#ifdef WORDLINE_BLOCK_TRACE
#include <verilated_fst_c.h>
#endif

namespace {

struct Stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void stop(const char* what, const char* file, int line) {
  throw Stopped(std::string(what) + " at " + (file == nullptr || *file == '\0' ? "an unknown place" : file) + ":" +
                std::to_string(line));
}

}  // namespace

// Verilator's run time calls these (VL_USER_STOP, VL_USER_FINISH, VL_USER_FATAL) where its own would end the program.
void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE {
  stop("$stop or a violated assertion", file, line);
}
void vl_finish(const char* file, int line, const char*) VL_MT_UNSAFE { stop("$finish", file, line); }
void vl_fatal(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
  stop(message == nullptr ? "$fatal" : message, file, line);
}

struct wordline_rtl_instance {
  VerilatedContext context;
  std::unique_ptr<Vwordline_block> top;
  std::string why;
#ifdef WORDLINE_BLOCK_TRACE
  std::unique_ptr<VerilatedFstC> trace;
#endif

  wordline_rtl_instance() {
    context.randReset(0);
#ifdef WORDLINE_BLOCK_TRACE
    context.traceEverOn(true);
#endif
    top = std::make_unique<Vwordline_block>(&context, "block");
  }
  ~wordline_rtl_instance() {
#ifdef WORDLINE_BLOCK_TRACE
    if (trace) trace->close();
#endif
    top.reset();
    // Without this line the thread would keep the context that goes.
    Verilated::threadContextp(Verilated::defaultContextp());
  }

  int run(bool clock) {
    if (!why.empty()) return 1;
    try {
      Verilated::threadContextp(&context);
      top->WORDLINE_BLOCK_CLOCK = clock ? 1 : 0;
      top->eval();
    } catch (const std::exception& error) {
      why = error.what();
      return 1;
    }
    return 0;
  }
};

namespace {

using Instance = wordline_rtl_instance;

constexpr std::uint32_t words_of(std::uint32_t bits) { return (bits + 31) / 32; }

// Verilator keeps a pin in an integer of 8 to 64 bits, or in an array of words.
template <class Pin>
void put(Pin& pin, const std::uint32_t* words, std::uint32_t bits) {
  std::uint64_t value = words[0];
  if (bits > 32) value |= std::uint64_t{words[1]} << 32;
  if (bits < 64) value &= (std::uint64_t{1} << bits) - 1;
  pin = static_cast<Pin>(value);
}
template <std::size_t kWords>
void put(VlWide<kWords>& pin, const std::uint32_t* words, std::uint32_t bits) {
  for (std::size_t i = 0; i < kWords; ++i) pin[i] = words[i];
  if (bits % 32 != 0) pin[kWords - 1] &= (1U << bits % 32) - 1;
}
template <class Pin>
void take(const Pin& pin, std::uint32_t* words, std::uint32_t bits) {
  words[0] = static_cast<std::uint32_t>(pin);
  if (bits > 32) words[1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(pin) >> 32);
}
template <std::size_t kWords>
void take(const VlWide<kWords>& pin, std::uint32_t* words, std::uint32_t) {
  for (std::size_t i = 0; i < kWords; ++i) words[i] = pin[i];
}

const wordline_rtl_pin kPins[] = {
#define WORDLINE_PIN(number, name, bits, direction) {#name, bits, WORDLINE_RTL_##direction},
#include "wordline_pins.inc"
#undef WORDLINE_PIN
};

// The last one is nobody's: an array has to have an element.
const wordline_rtl_status kStatus[] = {
#define WORDLINE_STATUS(name, unit, pin, kind) {name, unit, pin, WORDLINE_RTL_##kind},
#include "wordline_status.inc"
#undef WORDLINE_STATUS
    {nullptr, nullptr, 0, 0}};

Instance* create() {
  try {
    auto block = std::make_unique<Instance>();
    const std::uint32_t zeros[64] = {};
    (void)zeros;
#define WORDLINE_PIN(number, name, bits, direction) WORDLINE_CLEAR_##direction(name, bits)
#define WORDLINE_CLEAR_IN(name, bits)                                 \
  static_assert(words_of(bits) <= 64, "a port of at most 2048 bits"); \
  put(block->top->name, zeros, bits);
#define WORDLINE_CLEAR_OUT(name, bits)
#include "wordline_pins.inc"
#undef WORDLINE_PIN
    block->run(false);
    return block.release();
  } catch (const std::exception&) {
    return nullptr;
  }
}

void destroy(Instance* block) { delete block; }

void set(Instance* block, std::uint32_t pin, const std::uint32_t* words) {
  switch (pin) {
#define WORDLINE_PIN(number, name, bits, direction) WORDLINE_SET_##direction(number, name, bits)
#define WORDLINE_SET_IN(number, name, bits) \
  case number:                              \
    put(block->top->name, words, bits);     \
    break;
#define WORDLINE_SET_OUT(number, name, bits)
#include "wordline_pins.inc"
#undef WORDLINE_PIN
    default:
      break;
  }
}

void get(Instance* block, std::uint32_t pin, std::uint32_t* words) {
  switch (pin) {
#define WORDLINE_PIN(number, name, bits, direction) \
  case number:                                      \
    take(block->top->name, words, bits);            \
    break;
#include "wordline_pins.inc"
#undef WORDLINE_PIN
    default:
      break;
  }
}

int evaluate(Instance* block) { return block->run(false); }
int rise(Instance* block) { return block->run(true); }
const char* stopped(const Instance* block) { return block->why.c_str(); }

#ifdef WORDLINE_BLOCK_TRACE
int trace_open(Instance* block, const char* path) {
  block->trace = std::make_unique<VerilatedFstC>();
  block->top->trace(block->trace.get(), 99);
  block->trace->open(path);
  return block->trace->isOpen() ? 0 : 1;
}
void trace_dump(Instance* block, std::uint64_t time) {
  if (block->trace) block->trace->dump(time);
}
void trace_close(Instance* block) {
  if (block->trace) block->trace->close();
  block->trace.reset();
}
#endif

const wordline_rtl_block kBlock = {WORDLINE_RTL_VERSION,
                                   WORDLINE_BLOCK_SLOT,
                                   WORDLINE_BLOCK_TOP,
                                   sizeof(kPins) / sizeof(kPins[0]),
                                   kPins,
                                   sizeof(kStatus) / sizeof(kStatus[0]) - 1,
                                   kStatus,
                                   create,
                                   destroy,
                                   set,
                                   get,
                                   evaluate,
                                   rise,
                                   stopped,
#ifdef WORDLINE_BLOCK_TRACE
                                   trace_open,
                                   trace_dump,
                                   trace_close
#else
                                   nullptr,
                                   nullptr,
                                   nullptr
#endif
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const wordline_rtl_block* wordline_rtl_get_block(void) {
  return &kBlock;
}
