// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/served/image_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

namespace wordline::served::image_file_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kDevice = 1U << 20U;

/// A name in a folder of the test's own, which goes with it.
class Place {
 public:
  Place() {
    std::string name = fs::temp_directory_path().string() + "/image_file_test.XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
    folder_ = name;
  }
  ~Place() { fs::remove_all(folder_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  std::string image() const { return folder_ + "/image"; }

 private:
  std::string folder_;
};

ClientRequest request_of(ClientOp op, std::uint64_t offset, std::uint32_t length, char fill = 0) {
  ClientRequest request;
  request.op = op;
  request.offset = offset;
  request.length = length;
  if (op == ClientOp::kWrite) request.data.assign(length, fill);
  return request;
}

std::vector<ClientRequest> journal_of(ImageFile& file) {
  std::vector<ClientRequest> all;
  ClientRequest request;
  while (file.next(request)) all.push_back(request);
  return all;
}

std::string message_of(const std::string& path, std::uint64_t device = kDevice) {
  try {
    ImageFile file(path, device);
    file.read_base([](std::uint64_t, std::uint32_t, const char*) {});
    (void)journal_of(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(ImageFile, KeepsWhatWasCommitted) {
  const Place place;
  {
    ImageFile file(place.image(), kDevice);
    EXPECT_EQ(file.generation(), 0U);
    EXPECT_TRUE(journal_of(file).empty());
    file.append(request_of(ClientOp::kWrite, 4096, 1024, 'a'));
    file.append(request_of(ClientOp::kTrim, 0, 8192));
    file.append(request_of(ClientOp::kRead, 0, 512));  // changes nothing
    ClientRequest zeroes = request_of(ClientOp::kWriteZeroes, 512, 512);
    zeroes.no_hole = true;
    file.append(zeroes);
    EXPECT_TRUE(file.commit());
    file.append(request_of(ClientOp::kWrite, 0, 512, 'b'));  // is not
  }
  ImageFile file(place.image(), kDevice);
  const std::vector<ClientRequest> journal = journal_of(file);
  ASSERT_EQ(journal.size(), 3U);
  EXPECT_EQ(journal[0].op, ClientOp::kWrite);
  EXPECT_EQ(journal[0].offset, 4096U);
  EXPECT_EQ(journal[0].data, std::string(1024, 'a'));
  EXPECT_EQ(journal[1].op, ClientOp::kTrim);
  EXPECT_EQ(journal[1].length, 8192U);
  EXPECT_EQ(journal[2].op, ClientOp::kWriteZeroes);
  EXPECT_TRUE(journal[2].no_hole);
  EXPECT_EQ(file.dropped(), 0U);
  // And goes on behind them.
  file.append(request_of(ClientOp::kWrite, 0, 512, 'c'));
  EXPECT_TRUE(file.commit());
}

/// However many bytes of it have reached the disk: all whole records, nothing of the one that is not.
TEST(ImageFile, CutAnywhereItHoldsWholeRecords) {
  const Place place;
  std::vector<std::uint64_t> ends;
  {
    ImageFile file(place.image(), kDevice);
    (void)journal_of(file);
    ends.push_back(fs::file_size(place.image()));
    for (char fill = 'a'; fill != 'e'; ++fill) {
      file.append(request_of(ClientOp::kWrite, 0, 512, fill));
      ASSERT_TRUE(file.commit());
      ends.push_back(fs::file_size(place.image()));
    }
  }
  const std::string cut = place.image() + ".cut";
  for (std::uint64_t size = ends.front(); size <= ends.back(); size += 7) {
    fs::copy_file(place.image(), cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, size);
    std::size_t whole = 0;
    while (whole + 1 < ends.size() && ends[whole + 1] <= size) ++whole;
    ImageFile file(cut, kDevice);
    EXPECT_EQ(journal_of(file).size(), whole) << size;
    EXPECT_EQ(file.dropped(), size - ends[whole]);
    EXPECT_EQ(fs::file_size(cut), ends[whole]);
  }
}

TEST(ImageFile, GenerationsTakeEachOthersPlace) {
  const Place place;
  {
    ImageFile file(place.image(), kDevice);
    (void)journal_of(file);
    file.append(request_of(ClientOp::kWrite, 0, 512, 'a'));
    std::ofstream(file.state_path(1)) << "state";
    file.replace([](const ImageFile::Put& put) {
      put(1024, 512, std::string(512, 'x').data());
      put(2048, 4096, nullptr);
    });
    EXPECT_TRUE(file.is_base_alone());
    file.append(request_of(ClientOp::kWrite, 0, 512, 'b'));
    EXPECT_FALSE(file.is_base_alone());
    EXPECT_TRUE(file.commit());
  }
  ImageFile file(place.image(), kDevice);
  EXPECT_EQ(file.generation(), 1U);
  std::map<std::uint64_t, std::string> base;
  file.read_base([&](std::uint64_t offset, std::uint32_t length, const char* bytes) {
    base[offset] = bytes == nullptr ? "zeros" : std::string(bytes, length);
  });
  EXPECT_EQ(base.size(), 2U);
  EXPECT_EQ(base[1024], std::string(512, 'x'));
  EXPECT_EQ(base[2048], "zeros");
  EXPECT_EQ(journal_of(file).size(), 1U);
  EXPECT_FALSE(file.is_base_alone());
  std::ofstream(file.state_path(2)) << "state";
  file.replace([](const ImageFile::Put&) {});
  EXPECT_FALSE(fs::exists(file.state_path(1)));
  EXPECT_TRUE(fs::exists(file.state_path(2)));
}

TEST(ImageFile, RefusesWhatItCannotBe) {
  const Place place;
  { ImageFile file(place.image(), kDevice); }
  EXPECT_EQ(message_of(place.image()), "");
  EXPECT_NE(message_of(place.image(), 2 * kDevice).find("it is of a drive of 1048576 bytes, this one has 2097152"),
            std::string::npos);
  EXPECT_NE(message_of(fs::path(place.image()).parent_path().string()).find("directory"), std::string::npos);
  {
    ImageFile file(place.image(), kDevice);
    EXPECT_NE(message_of(place.image()).find("another server has it"), std::string::npos);
  }
  std::ofstream(place.image()) << "something else, and longer than a header of thirty-two bytes";
  EXPECT_NE(message_of(place.image()).find("no image of a served drive"), std::string::npos);
}

/// Any byte of the base or of the header that has changed is noticed.
TEST(ImageFile, NoticesDamage) {
  const Place place;
  {
    ImageFile file(place.image(), kDevice);
    file.replace([](const ImageFile::Put& put) { put(0, 1024, std::string(1024, 'x').data()); });
  }
  const std::uint64_t size = fs::file_size(place.image());
  for (std::uint64_t at = 0; at < size; at += 5) {
    std::fstream file(place.image(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char was = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(was ^ 0x10));
    file.close();
    const bool padding = (at >= 28 && at < 32) || (at >= 32 + 28 && at < 64) || at >= size - 4;
    if (!padding) {
      EXPECT_NE(message_of(place.image()), "") << at;
    }
    std::fstream back(place.image(), std::ios::in | std::ios::out | std::ios::binary);
    back.seekp(static_cast<std::streamoff>(at));
    back.put(was);
  }
}

}  // namespace
}  // namespace wordline::served::image_file_test
