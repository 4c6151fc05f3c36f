import { BlockList, isIP } from 'node:net'

const PRIVATE = new BlockList()
PRIVATE.addSubnet('127.0.0.0', 8)
PRIVATE.addSubnet('10.0.0.0', 8)
PRIVATE.addSubnet('172.16.0.0', 12)
PRIVATE.addSubnet('192.168.0.0', 16)
PRIVATE.addSubnet('169.254.0.0', 16)
PRIVATE.addSubnet('::1', 128, 'ipv6')
PRIVATE.addSubnet('fc00::', 7, 'ipv6')
PRIVATE.addSubnet('fe80::', 10, 'ipv6')

/** Whether an endpoint is on this machine or in a private network, by its address or by a name without dots such as `ollama`. */
export function isLocalEndpoint(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const host = new URL(endpoint).hostname.replace(/^\[|\]$/gu, '')
  const family = isIP(host)
  if (family !== 0) return PRIVATE.check(host, family === 4 ? 'ipv4' : 'ipv6')
  return !host.includes('.') || host.endsWith('.localhost')
}
