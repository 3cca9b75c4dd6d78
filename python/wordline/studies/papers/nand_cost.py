# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Area, energy and GC time of NAND flash by the equations of Bang et al., "Application-aware Design Parameter
Exploration of NAND Flash Memory", JSTS 13(4), 2013. Times in us, currents in mA, energies in uJ (V x mA x us = nJ).

The paper calls its energies power, and prints (7) and (11) with P_p where P_P is meant; both are read as meant."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Cell:
    """A column of table 2. `tau` of eq. (2): 2 for SLC, 4 for MLC."""

    tau: int
    t_r: float
    t_prog: float
    t_bers: float
    t_byte: float  # t_RC and t_WC: a byte on the bus
    i_active: float  # I_CC1 = I_CC2 = I_CC3
    i_standby: float = 1.0  # I_CC4
    i_trans: float = 50.0
    vcc: float = 3.3  # not given; ratios do not depend on it


SLC = Cell(tau=2, t_r=25, t_prog=200, t_bers=2000, t_byte=0.03, i_active=8)
MLC = Cell(tau=4, t_r=60, t_prog=1200, t_bers=3000, t_byte=0.06, i_active=15)


@dataclasses.dataclass(frozen=True)
class Operations:
    """How often a run did what. Reads and programs of the host, with read and modify among the reads; bytes
    over the bus for them; copies of GC, and erases."""

    reads: int
    programs: int
    bus_bytes: int
    copies: int
    erases: int
    idle: float = 0.0  # us


def area(
    cell: Cell, page: float, pages_per_block: int, blocks: int, block_overhead: float = 2, page_overhead: float = 1
) -> float:
    """Eq. (2): relative area of a block. `page` in any unit; overheads range from 2 to 5 and from 1 to 10."""
    return page * ((pages_per_block / cell.tau + block_overhead) + page_overhead / blocks)


def area_per_bit(
    cell: Cell, page: float, pages_per_block: int, blocks: int, block_overhead: float = 2, page_overhead: float = 1
) -> float:
    """Eq. (2) over what the block holds, so that geometries compare."""
    return area(cell, page, pages_per_block, blocks, block_overhead, page_overhead) / (page * pages_per_block)


def energy_of(cell: Cell, time: float) -> float:
    """Eqs. (4), (5), (8): an operation of the array that takes so long, above standby."""
    return cell.vcc * (cell.i_active - cell.i_standby) * time / 1000


def transfer_energy(cell: Cell, data: float) -> float:
    """Eq. (3): so many bytes over the bus."""
    return cell.vcc * cell.i_trans * data * cell.t_byte / 1000


def collection_energy(cell: Cell, valid_pages: float) -> float:
    """Eq. (9): one victim. Its copies stay within the die."""
    return (energy_of(cell, cell.t_r) + energy_of(cell, cell.t_prog)) * valid_pages + energy_of(cell, cell.t_bers)


def total_energy(cell: Cell, done: Operations) -> float:
    """Eqs. (6), (7), (9) to (12)."""
    requests = done.reads * energy_of(cell, cell.t_r) + done.programs * energy_of(cell, cell.t_prog)
    gc = done.copies * (energy_of(cell, cell.t_r) + energy_of(cell, cell.t_prog)) + done.erases * energy_of(
        cell, cell.t_bers
    )
    idle = cell.vcc * cell.i_standby * done.idle / 1000
    return requests + transfer_energy(cell, done.bus_bytes) + gc + idle


def collection_time(cell: Cell, valid_pages: float) -> float:
    """Eq. (13)."""
    return cell.t_bers + valid_pages * (cell.t_r + cell.t_prog)


def erase_ratio(cell: Cell, valid_pages: float) -> float:
    """Eq. (14)."""
    return cell.t_bers / collection_time(cell, valid_pages)
