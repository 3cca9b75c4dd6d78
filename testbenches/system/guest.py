# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A Linux guest in QEMU whose drive is Wordline's, for tests and for scripts/guest: an initramfs of busybox, programs of this
machine and a script, made byte for byte the same each time, and QEMU's command line with the guest's clock counted in instructions.

What it needs is looked for, and may be named: WORDLINE_QEMU, a command that starts qemu-system-x86_64 of 10.1 or later;
WORDLINE_GUEST_KERNEL, a Linux kernel with its NVMe driver built in (Debian: linux-image-cloud-amd64). busybox has to be
the static one (Debian: busybox-static).
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

INIT = """#!/bin/busybox sh
export PATH=/bin:/usr/bin:/sbin:/usr/sbin
busybox mount -t proc proc /proc
busybox --install -s /bin
mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mkdir -p /tmp; mount -t tmpfs t /tmp
cd /tmp
echo "GUEST begin"
. /job
echo "GUEST end"
poweroff -f
"""


class Missing(Exception):
    """What a guest needs and is not here, in a sentence."""


def _newest(pattern: str) -> str:
    found = sorted(Path("/boot").glob(pattern))
    return str(found[-1]) if found else ""


def _kernel() -> str:
    kernel = os.environ.get("WORDLINE_GUEST_KERNEL") or _newest("vmlinuz-*-cloud-amd64")
    if not kernel or not os.access(kernel, os.R_OK):
        raise Missing(
            "no kernel for a guest: install linux-image-cloud-amd64, or name one with NVMe built in by "
            "WORDLINE_GUEST_KERNEL"
        )
    return kernel


def _qemu() -> list[str]:
    command = shlex.split(os.environ.get("WORDLINE_QEMU", "qemu-system-x86_64"))
    if shutil.which(command[0]) is None:
        raise Missing("no QEMU for a guest: install qemu-system-x86, or name its command by WORDLINE_QEMU")
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    version = re.search(r"version (\d+)\.(\d+)", done.stdout)
    if version is None or (int(version[1]), int(version[2])) < (10, 1):
        raise Missing(f"vfio-user needs QEMU 10.1 or later, and here is {version[0] if version else 'none that runs'}")
    return command


def _libraries(program: str) -> list[str]:
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    return sorted({word for line in done.stdout.splitlines() for word in line.split() if word.startswith("/")})


class Archive:
    """An initramfs: the format "newc" of cpio, of files in the order of their names, all of one time and owner."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[int, bytes]] = {}

    def add(self, name: str, data: bytes, mode: int = 0o100755) -> None:
        parts = name.split("/")
        for i in range(1, len(parts)):
            self.files.setdefault("/".join(parts[:i]), (0o040755, b""))
        self.files[name] = (mode, data)

    def add_program(self, path: str) -> None:
        for file in [path, *_libraries(path)]:
            self.add(file.lstrip("/"), Path(file).read_bytes())

    def packed(self) -> bytes:
        out = bytearray()

        def entry(number: int, name: str, mode: int, data: bytes) -> None:
            fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
            out.extend(b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0")
            out.extend(bytes(-len(out) % 4))
            out.extend(data)
            out.extend(bytes(-len(out) % 4))

        for number, name in enumerate(sorted(self.files)):
            entry(number + 1, name, *self.files[name])
        entry(0, "TRAILER!!!", 0, b"")
        return bytes(out)  # not compressed: unpacking would be most of the guest's work


class Guest:
    """Machines that run a job, a script of busybox's shell, as their init."""

    def __init__(self, folder: Path, job: str, programs: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.qemu, self.kernel = _qemu(), _kernel()
        busybox = shutil.which(os.environ.get("WORDLINE_BUSYBOX", "busybox"))
        if busybox is None or _libraries(busybox):
            raise Missing("no busybox that needs no libraries: install busybox-static")
        archive = Archive()
        archive.add("bin/busybox", Path(busybox).read_bytes())
        archive.add("init", INIT.encode())
        archive.add("job", job.encode(), 0o100644)
        for mount in ("proc", "sys", "dev", "tmp"):
            archive.files[mount] = (0o040755, b"")
        for program in programs:
            path = shutil.which(program)
            if path is None:
                raise Missing(f"no {program} for the guest: install it")
            archive.add_program(path)
        self.initramfs = folder / "initramfs"
        self.initramfs.write_bytes(archive.packed())

    def command(
        self, socket: str, console: str, plugin: Path, options: str = "", shift: int = 0, quiet: bool = False
    ) -> str:
        """For the shell: QEMU in lock-step with the drive at the socket. Quiet: the kernel writes errors alone."""
        device = {
            "driver": "vfio-user-pci",
            "id": "drive",
            "x-no-posted-writes": True,
            "x-msg-timeout": 600000,
            "socket": {"type": "unix", "path": socket},
        }
        kernel = "console=ttyS0 panic=-1" + (" quiet" if quiet else "")
        words = [*self.qemu]
        words += ["-accel", "tcg,thread=single", "-icount", f"shift={shift},sleep=off", "-smp", "1", "-cpu", "max"]
        words += ["-machine", "q35,memory-backend=m", "-m", "512"]
        words += ["-object", "memory-backend-memfd,id=m,size=512M,share=on", "-seed", "42"]
        words += ["-rtc", "base=2026-01-01T00:00:00,clock=vm", "-nodefaults", "-no-reboot", "-display", "none"]
        words += ["-chardev", f"file,id=c,path={console}", "-serial", "chardev:c"]
        words += ["-kernel", self.kernel, "-initrd", str(self.initramfs), "-append", kernel]
        words += ["-device", json.dumps(device), "-plugin", f"{plugin},socket={socket}.clock,device=drive{options}"]
        return shlex.join(words) + " </dev/null"
