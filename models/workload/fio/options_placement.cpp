// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "models/workload/fio/options.h"
#include "models/workload/text.h"

namespace wordline::workload::fio {
namespace {

constexpr std::uint64_t kMostIndices = 128;  // as fio has them

void set_kind(const Value& value, Job& job) {
  if (value.text == "streams") throw Refused{"the drive has placement handles, no streams; give dataplacement=fdp"};
  if (value.text != "none" && value.text != "fdp") throw Bad{"none, fdp or streams"};
  job.placement.on = value.text == "fdp";
}

/// "0,2,5-7"
void set_indices(const Value& value, Job& job) {
  std::vector<std::uint16_t> indices;
  std::string_view rest = value.text;
  while (true) {
    const auto end = rest.find(',');
    const std::string_view part = rest.substr(0, end);
    const auto dash = part.find('-');
    const std::uint64_t first = value.of(part.substr(0, dash)).number(0, kMostIndices - 1);
    const std::uint64_t last =
        dash == std::string_view::npos ? first : value.of(part.substr(dash + 1)).number(first, kMostIndices - 1);
    for (std::uint64_t i = first; i <= last; ++i) indices.push_back(static_cast<std::uint16_t>(i));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  if (indices.size() > kMostIndices) throw Bad{"128 indices at most"};
  job.placement.indices = std::move(indices);
}

void set_selection(const Value& value, Job& job) {
  if (value.text == "scheme") {
    throw Refused{"a scheme file maps offsets to identifiers; give each region a job of its own, with plids"};
  }
  if (value.text != "random" && value.text != "roundrobin") throw Bad{"random, roundrobin or scheme"};
  job.placement.by = value.text == "random" ? PlacementChoice::By::kRandom : PlacementChoice::By::kRoundRobin;
}

constexpr ObeyedOption kRows[] = {
    {"fdp", [](const Value& value, Job& job) { job.placement.on = value.flag(); }},
    {"dataplacement", set_kind},
    {"data_placement", set_kind},
    {"plids", set_indices},
    {"fdp_pli", set_indices},
    {"plid_select", set_selection},
    {"fdp_pli_select", set_selection},
};

}  // namespace

Rows<ObeyedOption> placement_options() { return {std::begin(kRows), std::end(kRows)}; }

}  // namespace wordline::workload::fio
