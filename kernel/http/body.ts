/** Strict parsing of requests. A body is read only when the handler calls parseBody, so refused requests cost no memory. */

import type { Type } from 'arktype'
import type { FastifyRequest } from 'fastify'
import { type FieldError, kernelErrors } from '../errors.ts'
import { limits } from '../process/limits.ts'
import { checkSchema } from '../schema.ts'

export interface BodyOptions {
  /** Default: `limits.jsonBodyBytesMax`. */
  readonly bytesMax?: number
  /** Refuse any Content-Type but application/json. */
  readonly requireJsonType?: boolean
  /** Members that the type does not name. Default: refuse, at every level. */
  readonly unknownMembers?: 'refuse' | 'drop'
}

/**
 * Reads the JSON body and checks it. Throws `invalid_request` (400) for anything but exactly one value of the type: malformed or
 * trailing text, a repeated or unknown member, a wrong type, too many bytes.
 * A route that needs the raw bytes reads `request.raw`: the server parses no media type.
 */
export async function parseBody<T extends Type>(schema: T, request: FastifyRequest, options: BodyOptions = {}): Promise<T['infer']> {
  const { bytesMax = limits.jsonBodyBytesMax, requireJsonType = false, unknownMembers = 'refuse' } = options
  if (requireJsonType && !isJsonType(request.headers['content-type'])) {
    throw kernelErrors.invalid_request({ message: 'The Content-Type must be application/json.' })
  }
  const text = decodeText(await readBytes(request, bytesMax))
  const value = parseJson(text)
  // An object type without required members would accept a list.
  if (Array.isArray(value) && !schema.extends('unknown[]'))
    throw kernelErrors.invalid_request({ message: 'The body must be a JSON object.' })
  return check(unknownMembers === 'refuse' ? strict(schema) : schema, value, 'The body')
}

/** Checks the query string. Values are text, or a list of texts for a repeated name; parameters that the type does not name are ignored. */
export function parseQuery<T extends Type>(schema: T, request: FastifyRequest): T['infer'] {
  refuseBrokenEscapes(request.raw.url ?? '')
  return check(schema, { ...(request.query as object) }, 'The query')
}

/** The server leaves escapes that are not UTF-8 undecoded, so two different names could become equal. */
function refuseBrokenEscapes(url: string): void {
  try {
    decodeURIComponent(url.slice(url.indexOf('?') + 1))
  } catch (cause) {
    throw kernelErrors.invalid_request({ message: 'The query contains an escape that cannot be decoded.', cause })
  }
}

/** Checks the decoded path parameters. */
export function parseParams<T extends Type>(schema: T, request: FastifyRequest): T['infer'] {
  return check(schema, { ...(request.params as object) }, 'The path')
}

function check<T extends Type>(schema: T, value: unknown, what: string): T['infer'] {
  const result = checkSchema(schema, value)
  if (!result.errors) return result.value
  const { errors } = result
  const listed = [...errors].slice(0, limits.listedProblemsMax)
  const fields = listed.map(({ code, path, expected }) => fieldError([...path].map(String).join('.'), { code, expected }))
  const message = fields.map(({ field, message }) => `${field || what} ${message}`).join('; ')
  const more = errors.length > listed.length ? `; and ${errors.length - listed.length} more problems` : ''
  throw kernelErrors.invalid_request({ message: `${message}${more}.`, fields: fields.filter(({ field }) => field !== '') })
}

/** Describes the expected value, never the received one, which may be a secret. */
function fieldError(field: string, { code, expected }: { readonly code: string; readonly expected: string }): FieldError {
  if (expected === 'removed') return { field, message: 'is not known here' }
  // The description of a union contains its path and value.
  const described = expected.replace(/^.* must be /s, '')
  const valueAt = described.endsWith(')') ? described.indexOf(' (was ') : -1
  const wanted = valueAt < 0 ? described : described.slice(0, valueAt)
  return { field, message: code === 'required' ? `is missing; it must be ${wanted}` : `must be ${wanted}` }
}

const strictForms = new WeakMap<Type, Type>()

function strict(schema: Type): Type {
  const known = strictForms.get(schema)
  if (known) return known
  const made = schema.onDeepUndeclaredKey('reject') as Type
  strictForms.set(schema, made)
  return made
}

async function readBytes(request: FastifyRequest, bytesMax: number): Promise<Buffer> {
  const tooLarge = () => kernelErrors.invalid_request({ message: `The body must not be larger than ${bytesMax} bytes.` })
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // Do not destroy the stream on an early exit: the connection is needed for the answer.
    for await (const chunk of request.raw.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length
      if (bytes > bytesMax) break
      chunks.push(chunk)
    }
  } catch (cause) {
    throw kernelErrors.invalid_request({ message: 'The connection ended inside the body.', cause })
  }
  if (bytes > bytesMax) throw tooLarge()
  return Buffer.concat(chunks)
}

function decodeText(bytes: Buffer): string {
  try {
    // Keep a byte order mark, so that JSON.parse refuses it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw kernelErrors.invalid_request({ message: 'The body is not UTF-8 text.', cause })
  }
}

function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw kernelErrors.invalid_request({ message: 'The body must be one JSON value.', cause })
  }
  const repeated = findRepeatedMember(text)
  if (repeated !== undefined) throw kernelErrors.invalid_request({ message: `The body has the member ${repeated} twice.` })
  return value
}

/** Sticky, with the text between delimiters as one token: searching the next delimiter instead would rescan the rest for each quote. */
const jsonMark = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]|[^"{}[\]]+/gy

/** JSON.parse keeps the last of two equal members; another reader could use the first. Expects valid JSON. */
function findRepeatedMember(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (const [mark, colon] of text.matchAll(jsonMark)) {
    if (mark === '{') open.push(new Set())
    else if (mark === '[') open.push(undefined)
    else if (mark === '}' || mark === ']') open.pop()
    else if (colon !== undefined) {
      const name = mark.slice(0, -colon.length)
      const seen = open.at(-1)
      const plain = JSON.parse(name) as string
      if (seen?.has(plain)) return name
      seen?.add(plain)
    }
  }
  return undefined
}

function isJsonType(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}
