// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a die gives back: data of the page register with their bit errors, status, feature parameters.
#include <algorithm>

#include "models/config/bus_modes.h"
#include "models/ecc/code/codeword.h"
#include "tlm/flash/die/nand_die.h"

namespace wordline::flash {

void NandDie::change_read_column(OnfiTransaction& t, const onfi::Address& at, bool whole_address) {
  if (cache_register_.planes == 0) {
    error(t, "CHANGE READ COLUMN without data in the page register");
    return;
  }
  if (whole_address) {
    if (at.block != cache_register_.block || at.page != cache_register_.page ||
        (cache_register_.planes >> at.plane.value() & 1U) == 0) {
      error(t, "CHANGE READ COLUMN ENHANCED to plane " + std::to_string(at.plane.value()) + " block " +
                   std::to_string(at.block.value()) + " page " + std::to_string(at.page.value()) +
                   ", which the page register does not hold");
      return;
    }
    out_plane_ = at.plane;
  }
  out_column_ = at.column;
  soft_plane_ = 0;
  output_ = Output::kData;
}

void NandDie::select_soft_plane(OnfiTransaction& t) {
  const unsigned planes = onfi::soft_planes(cache_register_.read.senses);
  const unsigned plane = t.cycles.address[0];
  if (cache_register_.planes == 0 || plane > planes) {
    error(t, "C0h to soft bit plane " + std::to_string(plane) + ", and the page in the register has " +
                 std::to_string(cache_register_.planes == 0 ? 0 : planes) + " (feature 8Ah, then a read)");
    return;
  }
  soft_plane_ = plane;
  output_ = Output::kData;
}

void NandDie::data_out(OnfiTransaction& t) {
  if (output_ != Output::kData) {
    error(t, cache_register_.planes == 0 ? "data out without a read"
                               : "data out after a status or feature read; 00h, 05h or 06h first");
    return;
  }
  const std::uint32_t first = out_column_ / codec_.sector_bytes();
  if (out_column_ % codec_.sector_bytes() != 0 || t.bytes != t.sector_count * codec_.sector_bytes() ||
      (t.sectors == nullptr && soft_plane_ == 0) || first > sectors_per_page_ ||
      t.sector_count > sectors_per_page_ - first) {
    error(t, "data out of " + std::to_string(t.bytes) + " bytes for " + std::to_string(t.sector_count) +
                 " sectors from column " + std::to_string(out_column_) + "; sectors have " +
                 std::to_string(codec_.sector_bytes()) + " bytes, the page " + std::to_string(sectors_per_page_) +
                 " sectors");
    return;
  }
  for (std::uint32_t i = 0; i < t.sector_count && t.sectors != nullptr; ++i) {
    t.sectors[i] = array_.sector({out_plane_, cache_register_.block, cache_register_.page, first + i});
  }
  if (t.errors != nullptr) count_errors(first, t.sector_count, *t.errors);
  out_column_ += t.bytes;
}

// Of `count` sectors of the page on its way out, from sector `first` on.
void NandDie::count_errors(std::uint32_t first, std::uint32_t count, ReadErrors& errors) const {
  errors.programmed = array_.programmed(out_plane_, cache_register_.block, cache_register_.page);
  errors.erases = array_.erase_count(out_plane_, cache_register_.block);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (unsigned c = 0; c < ecc::kCodewordsPerSector; ++c) {
      errors.sectors[i][c] = errors.programmed ? bit_errors(out_plane_, first + i, c) : 0;
    }
  }
  if (errors.together != nullptr) errors.soft = soft_channel(out_plane_, *errors.together);
}

unsigned NandDie::bit_errors(PlaneId plane, std::uint32_t sector, unsigned codeword) const {
  if ((cache_register_.planes >> plane.value() & 1U) == 0 || sector >= sectors_per_page_ ||
      codeword >= ecc::kCodewordsPerSector) {
    const std::string text = std::string(name()) + ": bit errors of plane " + std::to_string(plane.value()) +
                             " sector " + std::to_string(sector) + " codeword " + std::to_string(codeword) +
                             ", which the page register does not hold";
    SC_REPORT_ERROR(kReportId, text.c_str());
    return ecc::kCodewordBits;
  }
  const Register& from = cache_register_;
  const std::uint32_t index = sector * ecc::kCodewordsPerSector + codeword;
  const unsigned own = array_.bit_errors(plane, from.block, from.page, index, ecc::kCodewordBits, from.read);
  const std::uint32_t per_page = sectors_per_page_ * ecc::kCodewordsPerSector;
  return std::min(own + copied_errors_.at(plane, from.block, from.page.value() * per_page + index),
                  ecc::kCodewordBits);
}

nand::SoftChannel NandDie::soft_channel(PlaneId plane) const { return soft_channel(plane, cache_register_.read); }

nand::SoftChannel NandDie::soft_channel(PlaneId plane, const nand::ReadParameters& parameters) const {
  if ((cache_register_.planes >> plane.value() & 1U) == 0) {
    const std::string text = std::string(name()) + ": soft channel of plane " + std::to_string(plane.value()) +
                             ", whose page register is empty";
    SC_REPORT_ERROR(kReportId, text.c_str());
    return {};
  }
  return array_.soft_channel(plane, cache_register_.block, cache_register_.page, parameters);
}

void NandDie::status(OnfiTransaction& t) {
  const onfi::Sequence* rule = onfi::find_sequence(t.cycles, codec_.row_cycles());
  if (rule == nullptr || (t.cycles.opcode != onfi::kReadStatus && t.cycles.opcode != onfi::kReadStatusEnhanced)) {
    error(t, "a status segment is 70h, or 78h with a row address");
    return;
  }
  if (t.cycles.opcode == onfi::kReadStatusEnhanced) {
    const onfi::Address at = codec_.decode(t.cycles, rule->address);
    if (!check_address(t, at)) return;
  }
  const Picoseconds sample = t.start + timing_.status_sample(t.cycles.count());
  commit_due(sample);
  t.status = onfi::kNotProtected;
  if (sample >= busy_until_) {
    t.status = static_cast<std::uint8_t>(t.status | onfi::kReady);
    if (work_.operation == Operation::kNone) t.status = static_cast<std::uint8_t>(t.status | onfi::kArrayReady);
    if (suspended()) t.status = static_cast<std::uint8_t>(t.status | onfi::kSuspended);
    if (failed_) t.status = static_cast<std::uint8_t>(t.status | onfi::kFail);
    if (failed_before_) t.status = static_cast<std::uint8_t>(t.status | onfi::kFailCache);
  }
  output_ = Output::kStatus;
}

void NandDie::set_features(OnfiTransaction& t) {
  const onfi::Sequence* rule = onfi::find_sequence(t.cycles, codec_.row_cycles());
  if (rule == nullptr || (t.cycles.opcode != onfi::kSetFeatures && t.cycles.opcode != onfi::kLunSetFeatures)) {
    error(t, "SET FEATURES is EFh with a feature address, or D5h with LUN and feature address");
    return;
  }
  if (!check_lun(t) || !check_background(t, t.cycles.opcode, onfi::kNoConfirm)) return;
  const std::uint8_t feature = t.cycles.address[t.cycles.address_count - 1U];
  if (feature == onfi::kFeatureTimingMode) {
    const std::optional<config::BusMode> mode = onfi::timing_mode(t.parameters, channels_.mode.interface);
    if (!mode || codec_.luns() > 1) {
      error(t, "SET FEATURES 01h: " + std::string(mode ? "a target of several LUNs keeps its timing mode"
                                                        : "no such timing mode"));
      return;
    }
    switch_mode(*mode);
    return busy_for(t, t_feat_, State::kFeatures);
  }
  const std::string problem = features_.set(feature, t.parameters);
  if (!problem.empty()) {
    error(t, "SET FEATURES: " + problem);
    return;
  }
  busy_for(t, t_feat_, State::kFeatures);
}

// From the next segment on; the bus does the same.
void NandDie::switch_mode(config::BusMode mode) {
  mode_ = mode;
  const config::Channels channels = config::switched_to(channels_, mode);
  timing_ = onfi::BusTiming(channels);
  t_wb_ = channels.t_wb;
  static_cast<void>(features_.set(onfi::kFeatureTimingMode, onfi::timing_mode_value(mode)));
}

void NandDie::get_features(OnfiTransaction& t) {
  const onfi::Sequence* rule = onfi::find_sequence(t.cycles, codec_.row_cycles());
  if (rule == nullptr || (t.cycles.opcode != onfi::kGetFeatures && t.cycles.opcode != onfi::kLunGetFeatures)) {
    error(t, "GET FEATURES is EEh with a feature address, or D4h with LUN and feature address");
    return;
  }
  if (!check_lun(t) || !check_background(t, t.cycles.opcode, onfi::kNoConfirm)) return;
  asked_feature_ = t.cycles.address[t.cycles.address_count - 1U];
  if (onfi::FeatureRegisters::read_only(asked_feature_)) {
    nand::ProgramReport report;
    const bool known = reported_.operation == Operation::kProgram;
    if (known) {
      std::uint8_t plane = 0;  // the layer is the same in all planes
      while ((reported_.planes >> plane & 1U) == 0) ++plane;
      report = array_.program_report(PlaneId(plane), reported_.block, reported_.page);
    }
    features_.report(known ? &report : nullptr, reported_fail_);
  }
  output_ = Output::kFeature;
  busy_for(t, t_feat_, State::kFeatures);
}

bool NandDie::check_lun(OnfiTransaction& t) {
  if (t.cycles.address_count == 1) {
    // EFh and EEh reach every LUN of the target at once.
    if (codec_.luns() == 1) return true;
    return error(t, "EFh or EEh to a target of several LUNs; use D5h or D4h");
  }
  if (t.cycles.address[0] == lun_) return true;
  return error(
      t, "feature command for LUN " + std::to_string(t.cycles.address[0]) + " sent to LUN " + std::to_string(lun_));
}

void NandDie::feature_out(OnfiTransaction& t) {
  if (output_ != Output::kFeature) {
    error(t, "feature parameters without GET FEATURES");
    return;
  }
  t.parameters = features_.get(asked_feature_);
}

}  // namespace wordline::flash
