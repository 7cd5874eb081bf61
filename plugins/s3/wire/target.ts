import { keyBytesMax } from '#plugins/storage'
import { percentDecode } from './percent-encoding.ts'
import { invalidArgument, S3Error } from './s3-error.ts'

interface RawTarget {
  /** Path exactly as sent: SigV4 signs it. */
  readonly rawPath: string
  /** Query exactly as sent, without the question mark. */
  readonly rawQuery: string
  /** First value of each decoded query name. */
  readonly query: ReadonlyMap<string, string>
}

export type Place =
  | { readonly kind: 'service' }
  | { readonly kind: 'bucket'; readonly bucket: string }
  | { readonly kind: 'object'; readonly bucket: string; readonly key: string }

export type S3Target = RawTarget & { readonly place: Place }

interface Addressing {
  /** Value of the Host header, with or without a port. */
  readonly host: string | undefined
  /** Domains whose sub-domains are bucket names; empty: path-style only. */
  readonly virtualHostDomains: readonly string[]
}

/** Parses the raw request URL: decodes once, never normalises. Throws InvalidURI, InvalidArgument (NUL) or KeyTooLongError. */
export function parseTarget(url: string, addressing: Addressing): S3Target {
  const raw = splitUrl(url)
  return { ...raw, query: parseQuery(raw.rawQuery), place: parsePlace(raw.rawPath, addressing) }
}

function splitUrl(url: string): { rawPath: string; rawQuery: string } {
  // Proxies may send the absolute form of RFC 9112 §3.2.2.
  const absolute = url.startsWith('/') ? undefined : /^https?:\/\/[^/?]*/i.exec(url)
  const rest = absolute ? url.slice(absolute[0].length) : url
  const mark = rest.indexOf('?')
  const path = mark < 0 ? rest : rest.slice(0, mark)
  return { rawPath: path === '' ? '/' : path, rawQuery: mark < 0 ? '' : rest.slice(mark + 1) }
}

const emptyQuery: ReadonlyMap<string, string> = new Map()

function parseQuery(rawQuery: string): ReadonlyMap<string, string> {
  if (rawQuery === '') return emptyQuery
  const query = new Map<string, string>()
  for (const part of rawQuery.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals), true)
    const value = equals < 0 ? '' : decode(part.slice(equals + 1), true)
    // PostgreSQL has no text with NUL, and no parameter needs one.
    if (name.includes('\0') || value.includes('\0')) throw invalidArgument(name, value, 'A query must not contain the NUL character.')
    if (!query.has(name)) query.set(name, value)
  }
  return query
}

function parsePlace(rawPath: string, addressing: Addressing): Place {
  if (!rawPath.startsWith('/')) throw new S3Error('InvalidURI')
  const hostBucket = bucketOfHost(addressing)
  if (hostBucket !== undefined) return placeOf(hostBucket, rawPath.slice(1))
  if (rawPath === '/') return { kind: 'service' }
  const slash = rawPath.indexOf('/', 1)
  const bucket = decode(slash < 0 ? rawPath.slice(1) : rawPath.slice(1, slash), false)
  return placeOf(bucket, slash < 0 ? '' : rawPath.slice(slash + 1))
}

function placeOf(bucket: string, rawKey: string): Place {
  return rawKey === '' ? { kind: 'bucket', bucket } : { kind: 'object', bucket, key: requireKey(decode(rawKey, false)) }
}

function bucketOfHost({ host, virtualHostDomains }: Addressing): string | undefined {
  if (host === undefined || virtualHostDomains.length === 0) return undefined
  const name = host.replace(/:\d+$/, '').toLowerCase()
  const domain = virtualHostDomains.find((candidate) => name.endsWith(`.${candidate}`))
  return domain === undefined ? undefined : name.slice(0, -domain.length - 1)
}

/** Throws KeyTooLongError, or InvalidArgument for NUL. */
export function requireKey(key: string): string {
  requireKeySize(Buffer.byteLength(key, 'utf8'))
  if (key.includes('\0')) throw invalidArgument('key', key, 'An object key must not contain the NUL character.')
  return key
}

export function requireKeySize(size: number): void {
  if (size > keyBytesMax) throw new S3Error('KeyTooLongError', { extras: { Size: size, MaxSizeAllowed: keyBytesMax } })
}

function decode(text: string, plusIsSpace: boolean): string {
  const decoded = percentDecode(text, { plusIsSpace })
  if (decoded === undefined) throw new S3Error('InvalidURI')
  return decoded
}
