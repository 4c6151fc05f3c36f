/** Invented source code, with functions that are two or three statements long. */

export const GO = `// Copyright of nobody.

package lock

import (
	"time"
)

// Gate opens and closes.
type Gate struct {
	// open says how far.
	open int
}

// Open opens the gate.
// It waits until the basin is level.
func (g *Gate) Open(wait time.Duration) error {
	if g.open > 0 {
		return errAlreadyOpen
	}
	time.Sleep(wait)
	g.open = 1

	return nil
}
`

export const PYTHON = `"""Locks of a canal."""
import time
from basin import level


class Gate:
    """Opens and closes.

    A gate waits until the basin is level.
    """

    def __init__(self, depth,
                 width=2):
        # The depth never changes.
        self.depth = depth
        self.sizes = [
            width,
            depth,
        ]

    @property
    def is_open(self):
        return self.depth > 0

    def open(self):
        for step in range(self.depth):
            time.sleep(1)
        else:
            level()
        return self
`

export const TYPESCRIPT = `import { level } from './basin'

/**
 * Opens the gate.
 *
 * @param wait in milliseconds
 */
export function open(
  wait: number,
  gate: Gate,
): void {
  const options = {
    wait,
    level: level(),
  }
  if (gate.isOpen) {
    return
  } else {
    gate
      .start(options)
      .then(close)
  }
}
`

export const C = `#include <stdio.h>
#define MOST 8

/* Opens a gate. */
static int gate_open(struct gate *g)
{
    if (!g)
        return -1;
    g->open = MOST;
    return 0;
}
`

export const RUST = `use std::time::Duration;

/// Opens and closes.
///
/// A gate waits until the basin is level.
#[derive(Debug)]
pub struct Gate {
    open: u8,
}

impl Gate {
    /// Opens the gate.
    pub fn open<F>(&mut self, wait: F) -> Duration
    where
        F: Fn() -> Duration,
    {
        self.open = 1;
        wait()
    }
}
`

export const SHELL = `#!/bin/sh
# Opens all gates.
set -e
for gate in "$@"; do
  if [ -e "/run/$gate" ]; then
    exit 1
  fi
  open "$gate"
done
`
