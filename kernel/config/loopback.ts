import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether the host of a URL or listen address is certainly this machine: `localhost` or a loopback address. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  const family = isIP(bare)
  return family === 0 ? bare === 'localhost' : loopback.check(bare, family === 6 ? 'ipv6' : 'ipv4')
}

/** The same for a Host header, with or without a port. False for a missing or invalid header. */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  const url = `http://${header ?? ''}`
  if (!URL.canParse(url)) return false
  const { hostname, username, password, pathname, search, hash } = new URL(url)
  const isHostOnly = `${username}${password}${search}${hash}` === '' && pathname === '/'
  return isHostOnly && isLoopbackHost(hostname)
}
