// A web page must not steer the devnet through its visitor's browser. Programs such as curl send none of a browser's own headers.
import type { IncomingHttpHeaders } from 'node:http'

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])
/** What browsers say of a page's requests to its own origin, and of an address that a person typed. */
const ownSites = new Set(['same-origin', 'none'])

/** Why the request is refused; undefined when it may go on. */
export function refusalOf({ host = '', origin, ...headers }: IncomingHttpHeaders): string | undefined {
  // Another name means that a page's own name was pointed at this machine (DNS rebinding).
  const url = `http://${host}`
  if (!URL.canParse(url) || !loopbackNames.has(new URL(url).hostname)) return 'the Host header names no loopback address'
  const site = headers['sec-fetch-site']
  if (site !== undefined && !ownSites.has(String(site))) return 'a page of another site makes the request'
  if (origin !== undefined && origin !== url) return 'a page of another origin makes the request'
  return undefined
}
