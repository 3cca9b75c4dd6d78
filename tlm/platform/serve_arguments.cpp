// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/serve_arguments.h"

#include <fmt/format.h>

#include "tlm/serve/pace.h"

namespace wordline::platform {
namespace {

std::string time_problem(const std::string& text) {
  if (serve::Pace::parse(text)) return {};
  return fmt::format("{} is neither free, nor wall, nor lockstep, nor dilated:N with N from 1 to 1000000", text);
}

}  // namespace

void add_serve(CLI::App& command, ServeOptions& options) {
  CLI::Option* nbd =
      command.add_option("--nbd", options.nbd, "path of a UNIX socket on which NBD clients find the drive")
          ->type_name("SOCKET");
  CLI::Option* vfio =
      command
          .add_option("--vfio-user", options.vfio_user,
                      "path of a UNIX socket on which a vfio-user client, such as QEMU or SPDK, finds the drive's NVMe "
                      "controller")
          ->type_name("SOCKET");
  CLI::Option* doorbells =
      command
          .add_option("--doorbells", options.doorbells,
                      "with --vfio-user: each doorbell is a message and acts at its instant (trapped), or clients may "
                      "write them in shared memory (polled)")
          ->check(CLI::IsMember({"trapped", "polled"}))
          ->needs(vfio);
  vfio->excludes(nbd);
  command
      .add_option("--time", options.time,
                  "what the drive's time is to clients: nothing (free), their own (wall), theirs divided by N "
                  "(dilated:N), or with --vfio-user the clock of a guest in QEMU, which comes by the socket "
                  "SOCKET.clock (lockstep)")
      ->check(CLI::Validator(time_problem, "free|wall|dilated:N|lockstep"));
  CLI::Option* capture =
      command
          .add_option("--capture", options.capture,
                      "file for all requests and their answers, with times and without data, for --replay")
          ->type_name("FILE");
  CLI::Option* replay =
      command
          .add_option("--replay", options.replay,
                      "instead of serving clients, do what those of a --capture did: the same result.json")
          ->type_name("FILE");
  CLI::Option* image =
      command
          .add_option("--image", options.image,
                      "file that keeps what clients write, and beside it the drive, until they are served again")
          ->type_name("FILE");
  CLI::Option* run = command
                         .add_option("--run", options.run,
                                     "command of the shell that uses the drive at \"$uri\"; the server ends with it, "
                                     "with its exit code")
                         ->type_name("COMMAND");
  CLI::Option* live =
      command
          .add_option("--live", options.live, "path of a UNIX socket on which wordline top finds what the drive does")
          ->type_name("SOCKET");
  CLI::Option* once = command.add_flag("--once", options.once, "end when the last client has gone");
  for (CLI::Option* other : {nbd, vfio, doorbells, capture, image, run, live, once, command.get_option("--time")})
    replay->excludes(other);
  // A capture says nothing of what the drive held when it began.
  capture->excludes(image);
  command.add_option("-o,--out", options.out, "folder for result.json and config.toml");
  command.add_flag("-q,--quiet", options.quiet, "no summary");
}

}  // namespace wordline::platform
