# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A vfio-user client with a small NVMe driver, for tests: the standard library alone, and nothing of the server's code.
It can also say what no client should."""

import array
import mmap
import os
import select
import socket
import struct
from pathlib import Path

VERSION, DMA_MAP, DMA_UNMAP, DEVICE_INFO, REGION_INFO = 1, 2, 3, 4, 5
IRQ_INFO, SET_IRQS, REGION_READ, REGION_WRITE = 7, 8, 9, 10
DMA_READ, DMA_WRITE, DEVICE_RESET = 11, 12, 13
REPLY, NO_REPLY, ERROR = 1, 1 << 4, 1 << 5
BAR0, BAR4, CONFIG, MSIX = 0, 4, 7, 2
PAGE = 4096

# Of wall time: for what stands still. Nothing is judged by it: a busy machine makes all of this slow.
GUARD_SECONDS = 1200


class Refused(Exception):
    """The server has answered with an error."""

    def __init__(self, errno: int) -> None:
        super().__init__(os.strerror(errno))
        self.errno = errno


class Gone(Exception):
    """The server has ended the connection."""


class Memory:
    """Guest memory in a memfd, mapped at an address of the device, with an allocator that never frees."""

    def __init__(self, pages: int, address: int, seal: bool = True) -> None:
        self.address, self.size = address, pages * PAGE
        self.fd = os.memfd_create("guest", os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, self.size)
        if seal:
            import fcntl  # pylint: disable=import-outside-toplevel

            fcntl.fcntl(self.fd, 1033, 2)  # F_ADD_SEALS, F_SEAL_SHRINK
        self.bytes = mmap.mmap(self.fd, self.size)
        self.next = 0

    def allocate(self, pages: int = 1) -> int:
        at = self.next
        self.next += pages * PAGE
        assert self.next <= self.size
        return self.address + at

    def read(self, address: int, count: int) -> bytes:
        return self.bytes[address - self.address : address - self.address + count]

    def write(self, address: int, data: bytes) -> None:
        self.bytes[address - self.address : address - self.address + len(data)] = data

    def close(self) -> None:
        self.bytes.close()
        os.close(self.fd)


class VfioClient:
    """Messages, and memory that is reached by messages (`own`, by address)."""

    def __init__(self, path: Path, negotiate: bool = True, patience: float = GUARD_SECONDS) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))  # waits while many others come
        self.socket.settimeout(patience)
        self.id = 0
        self.own: list[Memory] = []
        self.asked = 0
        self.corked: bytes | None = None
        self.minor, self.capabilities = -1, ""
        if negotiate:
            try:
                self.version()
            except Exception:
                self.socket.close()
                raise

    def __enter__(self) -> "VfioClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def version(self) -> None:
        body, _ = self.ask(VERSION, struct.pack("<HH", 0, 1) + b'{"capabilities":{"max_msg_fds":8}}\0')
        _, self.minor = struct.unpack_from("<HH", body)
        self.capabilities = body[4:-1].decode()

    def cork(self) -> None:
        """What is sent from now on leaves at once, with uncork()."""
        self.corked = b""

    def uncork(self) -> None:
        data, self.corked = self.corked, None
        self.send_raw(data)

    def send_raw(self, data: bytes, fds: tuple[int, ...] = ()) -> None:
        if self.corked is not None:
            self.corked += data
            return
        try:
            if fds:
                sent = socket.send_fds(self.socket, [data], list(fds))
                self.socket.sendall(data[sent:])
            else:
                self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Gone from error

    def send(self, command: int, body: bytes = b"", fds: tuple[int, ...] = (), flags: int = 0) -> int:
        self.id = (self.id + 1) & 0xFFFF
        self.send_raw(struct.pack("<HHIII", self.id, command, 16 + len(body), flags, 0) + body, fds)
        return self.id

    def receive(self, count: int, fds: list[int]) -> bytes:
        data = b""
        while len(data) < count:
            try:
                piece, ancillary, _, _ = self.socket.recvmsg(count - len(data), socket.CMSG_SPACE(64))
            except ConnectionResetError as error:
                raise Gone from error
            for level, kind, payload in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    files = array.array("i")
                    files.frombytes(payload[: len(payload) - len(payload) % files.itemsize])
                    fds.extend(files)
            if not piece:
                raise Gone
            data += piece
        return data

    def message(self) -> tuple[int, int, int, int, bytes, list[int]]:
        fds: list[int] = []
        number, command, size, flags, error = struct.unpack("<HHIII", self.receive(16, fds))
        return number, command, flags, error, self.receive(size - 16, fds), fds

    def answer(self, number: int) -> tuple[bytes, list[int]]:
        """The reply to this message; serves the device's own meanwhile."""
        while True:
            got, command, flags, error, body, fds = self.message()
            if flags & 0xF == 0:
                self.serve(got, command, body)
                continue
            if got != number:
                raise AssertionError(f"a reply to message {got}, not to {number}")
            if flags & ERROR:
                raise Refused(error)
            return body, fds

    def ask(self, command: int, body: bytes = b"", fds: tuple[int, ...] = ()) -> tuple[bytes, list[int]]:
        return self.answer(self.send(command, body, fds))

    def serve(self, number: int, command: int, body: bytes) -> None:
        """DMA_READ or DMA_WRITE."""
        self.asked += 1
        address, count = struct.unpack_from("<QQ", body)
        for memory in self.own:
            if memory.address <= address and address + count <= memory.address + memory.size:
                out = body[:16]
                if command == DMA_READ:
                    out += memory.read(address, count)
                else:
                    memory.write(address, body[16:])
                self.send_raw(struct.pack("<HHIII", number, command, 16 + len(out), REPLY, 0) + out)
                return
        self.send_raw(struct.pack("<HHIII", number, command, 16, REPLY | ERROR, 14))

    def serve_one(self, patience: float) -> None:
        """What the device asks for, if it does."""
        if select.select([self.socket], [], [], patience)[0]:
            number, command, _, _, body, _ = self.message()
            self.serve(number, command, body)

    def map(self, memory: Memory, by_file: bool = True, flags: int = 3) -> None:
        body = struct.pack("<IIQQQ", 32, flags, 0, memory.address, memory.size)
        self.ask(DMA_MAP, body, (memory.fd,) if by_file else ())
        if not by_file:
            self.own.append(memory)

    def unmap(self, address: int, size: int, flags: int = 0) -> bytes:
        return self.ask(DMA_UNMAP, struct.pack("<IIQQ", 24, flags, address, size))[0]

    def region(self, index: int, room: int = 4096) -> tuple[int, int, bytes, list[int]]:
        """Size, flags, capabilities and files of a region."""
        body, fds = self.ask(REGION_INFO, struct.pack("<IIIIQQ", room, 0, index, 0, 0, 0))
        _, flags, _, _, size, _ = struct.unpack_from("<IIIIQQ", body)
        return size, flags, body[32:], fds

    def read_region(self, region: int, offset: int, count: int) -> bytes:
        return self.ask(REGION_READ, struct.pack("<QII", offset, region, count))[0][16:]

    def write_region(self, region: int, offset: int, data: bytes) -> None:
        self.ask(REGION_WRITE, struct.pack("<QII", offset, region, len(data)) + data)

    def set_irqs(self, flags: int, start: int, count: int, fds: tuple[int, ...] = (), data: bytes = b"") -> None:
        self.ask(SET_IRQS, struct.pack("<IIIII", 20 + len(data), flags, MSIX, start, count) + data, fds)

    def reset(self) -> None:
        self.ask(DEVICE_RESET)


class Queue:
    """A submission queue with its completion queue."""

    def __init__(self, number: int, entries: int, sq: int, cq: int) -> None:
        self.number, self.entries, self.sq, self.cq = number, entries, sq, cq
        self.tail = self.head = 0
        self.phase = 1


class Nvme:
    """A driver: admin queue, I/O queues, commands by PRP, completions by eventfd or by looking at the queue."""

    ENTRIES = 32

    def __init__(
        self, client: VfioClient, memory: Memory, vectors: int = 2, doorbells: mmap.mmap | None = None
    ) -> None:
        self.client, self.memory, self.doorbells = client, memory, doorbells
        self.events = [os.eventfd(0, os.EFD_NONBLOCK) for _ in range(vectors)]
        if vectors:
            client.set_irqs(4 | 32, 0, vectors, tuple(self.events))
        self.list_page = memory.allocate()
        self.page = memory.allocate()
        self.rooms = [(memory.allocate(), memory.allocate()) for _ in range(3)]
        self.queues: dict[int, Queue] = {}
        self.cid = 0
        self.interrupts = 0
        self.done: dict[int, int] = {}
        self.results: dict[int, int] = {}

    def close(self) -> None:
        for event in self.events:
            os.close(event)

    def register(self, offset: int, size: int = 4) -> int:
        return int.from_bytes(self.client.read_region(BAR0, offset, size), "little")

    def set_register(self, offset: int, value: int, size: int = 4) -> None:
        self.client.write_region(BAR0, offset, value.to_bytes(size, "little"))

    def wait_ready(self, ready: int) -> None:
        while True:
            status = self.register(0x1C)
            if status & 2:
                raise AssertionError("CSTS.CFS")
            if status & 1 == ready:
                return

    def new_queue(self, number: int) -> Queue:
        sq, cq = self.rooms[number]
        self.memory.write(cq, bytes(PAGE))
        self.queues[number] = Queue(number, self.ENTRIES, sq, cq)
        return self.queues[number]

    def enable(self) -> None:
        self.set_register(0x14, 0)
        self.wait_ready(0)
        self.queues, self.done, self.results = {}, {}, {}
        admin = self.new_queue(0)
        self.set_register(0x24, (self.ENTRIES - 1) << 16 | (self.ENTRIES - 1))
        self.set_register(0x28, admin.sq, 8)
        self.set_register(0x30, admin.cq, 8)
        self.set_register(0x14, 1 | 6 << 16 | 4 << 20)
        self.wait_ready(1)

    def create_queues(self, number: int = 1) -> None:
        queue = self.new_queue(number)
        vector = min(number, max(len(self.events) - 1, 0))
        size = (self.ENTRIES - 1) << 16 | number
        self.admin(5, prp1=queue.cq, cdw10=size, cdw11=vector << 16 | (2 if self.events else 0) | 1)
        self.admin(1, prp1=queue.sq, cdw10=size, cdw11=number << 16 | 1)

    def bring_up(self) -> None:
        self.enable()
        self.create_queues()

    def ring(self, offset: int, value: int) -> None:
        if self.doorbells is None:
            self.set_register(0x1000 + offset, value)
        else:
            self.doorbells[offset : offset + 4] = value.to_bytes(4, "little")

    def submit(
        self, queue: int, opcode: int, nsid: int = 1, prp1: int = 0, prp2: int = 0, ring: bool = True, **dwords: int
    ) -> int:
        self.cid = (self.cid + 1) % 0xFFFF
        q = self.queues[queue]
        entry = struct.pack("<BBHIQQQQ", opcode, 0, self.cid, nsid, 0, 0, prp1, prp2)
        entry += struct.pack("<6I", *(dwords.get(f"cdw{i}", 0) for i in range(10, 16)))
        self.memory.write(q.sq + 64 * q.tail, entry)
        q.tail = (q.tail + 1) % q.entries
        if ring:
            self.ring(8 * queue, q.tail)
        return self.cid

    def reap(self, queue: int) -> int:
        """Entries that have come; returns how many."""
        q = self.queues[queue]
        count = 0
        while True:
            dw0, _, _, _, cid, status = struct.unpack("<IIHHHH", self.memory.read(q.cq + 16 * q.head, 16))
            if status & 1 != q.phase:
                break
            self.done[cid], self.results[cid] = status >> 1 & 0x7FF, dw0
            q.head += 1
            if q.head == q.entries:
                q.head, q.phase = 0, q.phase ^ 1
            count += 1
        if count:
            self.ring(8 * queue + 4, q.head)
        return count

    def wait(self, queue: int, cid: int) -> int:
        """Status of the command; waits for interrupts where there are some."""
        while cid not in self.done:
            if self.events:
                event = self.events[min(queue, len(self.events) - 1)]
                ready, _, _ = select.select([event, self.client.socket], [], [], GUARD_SECONDS)
                if not ready:
                    raise AssertionError("neither an interrupt nor a message")
                if self.client.socket in ready:
                    self.client.serve_one(0)
                if event in ready:
                    self.interrupts += os.eventfd_read(event)
            else:
                self.client.serve_one(0.0002)
            self.reap(queue)
        return self.done.pop(cid)

    def admin(self, opcode: int, nsid: int = 0, check: bool = True, **fields: int) -> int:
        cid = self.submit(0, opcode, nsid, **fields)
        status = self.wait(0, cid)
        if check and status:
            raise AssertionError(f"admin command {opcode:#x} ended with {status:#x}")
        return status

    def identify(self, cns: int, nsid: int = 0) -> bytes:
        self.admin(6, nsid, prp1=self.page, cdw10=cns)
        return self.memory.read(self.page, PAGE)

    def prps(self, buffer: int, count: int) -> tuple[int, int]:
        pages = -(-(buffer % PAGE + count) // PAGE)
        if pages == 1:
            return buffer, 0
        first = buffer // PAGE * PAGE + PAGE
        if pages == 2:
            return buffer, first
        entries = b"".join(struct.pack("<Q", first + i * PAGE) for i in range(pages - 1))
        self.memory.write(self.list_page, entries)
        return buffer, self.list_page

    def transfer(self, opcode: int, lba: int, count: int, buffer: int, ring: bool = True) -> int:
        prp1, prp2 = self.prps(buffer, count)
        blocks = {"cdw10": lba & 0xFFFFFFFF, "cdw11": lba >> 32, "cdw12": count // 512 - 1}
        return self.submit(1, opcode, prp1=prp1, prp2=prp2, ring=ring, **blocks)

    def write(self, lba: int, data: bytes, buffer: int) -> int:
        self.memory.write(buffer, data)
        return self.wait(1, self.transfer(1, lba, len(data), buffer))

    def read(self, lba: int, count: int, buffer: int) -> bytes:
        status = self.wait(1, self.transfer(2, lba, count, buffer))
        if status:
            raise AssertionError(f"a read ended with {status:#x}")
        return self.memory.read(buffer, count)

    def flush(self) -> int:
        return self.wait(1, self.submit(1, 0))

    def deallocate(self, lba: int, blocks: int, buffer: int) -> int:
        self.memory.write(buffer, struct.pack("<IIQ", 0, blocks, lba))
        return self.wait(1, self.submit(1, 9, prp1=buffer, cdw11=4))
