import { compareText } from '../../core/collections.ts'
import type { Experiments } from '../../rollout/rollout.ts'

/** The experiments of a process, with those that flags declare and that no request was part of yet. */
export function withDeclared(seen: Experiments, declared: () => readonly string[]): Experiments {
  const isDeclared = (name: string) => declared().includes(name)
  return {
    list: () => seen.list(),
    names: () => [...new Set([...seen.names(), ...declared()])].sort(compareText),
    outcomesOf: name => seen.outcomesOf(name) ?? (isDeclared(name) ? [] : null),
    reset: name => seen.reset(name) ?? (isDeclared(name) ? false : null),
  }
}
