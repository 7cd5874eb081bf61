import type { TextRule } from './value-rule.ts'

const portMax = 65_535
const form = 'host:port, such as 127.0.0.1:9090 or :8080'

const addressPattern = /^(\[[0-9a-fA-F:]+\]|[^:\s]*):\d{1,5}$/

export const listenAddress: TextRule = {
  expected: form,
  mustBe(text) {
    if (!addressPattern.test(text)) return form
    return portOf(text) <= portMax ? undefined : `host:port with a port of at most ${portMax}`
  },
}

interface ListenAddress {
  /** Empty: all addresses of the machine. */
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

/** Reads `127.0.0.1:9090`, `[::1]:9090`, `:9090`. The setting's rule has checked the form. */
export function readListenAddress(text: string): ListenAddress {
  const at = text.lastIndexOf(':')
  const host = text.slice(0, at).replace(/^\[|\]$/g, '')
  // One socket only: a second one for ::1 might not get the same ephemeral port.
  return { host: host === 'localhost' ? '127.0.0.1' : host, port: portOf(text) }
}

const portOf = (text: string): number => Number(text.slice(text.lastIndexOf(':') + 1))

/** The URL for clients on this machine. */
export function urlOf(host: string, port: number): string {
  const reachable = host === '' || host === '::' || host === '0.0.0.0' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program; stop that program, or change',
  EADDRNOTAVAIL: 'is not an address of this machine; change',
  EACCES: 'needs privileges that this process does not have; change',
  ENOTFOUND: 'names a host that cannot be found; change',
}

/** Names the address and the setting to change. */
export function listenError(cause: unknown, address: string, setting: string): Error {
  const { code = '', message } = cause as NodeJS.ErrnoException
  return new Error(`the address ${address} ${reasons[code] ?? `cannot be used (${message}); change`} ${setting}`, { cause })
}
