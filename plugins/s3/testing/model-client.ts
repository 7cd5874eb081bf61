/** Signed requests over kept connections. Any path can be sent, and answers are read without the code under test. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type SignedRequestOptions, signedHeaders } from './signed-request.ts'

export interface WireAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** S3 error code of the body, or empty. */
  readonly code: string
}

export interface XmlNode {
  readonly name: string
  text: string
  readonly children: XmlNode[]
}

type WireRequest = Omit<SignedRequestOptions, 'user'>

/** Sends as `user`. */
export function modelClient(port: number, user: SignedRequestOptions['user']) {
  const agent = new Agent({ keepAlive: true })
  return {
    async send(options: WireRequest): Promise<WireAnswer> {
      const { headers, body } = signedHeaders(port, { ...options, user })
      const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>()
      const sent = request({ port, host: '127.0.0.1', agent, method: options.method, path: options.url, headers }, (response) => {
        buffer(response).then((bytes) => {
          const { statusCode: status = 0, headers } = response
          resolve({ status, headers, bytes, code: status < 300 ? '' : (/<Code>(\w+)<\/Code>/.exec(bytes.toString())?.[1] ?? '') })
        }, reject)
      })
      sent.on('error', reject).end(body)
      return await promise
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/** Percent-encodes every byte but the unreserved ones and the slash. */
export const encodePath = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/')

export const encodeQuery = (query: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(query)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&')

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const token = /<(\/?)(\w+)[^>]*>|<\?[^>]*>|([^<]+)/g

/** The root element. Accepts references to control characters, which S3 writes and XML 1.0 forbids. */
export function readXml(bytes: Buffer): XmlNode {
  const outside: XmlNode = { name: '', text: '', children: [] }
  const open = [outside]
  if (bytes.includes('\r')) throw new Error('a parser would read a carriage return as a line feed: only a reference keeps it')
  for (const [, slash, name, text] of bytes.toString().matchAll(token)) {
    const parent = open.at(-1) ?? outside
    if (text !== undefined) parent.text += decodeEntities(text)
    else if (slash) open.pop()
    else if (name !== undefined) {
      const child: XmlNode = { name, text: '', children: [] }
      parent.children.push(child)
      open.push(child)
    }
  }
  const [root] = outside.children
  if (root === undefined || open.length !== 1) throw new Error(`no XML document: ${bytes}`)
  return root
}

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|(\w+));/gi, (whole, code, name) =>
    code === undefined ? (entities[name] ?? whole) : String.fromCodePoint(Number.parseInt(code, 16)),
  )

/** The texts of the children by name; of several with one name, the first. */
export const fieldsOf = ({ children }: XmlNode): ReadonlyMap<string, string> =>
  new Map(children.toReversed().map(({ name, text }) => [name, text]))

/** All children with this name. */
export const all = ({ children }: XmlNode, name: string): readonly XmlNode[] => children.filter((child) => child.name === name)
