import type { IncomingMessage } from 'node:http'
import { isLoopbackHost, isLoopbackHostHeader } from '../../config/loopback.ts'
import type { OriginResolver } from '../trusted-proxy.ts'

/** Headers that a proxy adds. From a proxy that is not trusted they say only that the client may be far away. */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * Whether what the request carries was on no network in clear text: it came by HTTPS, also to a trusted proxy, or from this machine. A proxy
 * on this machine is seen by the headers that it adds, and by an Origin that is not of this machine.
 */
export function isPrivateConnection(request: Pick<IncomingMessage, 'headers' | 'socket'>, resolveOrigin: OriginResolver): boolean {
  const { headers } = request
  const { scheme, clientIp, host } = resolveOrigin(request)
  if (scheme === 'https') return true
  const { origin } = headers
  const isLocalPage = origin === undefined || (URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname))
  return isLoopbackHost(clientIp) && isLoopbackHostHeader(host) && isLocalPage && forwarding.every((name) => headers[name] === undefined)
}
