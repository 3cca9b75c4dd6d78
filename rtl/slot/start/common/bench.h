// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A block through the door that the drive uses: its pins by name, its clock, its streams.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <vector>

#include "wordline_rtl_slot.h"

extern "C" const struct wordline_rtl_block* wordline_rtl_get_block(void);

struct Bench {
  static constexpr std::uint64_t kMostClocks = 5'000'000;  // far beyond what a bench needs

  const struct wordline_rtl_block& block = *wordline_rtl_get_block();
  wordline_rtl_instance* instance = block.create();
  std::uint64_t clocks = 0;
  std::mt19937 random{1};

  Bench() {
    set("rst_ni", 0);
    clock();
    clock();
    set("rst_ni", 1);
  }
  ~Bench() { block.destroy(instance); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  std::uint32_t pin(const char* name) const {
    for (std::uint32_t i = 0; i < block.pin_count; ++i) {
      if (std::strcmp(block.pins[i].name, name) == 0) return i;
    }
    std::fprintf(stderr, "the block has no pin %s\n", name);
    std::exit(1);
  }
  void set(const char* name, std::uint64_t value) {
    const std::uint32_t words[2] = {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
    block.set(instance, pin(name), words);
  }
  void set_words(const char* name, const std::vector<std::uint32_t>& words) {  // of a wide pin, the lowest first
    block.set(instance, pin(name), words.data());
  }
  std::uint64_t get(const char* name) {
    std::uint32_t words[8] = {};
    block.get(instance, pin(name), words);
    return words[0] | std::uint64_t{words[1]} << 32;
  }
  void check(int failed) {
    if (failed == 0) return;
    std::fprintf(stderr, "clock %llu: %s\n", static_cast<unsigned long long>(clocks), block.stopped(instance));
    std::exit(1);
  }
  void evaluate() { check(block.evaluate(instance)); }
  void clock() {
    evaluate();
    check(block.clock(instance));
    if (++clocks < kMostClocks) return;
    std::fprintf(stderr, "clock %llu: the block keeps the bench waiting\n", static_cast<unsigned long long>(clocks));
    std::exit(1);
  }

  /// A packet in, a packet out, both at once; source and sink wait at times, or never. The clocks it took.
  std::uint64_t pass(const std::vector<std::uint64_t>& in, std::vector<std::uint64_t>& out, bool waits) {
    const std::uint64_t begin = clocks;
    bool offered = false;  // a beat that is offered stays
    std::size_t sent = 0, got = 0;
    while (got < out.size()) {
      offered = sent < in.size() && (offered || !waits || random() % 8 != 0);
      const bool ready = !waits || random() % 8 != 0;
      set("s_axis_tvalid_i", offered ? 1 : 0);
      set("s_axis_tdata_i", offered ? in[sent] : 0);
      set("s_axis_tlast_i", offered && sent + 1 == in.size() ? 1 : 0);
      set("m_axis_tready_i", ready ? 1 : 0);
      evaluate();
      const bool taken = offered && get("s_axis_tready_o") != 0;
      if (ready && get("m_axis_tvalid_o") != 0) {
        out[got] = get("m_axis_tdata_o");
        if ((get("m_axis_tlast_o") != 0) != (++got == out.size())) {
          std::fprintf(stderr, "clock %llu: m_axis_tlast_o is wrong\n", static_cast<unsigned long long>(clocks));
          std::exit(1);
        }
      }
      clock();
      if (taken) {
        ++sent;
        offered = false;
      }
      if (clocks - begin > 1'000'000) {
        std::fprintf(stderr, "beat %zu does not come\n", got);
        std::exit(1);
      }
    }
    set("s_axis_tvalid_i", 0);
    set("m_axis_tready_i", 0);
    return clocks - begin;
  }

  void print_counters() {
    for (std::uint32_t i = 0; i < block.status_count; ++i) {
      const struct wordline_rtl_status& status = block.status[i];
      if (status.kind != WORDLINE_RTL_COUNTED) continue;
      std::printf("%s: %llu %s\n", status.name, static_cast<unsigned long long>(get(block.pins[status.pin].name)),
                  status.unit);
    }
  }
};

/// Beats of 64 bits in hexadecimal, one a line.
inline std::vector<std::uint64_t> beats_of(const char* path) {
  std::vector<std::uint64_t> beats;
  std::ifstream file(path);
  for (std::uint64_t beat; file >> std::hex >> beat;) beats.push_back(beat);
  if (beats.empty()) {
    std::fprintf(stderr, "%s: holds no beats\n", path);
    std::exit(1);
  }
  return beats;
}

/// The exit code.
inline int verdict(int problems) {
  std::printf(problems == 0 ? "good\n" : "%d problems\n", problems);
  return problems == 0 ? 0 : 1;
}
