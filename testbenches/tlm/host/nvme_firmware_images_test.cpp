// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Firmware Image Download and Firmware Commit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "models/ecc/code/crc32c.h"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_firmware_images_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using Image = std::vector<std::byte>;

void put_word(Image& image, std::size_t at, std::uint32_t word) { std::memcpy(&image.at(at), &word, sizeof word); }

Image image_of(const std::string& revision, std::size_t bytes) {
  Image image(bytes);
  for (std::size_t i = 64; i < bytes; ++i) image[i] = static_cast<std::byte>(i * 31 >> 3);
  std::memcpy(image.data(), "WLFWIMG1", 8);
  std::memcpy(image.data() + 8, revision.data(), 8);
  put_word(image, 16, static_cast<std::uint32_t>(bytes));
  put_word(image, 20, ecc::crc32c(image.data() + 64, bytes - 64));
  return image;
}

class Images : public NvmeBench {
 public:
  nvme::Status piece(const std::byte* data, std::size_t offset, std::size_t bytes) {
    if (page_ == 0) page_ = memory.allocate(2);
    memory.write(page_, data, std::min<std::size_t>(bytes, 4096));
    nvme::SubmissionEntry sqe = admin_command(nvme::kFirmwareImageDownload, static_cast<std::uint32_t>(bytes / 4 - 1),
                                              static_cast<std::uint32_t>(offset / 4), page_);
    return admin_status(*this, sqe) & ~nvme::kDnr;
  }
  /// From the end to the beginning.
  void download(const Image& image, std::size_t step = 4096) {
    for (std::size_t left = (image.size() + step - 1) / step; left-- > 0;) {
      const std::size_t at = left * step;
      EXPECT_EQ(piece(image.data() + at, at, std::min(step, image.size() - at)), nvme::kSuccess) << at;
    }
  }
  nvme::Status commit(std::uint32_t slot, std::uint32_t action) {
    return admin_status(*this, admin_command(nvme::kFirmwareCommit, action << 3 | slot)) & ~nvme::kDnr;
  }
  std::string text(const nvme::SubmissionEntry& sqe, std::size_t at, std::size_t bytes) {
    nvme::SubmissionEntry entry = sqe;
    entry.prp1 = memory.allocate();
    EXPECT_EQ(admin_status(*this, entry), nvme::kSuccess);
    std::string text(bytes, '?');
    memory.read(entry.prp1 + at, text.data(), bytes);
    return text;
  }
  std::string revision() {
    return text(admin_command(nvme::kIdentify, nvme::kCnsController), nvme::identify_controller::kFr, 8);
  }
  std::string log() { return text(admin_command(nvme::kGetLogPage, 127U << 16 | nvme::kLogFirmwareSlot), 0, 40); }
  void reset() {
    write32(nvme::kRegCc, 0);
    pass(20_us);
    enable();
  }

 private:
  std::uint64_t page_ = 0;
};

TEST(NvmeFirmwareImages, AreActiveFromTheNextReset) {
  Images bench;
  play([&] {
    bench.enable();
    EXPECT_EQ(bench.revision(), "1.0     ");
    EXPECT_EQ(bench.log().substr(0, 24), std::string("\1\0\0\0\0\0\0\0", 8) + "1.0     " + std::string(8, '\0'));
    bench.download(image_of("2.0.7   ", 9000));
    EXPECT_EQ(bench.commit(2, 0), nvme::kSuccess);
    bench.reset();
    EXPECT_EQ(bench.revision(), "1.0     ") << "put into its slot, and not asked for";
    EXPECT_EQ(bench.commit(2, 2), nvme::kSuccess);
    EXPECT_EQ(bench.log().at(0), 0x21) << "1 is active, 2 waits";
    EXPECT_EQ(bench.log().substr(16, 8), "2.0.7   ");
    EXPECT_EQ(bench.revision(), "1.0     ");
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kSanitize, nvme::kSanitizeBlockErase)) & ~nvme::kDnr,
              nvme::kActivationRequiresReset);
    bench.reset();
    EXPECT_EQ(bench.revision(), "2.0.7   ");
    EXPECT_EQ(bench.log().at(0), 2);
    bench.download(image_of("3.1     ", 4100), 100);
    EXPECT_EQ(bench.commit(0, 1), nvme::kSuccess) << "the free slot";
    EXPECT_EQ(bench.log().at(0), 0x32);
    bench.reset();
    EXPECT_EQ(bench.revision(), "3.1     ");
    EXPECT_EQ(bench.commit(1, 3), nvme::kSuccess) << "back, at once";
    EXPECT_EQ(bench.revision(), "1.0     ");
    bench.download(image_of("4.0     ", 64));
    EXPECT_EQ(bench.commit(3, 3), nvme::kSuccess);
    EXPECT_EQ(bench.revision(), "4.0     ");
    EXPECT_EQ(bench.log().substr(24, 8), "4.0     ");
  });
}

TEST(NvmeFirmwareImages, WrongOnesAreRefused) {
  Images bench;
  play([&] {
    bench.enable();
    const auto refused = [&](const Image& image, const char* why) {
      bench.download(image);
      EXPECT_EQ(bench.commit(2, 0), nvme::kInvalidFirmwareImage) << why;
      EXPECT_EQ(bench.commit(2, 0), nvme::kInvalidFirmwareImage) << "it is gone";
      EXPECT_EQ(bench.log().at(16), '\0') << why;
    };
    const Image good = image_of("2.0     ", 8192);
    const auto with = [&](std::size_t at, unsigned value) {
      Image image = good;
      image.at(at) = static_cast<std::byte>(value);
      return image;
    };
    refused(with(0, 'X'), "magic");
    refused(with(9, 0x07), "revision");
    refused(with(16, 1), "length");
    refused(with(20, std::to_integer<unsigned>(good[20]) ^ 1U), "CRC");
    refused(with(40, 1), "reserved");
    refused(with(8191, std::to_integer<unsigned>(good[8191]) ^ 0x80U), "content");
    refused(Image(60), "no header");
    EXPECT_EQ(bench.piece(good.data(), 0, 4096), nvme::kSuccess);
    EXPECT_EQ(bench.commit(2, 0), nvme::kInvalidFirmwareImage) << "half of it";
    EXPECT_EQ(bench.piece(good.data() + 4096, 4096, 4096), nvme::kSuccess);
    EXPECT_EQ(bench.commit(2, 0), nvme::kInvalidFirmwareImage) << "the other half";
    bench.download(good);
    bench.reset();
    EXPECT_EQ(bench.commit(2, 0), nvme::kInvalidFirmwareImage) << "gone with the reset";
  });
}

TEST(NvmeFirmwareImages, FieldsThatAreNotThere) {
  Images bench;
  play([&] {
    bench.enable();
    const Image good = image_of("2.0     ", 8192);
    EXPECT_EQ(bench.piece(good.data(), 4096, 4096), nvme::kSuccess);
    EXPECT_EQ(bench.piece(good.data(), 4096, 4096), nvme::kOverlappingRange);
    EXPECT_EQ(bench.piece(good.data(), 4092, 8), nvme::kOverlappingRange);
    EXPECT_EQ(bench.piece(good.data(), 8188, 8), nvme::kOverlappingRange);
    EXPECT_EQ(bench.piece(good.data(), 0, 4100), nvme::kInvalidField) << "more than 4 KiB";
    EXPECT_EQ(bench.piece(good.data(), (1 << 20) - 4, 8), nvme::kInvalidField) << "beyond 1 MiB";
    EXPECT_EQ(bench.piece(good.data(), (1 << 20) - 4, 4), nvme::kSuccess);
    const std::uint64_t page = bench.memory.allocate();
    const auto at = [&](std::uint64_t prp1, std::uint64_t prp2) {
      nvme::SubmissionEntry sqe = admin_command(nvme::kFirmwareImageDownload, 7, 100000, prp1);
      sqe.prp2 = prp2;
      return admin_status(bench, sqe) & ~nvme::kDnr;
    };
    EXPECT_EQ(at(page + 2, 0), nvme::kPrpOffsetInvalid);
    EXPECT_EQ(at(page + 4080, page + 8), nvme::kPrpOffsetInvalid);
    expect_reports(true);
    EXPECT_EQ(at(0x7'0000'0000, 0), nvme::kDataTransferError);
    expect_reports(false);
    EXPECT_EQ(bench.commit(1, 0), nvme::kInvalidFirmwareSlot) << "read only";
    EXPECT_EQ(bench.commit(4, 0), nvme::kInvalidFirmwareSlot);
    EXPECT_EQ(bench.commit(3, 2), nvme::kInvalidFirmwareImage) << "empty";
    EXPECT_EQ(bench.commit(0, 2), nvme::kInvalidFirmwareSlot) << "which?";
    for (const std::uint32_t action : {4U, 5U, 6U, 7U}) EXPECT_EQ(bench.commit(2, action), nvme::kInvalidField);
    EXPECT_EQ(bench.revision(), "1.0     ");
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_firmware_images_test
