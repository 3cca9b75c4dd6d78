# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
#
# In the guest: fio at three queue depths, as docs/data/serving_depth.csv has it.
for job in "randread 1 600" "randread 4 600" "randread 16 600" \
  "randwrite 1 400" "randwrite 4 400" "randwrite 16 400"; do
  set -- $job
  echo "FIO $1 $2"
  fio --name=j --filename=/dev/nvme0n1 --rw=$1 --iodepth=$2 --number_ios=$3 --bs=4k --size=64m \
    --ioengine=libaio --direct=1 --randseed=7 --norandommap --thread --output-format=json
  echo "FIO end"
done
