// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Commands of the controller to the completion engine.
package completion_pkg;

  typedef enum logic [2:0] {
    CmdCreate,  // a queue: base, last entry in value 15:0, interrupts in value 16, vector
    CmdDelete,  // a queue
    CmdHead,  // head doorbell of a queue: value 15:0
    CmdCoalesce,  // value 15:0 as dword 11 of Features 08h
    CmdVector,  // Features 09h: coalescing of `vector` is off with value 0
    CmdMask,  // INTMS: value
    CmdUnmask  // INTMC: value
  } command_e;

endpackage
