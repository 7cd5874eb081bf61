/** Resolves names below localhost in Node, as curl and browsers do; the C library asks a DNS server for them. Loaded with --import. */
import dns from 'node:dns'

const resolve = dns.lookup

dns.lookup = /** @type {typeof dns.lookup} */ ((host, ...rest) => resolve(host.endsWith('.localhost') ? '127.0.0.1' : host, ...rest))
