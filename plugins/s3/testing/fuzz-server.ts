/** A server for fuzz tests: hostile connections, the form of every answer, and the resources that must be free afterwards. */
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'vitest'
import { owner, startStoredServer } from './test-server.ts'

interface FuzzAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
  /** S3 error code of the body, or empty. */
  readonly code: string
}

interface HostileClient {
  /** Written one after another. */
  readonly pieces: readonly (string | Buffer)[]
  /** What the client does after its last byte: closes its side and reads on, or resets the connection. */
  readonly ending?: 'half-close' | 'reset'
  /** Methods of the requests, in order: the answer to HEAD has no body. Default: none is HEAD. */
  readonly methods?: readonly string[]
}

/** Growth that is no leak: the memory that transfers share (32 MiB, at the first use), pools, compiled code, caches. */
const heldBytesMax = 80 * 1024 * 1024
/** Opened at the first use and kept, such as a connection to the database. Attacks that leak files leak more. */
const keptFilesMax = 4

const continued = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')
const blankLine = Buffer.from('\r\n\r\n')

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Has the bucket `photos` with the object `seed`. */
export async function startFuzzServer(seed: Buffer, options: Parameters<typeof startStoredServer>[0] = {}) {
  const server = await startStoredServer(options)
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  expect(await server.send({ method: 'PUT', url: '/photos/seed', body: seed, user: owner })).toMatchObject({ status: 200 })
  collectGarbage()
  const before = { files: openFiles(), bytes: heldBytes() }
  return {
    ...server,
    /** The answers until the server closes the connection. */
    async attack({ pieces, ending = 'half-close', methods = [] }: HostileClient): Promise<readonly FuzzAnswer[]> {
      const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
      const received: Buffer[] = []
      const { promise, resolve } = Promise.withResolvers<void>()
      // A server that refuses early may reset the connection while the request is being sent.
      socket.on('error', () => {}).once('close', () => resolve())
      socket.on('data', (bytes: Buffer) => void received.push(bytes)).once('end', () => socket.destroy())
      for (const piece of pieces) if (piece.length > 0) await new Promise((sent) => socket.write(piece, sent))
      if (ending === 'reset') socket.resetAndDestroy()
      else socket.end()
      await promise
      return readAnswers(Buffer.concat(received), methods)
    },
    /** Fails unless the server answers, and holds no object, room in the cache, file or memory of the attacks. */
    async expectRest(): Promise<void> {
      const { storage } = server
      expect(await server.send({ method: 'GET', url: '/photos/seed', user: owner })).toMatchObject({ status: 200 })
      await expect.poll(() => [storage.openCount(), storage.cache.stats().reservedBytes]).toEqual([0, 0])
      await expect.poll(openFiles).toBeLessThanOrEqual(before.files + keptFilesMax)
      collectGarbage()
      expect(heldBytes() - before.bytes).toBeLessThan(heldBytesMax)
      await storage.expectSound()
    },
  }
}

/** Zero where the system does not list them. */
function openFiles(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
}

function heldBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function readAnswers(stream: Buffer, methods: readonly string[]): readonly FuzzAnswer[] {
  const answers: FuzzAnswer[] = []
  let at = 0
  while (at < stream.length) {
    if (stream.subarray(at, at + continued.length).equals(continued)) {
      at += continued.length
      continue
    }
    const headEnd = stream.indexOf(blankLine, at)
    if (headEnd < 0) throw new Error(`an answer without the end of its head: ${stream.subarray(at, at + 200)}`)
    const [statusLine = '', ...lines] = stream.toString('latin1', at, headEnd).split('\r\n')
    const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    const hasBody = methods[answers.length] !== 'HEAD' && status !== 204 && status !== 304
    const end = headEnd + blankLine.length + (hasBody ? Number(headers.get('content-length') ?? 0) : 0)
    const body = stream.subarray(headEnd + blankLine.length, end)
    answers.push({ status, headers, body, code: /<Code>(\w+)<\/Code>/.exec(body.toString())?.[1] ?? '' })
    at = end
  }
  return answers
}

/** Fails unless the answer is a success or a complete S3 error other than an internal one. */
export function expectWellFormed({ status, headers, body, code }: FuzzAnswer, method = 'GET'): void {
  expect(headers.get('x-amz-request-id')).toMatch(/^[0-9A-F]{16}$/)
  expect(status).toBeGreaterThanOrEqual(200)
  expect([500, 502, 504]).not.toContain(status)
  if (status < 300 || status === 304 || method === 'HEAD') return
  expect(headers.get('content-type')).toBe('application/xml')
  expect(code).not.toBe('')
  expect(body.length).toBe(Number(headers.get('content-length')))
  expect(body.toString()).toMatch(/^<\?xml [^>]*\?>\n<Error>.*<RequestId>.*<\/Error>$/s)
}
