/** The canonical request of Signature Version 4 as S3 defines it: no path normalisation, no double encoding. */
import type { Headers } from '../wire/headers.ts'
import { isPlain, percentDecodeBytes, percentEncode } from '../wire/percent-encoding.ts'
import { S3Error } from '../wire/s3-error.ts'

export interface SignedRequest {
  readonly method: string
  readonly rawPath: string
  readonly rawQuery: string
  readonly headers: Headers
}

export interface CanonicalParts {
  readonly signedHeaders: readonly string[]
  readonly payloadHash: string
  /** Query parameter that holds the signature; excluded from the canonical query. */
  readonly signatureParameter?: string
}

/** One text per canonical form of the path, the most common first. latin1: each character is one byte. */
export function canonicalRequests(request: SignedRequest, parts: CanonicalParts): string[] {
  const query = canonicalQuery(request.rawQuery, parts.signatureParameter)
  const tail = `\n${query}\n${canonicalHeaders(request.headers, parts.signedHeaders)}\n${parts.signedHeaders.join(';')}\n${parts.payloadHash}`
  return canonicalPaths(request.rawPath).map((path) => `${request.method}\n${path}${tail}`)
}

/** Most clients sign the re-encoded path; some sign the path as sent. */
function canonicalPaths(rawPath: string): string[] {
  if (isPlain(rawPath)) return [rawPath]
  const bytes = percentDecodeBytes(rawPath)
  if (bytes === undefined) throw new S3Error('InvalidURI')
  const encoded = percentEncode(bytes, true)
  return encoded === rawPath ? [encoded] : [encoded, rawPath]
}

export function canonicalQuery(rawQuery: string, omitted?: string): string {
  if (rawQuery === '') return ''
  const pairs: [name: string, value: string][] = []
  for (const part of rawQuery.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = reencode(equals < 0 ? part : part.slice(0, equals))
    if (name !== omitted) pairs.push([name, equals < 0 ? '' : reencode(part.slice(equals + 1))])
  }
  pairs.sort(([nameA, valueA], [nameB, valueB]) => compareAscii(nameA, nameB) || compareAscii(valueA, valueB))
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

const unreserved = /^[A-Za-z0-9\-._~]*$/

function reencode(text: string): string {
  if (unreserved.test(text)) return text
  const bytes = percentDecodeBytes(text, { plusIsSpace: true })
  if (bytes === undefined) throw new S3Error('InvalidURI')
  return percentEncode(bytes)
}

function compareAscii(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** A signed header that is missing counts as empty: the signature comparison then fails. */
function canonicalHeaders(headers: Headers, signedHeaders: readonly string[]): string {
  let lines = ''
  for (const name of signedHeaders) {
    const values = headers.all(name)
    lines += `${name}:${values.length === 1 ? collapse(values[0] ?? '') : values.map(collapse).join(',')}\n`
  }
  return lines
}

const blanks = ' \t'

/** Not `trim`: it removes U+00A0 too, which is the last byte of UTF-8 characters such as `à`. */
function trimBlanks(value: string): string {
  let [start, end] = [0, value.length]
  while (start < end && blanks.includes(value.charAt(start))) start += 1
  while (end > start && blanks.includes(value.charAt(end - 1))) end -= 1
  return value.slice(start, end)
}

function collapse(value: string): string {
  const trimmed = trimBlanks(value)
  return trimmed.includes('  ') ? trimmed.replace(/ {2,}/g, ' ') : trimmed
}
