// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/elf_loader.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace wordline::riscv {
namespace {

struct FileDescriptor {
  int value;
  ~FileDescriptor() {
    if (value >= 0) ::close(value);
  }
};

}  // namespace

ElfFile::ElfFile(const std::string& path) : path_(path) {
  const auto fail = [&path](const std::string& what) -> std::runtime_error {
    return std::runtime_error(fmt::format("firmware file {}: {}", path, what));
  };
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.value < 0) throw fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  if (elf_version(EV_CURRENT) == EV_NONE) throw fail("libelf is too old for this program");
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(file.value, ELF_C_READ, nullptr), &elf_end);
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF) throw fail("is not an ELF file");
  GElf_Ehdr header;
  if (gelf_getehdr(elf.get(), &header) == nullptr) throw fail(fmt::format("has no ELF header: {}", elf_errmsg(-1)));
  if (header.e_machine != EM_RISCV) throw fail("is not for RISC-V; build it with riscv64-unknown-elf-gcc");
  if (header.e_ident[EI_CLASS] != ELFCLASS32) throw fail("is 64-bit; build it with -march=rv32imac -mabi=ilp32");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) throw fail("is big-endian; the cores are little-endian");
  if (header.e_type != ET_EXEC) throw fail("is not a linked executable (type EXEC); link it without -r and -pie");
  if ((header.e_flags & 0x6u) != 0) throw fail("uses floating-point registers; build it with -mabi=ilp32");
  entry_ = static_cast<std::uint32_t>(header.e_entry);

  std::size_t raw_size = 0;
  const char* raw = elf_rawfile(elf.get(), &raw_size);
  std::size_t count = 0;
  if (raw == nullptr || elf_getphdrnum(elf.get(), &count) != 0) throw fail(elf_errmsg(-1));
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr program;
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &program) == nullptr) throw fail(elf_errmsg(-1));
    if (program.p_type != PT_LOAD || program.p_memsz == 0) continue;
    const auto fail_segment = [&fail, i](const char* what) { return fail(fmt::format("segment {} {}", i, what)); };
    if (program.p_filesz > program.p_memsz) throw fail_segment("has more bytes in the file than in memory");
    if (program.p_offset > raw_size || program.p_filesz > raw_size - program.p_offset)
      throw fail_segment("reaches beyond the end of the file; it is cut off");
    if (program.p_paddr + program.p_memsz > std::uint64_t{1} << 32) throw fail_segment("ends above 4 GiB");
    Segment segment;
    segment.address = static_cast<std::uint32_t>(program.p_paddr);
    const auto* first = reinterpret_cast<const std::byte*>(raw + program.p_offset);
    segment.bytes.assign(first, first + program.p_filesz);
    segment.zero_bytes = static_cast<std::uint32_t>(program.p_memsz - program.p_filesz);
    segment.executable = (program.p_flags & PF_X) != 0;
    segment.writable = (program.p_flags & PF_W) != 0;
    segments_.push_back(std::move(segment));
  }
  if (segments_.empty()) throw fail("has no loadable segment");

  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr section_header;
    if (gelf_getshdr(section, &section_header) == nullptr) throw fail(elf_errmsg(-1));
    if (section_header.sh_type != SHT_SYMTAB || section_header.sh_entsize == 0) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr) throw fail(elf_errmsg(-1));
    for (std::size_t i = 0; i < section_header.sh_size / section_header.sh_entsize; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) throw fail(elf_errmsg(-1));
      const char* text = elf_strptr(elf.get(), section_header.sh_link, symbol.st_name);
      const int type = GELF_ST_TYPE(symbol.st_info);
      if (text == nullptr || *text == '\0' || symbol.st_shndx == SHN_UNDEF) continue;
      if (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE) continue;
      const auto address = static_cast<std::uint32_t>(symbol.st_value);
      symbols_.push_back(Symbol{text, address});
      if (type == STT_FUNC) functions_.push_back(Function{address, static_cast<std::uint32_t>(symbol.st_size), text});
    }
  }
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) { return a.name < b.name; });
  std::sort(functions_.begin(), functions_.end(), [](const Function& a, const Function& b) {
    return a.address != b.address ? a.address < b.address : a.name < b.name;
  });
  // Hand-written assembly often has no size: it lasts until the next function.
  for (std::size_t i = 0; i + 1 < functions_.size(); ++i)
    if (functions_[i].size == 0) functions_[i].size = functions_[i + 1].address - functions_[i].address;
}

const Function* ElfFile::function_at(std::uint32_t address) const {
  auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                [](std::uint32_t a, const Function& f) { return a < f.address; });
  while (after != functions_.begin()) {
    --after;
    if (address - after->address < after->size) return &*after;
    if (after->size != 0) break;  // aliases without a size share an address with one that has it
  }
  return nullptr;
}

std::string ElfFile::function_name(std::uint32_t address) const {
  const Function* function = function_at(address);
  return function == nullptr ? fmt::format("{:#010x}", address) : function->name;
}

bool ElfFile::symbol(const std::string& name, std::uint32_t& address) const {
  const auto found = std::lower_bound(symbols_.begin(), symbols_.end(), name,
                                      [](const Symbol& symbol, const std::string& n) { return symbol.name < n; });
  if (found == symbols_.end() || found->name != name) return false;
  address = found->address;
  return true;
}

void ElfFile::load(const std::function<std::byte*(std::uint32_t, std::uint32_t)>& at) const {
  for (const Segment& segment : segments_) {
    const auto size = static_cast<std::uint32_t>(segment.bytes.size()) + segment.zero_bytes;
    std::byte* to = at(segment.address, size);
    if (to == nullptr)
      throw std::runtime_error(
          fmt::format("firmware file {}: the segment of {} bytes at {:#010x} does not fit the "
                      "memory map; change the linker script",
                      path_, size, segment.address));
    if (!segment.bytes.empty()) std::memcpy(to, segment.bytes.data(), segment.bytes.size());
    std::memset(to + segment.bytes.size(), 0, segment.zero_bytes);
  }
}

}  // namespace wordline::riscv
