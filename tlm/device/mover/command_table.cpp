// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/command_table.h"

#include <algorithm>

namespace wordline::host {

CommandTable::CommandTable(std::uint32_t tags, std::uint32_t pages, LpageSize size, tlm_if::RecorderIf* recorder)
    : commands_(tags), recorder_(recorder) {
  for (HostCommand& command : commands_) {
    command.lpage_size = size;
    command.pages.reserve(pages);
  }
  for (std::uint32_t tag = tags; tag-- > 0;) free_.push_back(tag);
  freed_.reserve(tags);
  if (recorder_ != nullptr) wave_tags_ = recorder_->add_vector("ssd.host", "tag_level", 16);
}

std::uint32_t CommandTable::take(Picoseconds now) {
  while (!freed_.empty() && freed_.front().at <= now) {
    std::pop_heap(freed_.begin(), freed_.end(), Freed::later);
    free_.push_back(freed_.back().tag);
    freed_.pop_back();
  }
  if (free_.empty()) return kNone;
  const std::uint32_t tag = free_.back();
  free_.pop_back();
  HostCommand& command = commands_[tag];
  command.state = HostCommand::State::kFetched;
  command.epoch = epoch_;
  command.pages.clear();
  command.stretches.clear();
  command.taken = now;
  command.data_end = now;
  command.jobs_running = 0;
  command.transfer_failed = false;
  command.unwritten_is_error = false;
  command.complete_then = false;
  command.ended = false;
  command.way = DataWay::kHost;
  command.found = 0;
  command.result = 0;
  command.metadata.place = CommandMetadata::Place::kNone;
  if (tlm_if::listens(recorder_)) recorder_->set(wave_tags_, now, commands_.size() - free_.size());
  return tag;
}

void CommandTable::let_go() {
  const std::uint32_t tag = kept_;
  kept_ = kNone;
  if (kept_end_) free(tag, *kept_end_);
  kept_end_.reset();
}

void CommandTable::free(std::uint32_t tag, Picoseconds at) {
  commands_[tag].ended = true;
  if (tag == kept_) {
    kept_end_ = at;
    return;
  }
  freed_.push_back({at, tag});
  std::push_heap(freed_.begin(), freed_.end(), Freed::later);
}

std::uint32_t CommandTable::in_use(Picoseconds now) const {
  const auto gone = std::count_if(freed_.begin(), freed_.end(), [now](const Freed& f) { return f.at <= now; });
  return static_cast<std::uint32_t>(commands_.size() - free_.size() - static_cast<std::size_t>(gone));
}

}  // namespace wordline::host
