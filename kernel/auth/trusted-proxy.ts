import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { normalizeIp } from '../http/normalize-ip.ts'

/** The origin of a request, with the forwarded headers of trusted proxies applied. */
export interface RequestOrigin {
  readonly clientIp: string
  readonly scheme: 'http' | 'https'
  /** Includes the port where one was given, as in the Host header. */
  readonly host: string
}

export type OriginResolver = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => RequestOrigin

/** Whether the peer of a connection is one of the `trusted` (IP addresses and CIDRs). Throws on any other entry. */
export function createProxyCheck(trusted: readonly string[]): (address: string | undefined) => boolean {
  const proxies = new BlockList()
  for (const entry of trusted) trust(proxies, entry)
  return (address) => {
    const ip = normalizeIp(address ?? '')
    return ip !== undefined && proxies.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Forwarded headers count only when the TCP peer is in `trusted` (IP addresses and CIDRs). Throws on any other entry. */
export function createOriginResolver(trusted: readonly string[]): OriginResolver {
  const isTrusted = createProxyCheck(trusted)
  return ({ headers, socket }) => {
    const peer = normalizeIp(socket.remoteAddress ?? '') ?? ''
    const ownScheme = 'encrypted' in socket ? 'https' : 'http'
    const ownHost = headers.host ?? ''
    if (!isTrusted(peer)) return { clientIp: peer, scheme: ownScheme, host: ownHost }
    const lines = (name: string) => elements(headers[name])
    const forwarded = lines('x-forwarded-for')
      .map(readAddress)
      .findLast((ip) => ip !== undefined && !isTrusted(ip))
    // The trusted peer wrote the last element; its client wrote those before it.
    const clientIp = forwarded ?? readAddress(lines('x-real-ip').at(-1) ?? '') ?? peer
    const proto = lines('x-forwarded-proto').at(-1)?.toLowerCase()
    const scheme = ownScheme === 'http' && (proto === 'http' || proto === 'https') ? proto : ownScheme
    return { clientIp, scheme, host: lines('x-forwarded-host').at(-1) ?? ownHost }
  }
}

/** Whether the text is an IP address or a CIDR that can be trusted. */
export const isAddressOrSubnet = (entry: string): boolean => readSubnet(entry.trim()) !== undefined

function trust(proxies: BlockList, entry: string): void {
  const subnet = readSubnet(entry.trim())
  if (!subnet) throw new Error(`admin.trusted_proxies contains '${entry}', which is neither an IP address nor a CIDR such as 10.0.0.0/8`)
  proxies.addSubnet(subnet.address, subnet.prefix, isIP(subnet.address) === 6 ? 'ipv6' : 'ipv4')
}

function readSubnet(entry: string): { readonly address: string; readonly prefix: number } | undefined {
  const [, text = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const address = normalizeIp(text)
  if (address === undefined) return undefined
  const width = isIP(address) === 6 ? 128 : 32
  // The prefix of a mapped address must become an IPv4 prefix too.
  const mappedBits = isIP(text) === 6 && width === 32 ? 96 : 0
  const prefix = bits === undefined ? width : Number(bits) - mappedBits
  return prefix >= 0 && prefix <= width ? { address, prefix } : undefined
}

function elements(header: string | readonly string[] | undefined): readonly string[] {
  return [header ?? []].flat().flatMap((line) => line.split(',').flatMap((element) => element.trim() || []))
}

/** `1.2.3.4`, `1.2.3.4:5678`, `[2001:db8::1]:5678`, `2001:db8::1`. */
function readAddress(text: string): string | undefined {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1]
  const withPort = /^([^:]+):\d+$/.exec(text)?.[1]
  return normalizeIp(bracketed ?? withPort ?? text)
}
