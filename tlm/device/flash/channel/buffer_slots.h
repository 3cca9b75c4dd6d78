// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/nand/die.h"
#include "models/units/quantity.h"
#include "tlm/device/flash/channel/metadata_slots.h"
#include "tlm/device/flash/channel/read_ahead.h"
#include "tlm/device/flash/channel/sum_reads.h"
#include "tlm/device/flash/channel/xor_unit.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::flash {

/// The slots of the data buffer as a channel fills and empties them: content, owner in the slot table, time at the DRAM
/// port. A slot holds a logical page. Content moves at once, time is reserved apart: firmware that gives a slot away
/// too early is not detected here. Slots from ReadAhead::kFirstSlot on are those of the read-ahead, if there is one.
class BufferSlots {
 public:
  /// The ports outlive this object and are bound when the first job comes. `slot_table`: FLASH.SLOT_TABLE. `metadata`:
  /// null, no slot holds any. `tuple_bytes`: with a logical page, metadata of its blocks. `xor_unit`: of the channel.
  BufferSlots(sc_core::sc_port<tlm_if::SharedMemoryIf>& memory, sc_core::sc_port<tlm_if::DataBufferIf>& buffer,
              sc_core::sc_port<tlm_if::DramIf>& dram, const std::uint32_t& slot_table, LpageSize size,
              XorUnit& xor_unit, ReadAhead* ahead = nullptr, const MetadataSlots* metadata = nullptr,
              std::uint32_t tuple_bytes = 0)
      : memory_(memory),
        buffer_(buffer),
        dram_(dram),
        slot_table_(slot_table),
        slot_bytes_(size.bytes() + tuple_bytes),
        xor_unit_(xor_unit),
        ahead_(ahead),
        metadata_(metadata) {}
  BufferSlots(const BufferSlots&) = delete;
  BufferSlots& operator=(const BufferSlots&) = delete;

  [[nodiscard]] nand::StoredLpage load(std::uint32_t slot) {
    const wl_slot_info* info = owner(slot);
    if (info == nullptr) return {buffer_->slot(slot)};
    if (info->lpn == WL_LPN_TABLE) return {metadata(slot), info->lpn, info->record};
    const std::byte* const map_page = bytes_at(slot, WL_METADATA_WRITTEN);
    return {map_page == nullptr ? buffer_->slot(slot) : buffer_->pool().keep(map_page), info->lpn, info->record};
  }
  /// `lacks`: codewords without data, as bits. They are remembered: retries that firmware controls read only those.
  void store(std::uint32_t slot, const nand::StoredLpage& lpage, unsigned lacks = 0) {
    if (slot >= ReadAhead::kFirstSlot) {
      ahead_->store(slot, lpage);
      return;
    }
    lack(slot, lacks);
    if (is_metadata(lpage))
      buffer_->slot(slot) = bytes(slot, 0, lpage.token);
    else if (is_map_page(lpage))
      buffer_->slot(slot) = bytes(slot, WL_METADATA_READ, lpage.token);
    else
      buffer_->slot(slot) = lpage.token;
    if (wl_slot_info* info = owner(slot)) *info = {lpage.lpn, lpage.record};
  }
  /// Parity: content and records of `unit` are XORed into those of the slots from `slot` on.
  void add(std::uint32_t slot, const XorUnit::Lpages& unit) {
    sum_.clear();
    for (std::uint32_t i = 0; i < unit.size(); ++i) sum_.push_back(load_sum(slot + i));
    xor_unit_.add(sum_, unit);
    for (std::uint32_t i = 0; i < unit.size(); ++i) store_sum(slot + i, sum_[i]);
  }
  /// A sum of nothing.
  void clear(std::uint32_t slot) { store_sum(slot, {{}, 0, 0}); }
  /// As XorUnit::time().
  Picoseconds xor_time(Picoseconds from, std::uint64_t lpages) { return xor_unit_.time(from, lpages); }
  /// A slot of such a sum: its record may look like that of metadata, but is none.
  [[nodiscard]] nand::StoredLpage load_sum(std::uint32_t slot) {
    const wl_slot_info* info = owner(slot);
    return info == nullptr ? nand::StoredLpage{} : nand::StoredLpage{buffer_->slot(slot), info->lpn, info->record};
  }
  /// What a read brings: into its slot, or into the sum there.
  void take(const wl_flash_job& read, std::uint32_t slot, const nand::StoredLpage& lpage) {
    if (!SumReads::is_one(read))
      store(slot, lpage);
    else if (sum_reads_.takes(read, slot))
      add(slot, XorUnit::Lpages{lpage});
  }
  /// A read has not brought it. A sum stays as it is.
  void lose(const wl_flash_job& read, std::uint32_t slot, unsigned lacks = 0) {
    if (SumReads::is_one(read))
      sum_reads_.lose(read, slot, lacks);
    else
      store(slot, {}, lacks);
  }
  /// Codewords that the slot lacks since the attempt of the read before.
  [[nodiscard]] unsigned lacks(const wl_flash_job& read, std::uint32_t slot) {
    if (SumReads::is_one(read)) return sum_reads_.lacks(read, slot);
    return slot < lacking_.size() ? lacking_[slot] : 0U;
  }
  /// A read comes to the channel.
  void begin(const wl_flash_job& read) {
    if (SumReads::is_one(read)) sum_reads_.begin(read);
  }

  /// `lpages` slots over the DRAM port, from `earliest` on; returns the end.
  Picoseconds transfer(Picoseconds earliest, std::uint32_t lpages) {
    return dram_->reserve(earliest, std::uint64_t{lpages} * slot_bytes_);
  }
  /// As many calls of transfer(), of a slot each. They are ready at the times of the list, which become their ends.
  void transfer_each(std::vector<tlm_if::Transfer>& lpages) { dram_->reserve_each(lpages); }
  [[nodiscard]] std::uint64_t slot_bytes() const { return slot_bytes_; }
  /// How long that takes when nothing else uses the port.
  [[nodiscard]] Picoseconds transfer_time(std::uint32_t lpages) {
    return dram_->occupancy(std::uint64_t{lpages} * slot_bytes_) + dram_->latency();
  }

 private:
  /// Parity may look like it, but for its record: it has no bytes.
  [[nodiscard]] static bool is_metadata(const nand::StoredLpage& lpage) {
    const wl_slot_info info{lpage.lpn, lpage.record};
    return lpage.token.is_metadata() && lpage.lpn == WL_LPN_TABLE && wl_spare_kind(&info) == WL_SPARE_METADATA;
  }
  [[nodiscard]] static bool is_map_page(const nand::StoredLpage& lpage) {
    const wl_slot_info info{lpage.lpn, lpage.record};
    return lpage.token.is_metadata() && lpage.lpn != WL_LPN_NONE && wl_spare_kind(&info) == WL_SPARE_USER;
  }
  void store_sum(std::uint32_t slot, const nand::StoredLpage& sum) {
    buffer_->slot(slot) = sum.token;
    if (wl_slot_info* info = owner(slot)) *info = {sum.lpn, sum.record};
  }
  void lack(std::uint32_t slot, unsigned lacks) {
    if (lacks != 0 && slot >= lacking_.size()) lacking_.resize(slot + 1U);
    if (slot < lacking_.size()) lacking_[slot] = static_cast<std::uint8_t>(lacks);
  }
  /// What the firmware has put there, copied.
  [[nodiscard]] data::LpageToken metadata(std::uint32_t slot) {
    const std::byte* const from = bytes_at(slot, 0);
    if (from != nullptr) return buffer_->pool().keep(from);
    SC_REPORT_ERROR("wordline/flash", "program of metadata from a slot without an address in the metadata table");
    return {};
  }
  /// Where the firmware has them; null: nowhere.
  [[nodiscard]] std::byte* bytes_at(std::uint32_t slot, std::uint32_t bits) {
    return metadata_ == nullptr ? nullptr : metadata_->at(*memory_.operator->(), slot, bits);
  }
  /// Metadata go to DRAM, if the firmware wants them; the slot itself holds nothing.
  [[nodiscard]] data::LpageToken bytes(std::uint32_t slot, std::uint32_t bits, data::LpageToken token) {
    std::byte* const to = bytes_at(slot, bits);
    if (to == nullptr) return {};
    const std::vector<std::byte>& from = buffer_->pool().metadata(token);
    std::copy(from.begin(), from.end(), to);
    return {};
  }
  /// Null where no memory is; the memory has reported it.
  [[nodiscard]] wl_slot_info* owner(std::uint32_t slot) {
    constexpr auto kEntry = static_cast<std::uint32_t>(sizeof(wl_slot_info));
    return reinterpret_cast<wl_slot_info*>(memory_->at(slot_table_ + slot * kEntry, kEntry));
  }

  sc_core::sc_port<tlm_if::SharedMemoryIf>& memory_;
  sc_core::sc_port<tlm_if::DataBufferIf>& buffer_;
  sc_core::sc_port<tlm_if::DramIf>& dram_;
  const std::uint32_t& slot_table_;
  const std::uint32_t slot_bytes_;
  XorUnit& xor_unit_;
  XorUnit::Lpages sum_;  // that something is added to
  ReadAhead* const ahead_;
  const MetadataSlots* const metadata_;
  std::vector<std::uint8_t> lacking_;  // lacking by slot
  SumReads sum_reads_;
};

}  // namespace wordline::flash
