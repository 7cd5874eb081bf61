import { isIP } from 'node:net'

const mappedPattern = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/

/** One spelling per address. IPv4-mapped IPv6 becomes IPv4: Node reports IPv4 peers of a dual-stack socket in that form. */
export function normalizeIp(text: string): string | undefined {
  const kind = isIP(text)
  if (kind === 0) return undefined
  if (kind === 4) return text
  const zoneless = text.split('%', 1)[0] ?? ''
  const canonical = new URL(`http://[${zoneless}]`).hostname.slice(1, -1)
  const [, dotted, high, low] = mappedPattern.exec(canonical) ?? []
  if (dotted) return dotted
  if (high === undefined || low === undefined) return canonical
  const [h, l] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `${h >> 8}.${h & 255}.${l >> 8}.${l & 255}`
}
