/** Shared by the listings: limits, continuation tokens and url encoding of keys. */
import { percentEncode } from '../wire/percent-encoding.ts'
import { invalidArgument } from '../wire/s3-error.ts'

type Query = ReadonlyMap<string, string>

/** Parses a count such as max-keys: `fallback` when absent, at most `max`. Throws InvalidArgument. */
export function readCount(query: Query, name: string, { fallback, max }: { readonly fallback: number; readonly max: number }): number {
  const text = query.get(name)
  if (text === undefined || text === '') return fallback
  if (!/^\d{1,10}$/.test(text)) throw invalidArgument(name, text, `Argument ${name} must be an integer between 0 and 2147483647.`)
  return Math.min(Number(text), max)
}

export type EncodeKey = (key: string) => string

/** Encoding of the keys in a listing. Throws InvalidArgument for encodings other than url. */
export function readEncoding(query: Query): { readonly type: string | undefined; readonly encode: EncodeKey } {
  const type = query.get('encoding-type')
  if (type === undefined || type === '') return { type: undefined, encode: (key) => key }
  if (type !== 'url') throw invalidArgument('encoding-type', type, 'Invalid Encoding Method specified in Request.')
  return { type, encode: (key) => percentEncode(key, true) }
}

/** Continuation token: the last key of the page. Opaque to clients. */
export function encodeToken(lastKey: string): string {
  return Buffer.from(lastKey, 'utf8').toString('base64url')
}

/** Throws InvalidArgument for a malformed token. */
export function decodeToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString('utf8')
  if (encodeToken(key) !== token) throw invalidArgument('continuation-token', token, 'The continuation token provided is incorrect.')
  return key
}
