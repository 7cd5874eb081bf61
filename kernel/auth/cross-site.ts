import type { IncomingHttpHeaders } from 'node:http'
import type { RequestOrigin } from './trusted-proxy.ts'

/**
 * True when the browser's own headers reveal that another site's page makes the request. Programs such as curl send none of them.
 * A browser attaches remembered Basic credentials to any request, so Basic needs this test on every method.
 */
export function isCrossSite(headers: IncomingHttpHeaders, { scheme, host }: Pick<RequestOrigin, 'scheme' | 'host'>): boolean {
  const site = headers['sec-fetch-site']
  if (
    String(site ?? '')
      .trim()
      .toLowerCase() === 'cross-site'
  )
    return true
  const claimed = headers.origin ?? headers.referer
  if (claimed === undefined) return false
  const own = originOf(`${scheme}://${host}`)
  return own === undefined || originOf(claimed) !== own
}

/**
 * The same for a change without credentials, such as a sign-in. What the browser itself says counts before Origin: behind a proxy that
 * is not trusted, our own scheme and host are unknown.
 */
export function isCrossSiteChange(headers: IncomingHttpHeaders, own: Pick<RequestOrigin, 'scheme' | 'host'>): boolean {
  return headers['sec-fetch-site'] !== 'same-origin' && isCrossSite(headers, own)
}

/** Scheme, host and port in one spelling; undefined for `null` and other opaque origins. */
function originOf(text: string): string | undefined {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null'
  return origin === 'null' ? undefined : origin
}
