import { BlockList, isIP } from 'node:net'

const PRIVATE = new BlockList()
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6')

/** Whether an endpoint is on this machine or in a private network, by its address or by a name without dots such as `ollama`. */
export function isLocalEndpoint(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const host = new URL(endpoint).hostname.replace(/^\[|\]$/gu, '')
  const family = isIP(host)
  if (family !== 0) return PRIVATE.check(host, family === 4 ? 'ipv4' : 'ipv6')
  return !host.includes('.') || host.endsWith('.localhost')
}
