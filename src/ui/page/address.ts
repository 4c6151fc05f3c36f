import { useHash } from '../../web/page/use-hash.ts'

/** What the page shows, as the part of the address after `#`. The server never sees it. */
export interface Address {
  view: 'ask' | 'recent' | 'trace'
  /** Id of the trace; empty in the other views. */
  trace: string
  /** What the form begins with. */
  query: string
  collection: string
  budget: string
}

export function useAddress(): Address {
  const given = new URLSearchParams(useHash().slice(1))
  const text = (name: string) => given.get(name) ?? ''
  const trace = text('trace')
  return {
    view: trace !== '' ? 'trace' : given.has('recent') ? 'recent' : 'ask',
    trace,
    query: text('query'),
    collection: text('collection'),
    budget: text('budget'),
  }
}

export function linkToTrace(id: string): string {
  return `#${new URLSearchParams({ trace: id })}`
}
