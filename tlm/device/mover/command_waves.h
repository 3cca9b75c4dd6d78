// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::host {

/// What a waveform shows of the commands of the host: the one that has come in last, and the names by which what serves
/// a command is shown.
class CommandWaves {
 public:
  /// A null recorder: no waves.
  CommandWaves(const Agenda& agenda, tlm_if::RecorderIf* recorder)
      : agenda_(agenda),
        recorder_(recorder),
        command_(recorder != nullptr ? recorder->add_text("ssd.host", "command") : 0) {}

  [[nodiscard]] bool records() const { return recorder_ != nullptr && recorder_->active(); }
  /// Shows `text` as the command that has come in; the caller checks records() before it makes the text.
  void record(const std::string& text) const { recorder_->set_text(command_, agenda_.now(), text); }
  /// What serves the command of `tag` is shown with this name from now on.
  void name(std::uint32_t tag, const tlm_if::RecorderIf::CommandName& name) const {
    if (recorder_ != nullptr) recorder_->name_command(static_cast<std::uint16_t>(tag), name);
  }
  /// The command of `tag` has come, decoded.
  void came(std::uint32_t tag, const HostCommand& command) const;

 private:
  const Agenda& agenda_;
  tlm_if::RecorderIf* const recorder_;
  const tlm_if::RecorderIf::Signal command_;
};

}  // namespace wordline::host
