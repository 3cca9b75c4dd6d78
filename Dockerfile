# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
#
# The project on the system that it is built and tested on:
#   docker build -t wordline .
#   docker run --rm wordline ./scripts/test
#   docker run --rm -v "$PWD/out:/wordline/out" wordline        # the demo; its results and waveform stay in out/
FROM debian:12
WORKDIR /wordline
# What setup installs changes seldom, so it is a layer of its own.
COPY scripts/setup scripts/requirements.txt scripts/
RUN ./scripts/setup && rm -rf /var/lib/apt/lists/*
COPY . .
# What users run, optimised with the counts of real runs; tests build theirs.
RUN ./scripts/build fast && cmake --install build/fast --prefix /usr/local
CMD ["./scripts/demo"]
