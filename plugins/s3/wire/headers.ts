import { invalidArgument } from './s3-error.ts'

/** Request headers with every value of every name: Node's merged view drops values that SigV4 needs. */
export interface Headers {
  /** Values joined by commas, or undefined. `name`: lower case. */
  get(name: string): string | undefined
  /** Every value, in order of arrival. `name`: lower case. */
  all(name: string): readonly string[]
  has(name: string): boolean
  /** Lower-case names, each once. */
  names(): Iterable<string>
}

/** RFC 9110 §5.6.2, in lower case. */
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/** `name`: lower case. Throws InvalidArgument for a name that no header may have. */
export function headerName(name: string, value: string): string {
  if (token.test(name)) return name
  throw invalidArgument(name, value, `${name} contains characters that are invalid in the name of a header.`)
}

/** Encodes a header value of the query or of a form. Rejects control characters: line breaks would inject headers. */
export function headerText(name: string, value: string): string {
  const text = Buffer.from(value, 'utf8').toString('latin1')
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
    throw invalidArgument(name, value, `${name} contains characters that are invalid in a header.`)
  return text
}

/** Reads Node's flat list of names and values. Values are latin1 text: one character per received byte. */
export function readHeaders(rawHeaders: readonly string[]): Headers {
  const values = new Map<string, string[]>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = rawHeaders[index + 1] ?? ''
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return headersOf(values)
}

/** Adds headers; a sent header takes precedence over an added one. */
export function addHeaders(headers: Headers, added: ReadonlyMap<string, string>): Headers {
  if (added.size === 0) return headers
  const values = new Map<string, readonly string[]>()
  for (const [name, value] of added) values.set(name, [value])
  for (const name of headers.names()) values.set(name, headers.all(name))
  return headersOf(values)
}

const noValues: readonly string[] = []

function headersOf(values: ReadonlyMap<string, readonly string[]>): Headers {
  return {
    get(name) {
      const all = values.get(name)
      if (all === undefined) return undefined
      return all.length === 1 ? all[0] : all.join(',')
    },
    all: (name) => values.get(name) ?? noValues,
    has: (name) => values.has(name),
    names: () => values.keys(),
  }
}
