// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/units/quantity.h"
#include "tlm/observe/wave_signal.h"

namespace wordline::observe {

class FstRecorder;

/// GTKWave's trace colours.
enum class WaveColour : unsigned { kNormal = 0, kRed, kOrange, kYellow, kGreen, kBlue, kIndigo, kViolet };

/// One foldable group of a view.
struct WaveGroup {
  std::string title;
  std::vector<std::string> scopes;  // signals whose scope is one of these or lies inside it, in this order
  WaveColour colour = WaveColour::kNormal;
  bool open = true;
};

/// What a view shows at first; 0: chosen from the recording.
struct WaveZoom {
  Picoseconds from{};
  Picoseconds span{};
  Picoseconds marker{-1};  // time at which the primary marker stands; negative: none
};

/// One group per scope, in the order in which a command meets them: host side, firmware and its cores, memory, ECC,
/// channels, dies, everything else; each kind has its colour. Channels beyond the first and dies beyond the first
/// four come closed, so that a large drive opens on one screen. The kind is read from the scope's last part that names
/// one (host, nvme, pcie, link, queue; cpu, core, firmware, task; dram, sram, memory, buffer; ecc, ldpc, retry;
/// channel, bus, onfi; die, lun, plane).
[[nodiscard]] std::vector<WaveGroup> default_groups(const std::vector<WaveSignal>& signals);

/// Text of a GTKWave 3.3 save file for a recording: `groups` in order, signals in order of declaration, each at most
/// once. Enums show their names; texts as text; reals, and vectors whose name contains level, depth, fill, free or
/// occupancy, as analog steps; other vectors as hexadecimal. `dump` is the name of the FST relative to the view, `view`
/// the view's own.
[[nodiscard]] std::string gtkw_text(const std::vector<WaveSignal>& signals, const std::vector<WaveGroup>& groups,
                                    const std::string& dump, const std::string& view, WaveZoom zoom);

/// Markers with names: A to Z.
constexpr std::size_t kNamedMarkers = 26;

/// The same view at another place: `zoom`, named markers A, B and so on at `marks` (kNamedMarkers at most), and with
/// `open` not empty, only the groups whose scope is one of these or lies inside it, all of them open: those of a large
/// drive would take a screen. `text` is what gtkw_text() made.
[[nodiscard]] std::string gtkw_focus(const std::string& text, WaveZoom zoom, const std::vector<Picoseconds>& marks,
                                     const std::vector<std::string>& open);

/// The same view with only those signals whose own name, without scope and range, is one of `names`.
[[nodiscard]] std::string gtkw_only(const std::string& text, const std::vector<std::string>& names);

/// Stretches of time that a recording has, when it leaves out the rest; the ends are part of them.
struct WaveStretch {
  Picoseconds from, to;
};
/// Stretches as comments, in which the view keeps them, for who opens it at another place.
[[nodiscard]] std::string stretch_comments(const std::vector<WaveStretch>& stretches);
/// The stretches of a view's text; empty: nothing is left out.
[[nodiscard]] std::vector<WaveStretch> stretches_of(const std::string& text);

/// Writes the view beside the recorder's file, with the ending .gtkw; returns the view's path. While the recorder is
/// open the length of the recording is not known: what is left to choose begins at time 0. Throws std::runtime_error
/// naming the path when it cannot be written.
std::string write_gtkw(const FstRecorder& recorder, const std::vector<WaveGroup>& groups, WaveZoom zoom = {});

}  // namespace wordline::observe
