# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
#
# In the guest: SQLite on ext4, a transaction for each row, and the kernel's own record of each fsync and of each command
# to the drive. The record's clock is the processor's TSC, which counts the drive's simulated nanoseconds.
rows=${rows:-150}
mkfs.ext4 -q -b 4096 -E nodiscard /dev/nvme0n1
mkdir /mnt
mount -t ext4 /dev/nvme0n1 /mnt
mount -t tracefs none /sys/kernel/tracing
trace=/sys/kernel/tracing
echo x86-tsc >$trace/trace_clock
for event in syscalls/sys_enter_fsync syscalls/sys_exit_fsync syscalls/sys_enter_fdatasync syscalls/sys_exit_fdatasync \
  nvme/nvme_setup_cmd nvme/nvme_complete_rq; do
  echo 1 >$trace/events/$event/enable
done

echo "create table t (k integer primary key, v blob);" >rows.sql
row=0
while [ $row -lt $rows ]; do
  row=$((row + 1))
  echo "insert into t values ($row * 7919 % 10007, randomblob(3000));" >>rows.sql
done
sqlite3 /mnt/t.db <rows.sql
echo 0 >$trace/tracing_on

# "sqlite3-95 [000] ...1. 1722226285: sys_fdatasync(fd: 4)" begins one, "... sys_fdatasync -> 0x0" ends it.
awk '/: sys_f(data)?sync\(/ { from = $4 + 0 }
  /: sys_f(data)?sync ->/ { printf "%.1f us: from %.0f to %.0f ns\n", ($4 - from) / 1000, from, $4 }' $trace/trace >fsyncs
echo "$(wc -l <fsyncs) fsyncs, the slowest:"
sort -rn fsyncs | head -3
echo "What the slowest asked of the drive:"
sort -rn fsyncs | head -1 >slowest
read -r took us word from word to ns <slowest
awk -v from="$from" -v to="$to" '$4 + 0 >= from && $4 + 0 <= to' $trace/trace |
  sed 's/ *\[000\] [^ ]* */ /; s/nvme0: disk=nvme0n1, //; s/nsid=.*cmd=(nvme_cmd_//; s/res=.*//; s/ ctrl=.*//; s/ cdw10=.*//'
umount /mnt
