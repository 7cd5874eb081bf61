import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type CheckedTarget, checkEgress, type EgressOptions, within } from '#kernel'

export interface PingOptions {
  /** For name, connection and answer together. */
  readonly timeoutMs: number
  readonly egress: EgressOptions
}

/** Whether the provider answers its ping with 200 in time. A redirect is no answer, and neither is an address that must not be asked (I-13). */
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
    // Refused, timed out, not HTTP: all are no answer.
    request.on('error', () => resolve(undefined))
    // So is another protocol, which is told by the closed connection alone.
    request.on('close', () => resolve(undefined))
    request.end()
  })
}
