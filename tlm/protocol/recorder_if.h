// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::tlm_if {

/// Where modules put what a waveform shows. A module asks for its signals while it is constructed and keeps the
/// handles; a null recorder pointer means no waves. Unless listens(), a module does no work for them. Values may be
/// given for any time not before the present: the recorder orders them.
class RecorderIf {
 public:
  using Signal = std::uint32_t;

  virtual ~RecorderIf() = default;

  /// `scope` is a dotted path ("ssd.channel0.die1"). Names of an enum are shown as text, value i = names[i].
  virtual Signal add_enum(std::string_view scope, std::string_view name,
                          std::initializer_list<std::string_view> names) = 0;
  virtual Signal add_bit(std::string_view scope, std::string_view name) = 0;
  virtual Signal add_vector(std::string_view scope, std::string_view name, unsigned bits) = 0;
  virtual Signal add_text(std::string_view scope, std::string_view name) = 0;
  virtual Signal add_real(std::string_view scope, std::string_view name) = 0;

  virtual void set(Signal signal, Picoseconds at, std::uint64_t value) = 0;
  virtual void set_real(Signal signal, Picoseconds at, double value) = 0;
  virtual void set_text(Signal signal, Picoseconds at, std::string_view text) = 0;
  /// Takes back the values of `signal` for `from` and later: what was to happen then will not. `from` is not before the
  /// present. A recorder that takes no part in that shows the value all the same.
  virtual void withdraw(Signal /*signal*/, Picoseconds /*from*/) {}
  /// False while what begins now does not reach into the configured window: callers skip costly formatting.
  [[nodiscard]] virtual bool active() const = 0;
  /// Where what has a file of its own may put it, beside the waveform; empty: nowhere.
  [[nodiscard]] virtual std::string folder() const { return {}; }

  /// The host's names for a command, which the texts of what serves it show.
  struct CommandName {
    static constexpr std::uint64_t kNoLba = ~std::uint64_t{0};
    std::uint16_t queue = 0, id = 0;
    std::uint64_t lba = kNoLba;
  };
  /// Names the command that has the tag from now on. Also while nothing is recorded: it may be in flight when
  /// that begins.
  void name_command(std::uint16_t tag, const CommandName& name) {
    if (tag >= commands_.size()) commands_.resize(tag + 1U);
    commands_[tag] = name;
  }
  /// Null: no command has had this tag.
  [[nodiscard]] const CommandName* command_name(std::uint16_t tag) const {
    return tag < commands_.size() ? &commands_[tag] : nullptr;
  }

  /// False while nothing is recorded and no state is kept either. Not virtual: asked with every event of a drive.
  [[nodiscard]] bool listening() const { return listening_; }

 protected:
  bool listening_ = true;

 private:
  std::vector<CommandName> commands_;  // commands by tag
};

/// Whether a module has work to do for a waveform.
[[nodiscard]] inline bool listens(const RecorderIf* recorder) { return recorder != nullptr && recorder->listening(); }

}  // namespace wordline::tlm_if
