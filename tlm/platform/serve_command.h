// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wordline::platform {

struct ServeOptions {
  std::vector<std::string> command;  // command as typed, the program first; for result.json
  std::string config;
  std::vector<std::string> sets;
  std::string nbd;        // path of the socket; empty: there is a replay, or a program to run, which finds it
  std::string vfio_user;  // path of the socket of the NVMe controller, instead; empty: none
  std::string doorbells = "trapped";  // or polled: of vfio_user
  std::string capture;                // file for what clients do; empty: none
  std::string replay;                 // such a file, in place of clients; empty: clients
  std::string time = "free";          // free, wall, dilated:N, lockstep
  std::string image;                  // file that keeps bytes and drive; empty: none
  std::string out;                    // folder for the results; empty: no files
  std::string live;                   // path of the socket for who watches; empty: none
  std::string run;                    // command of the shell that uses the drive, which ends with it; empty: none
  bool once = false;                  // ends when the last client has gone
  bool quiet = false;
};

/// `wordline serve`: the drive as the block device of other programs, until a signal ends it. Returns the exit code.
int serve_command(const ServeOptions& options);

}  // namespace wordline::platform
