/** The egress guard (I-13): checks every untrusted URL, such as a provider's, before a connection, which then goes to the checked address. */

import { lookup as dnsLookup } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { normalizeIp } from '#kernel/system'

interface EgressPolicy {
  /** Opens loopback and private ranges, for a server on the operator's own network. */
  readonly allowPrivateNetworks: boolean
}

export type EgressRefusalReason = 'invalid_url' | 'scheme_not_http' | 'credentials_in_url' | 'private_address'

export interface CheckedTarget {
  readonly kind: 'allowed'
  readonly url: URL
  /** The resolved addresses of the host, all checked; never empty. */
  readonly addresses: readonly ResolvedAddress[]
  /** For `http.request`: answers with the checked addresses, so that a second, different DNS answer cannot be used. */
  readonly lookup: LookupFunction
}

type EgressCheck =
  | CheckedTarget
  /** The URL must not be used. Permanent until the operator or the server's owner changes something. */
  | { readonly kind: 'refused'; readonly reason: EgressRefusalReason; readonly detail: string }
  /** The name could not be resolved; retry later. */
  | { readonly kind: 'unresolved'; readonly cause: Error }

interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Resolves a host name to all its addresses; the operating system's resolver unless a test replaces it. */
type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

export interface EgressOptions extends EgressPolicy {
  readonly resolve?: Resolve | undefined
}

/** Checks a URL and resolves its host. One private address refuses the whole host. */
export async function checkEgress(rawUrl: string, options: EgressOptions): Promise<EgressCheck> {
  if (!URL.canParse(rawUrl)) return refused('invalid_url', rawUrl)
  const url = new URL(rawUrl)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused('scheme_not_http', url.protocol)
  if (url.username !== '' || url.password !== '') return refused('credentials_in_url', url.host)
  const addresses = await resolveHost(url.hostname, options.resolve ?? resolveBySystem)
  if (addresses instanceof Error) return { kind: 'unresolved', cause: addresses }
  const forbidden = options.allowPrivateNetworks ? undefined : addresses.find(({ address }) => !isPublicAddress(address))
  if (forbidden !== undefined) return refused('private_address', `${url.hostname} is ${forbidden.address}`)
  return { kind: 'allowed', url, addresses, lookup: pinnedLookup(addresses) }
}

/** True for addresses of the public internet; false for anything else, including text that is not an address. */
export function isPublicAddress(address: string): boolean {
  // A zone ("fe80::1%eth0") only exists on local links.
  const ip = address.includes('%') ? undefined : normalizeIp(address)
  if (ip === undefined) return false
  if (isIP(ip) === 4) return !privateIpv4.check(ip, 'ipv4')
  return publicIpv6.check(ip, 'ipv6') && !specialIpv6.check(ip, 'ipv6')
}

const privateIpv4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24], // test net 1
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // test net 2
  ['203.0.113.0', 24], // test net 3
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved and broadcast
])

/** Global unicast; everything outside (loopback, ULA, link-local, multicast, NAT64) is not public. */
const publicIpv6 = blockList('ipv6', [['2000::', 3]])

/** Parts of global unicast that are special, or embed an IPv4 address that could be private. */
const specialIpv6 = blockList('ipv6', [
  ['2001::', 23], // protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
])

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}

async function resolveHost(hostname: string, resolve: Resolve): Promise<readonly ResolvedAddress[] | Error> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(literal)
  if (family !== 0) return [{ address: literal, family: family === 4 ? 4 : 6 }]
  try {
    const addresses = await resolve(hostname)
    return addresses.length > 0 ? addresses : new Error(`${hostname} has no address`)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function resolveBySystem(hostname: string): Promise<readonly ResolvedAddress[]> {
  const found = await dnsLookup(hostname, { all: true, verbatim: true })
  return found.map(({ address, family }) => ({ address, family: family === 4 ? 4 : 6 }))
}

function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (hostname, options, callback) => {
    const wanted = addresses.filter(
      ({ family }) => options.family === undefined || options.family === 0 || Number(options.family) === family,
    )
    const first = wanted[0]
    if (first === undefined) callback(new Error(`${hostname} has no address of family ${String(options.family)}`), '', 0)
    else if (options.all) callback(null, [...wanted])
    else callback(null, first.address, first.family)
  }
}

function refused(reason: EgressRefusalReason, detail: string): EgressCheck {
  return { kind: 'refused', reason, detail }
}
