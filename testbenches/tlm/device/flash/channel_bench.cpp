// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/device/flash/channel_bench.h"

#include <gtest/gtest.h>

#include <string>
#include "testbenches/tlm/support/context.h"

namespace wordline::testing {

using flash::OnfiTransaction;
using onfi::SegmentKind;

nand::StoredLpage filled_lpage(DieId die, const nand::LpageAddress& at) {
  const std::uint32_t place = ((at.block.value() * 100 + at.page.value()) * 10 + at.plane.value()) * 10 + at.lpage;
  const std::uint32_t lpn = die.value() * 1'000'000U + place;
  return {data::LpageToken::uniform(Lpn(lpn), 1), lpn};
}

ChannelBench::ChannelBench(const config::Config& c, tlm_if::RecorderIf* recorder, const sc_core::sc_module_name& name)
    : sc_module(name),
      config(c),
      layout(config::layout_of(config)),
      checker("checker", config.channels),
      bus("bus", testing::context(), config, layout, ChannelId(0), &checker, recorder),
      codec(config, layout) {
  socket.bind(bus.socket);
  const auto constants = std::make_shared<const flash::DieConstants>(config, layout);
  for (unsigned i = 0; i < config.channels.packages * config.channels.dies_per_package; ++i) {
    const auto fill = [](DieId die, const nand::LpageAddress& at) {
      return at.block.value() < 4 ? filled_lpage(die, at) : nand::StoredLpage{};
    };
    dies.push_back(std::make_unique<flash::NandDie>(("die" + std::to_string(i)).c_str(), testing::context(), config,
                                                    layout, ChannelId(0), i, fill,
                                                    flash::NandDie::Shared{constants, &checker, recorder}));
    dies.back()->ready.bind(*this);
    bus.dies.bind(*dies.back());
  }
}

void ChannelBench::ready(unsigned die, Picoseconds at) { readies.push_back({die, at}); }

OnfiTransaction ChannelBench::send(OnfiTransaction t, Picoseconds at) {
  const Picoseconds present = tlm_if::kernel_time();
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = tlm_if::to_sc_time(at - present);
  const tlm::tlm_sync_enum answer = socket->nb_transport_fw(t, phase, delay);
  EXPECT_EQ(answer, tlm::TLM_COMPLETED);
  EXPECT_EQ(delay, tlm_if::to_sc_time(t.end - present));
  return t;
}

OnfiTransaction ChannelBench::command(unsigned die, const onfi::Cycles& cycles, Picoseconds at) {
  OnfiTransaction t;
  t.die = static_cast<std::uint16_t>(die);
  t.cycles = cycles;
  return send(t, at);
}

OnfiTransaction ChannelBench::status(unsigned die, Picoseconds at) {
  OnfiTransaction t;
  t.kind = SegmentKind::kStatus;
  t.die = static_cast<std::uint16_t>(die);
  onfi::Address address;
  address.lun = die / config.channels.packages;
  t.cycles = codec.read_status(address);
  return send(t, at);
}

OnfiTransaction ChannelBench::data_out(unsigned die, nand::StoredLpage* lpages, std::uint32_t count, Picoseconds at) {
  OnfiTransaction t;
  t.kind = SegmentKind::kDataOut;
  t.die = static_cast<std::uint16_t>(die);
  t.lpages = lpages;
  t.lpage_count = count;
  t.bytes = count * 4648;
  return send(t, at);
}

OnfiTransaction ChannelBench::data_in(unsigned die, nand::StoredLpage* lpages, std::uint32_t count, Picoseconds at) {
  OnfiTransaction t;
  t.kind = SegmentKind::kDataIn;
  t.die = static_cast<std::uint16_t>(die);
  t.lpages = lpages;
  t.lpage_count = count;
  t.bytes = count * 4648;
  return send(t, at);
}

OnfiTransaction ChannelBench::program(unsigned die, BlockId block, PageId page, std::vector<nand::StoredLpage>& lpages,
                                      Picoseconds at, std::uint8_t confirm) {
  const std::uint32_t planes = config.nand.geometry.planes;
  const std::uint32_t per_page = config::BlockKinds(config.nand, layout).of(block.value()).lpages_per_page;
  OnfiTransaction last;
  std::size_t next = 0;
  for (std::uint32_t p = 0; p < layout.pages_per_program; ++p) {
    for (std::uint8_t plane = 0; plane < planes; ++plane) {
      const onfi::Address address{die / config.channels.packages, PlaneId(plane), block, PageId(page.value() + p), 0};
      const OnfiTransaction load = command(die, codec.program(address), at);
      const OnfiTransaction in = data_in(die, &lpages[next], per_page, load.end + config.channels.t_adl);
      next += per_page;
      const bool page_end = plane + 1U == planes;
      const bool unit_end = page_end && p + 1 == layout.pages_per_program;
      const std::uint8_t code = unit_end ? confirm : page_end ? 0x1a : 0x11;
      last = command(die, onfi::AddressCodec::command(code), in.end);
      at = last.ready_at;
    }
  }
  return last;
}

void ChannelBench::until(Picoseconds at) {
  if (tlm_if::kernel_time() < at) sc_core::wait(tlm_if::to_sc_time(at - tlm_if::kernel_time()));
  sc_core::wait(sc_core::SC_ZERO_TIME);
}

std::vector<nand::StoredLpage> unit(const ChannelBench& bench) {
  std::vector<nand::StoredLpage> lpages;
  for (std::uint32_t i = 0; i < bench.layout.lpages_per_program; ++i) lpages.push_back(written(i));
  return lpages;
}

}  // namespace wordline::testing
