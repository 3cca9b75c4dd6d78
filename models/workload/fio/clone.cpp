// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/clone.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "models/units/index.h"

namespace wordline::workload::fio {
namespace {

std::uint64_t resolve(const Extent& extent, std::uint64_t drive_bytes) {
  if (!extent.percent) return extent.bytes;
  // fio rounds a percentage down; to whole blocks here.
  const auto share = static_cast<unsigned __int128>(drive_bytes) * *extent.percent / 100;
  return static_cast<std::uint64_t>(std::min<unsigned __int128>(share, kLbaBytes * (UINT64_MAX / kLbaBytes))) /
         kLbaBytes * kLbaBytes;
}

/// Of jobs that run together: a file with more is a slip, and would need gigabytes.
constexpr std::uint64_t kMostInFlight = std::uint64_t{1} << 20U;

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  const auto wide = static_cast<unsigned __int128>(a) * b;
  return wide > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(wide);
}

/// fio separates names by ':'; one that is part of a name has a backslash before it.
std::vector<std::string> names_in(const std::string& filename) {
  std::vector<std::string> names(1);
  for (std::size_t i = 0; i < filename.size(); ++i) {
    if (filename[i] == '\\' && i + 1 < filename.size() && filename[i + 1] == ':') {
      names.back() += filename[++i];
    } else if (filename[i] == ':') {
      names.emplace_back();
    } else {
      names.back() += filename[i];
    }
  }
  return names;
}

/// The file of a clone, as fio names it; the files of one clone are one region.
std::string file_of(const Job& job, std::uint32_t number) {
  std::string name = job.device.filename_format.empty() ? "$jobname.$jobnum.$filenum" : job.device.filename_format;
  const auto put = [&name](std::string_view variable, const std::string& value) {
    for (std::size_t at = 0; (at = name.find(variable, at)) != std::string::npos; at += value.size())
      name.replace(at, variable.size(), value);
  };
  put("$jobname", job.name);
  put("$jobnum", std::to_string(number));
  return job.device.directory + "/" + name;
}

class Layout {
 public:
  Layout(const std::string& path, const LoadOptions& options, text::Errors& errors, std::vector<std::string>& notices)
      : path_(path), options_(options), errors_(errors), notices_(notices) {}

  /// False: an error says why.
  bool place(const Job& job, std::uint32_t number, Clone& clone) {
    if (!take_device(job)) return false;
    const std::uint64_t first = resolve(job.amount.offset, drive_bytes_);
    const std::uint64_t increment = resolve(job.amount.offset_increment, drive_bytes_);
    const auto wide = static_cast<unsigned __int128>(increment) * number + first;
    if (wide >= drive_bytes_) {
      errors_.add(job.line,
                  fmt::format("job '{}': offset is beyond {}'s {}", job.name, whose_, text::long_bytes(drive_bytes_)));
      return false;
    }
    const auto offset = static_cast<std::uint64_t>(wide) / kLbaBytes * kLbaBytes;
    clone.smallest = UINT32_MAX;
    for (const Op op : job.pattern.ops) {
      clone.smallest = std::min(clone.smallest, job.blocks[static_cast<std::size_t>(op)].min);
    }
    const std::uint64_t size = size_of(job, clone.smallest, offset);
    clone.region = {first_lba_ + offset / kLbaBytes, size / kLbaBytes, (drive_bytes_ - offset) / kLbaBytes};
    if (job.device.has_files() && has_size(job)) {
      clone.region.first += place_file(job, file_of(job, number), offset + size) / kLbaBytes;
      clone.region.room = clone.region.nlb;
    }
    for (const Op op : job.pattern.ops) {
      const BlockSizes& blocks = job.blocks[static_cast<std::size_t>(op)];
      const std::uint32_t need = std::max(blocks.min, job.pattern.random ? blocks.align : 0U);
      if (size >= need) continue;
      errors_.add(job.line, fmt::format("job '{}': region of {} is smaller than a block of {}", job.name,
                                        text::short_bytes(size), text::short_bytes(need)));
      return false;
    }
    clone.amount = size;
    if (job.amount.io_size) clone.amount = share(*job.amount.io_size, clone.smallest);
    if (clone.amount == 0) clone.amount = size;
    clone.number_ios = job.amount.number_ios ? product(*job.amount.number_ios, job.amount.loops) : UINT64_MAX;
    return true;
  }

  /// Files and devices of a host are all the drive, unless they name its namespaces.
  void note_shared(const std::vector<Clone>& clones) {
    constexpr std::size_t kShown = 3;
    std::set<std::string> names;
    std::vector<std::string> shown;  // the first, as the file has them
    const auto add = [&](const std::string& name) {
      if (names.insert(name).second && shown.size() < kShown) shown.push_back(name);
    };
    for (const Clone& clone : clones) {
      const Job& job = *clone.job;
      if (job.device.nsid != 0 && options_.namespaces.size() > 1) continue;
      if (job.device.filename.empty()) {
        if (job.device.has_files() && !has_size(job)) add(clone.name);
        continue;
      }
      for (const std::string& name : names_in(job.device.filename)) add(name);
    }
    if (names.size() < 2) return;
    notices_.push_back(
        fmt::format("{}: {} files or devices ({}{}) are one drive here, at the same addresses; offset and "
                    "offset_increment keep them apart",
                    path_, text::grouped(names.size()), fmt::join(shown, ", "), names.size() > kShown ? ", ..." : ""));
  }

  /// To fio a job with neither filename nor directory has files in the folder where it was started; here it has the
  /// drive, which the command line names. Jobs whose addresses overlap may mean either.
  void note_unnamed(const std::vector<Clone>& clones) {
    std::vector<const Clone*> unnamed;
    for (const Clone& clone : clones) {
      const DeviceName& device = clone.job->device;
      if (device.filename.empty() && !device.has_files() && has_size(*clone.job)) unnamed.push_back(&clone);
    }
    const auto end = [](const Clone* clone) { return clone->region.first + clone->region.nlb; };
    for (const Clone* a : unnamed) {
      for (const Clone* b : unnamed) {
        if (a->number >= b->number || a->region.first >= end(b) || b->region.first >= end(a)) continue;
        notices_.push_back(fmt::format(
            "{}: jobs '{}' and '{}' have the same addresses of the drive; fio gives each job without filename a file "
            "of its own: directory=. lays them one behind the other, filename=drive says that they share",
            path_, a->name, b->name));
        return;
      }
    }
  }

  void note(const Job& job, const std::string& text) {
    if (!said_.insert(job.line).second) return;
    notices_.push_back(fmt::format("{}: job '{}': {}", path_, job.name, text));
  }

 private:
  /// The device of a job: a namespace where filename names one of several, or the whole drive.
  bool take_device(const Job& job) {
    const std::vector<DriveNamespace>& all = options_.namespaces;
    whose_ = "the drive";
    first_lba_ = 0;
    drive_bytes_ = options_.drive_lbas * kLbaBytes;
    if (job.device.nsid == 0 || all.size() < 2) return true;
    if (job.device.nsid == Job::kSeveralNamespaces) {
      errors_.add(job.line,
                  fmt::format("job '{}': filename names several namespaces; give each a job of its own", job.name));
      return false;
    }
    if (job.device.nsid > all.size()) {
      errors_.add(job.line, fmt::format("job '{}': filename names namespace {}, the drive has {} (nvme.namespaces)",
                                        job.name, job.device.nsid, all.size()));
      return false;
    }
    whose_ = fmt::format("namespace {}", job.device.nsid);
    first_lba_ = all[job.device.nsid - 1].first;
    drive_bytes_ = all[job.device.nsid - 1].lbas * kLbaBytes;
    return true;
  }

  static bool has_size(const Job& job) {
    return !job.amount.fill_device &&
           (job.amount.filesize || (job.amount.size && !job.amount.size->percent && job.amount.size->bytes != 0));
  }

  /// Where a file begins, in bytes: behind those of the clones before.
  std::uint64_t place_file(const Job& job, const std::string& name, std::uint64_t bytes) {
    const auto [at, is_new] = files_.emplace(name, files_end_);
    if (!is_new) return at->second;
    if (bytes > drive_bytes_ - files_end_) {
      note(job, fmt::format("its file of {} does not fit behind those of the jobs before on a drive of {}: it begins "
                            "at address 0, as the first one does",
                            text::short_bytes(bytes), text::long_bytes(drive_bytes_)));
      at->second = 0;
    }
    constexpr std::uint64_t kBlock = 4096;  // of a file system
    files_end_ = std::min(drive_bytes_, (at->second + bytes + kBlock - 1) / kBlock * kBlock);
    return at->second;
  }

  /// As fio: a percentage is rounded down to the job's smallest block.
  [[nodiscard]] std::uint64_t share(const Extent& extent, std::uint32_t smallest) const {
    const std::uint64_t bytes = resolve(extent, drive_bytes_);
    return extent.percent ? bytes - bytes % smallest : bytes;
  }

  std::uint64_t size_of(const Job& job, std::uint32_t smallest, std::uint64_t offset) {
    const std::uint64_t left = drive_bytes_ - offset;
    std::uint64_t size = job.amount.size ? share(*job.amount.size, smallest) : 0;
    if (size == 0 && job.amount.filesize) size = product(*job.amount.filesize, job.amount.files);
    if (size == 0 || job.amount.fill_device) size = left;  // fio: size 0 or none is the whole device
    if (size > left) {
      // A percentage is of the whole drive, so with an offset it means what is left at most.
      if (job.amount.filesize || !job.amount.size || !job.amount.size->percent) {
        note(job, fmt::format("{} from offset {} end beyond {}'s {}: the job has what is left, {}, as on a "
                              "block device of this size",
                              text::long_bytes(size), text::short_bytes(offset), whose_, text::long_bytes(drive_bytes_),
                              text::long_bytes(left)));
      }
      size = left;
    }
    if (size % kLbaBytes != 0) {
      note(job, fmt::format("a size of {} bytes is rounded down to blocks of 512 bytes", size));
      size -= size % kLbaBytes;
    }
    return size;
  }

  std::string path_;
  const LoadOptions& options_;
  std::string whose_;  // whose capacity it is
  std::uint64_t first_lba_ = 0, drive_bytes_ = 0;
  text::Errors& errors_;
  std::vector<std::string>& notices_;
  std::set<std::size_t> said_;
  std::map<std::string, std::uint64_t> files_;  // where each begins, in bytes
  std::uint64_t files_end_ = 0;
};

}  // namespace

std::vector<Clone> clones_of(const std::string& path, const File& file, const LoadOptions& options,
                             text::Errors& errors, std::vector<std::string>& notices) {
  std::vector<Clone> clones;
  std::uint64_t count = 0;
  unsigned __int128 deep = 0;
  for (const Job& job : file.jobs) {
    count += job.numjobs;
    if (count > UINT16_MAX) {
      errors.add(job.line,
                 fmt::format("job '{}': with it there are more than 65,535 jobs; give a smaller numjobs", job.name));
      return clones;
    }
    // A host keeps something of every request in flight, and each namespace has at most so many.
    if (job.order.stonewall) deep = 0;
    deep += static_cast<unsigned __int128>(job.numjobs) * job.depth();
    if (deep > kMostInFlight) {
      errors.add(job.line,
                 fmt::format("job '{}': with its numjobs={} and iodepth={} there are more than {} requests in "
                             "flight; give smaller ones",
                             job.name, job.numjobs, job.depth(), text::grouped(kMostInFlight)));
      return clones;
    }
  }
  Layout layout(path, options, errors, notices);
  unsigned wall = 0, group = 0;
  std::size_t in_group = 0;
  for (const Job& job : file.jobs) {
    if (job.order.stonewall && !clones.empty()) ++wall;
    if ((job.order.stonewall || job.order.new_group) && in_group != 0) {
      ++group;
      in_group = 0;
    }
    ++in_group;
    if (job.amount.io_size && job.amount.io_size->percent && *job.amount.io_size->percent > 100) {
      layout.note(job, fmt::format("fio takes io_size up to 100%, here {} % go around the region",
                                   *job.amount.io_size->percent));
    }
    for (std::uint32_t i = 0; i < job.numjobs; ++i) {
      Clone clone;
      clone.job = &job;
      clone.name = job.numjobs == 1 ? job.name : fmt::format("{}.{}", job.name, i + 1);
      clone.number = static_cast<std::uint16_t>(clones.size());
      clone.wall = wall;
      clone.group = group;
      if (!layout.place(job, i, clone)) break;
      if (!job.order.wait_for.empty()) {
        for (const Clone& other : clones) {
          if (other.job->name == job.order.wait_for) clone.waits_for.push_back(other.number);
        }
      }
      clones.push_back(std::move(clone));
    }
  }
  layout.note_shared(clones);
  layout.note_unnamed(clones);
  return clones;
}

}  // namespace wordline::workload::fio
