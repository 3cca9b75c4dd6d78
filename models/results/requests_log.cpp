// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/requests_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace wordline::results {
namespace {

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

RequestsLog::RequestsLog(const std::string& path, std::vector<StageName> stages)
    : file_(path), stages_(std::move(stages)) {
  write_header();
}

std::string RequestsLog::name_problem(const std::string& path) {
  for (const char* packed : {".zst", ".xz", ".bz2", ".zip", ".lz4"}) {
    if (ends_with(path, packed)) {
      return fmt::format("{}: the log is packed by gzip only; name it FILE.csv.gz, or pack FILE.csv afterwards", path);
    }
  }
  for (const char* table : {".parquet", ".feather", ".json", ".xlsx"}) {
    if (ends_with(path, table)) {
      return fmt::format(
          "{}: the log is CSV; name it FILE.csv or FILE.csv.gz, and in Python wordline.read(DIR).requests() gives a "
          "data frame, which writes other formats",
          path);
    }
  }
  return {};
}

void RequestsLog::write_header() {
  row_ = "submitted_ps,job,op,lba,bytes,latency_ps,die,dies,retries,longest_wait,behind,behind_ps";
  for (const StageName& stage : stages_) fmt::format_to(std::back_inserter(row_), ",{}_ps", stage.name);
  row_ += '\n';
  file_.write(row_);
}

void RequestsLog::begin_anew() {
  if (!file_.restart()) {
    throw std::runtime_error(fmt::format(
        "{}: run.until begins the log anew when the drive is warm, which a pipe or a device cannot do; give a file",
        file_.path()));
  }
  write_header();
}

void RequestsLog::finished(const FinishedRequest& request) {
  row_.clear();
  auto out = std::back_inserter(row_);
  fmt::format_to(out, "{},{},{},{},{},{},", request.submitted.count(), request.job, workload::op_name(request.op),
                 request.lba, request.bytes, request.latency().count());
  if (request.die != FinishedRequest::kNoDie) fmt::format_to(out, "{}", request.die);
  row_ += ',';
  if (request.dies != nullptr) {
    const std::vector<std::uint16_t>& dies = *request.dies;
    for (auto die = dies.begin(); die != dies.end(); ++die) {
      if (std::find(dies.begin(), die, *die) != die) continue;
      fmt::format_to(out, "{}{}", die == dies.begin() ? "" : " ", *die);
    }
  }
  std::size_t longest = stages_.size();
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (!stages_[i].is_wait || request.stages[i] <= Picoseconds(0)) continue;
    if (longest == stages_.size() || request.stages[i] > request.stages[longest]) longest = i;
  }
  const std::size_t cause = request.waits == nullptr ? kWaitCauses : longest_wait(request.waits);
  fmt::format_to(out, ",{},{},{},{}", request.retries, longest == stages_.size() ? "" : stages_[longest].name,
                 cause == kWaitCauses ? "" : wait_cause_name(cause),
                 cause == kWaitCauses ? 0 : request.waits[cause].count());
  for (std::size_t i = 0; i < stages_.size(); ++i) fmt::format_to(out, ",{}", request.stages[i].count());
  row_ += '\n';
  file_.write(row_);
}

}  // namespace wordline::results
