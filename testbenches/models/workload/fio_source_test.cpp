// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/workload/fio/parse.h"
#include "models/workload/fio/source.h"

namespace wordline::workload::fio_source_test {
namespace {

using namespace wordline::literals;

constexpr std::uint64_t kDriveBytes = 64ULL << 20;

std::unique_ptr<Source> source(const std::string& options, std::uint64_t seed = 1,
                               std::uint64_t drive_bytes = kDriveBytes) {
  LoadOptions load;
  load.drive_lbas = drive_bytes / kLbaBytes;
  load.seed = seed;
  return fio::make_source("t.fio", fio::parse("t.fio", "[a]\n" + options + "\n"), load);
}

std::vector<Request> all(Source& s, unsigned job = 0, std::size_t most = 1'000'000) {
  std::vector<Request> requests;
  Request r;
  while (requests.size() < most && s.next(job, 5_us, r)) requests.push_back(r);
  return requests;
}

std::string error(const std::string& options) {
  try {
    (void)source(options);
  } catch (const WorkloadError& e) {
    return e.what();
  }
  return "";
}

/// filename names a namespace where there are several, and then offset and size are its own.
TEST(FioSourceTest, FilenameNamesTheNamespace) {
  LoadOptions load;
  load.drive_lbas = kDriveBytes / kLbaBytes;
  load.namespaces = {{0, 40'960}, {40'960, load.drive_lbas - 40'960}};
  const auto first_of = [&load](const std::string& filename) {
    const auto s = fio::make_source(
        "t.fio", fio::parse("t.fio", "[a]\nrw=write\nbs=4k\noffset=50%\nfilename=" + filename + "\n"), load);
    const auto requests = all(*s);
    return std::pair(requests.front().lba.value(), requests.back().lba.value() + requests.back().nlb);
  };
  const std::uint64_t half = (load.drive_lbas - 40'960) / 2;
  for (const char* name : {"/dev/nvme0n2", "nvme12n2", "/dev/ng0n2", "trtype=PCIe traddr=0000.04.00.0 ns=2"}) {
    EXPECT_EQ(first_of(name), std::pair(40'960 + half, load.drive_lbas)) << name;
  }
  EXPECT_EQ(first_of("/dev/nvme1n1"), std::pair(std::uint64_t{20'480}, std::uint64_t{40'960}));
  for (const char* name : {"/dev/sda", "/mnt/nvme0n2/file", "/dev/nvme0n2p1"}) {
    EXPECT_EQ(first_of(name), std::pair(load.drive_lbas / 2, load.drive_lbas)) << name;
  }
  const auto refused = [&](const std::string& filename, const std::string& text) {
    try {
      first_of(filename);
      ADD_FAILURE() << filename;
    } catch (const WorkloadError& e) {
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
    }
  };
  refused("/dev/nvme0n3", "filename names namespace 3, the drive has 2 (nvme.namespaces)");
  refused("/dev/nvme0n1:/dev/nvme0n2", "filename names several namespaces; give each a job of its own");
  load.namespaces.clear();
  EXPECT_EQ(first_of("/dev/nvme0n3"), std::pair(load.drive_lbas / 2, load.drive_lbas))
      << "a drive of one is the device";
}

/// Files and devices of a host are one drive here, and that is said.
TEST(FioSourceTest, SeveralFilesAreSaid) {
  const auto notices = [](const std::string& file) {
    LoadOptions load;
    load.drive_lbas = kDriveBytes / kLbaBytes;
    return fio::make_source("t.fio", fio::parse("t.fio", file), load)->notices();
  };
  const auto two = notices("[a]\nfilename=/dev/nvme0n1\n[b]\nfilename=/dev/nvme1n1\n");
  ASSERT_EQ(two.size(), 1U);
  EXPECT_EQ(two[0],
            "t.fio: 2 files or devices (/dev/nvme0n1, /dev/nvme1n1) are one drive here, at the same addresses; offset "
            "and offset_increment keep them apart");
  EXPECT_EQ(notices("[a]\nfilename=/dev/sda:/dev/sdb\n").size(), 1U);
  EXPECT_NE(notices("[a]\ndirectory=/mnt\nnumjobs=12\n")[0].find("12 files or devices (a.1, a.2, a.3, ...)"),
            std::string::npos)
      << "without sizes";
  EXPECT_TRUE(notices("[a]\nfilename=/dev/sda\nnumjobs=4\n[b]\nfilename=/dev/sda\n").empty());
  EXPECT_TRUE(notices("[a]\nfilename=C\\:x\n[b]\nfilename=C\\:x\n").empty());
  EXPECT_TRUE(notices("[a]\nnumjobs=4\n").empty());
}

/// A job with a directory has files of its own, as fio names them, one behind the other.
TEST(FioSourceTest, FilesInADirectoryLieOneBehindTheOther) {
  LoadOptions load;
  load.drive_lbas = kDriveBytes / kLbaBytes;
  const auto laid = [&](const std::string& file) {
    const auto source = fio::make_source("t.fio", fio::parse("t.fio", file), load);
    std::vector<std::uint64_t> ends;  // the first LBA of each job, the last request of the last one
    for (unsigned job = 0; job < source->jobs(); ++job) {
      const auto requests = all(*source, job);
      ends.push_back(requests.front().lba.value());
      if (job + 1 == source->jobs()) ends.push_back(requests.back().lba.value());
    }
    return ends;
  };
  const std::string one = "rw=write\nbs=4k\nsize=64k\ndirectory=/mnt\n";
  using Lbas = std::vector<std::uint64_t>;
  EXPECT_EQ(laid("[a]\n" + one + "numjobs=3\n"), (Lbas{0, 128, 256, 376}));
  EXPECT_EQ(laid("[a]\n" + one + "offset=4k\n[b]\n" + one + "size=6k\nbs=512\n[c]\n" + one), (Lbas{8, 136, 152, 272}))
      << "the file of a has 4 KiB that it leaves; that of c begins at 4 KiB of the file system";
  EXPECT_EQ(laid("[a]\n" + one + "filename_format=$jobname\nnumjobs=2\n[b]\n" + one), (Lbas{0, 0, 128, 248}))
      << "clones of a share a file";
  EXPECT_EQ(laid("[a]\n" + one + "[b]\n" + one + "filename=x\n"), (Lbas{0, 0, 120})) << "filename is the drive";
  const auto notices = [&](const std::string& file) {
    return fio::make_source("t.fio", fio::parse("t.fio", file), load)->notices();
  };
  const std::string most = "rw=write\nbs=4k\ndirectory=/mnt\nsize=" + std::to_string(kDriveBytes / 4 * 3) + "\n";
  const auto full = notices("[a]\n" + most + "[b]\n" + most);
  ASSERT_EQ(full.size(), 1U);
  EXPECT_NE(full[0].find("job 'b': its file of "), std::string::npos) << full[0];
  EXPECT_NE(full[0].find("does not fit behind those of the jobs before"), std::string::npos) << full[0];
}

/// To fio a job that names no file has one of its own; here the drive of the command line is the file of all.
TEST(FioSourceTest, JobsWithoutFilesThatShareAddressesAreSaid) {
  LoadOptions load;
  load.drive_lbas = kDriveBytes / kLbaBytes;
  const auto notices = [&](const std::string& file) {
    return fio::make_source("t.fio", fio::parse("t.fio", file), load)->notices();
  };
  const auto shared = notices("[a]\nsize=64k\n[b]\nsize=64k\n[c]\nsize=64k\n");
  ASSERT_EQ(shared.size(), 1U);
  EXPECT_EQ(shared[0],
            "t.fio: jobs 'a' and 'b' have the same addresses of the drive; fio gives each job without filename a file "
            "of its own: directory=. lays them one behind the other, filename=drive says that they share");
  for (const char* apart : {"[a]\nsize=64k\n[b]\nsize=64k\noffset=64k\n", "[a]\nsize=64k\nnumjobs=2\nfilename=drive\n",
                            "[a]\nsize=64k\nnumjobs=2\noffset_increment=64k\n", "[a]\n[b]\n",
                            "[global]\ndirectory=.\n[a]\nsize=64k\n[b]\nsize=64k\n"})
    EXPECT_TRUE(notices(apart).empty()) << apart;
}

/// Sizes that differ leave the number open, not the end; a time alone leaves both.
TEST(FioSourceTest, EndsWithoutADrive) {
  for (const char* ends : {"bssplit=4k/50:8k/50\nsize=1m", "bsrange=4k-16k\nnumber_ios=9", "rw=read:12k\nsize=1m",
                           "time_based\nruntime=1\nnumber_ios=9", "runtime=1\nsize=1m", "rw=randwrite\nfsync=2"}) {
    EXPECT_TRUE(source(ends)->ends()) << ends;
  }
  for (const char* endless : {"time_based\nruntime=1\nsize=1m", "runtime=1", "runtime=1\nsize=50%"}) {
    EXPECT_FALSE(source(endless)->ends()) << endless;
  }
}

/// A host that keeps something of each of these requests would need gigabytes, or more than there are.
TEST(FioSourceTest, NotMoreInFlightThanAHostCanKeep) {
  EXPECT_NE(error("ioengine=libaio\nnumjobs=65535\niodepth=65535")
                .find("t.fio:1: error: job 'a': with its numjobs=65535 and iodepth=65535 there are more than 1,048,576 "
                      "requests in flight; give smaller ones"),
            std::string::npos);
  EXPECT_EQ(error("ioengine=libaio\nnumjobs=512\niodepth=2048"), "");
  EXPECT_EQ(error("ioengine=psync\nnumjobs=65535\niodepth=65535"), "");
}

TEST(FioSourceTest, SequentialFromTheOffsetToTheEnd) {
  const auto s = source("rw=write\nbs=128k\nsize=1m\noffset=2m\niodepth=8");
  EXPECT_EQ(s->jobs(), 1U);
  EXPECT_EQ(s->depth(0), 8U);
  EXPECT_FALSE(s->open_loop());
  EXPECT_EQ(s->total_requests(), 8U);
  EXPECT_EQ(s->total_bytes(), 1U << 20);
  const auto requests = all(*s);
  ASSERT_EQ(requests.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(requests[i].op, Op::kWrite);
    EXPECT_EQ(requests[i].lba, Lba(4096 + 256 * i));
    EXPECT_EQ(requests[i].nlb, 256U);
    EXPECT_EQ(requests[i].arrival, 5_us);
  }
  Request r;
  EXPECT_FALSE(s->next(0, 6_us, r));  // ended for good
}

TEST(FioSourceTest, IoSizeBeyondTheRegionGoesAroundAndNumberIosEndsFirst) {
  const auto around = all(*source("rw=read\nbs=4k\nsize=16k\nio_size=40k"));
  ASSERT_EQ(around.size(), 10U);
  EXPECT_EQ(around[3].lba, Lba(24));
  EXPECT_EQ(around[4].lba, Lba(0));
  EXPECT_EQ(all(*source("rw=read\nbs=4k\nsize=16k\nnumber_ios=3")).size(), 3U);
  EXPECT_EQ(all(*source("rw=read\nbs=4k\nsize=16k\nnumber_ios=100")).size(), 4U);
  // As in fio the last request reaches beyond the size where the device goes on; where it does not, only what fits.
  EXPECT_EQ(all(*source("rw=read\nbs=4k\nsize=10k")).size(), 3U);
  EXPECT_EQ(source("rw=read\nbs=4k\nsize=10k")->total_requests(), 3U);
  EXPECT_EQ(all(*source("rw=read\nbs=48k\nsize=64m")).size(), kDriveBytes / (48 << 10));
  EXPECT_EQ(source("rw=read\nbs=48k\nsize=64m")->total_requests(), kDriveBytes / (48 << 10));
  // Gaps go around at the device's end alone.
  EXPECT_EQ(all(*source("rw=read:12k\nbs=4k\nsize=16m")).size(), 1024U);
  EXPECT_EQ(all(*source("rw=read:12k\nbs=4k\nsize=16m\nio_size=16m")).size(), 4096U);
  EXPECT_EQ(all(*source("rw=read:12k\nbs=4k\nsize=64m\nio_size=32m")).size(), 8192U);
}

TEST(FioSourceTest, SizesInPercentAndDefaults) {
  EXPECT_EQ(source("bs=4k\nrw=read")->total_bytes(), kDriveBytes);
  EXPECT_EQ(source("bs=4k\nrw=read\nsize=25%")->total_bytes(), kDriveBytes / 4);
  EXPECT_EQ(source("bs=4k\nrw=read\nio_size=300%")->total_bytes(), 3 * kDriveBytes);
  EXPECT_EQ(source("bs=4k\nrw=read\noffset=75%\nsize=100%")->total_bytes(), kDriveBytes / 4);
  EXPECT_EQ(all(*source("bs=4k\nrw=read\noffset=50%\nnumber_ios=1"))[0].lba, Lba(kDriveBytes / 2 / 512));
}

TEST(FioSourceTest, RandomMapTouchesEveryBlockOncePerPass) {
  const auto s = source("rw=randwrite\nbs=4k\nsize=4000k\nio_size=12000k");
  const auto requests = all(*s);
  ASSERT_EQ(requests.size(), 3000U);
  std::vector<std::uint64_t> first;
  for (unsigned pass = 0; pass < 3; ++pass) {
    std::set<std::uint64_t> seen;
    for (unsigned i = 0; i < 1000; ++i) {
      const std::uint64_t lba = requests[pass * 1000 + i].lba.value();
      EXPECT_EQ(lba % 8, 0U);
      EXPECT_LT(lba, 8000U);
      seen.insert(lba);
      if (pass == 0) first.push_back(lba);
    }
    EXPECT_EQ(seen.size(), 1000U) << pass;
  }
  EXPECT_NE(first[0], requests[1000].lba.value());  // every pass has its own order
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
}

TEST(FioSourceTest, NorandommapDrawsWithReplacement) {
  const auto requests = all(*source("rw=randread\nbs=4k\nsize=4000k\nnorandommap"));
  ASSERT_EQ(requests.size(), 1000U);
  std::set<std::uint64_t> seen;
  for (const Request& r : requests) seen.insert(r.lba.value());
  // 1 - 1/e of the blocks: 632 with a deviation of 10.
  EXPECT_NEAR(static_cast<double>(seen.size()), 632, 50);
}

TEST(FioSourceTest, MixHasItsShareAndOneMap) {
  const auto requests = all(*source("rw=randrw\nrwmixread=70\nbs=4k\nsize=40000k"));
  ASSERT_EQ(requests.size(), 10'000U);
  const auto reads =
      std::count_if(requests.begin(), requests.end(), [](const Request& r) { return r.op == Op::kRead; });
  EXPECT_NEAR(static_cast<double>(reads), 7000, 5 * std::sqrt(10'000 * 0.21));
  std::set<std::uint64_t> seen;
  for (const Request& r : requests) seen.insert(r.lba.value());
  EXPECT_EQ(seen.size(), 10'000U);
}

TEST(FioSourceTest, MixedSequentialKeepsAPositionForEachDirection) {
  std::uint64_t next[2] = {0, 0};
  for (const Request& r : all(*source("rw=rw\nbs=4k\nsize=400k"))) {
    EXPECT_EQ(r.lba.value(), next[static_cast<int>(r.op)]);
    next[static_cast<int>(r.op)] += 8;
  }
  EXPECT_EQ(next[0] + next[1], 800U);
  EXPECT_GT(next[0], 0U);
  EXPECT_GT(next[1], 0U);
}

TEST(FioSourceTest, BlockSizesByDirection) {
  const auto s = source("rw=randrw\nbs=4k,64k\nsize=8m");
  EXPECT_EQ(s->total_requests(), 0U);  // not known beforehand
  for (const Request& r : all(*s)) {
    EXPECT_EQ(r.nlb, r.op == Op::kRead ? 8U : 128U);
    EXPECT_EQ(r.lba.value() % r.nlb, 0U);
    EXPECT_LE((r.lba.value() + r.nlb) * 512, 8U << 20);
  }
}

TEST(FioSourceTest, RuntimeCountsFromTheFirstCall) {
  const auto s = source("rw=read\nbs=4k\nruntime=1ms\ntime_based\nsize=8k");
  EXPECT_EQ(s->total_requests(), 0U);
  Request r;
  EXPECT_TRUE(s->next(0, 500_us, r));
  EXPECT_TRUE(s->next(0, 900_us, r));
  EXPECT_TRUE(s->next(0, 1500_us - 1_ps, r));  // beyond its 8k: time_based goes around
  EXPECT_EQ(r.lba, Lba(0));
  EXPECT_FALSE(s->next(0, 1500_us, r));
  EXPECT_FALSE(s->next(0, 600_us, r));
}

TEST(FioSourceTest, ClonesWorkOnTheirOwnOrders) {
  const auto s = source("rw=randread\nbs=4k\nsize=1m\nnumjobs=3\noffset_increment=4m\niodepth=2");
  ASSERT_EQ(s->jobs(), 3U);
  std::vector<std::vector<Request>> clones;
  for (unsigned job = 0; job < 3; ++job) clones.push_back(all(*s, job));
  for (unsigned job = 0; job < 3; ++job) {
    EXPECT_EQ(clones[job].size(), 256U);
    EXPECT_EQ(clones[job][0].job, job);
    for (const Request& r : clones[job]) {
      EXPECT_GE(r.lba.value(), job * 8192U);
      EXPECT_LT(r.lba.value(), job * 8192U + 2048);
    }
  }
  unsigned same = 0;
  for (std::size_t i = 0; i < 256; ++i) same += clones[0][i].lba.value() + 8192 == clones[1][i].lba.value() ? 1U : 0U;
  EXPECT_LT(same, 20U);
}

TEST(FioSourceTest, SeedAloneDecides) {
  const auto lbas = [](const std::string& options, std::uint64_t seed) {
    std::vector<std::uint64_t> result;
    for (const Request& r : all(*source(options, seed))) result.push_back(r.lba.value() * 2 + (r.op == Op::kRead));
    return result;
  };
  for (const char* kind : {"", "\nnorandommap", "\nrandom_distribution=zipf:1.1"}) {
    const std::string options = "rw=randrw\nbs=4k\nsize=4m" + std::string(kind);
    EXPECT_EQ(lbas(options, 5), lbas(options, 5));
    EXPECT_NE(lbas(options, 5), lbas(options, 6));
    EXPECT_NE(lbas(options, 5), lbas(options + "\nrandseed=3", 5));
  }
}

TEST(FioSourceTest, DescriptionSaysWhatRuns) {
  EXPECT_EQ(
      source("rw=randrw\nrwmixread=70\nbs=4k\niodepth=32\nsize=50%\nnumber_ios=31380\nrandom_distribution=zipf:0.9")
          ->describe(),
      "fio job t.fio: [a] randrw 70/30, bs 4k, iodepth 32, size 50 %, 31,380 requests, zipf:0.9");
}

TEST(FioSourceTest, RegionsThatDoNotFitAreErrors) {
  EXPECT_NE(error("offset=64m").find("offset is beyond the drive's 64 MiB"), std::string::npos) << error("offset=64m");
  EXPECT_NE(error("numjobs=9\noffset_increment=8m").find("offset is beyond"), std::string::npos);
  EXPECT_NE(error("bs=128k\nsize=64k").find("is smaller than a block"), std::string::npos);
  EXPECT_EQ(error("size=64m"), "");
}

TEST(FioSourceTest, WhatIsLargerThanTheDriveIsTheDriveAndANoteSaysSo) {
  const auto s = source("rw=read\nbs=4k\noffset=16m\nsize=1g");
  EXPECT_EQ(s->total_bytes(), 48U << 20);
  ASSERT_EQ(s->notices().size(), 1U);
  EXPECT_EQ(s->notices()[0],
            "t.fio: job 'a': 1 GiB from offset 16m end beyond the drive's 64 MiB: the job has what is left, 48 MiB, as "
            "on a block device of this size");
  EXPECT_TRUE(source("rw=read\nbs=4k\noffset=25%\nsize=100%")->notices().empty());
}

}  // namespace
}  // namespace wordline::workload::fio_source_test
