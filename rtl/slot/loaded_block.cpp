// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/loaded_block.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

namespace wordline::rtl {
namespace {

const char* named(std::uint32_t direction) { return direction == WORDLINE_RTL_IN ? "input" : "output"; }

const wordline_rtl_pin* find(const wordline_rtl_block& block, std::string_view name) {
  for (std::uint32_t i = 0; i < block.pin_count; ++i) {
    if (name == block.pins[i].name) return &block.pins[i];
  }
  return nullptr;
}

std::shared_ptr<void> open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw SlotError(
        fmt::format("{}: no such file from {}; name the shared object that wordline_rtl_block() of CMake makes, "
                    "as build/my_decoder.so",
                    path, std::filesystem::current_path(error).string()));
  }
  // Absolute: a name without a folder would be looked for among the libraries of the system.
  void* object = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    const char* why = dlerror();
    throw SlotError(fmt::format("{}: cannot be loaded: {}; build it on this machine with wordline_rtl_block()", path,
                                why == nullptr ? "unknown" : why));
  }
  return {object, [](void* loaded) { dlclose(loaded); }};
}

}  // namespace

LoadedBlock::LoadedBlock(const std::string& path, const Slot& slot) : path_(path), object_(open(path)) {
  // A pointer to a function by way of one to data, as POSIX has it.
  void* const symbol = dlsym(object_.get(), WORDLINE_RTL_ENTRY);
  if (symbol == nullptr) {
    throw SlotError(
        fmt::format("{}: has no function {}, so it is no block for a slot; build it with "
                    "wordline_rtl_block()",
                    path, WORDLINE_RTL_ENTRY));
  }
  wordline_rtl_entry entry = nullptr;
  static_assert(sizeof(entry) == sizeof(symbol));
  std::memcpy(&entry, &symbol, sizeof(entry));
  block_ = entry();
  if (block_ == nullptr) throw SlotError(fmt::format("{}: {} gives no block", path, WORDLINE_RTL_ENTRY));
  if (block_->version != WORDLINE_RTL_VERSION) {
    throw SlotError(
        fmt::format("{}: made for version {} of the interface, this program has version {}; build it "
                    "again with the wordline_rtl_slot.h of this program",
                    path, block_->version, WORDLINE_RTL_VERSION));
  }
  check_members();
  check_ports(slot);
  check_status();
  instance_ = block_->create();
  if (instance_ == nullptr) throw SlotError(fmt::format("{}: cannot make the block: its create() failed", path));
}

LoadedBlock::~LoadedBlock() {
  if (instance_ == nullptr) return;
  if (traced_) block_->trace_close(instance_);
  block_->destroy(instance_);
}

/// Before anything follows a pointer of the block: each is there, and the lists have lengths that somebody has counted.
void LoadedBlock::check_members() const {
  constexpr std::uint32_t kMost = 4096;
  const auto need = [&](const std::string& member, bool is_there, const char* expected = "a pointer") {
    if (is_there) return;
    throw SlotError(
        fmt::format("{}: {} of its struct wordline_rtl_block is not set, expected {}; every member has a "
                    "value, see wordline_rtl_slot.h",
                    path_, member, expected));
  };
  const auto counted = [&](const char* member, std::uint32_t count) {
    if (count <= kMost) return;
    throw SlotError(
        fmt::format("{}: {} of its struct wordline_rtl_block is {}, expected at most {}", path_, member, count, kMost));
  };
  const wordline_rtl_block& b = *block_;
  need("slot", b.slot != nullptr, "the name of a slot");
  need("top", b.top != nullptr, "the name of the module");
  counted("pin_count", b.pin_count);
  counted("status_count", b.status_count);
  need("pins", b.pins != nullptr || b.pin_count == 0);
  need("status", b.status != nullptr || b.status_count == 0);
  for (std::uint32_t i = 0; i < b.pin_count; ++i) need(fmt::format("pins[{}].name", i), b.pins[i].name != nullptr);
  for (std::uint32_t i = 0; i < b.status_count; ++i) {
    need(fmt::format("status[{}].name", i), b.status[i].name != nullptr);
    need(fmt::format("status[{}].unit", i), b.status[i].unit != nullptr);
  }
  need("create", b.create != nullptr, "a function");
  need("destroy", b.destroy != nullptr, "a function");
  need("set", b.set != nullptr, "a function");
  need("get", b.get != nullptr, "a function");
  need("evaluate", b.evaluate != nullptr, "a function");
  need("clock", b.clock != nullptr, "a function");
  need("stopped", b.stopped != nullptr, "a function");
  if (b.trace_open == nullptr) return;  // built without a waveform
  need("trace_dump", b.trace_dump != nullptr, "a function, as trace_open is");
  need("trace_close", b.trace_close != nullptr, "a function, as trace_open is");
}

void LoadedBlock::check_ports(const Slot& slot) const {
  if (std::string_view(block_->slot) != slot.name) {
    throw SlotError(fmt::format("{}: a block for the slot {}, expected one for {}; say SLOT {} in wordline_rtl_block()",
                                path_, block_->slot, slot.name, slot.name));
  }
  for (const SlotPort& port : slot.ports) {
    const wordline_rtl_pin* found = find(*block_, port.name);
    const std::string width = port.bits == 1 ? "logic" : fmt::format("logic [{}:0]", port.bits - 1);
    const std::string wanted = fmt::format("{} {} {}", named(port.direction), width, port.name);
    if (found == nullptr) {
      throw SlotError(fmt::format("{}: module {} has no port {}; add: {}", path_, block_->top, port.name, wanted));
    }
    if (found->direction != port.direction) {
      throw SlotError(fmt::format("{}: port {} of module {} is an {}; make it: {}", path_, port.name, block_->top,
                                  named(found->direction), wanted));
    }
    if (found->bits != port.bits) {
      throw SlotError(fmt::format("{}: port {} of module {} has {} bits, the slot {} has {}; make it: {}", path_,
                                  port.name, block_->top, found->bits, slot.name, port.bits, wanted));
    }
  }
  for (std::uint32_t i = 0; i < block_->pin_count; ++i) {
    const wordline_rtl_pin& pin = block_->pins[i];
    bool known = pin.direction == WORDLINE_RTL_OUT;  // an output more does no harm
    for (const SlotPort& port : slot.ports) known = known || std::string_view(port.name) == pin.name;
    if (!known) {
      throw SlotError(
          fmt::format("{}: module {} has an input {} that the slot {} does not drive; make it a parameter, "
                      "or tie it in a wrapper",
                      path_, block_->top, pin.name, slot.name));
    }
  }
}

void LoadedBlock::check_status() const {
  // Names of the streams, which stand beside them in the waveform.
  std::set<std::string_view> taken{"in_valid", "in_ready", "out_valid", "out_ready", "busy"};
  for (std::uint32_t i = 0; i < block_->status_count; ++i) {
    const wordline_rtl_status& status = block_->status[i];
    const std::string_view name = status.name;
    const bool plain = !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
    if (!plain || status.pin >= block_->pin_count || block_->pins[status.pin].bits > 64 || *status.unit == '\0') {
      throw SlotError(
          fmt::format("{}: status {} needs a name in lower case, a unit, and a pin of at most 64 bits", path_, name));
    }
    if (!taken.insert(name).second) {
      throw SlotError(fmt::format("{}: the status {} is there already; give its port another name", path_, name));
    }
  }
}

LoadedBlock::Handle LoadedBlock::pin(const char* name) const {
  const wordline_rtl_pin* found = find(*block_, name);
  if (found == nullptr) throw SlotError(fmt::format("{}: module {} has no port {}", path_, block_->top, name));
  return static_cast<Handle>(found - block_->pins);
}

void LoadedBlock::set(Handle pin, std::uint64_t value) {
  const std::uint32_t words[2] = {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
  block_->set(instance_, pin, words);
}

std::uint64_t LoadedBlock::get(Handle pin) const {
  std::uint32_t words[2] = {0, 0};
  block_->get(instance_, pin, words);
  return words[0] | std::uint64_t{words[1]} << 32;
}

void LoadedBlock::ran(int failed) const {
  if (failed == 0) return;
  const char* const why = block_->stopped(instance_);
  throw SlotError(
      fmt::format("the block has stopped itself: {}", why != nullptr ? why : "its stopped() gives no reason"));
}

void LoadedBlock::evaluate() { ran(block_->evaluate(instance_)); }

void LoadedBlock::clock() {
  if (traced_) block_->trace_dump(instance_, 2 * clocks_);
  ran(block_->clock(instance_));
  if (traced_) block_->trace_dump(instance_, 2 * clocks_ + 1);
  ++clocks_;
}

bool LoadedBlock::trace(const std::string& file) {
  if (block_->trace_open == nullptr) return false;
  if (block_->trace_open(instance_, file.c_str()) != 0) {
    throw SlotError(fmt::format("{}: the waveform {} cannot be made", path_, file));
  }
  traced_ = true;
  return true;
}

void LoadedBlock::add_status(std::vector<StatusSignal>& signals) const {
  for (std::uint32_t i = 0; i < block_->status_count; ++i) {
    const wordline_rtl_status& status = block_->status[i];
    signals.push_back({status.name, block_->pins[status.pin].bits, get(status.pin)});
  }
}

std::vector<PortWindow::Pin> window_pins(const LoadedBlock& block, const std::vector<LoadedBlock::Handle>& shown) {
  std::vector<PortWindow::Pin> pins;
  for (const LoadedBlock::Handle pin : shown) {
    pins.push_back({block.description().pins[pin].name, block.description().pins[pin].bits});
  }
  return pins;
}

}  // namespace wordline::rtl
