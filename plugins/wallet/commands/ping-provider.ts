import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { within } from '#kernel'
import { type CheckedTarget, checkEgress, type EgressOptions } from '../egress/check-egress.ts'

export interface PingOptions {
  /** For DNS lookup, connection and response together. */
  readonly timeoutMs: number
  readonly egress: EgressOptions
}

/** True when the provider answers the ping with 200 in time. False for redirects and for addresses that the egress guard rejects (I-13). */
export async function isReachable(serviceUrl: string, { timeoutMs, egress }: PingOptions): Promise<boolean> {
  const stop = new AbortController()
  const ping = async (): Promise<boolean> => {
    const target = await checkEgress(pingUrl(serviceUrl), egress)
    return target.kind === 'allowed' && !stop.signal.aborted && (await statusOf(target, stop.signal)) === 200
  }
  return within(timeoutMs, ping(), () => {
    stop.abort()
    return false
  })
}

function pingUrl(serviceUrl: string): string {
  if (!URL.canParse(serviceUrl)) return serviceUrl
  const base = new URL(serviceUrl)
  base.search = ''
  base.hash = ''
  // Without the slash the last path segment would be replaced.
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return new URL('pdp/ping', base).href
}

function statusOf({ url, lookup }: CheckedTarget, signal: AbortSignal): Promise<number | undefined> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const request = send(url, { lookup, signal, agent: false }, (response) => {
      resolve(response.statusCode)
      response.destroy()
    })
    // Connection refused, timeout, not HTTP.
    request.on('error', () => resolve(undefined))
    // A switch of protocol (101) only closes the connection.
    request.on('close', () => resolve(undefined))
    request.end()
  })
}
