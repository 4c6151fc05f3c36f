import { FleetNode, type NodeCall } from './node.ts'

interface BalancerOptions {
  urls: readonly string[]
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** In [0,1). */
  random(): number
  onLeftOut(node: string, leftOut: boolean): void
}

/** Share of the requests that may have a hedge, beside those that go to a probe. */
const HEDGE_SHARE = 0.1
/** Most hedges that are saved up. A new process has them all, because its first requests may meet a node that hangs. */
const MOST_HEDGES = 10

/** Decides which node gets a call, and whether there may be a hedge. It sends nothing. */
export class Balancer {
  readonly nodes: readonly FleetNode[]
  readonly #random: () => number
  #hedges = MOST_HEDGES

  constructor({ urls, now, random, onLeftOut }: BalancerOptions) {
    const names = nodeNames(urls)
    this.#random = random
    this.nodes = urls.map((url, at) => {
      const name = names[at] ?? url
      return new FleetNode(url, name, { now, alone: urls.length === 1, onLeftOut: leftOut => onLeftOut(name, leftOut) })
    })
  }

  /** Number of nodes that are not left out. */
  get healthy(): number {
    return this.nodes.filter(({ leftOut }) => !leftOut).length
  }

  /**
   * Begins a call. The first call of a request goes to a node whose pause is over, if there is one, as its probe. Every other call goes to the one of two
   * random nodes that has fewer calls.
   * @param tried nodes that this request has asked
   * @returns null when there is no other node that may be called
   */
  begin(tried: ReadonlySet<FleetNode>): NodeCall | null {
    const usable = this.nodes.filter(node => node.usable && !tried.has(node))
    const healthy = usable.filter(({ leftOut }) => !leftOut)
    const probed = tried.size === 0 ? usable.find(({ leftOut }) => leftOut) : undefined
    if (tried.size === 0) this.#hedges = Math.min(MOST_HEDGES, this.#hedges + HEDGE_SHARE)
    return (probed ?? this.#lessBusy(healthy.length > 0 ? healthy : usable))?.begin() ?? null
  }

  /**
   * Begins a call of a node that is left out because it is slow, and for no other reason.
   * @param tried nodes that this request has asked
   * @returns null when another node may be called, and when there is no such node
   */
  beginLastResort(tried: ReadonlySet<FleetNode>): NodeCall | null {
    const others = this.nodes.filter(node => !tried.has(node))
    if (others.some(({ usable }) => usable)) return null
    return this.#lessBusy(others.filter(({ lastResort }) => lastResort))?.begin() ?? null
  }

  /** Begins a second call beside a first one that takes long. A probe always may have one, because its request did not choose it. */
  beginHedge({ node, isProbe }: NodeCall): NodeCall | null {
    // A sum of tenths is a little less than one.
    if (!isProbe && this.#hedges < 1 - 1e-9) return null
    const call = this.begin(new Set([node]))
    if (call !== null && !isProbe) this.#hedges -= 1
    return call
  }

  #lessBusy(nodes: readonly FleetNode[]): FleetNode | undefined {
    const at = Math.floor(this.#random() * nodes.length)
    const step = 1 + Math.floor(this.#random() * (nodes.length - 1))
    const [one, other] = [nodes[at], nodes[(at + step) % nodes.length]]
    return one && other && other.outstanding < one.outstanding ? other : one
  }
}

/** Host and port of each URL, with its path where two are the same. They are labels of metrics, and hold no secrets. */
export function nodeNames(urls: readonly string[]): string[] {
  const parsed = urls.map(url => new URL(url))
  const isTwice = (host: string) => parsed.filter(other => other.host === host).length > 1
  return parsed.map(({ host, pathname }) => (isTwice(host) ? host + pathname : host))
}
