// Refuses requests of web pages, which could control the devnet through the browser of a visitor. Programs such as curl send no Sec-Fetch-Site and no Origin.
import type { IncomingHttpHeaders } from 'node:http'

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])
/** Sec-Fetch-Site of a page's requests to its own origin, and of an address typed by a person. */
const ownSites = new Set(['same-origin', 'none'])

/** The reason to refuse the request; undefined to accept it. */
export function refusalOf({ host = '', origin, ...headers }: IncomingHttpHeaders): string | undefined {
  // Another name: DNS rebinding, where a page's own name resolves to this machine.
  const url = `http://${host}`
  if (!URL.canParse(url) || !loopbackNames.has(new URL(url).hostname)) return 'the Host header names no loopback address'
  const site = headers['sec-fetch-site']
  if (site !== undefined && !ownSites.has(String(site))) return 'a page of another site makes the request'
  if (origin !== undefined && origin !== url) return 'a page of another origin makes the request'
  return undefined
}
