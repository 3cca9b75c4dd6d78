// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/program_identity.h"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <string_view>

#include "models/config/sha256.h"

namespace wordline::precondition {
namespace {

constexpr std::size_t kAlign = 4;  // of the parts of a note

std::string build_id_in(const char* notes, std::size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof(note));
    const std::size_t name = (note.n_namesz + kAlign - 1) / kAlign * kAlign;
    const std::size_t size = sizeof(note) + name + (note.n_descsz + kAlign - 1) / kAlign * kAlign;
    if (size > bytes) return {};
    const std::string_view owner(notes + sizeof(note), note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && owner == std::string_view("GNU\0", 4)) {
      return {notes + sizeof(note) + name, note.n_descsz};
    }
    notes += size;
    bytes -= size;
  }
  return {};
}

/// Of the program itself, which comes first; empty: it was linked without.
std::string build_id() {
  std::string found;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* to) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = object->dlpi_phdr[i];
          auto& id = *static_cast<std::string*>(to);
          if (part.p_type != PT_NOTE || !id.empty()) continue;
          // The loader has put it there. NOLINTNEXTLINE(performance-no-int-to-ptr)
          id = build_id_in(reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr), part.p_memsz);
        }
        return 1;
      },
      &found);
  return found;
}

std::string hash_of_file() {
  std::ifstream in("/proc/self/exe", std::ios::binary | std::ios::ate);
  std::string bytes(in ? static_cast<std::size_t>(in.tellg()) : 0, '\0');
  in.seekg(0);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return config::sha256(bytes);
}

}  // namespace

const std::string& program_identity() {
  static const std::string identity = [] {
    std::string id = build_id();
    return id.empty() ? hash_of_file() : id;
  }();
  return identity;
}

}  // namespace wordline::precondition
