// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "models/units/index.h"
#include "models/workload/fio/options.h"
#include "models/workload/text.h"

namespace wordline::workload::fio {
namespace {

constexpr std::uint64_t kLargestBlock = std::uint64_t{1} << 30;

/// A block size: what the drive can be asked for.
std::uint32_t block_size(const Value& value) {
  const auto bytes = value.bytes();
  if (bytes == 0 || bytes % kLbaBytes != 0 || bytes > kLargestBlock) {
    throw Bad{"a multiple of 512 bytes, at most 1g: the drive has blocks of 512 bytes"};
  }
  return static_cast<std::uint32_t>(bytes);
}

/// "randread:8": a random offset for eight requests. "write:8k", "read:-8k": so much between sequential ones.
void set_modifier(std::string_view name, const Value& modifier, Pattern& pattern) {
  pattern.every = 1;
  pattern.skip_bytes = 0;
  if (pattern.random) {
    pattern.every = static_cast<std::uint32_t>(modifier.number(1, UINT32_MAX));
    return;
  }
  if (pattern.trim_write) throw Refused{fmt::format("{} takes no modifier", name)};
  const bool back = modifier.text.front() == '-';
  const auto bytes = modifier.of(modifier.text.substr(back ? 1 : 0)).blocks_of_512();
  pattern.skip_bytes = back ? -static_cast<std::int64_t>(bytes) : static_cast<std::int64_t>(bytes);
}

void set_rw(const Value& value, Job& job) {
  struct Name {
    std::string_view name;
    bool random;
    std::vector<Op> ops;
    bool trim_write;
  };
  static const Name kNames[] = {{"read", false, {Op::kRead}, false},
                                {"write", false, {Op::kWrite}, false},
                                {"trim", false, {Op::kTrim}, false},
                                {"randread", true, {Op::kRead}, false},
                                {"randwrite", true, {Op::kWrite}, false},
                                {"randtrim", true, {Op::kTrim}, false},
                                {"rw", false, {Op::kRead, Op::kWrite}, false},
                                {"readwrite", false, {Op::kRead, Op::kWrite}, false},
                                {"randrw", true, {Op::kRead, Op::kWrite}, false},
                                {"trimwrite", false, {Op::kTrim, Op::kWrite}, true},
                                {"randtrimwrite", true, {Op::kTrim, Op::kWrite}, true}};
  const auto colon = value.text.find(':');
  const auto name = value.text.substr(0, colon);
  for (const Name& known : kNames) {
    if (known.name != name) continue;
    job.pattern.random = known.random;
    job.pattern.ops = known.ops;
    job.pattern.trim_write = known.trim_write;
    job.pattern.every = 1;
    job.pattern.skip_bytes = 0;
    if (colon == std::string_view::npos) return;
    if (colon + 1 == value.text.size()) throw Bad{"a number or bytes after ':'"};
    set_modifier(name, value.of(value.text.substr(colon + 1)), job.pattern);
    return;
  }
  throw Bad{
      "read, write, trim, randread, randwrite, randtrim, rw, readwrite, randrw, trimwrite or randtrimwrite, perhaps "
      "with ':' and a number (random) or bytes (sequential)"};
}

void set_bs(const Value& value, Job& job) {
  for_directions(value, [&](std::size_t op, const Value& part) {
    const std::uint32_t bytes = block_size(part);
    job.blocks[op].min = job.blocks[op].max = bytes;
  });
}

void set_range(const Value& value, Job& job) {
  for_directions(value, [&](std::size_t op, const Value& part) {
    const auto dash = part.text.find_first_of("-:");
    if (dash == std::string_view::npos) throw Bad{"a range of block sizes, 1k-4k"};
    BlockSizes& blocks = job.blocks[op];
    blocks.min = block_size(part.of(text::trimmed(part.text.substr(0, dash))));
    blocks.max = block_size(part.of(text::trimmed(part.text.substr(dash + 1))));
    if (blocks.min > blocks.max) std::swap(blocks.min, blocks.max);
  });
}

/// "4k/50:8k/": sizes with their shares in percent; those without one share what is left.
std::vector<BlockSizes::Share> split_of(const Value& value) {
  std::vector<std::string_view> parts;
  text::split(value.text, ':', parts);
  std::vector<BlockSizes::Share> split;
  double left = 100;
  std::size_t open = 0;
  for (const std::string_view part : parts) {
    const auto slash = part.find('/');
    const auto share = slash == std::string_view::npos ? std::string_view() : part.substr(slash + 1);
    // fio draws by whole percentages; a share that is not given is marked by a negative one.
    const double percent = share.empty() ? -1 : static_cast<double>(value.of(share).number(0, 100));
    split.push_back({block_size(value.of(part.substr(0, slash))), percent});
    percent < 0 ? ++open : left -= percent;
  }
  if (left < 0) throw Bad{"shares that add up to at most 100"};
  for (BlockSizes::Share& share : split) {
    if (share.percent < 0) share.percent = left / static_cast<double>(open);
  }
  if (std::none_of(split.begin(), split.end(), [](const auto& share) { return share.percent > 0; })) {
    throw Bad{"a share above 0"};
  }
  return split;
}

void set_split(const Value& value, Job& job) {
  for_directions(value, [&](std::size_t op, const Value& part) {
    BlockSizes& blocks = job.blocks[op];
    blocks.split = split_of(part);
    blocks.min = UINT32_MAX;
    blocks.max = 0;
    for (const BlockSizes::Share& share : blocks.split) {
      blocks.min = std::min(blocks.min, share.bytes);
      blocks.max = std::max(blocks.max, share.bytes);
    }
  });
}

void set_align(const Value& value, Job& job) {
  for_directions(value, [&](std::size_t op, const Value& part) { job.blocks[op].align = block_size(part); });
}

/// "zoned:60/10:30/20:10/70": of the accesses 60 % go to the first 10 % of the region; zoned_abs has sizes instead.
void set_zones(const Value& value, bool absolute, Pattern& pattern) {
  for_directions(value, [&](std::size_t op, const Value& part) {
    std::vector<std::string_view> parts;
    text::split(part.text, ':', parts);
    std::vector<AccessZone> zones;
    double access = 100;
    std::uint64_t region = 100;
    for (const std::string_view zone : parts) {
      const auto slash = zone.find('/');
      if (slash == std::string_view::npos) throw Bad{"zones as accesses/size, 50/5:30/15:20/80"};
      const auto size = zone.substr(slash + 1);
      AccessZone one;
      one.access_percent = slash == 0 ? access : static_cast<double>(part.of(zone.substr(0, slash)).number(0, 100));
      if (absolute) {
        one.size.bytes = part.of(size).blocks_of_512();
      } else {
        one.size.percent = size.empty() ? region : part.of(size).number(0, 100);
        if (*one.size.percent > region) throw Bad{"sizes that add up to at most 100"};
        region -= *one.size.percent;
      }
      if (one.access_percent > access) throw Bad{"accesses that add up to 100"};
      access -= one.access_percent;
      zones.push_back(one);
    }
    if (access > 0) throw Bad{"accesses that add up to 100"};
    pattern.zones[op] = std::move(zones);
  });
}

void set_distribution(const Value& value, Job& job) {
  Pattern& pattern = job.pattern;
  const auto colon = value.text.find(':');
  const auto name = value.text.substr(0, colon);
  const bool has_parameter = colon != std::string_view::npos;
  auto rest = has_parameter ? value.text.substr(colon + 1) : std::string_view();
  pattern.zones = {};
  pattern.distribution = Distribution::kRandom;
  pattern.distribution_center = -1;
  if (name == "zoned" || name == "zoned_abs") {
    set_zones(value.of(rest), name == "zoned_abs", pattern);
    return;
  }
  if (name == "sequence") throw Refused{"a sequence of offsets repeats a few places; give them as a trace"};
  const auto parameter = [&](double fallback) {
    if (!has_parameter) return fallback;
    if (const auto second = rest.find(':'); second != std::string_view::npos) {
      const auto center = text::to_double(rest.substr(second + 1));
      if (!center || !(*center >= 0 && *center <= 1)) throw Bad{"a centre from 0 to 1 after the second ':'"};
      pattern.distribution_center = *center;
      rest = rest.substr(0, second);
    }
    const auto number = text::to_double(rest);
    if (!number) throw Bad{"a number after ':'"};
    return *number;
  };
  if (name == "random" && !has_parameter) return;
  if (name == "zipf") {
    const double theta = parameter(1.1);  // fio's default
    if (!(theta > 0 && theta <= 10) || theta == 1.0) throw Bad{"zipf:theta with theta above 0, at most 10 and not 1"};
    pattern.distribution = Distribution::kZipf;
    pattern.distribution_parameter = theta;
  } else if (name == "pareto") {
    const double h = parameter(0.2);  // fio's default
    if (!(h > 0 && h < 1)) throw Bad{"pareto:h with 0 < h < 1"};
    pattern.distribution = Distribution::kPareto;
    pattern.distribution_parameter = h;
  } else if (name == "normal") {
    const double deviation = parameter(0);  // fio's default
    if (!(deviation >= 0 && deviation < 100)) throw Bad{"normal:deviation in percent, at least 0 and below 100"};
    pattern.distribution = Distribution::kNormal;
    pattern.distribution_parameter = deviation;
  } else {
    throw Bad{"random, zipf:theta, pareto:h, normal:deviation, zoned:... or zoned_abs:..."};
  }
}

void set_generator(const Value& value, Job& job) {
  if (value.text == "lfsr") {
    job.pattern.lfsr = true;
  } else if (value.text == "tausworthe" || value.text == "tausworthe64") {
    job.pattern.lfsr = false;
  } else {
    throw Bad{"tausworthe, tausworthe64 or lfsr"};
  }
}

void set_sequencer(const Value& value, Job& job) {
  if (value.text != "sequential" && value.text != "identical") throw Bad{"sequential or identical"};
  job.pattern.identical = value.text == "identical";
}

void set_zone_mode(const Value& value, Job& job) {
  job.pattern.zbd = value.text == "zbd";
  if (job.pattern.zbd) throw Refused{"zbd is of a device with zones, and the drive has none"};
  if (value.text != "none" && value.text != "strided") throw Bad{"none or strided"};
  if (value.text == "none") job.pattern.zone_size = job.pattern.zone_range = job.pattern.zone_skip = 0;
}

const ObeyedOption kRows[] = {
    {"rw", set_rw},
    {"readwrite", set_rw},
    {"bs", set_bs},
    {"blocksize", set_bs},
    {"bsrange", set_range},
    {"blocksize_range", set_range},
    {"bssplit", set_split},
    {"blockalign", set_align},
    {"ba", set_align},
    {"bs_is_seq_rand", [](const Value& value, Job& job) { job.blocks_by_kind = value.flag(); }},
    {"rw_sequencer", set_sequencer},
    {"percentage_random",
     [](const Value& value, Job& job) {
       for_directions(value, [&](std::size_t op, const Value& part) {
         job.pattern.percent_random[op] = static_cast<std::uint32_t>(part.number(0, 100));
       });
     }},
    {"percentage_sequential",
     [](const Value& value, Job& job) {
       for_directions(value, [&](std::size_t op, const Value& part) {
         job.pattern.percent_random[op] = static_cast<std::uint32_t>(100 - part.number(0, 100));
       });
     }},
    {"rwmixread",
     [](const Value& value, Job& job) { job.pattern.read_percent = static_cast<std::uint32_t>(value.number(0, 100)); }},
    {"rwmixwrite", [](const Value& value,
                      Job& job) { job.pattern.read_percent = static_cast<std::uint32_t>(100 - value.number(0, 100)); }},
    {"random_distribution", set_distribution},
    {"random_generator", set_generator},
    {"randseed", [](const Value& value, Job& job) { job.pattern.randseed = value.number(0, UINT64_MAX); }},
    {"norandommap", [](const Value& value, Job& job) { job.pattern.norandommap = value.flag(); }},
    {"zonemode", set_zone_mode},
    {"zonesize", [](const Value& value, Job& job) { job.pattern.zone_size = value.blocks_of_512(); }},
    {"zonerange", [](const Value& value, Job& job) { job.pattern.zone_range = value.blocks_of_512(); }},
    {"zoneskip", [](const Value& value, Job& job) { job.pattern.zone_skip = value.blocks_of_512(); }},
};

}  // namespace

bool Pattern::uses(Op op) const { return std::find(ops.begin(), ops.end(), op) != ops.end(); }

Rows<ObeyedOption> pattern_options() { return {std::begin(kRows), std::end(kRows)}; }

}  // namespace wordline::workload::fio
