import { isIP } from 'node:net'
import { normalizeIp } from '../normalize-ip.ts'

const prefixGroups = 4

/** What counts as one client: an IPv4 address, or the /64 of an IPv6 address, which is the least that one subscriber gets. */
export function clientNetwork(address: string): string {
  const ip = normalizeIp(address) ?? address
  return isIP(ip) === 6 ? `${expandGroups(ip).slice(0, prefixGroups).join(':')}::/64` : ip
}

/** The eight groups of a canonical IPv6 address. */
function expandGroups(ip: string): readonly string[] {
  const [head = '', tail] = ip.split('::')
  const left = head === '' ? [] : head.split(':')
  if (tail === undefined) return left
  const right = tail === '' ? [] : tail.split(':')
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
}
