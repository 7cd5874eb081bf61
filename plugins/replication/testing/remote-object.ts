import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Reader } from '#kernel'
import { createFakeClock, runSql, silentLog } from '#kernel/testing'
import type { ProviderClient } from '#plugins/providers'
import type { ObjectVersion, OpenedObject } from '#plugins/storage'
import { openProviderClient } from '../../providers/testing/index.ts'
import { createRemoteReader, type RemoteReader } from '../remote-reads/read-remote.ts'
import type { RemoteReadLimits } from '../remote-reads/remote-read-limits.ts'
import { openStorageRows, type StorageRows } from './storage-rows.ts'

/** A local HTTP server that serves one piece like a provider. */
export interface ServedCopy extends AsyncDisposable {
  readonly url: string
  /** Range headers of the requests; empty for the whole piece. */
  readonly ranges: string[]
  readonly connections: () => number
}

export interface RangeRequest {
  readonly response: ServerResponse
  /** Bytes of the requested range. */
  readonly bytes: Buffer
  /** Resolves when either side has ended the request. */
  readonly isOver: Promise<unknown>
  /** Sends these bytes with the headers of the requested range. */
  respond(bytes: Buffer): void
}

export async function serveCopy(
  bytes: Buffer,
  answer: (request: RangeRequest) => void = (request) => request.respond(request.bytes),
): Promise<ServedCopy> {
  const ranges: string[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const { range } = request.headers
    ranges.push(range ?? '')
    const isOver = once(response, 'close')
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
    if (start === undefined) return answer({ response, bytes, isOver, respond: (given) => void response.end(given) })
    const part = bytes.subarray(Number(start), Number(end) + 1)
    const headers = { 'content-range': `bytes ${start}-${end}/${bytes.length}`, 'content-length': part.length }
    answer({ response, bytes: part, isOver, respond: (given) => void response.writeHead(206, headers).end(given) })
  }).listen(0, '127.0.0.1')
  server.on('connection', () => {
    connections++
  })
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ranges,
    connections: () => connections,
    [Symbol.asyncDispose]() {
      server.closeAllConnections()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}

export interface RemoteObject extends AsyncDisposable {
  readonly rows: StorageRows
  readonly reader: RemoteReader
  /** Number of reads that have found how their bytes are proved. */
  readonly lookups: () => number
  open(): Promise<OpenedObject>
}

export interface RemoteObjectOptions {
  readonly bytes: Buffer
  /** Service URLs of the copies, in order of slot. */
  readonly urls: readonly string[]
  readonly hasDigest?: boolean
  readonly limits?: Partial<RemoteReadLimits>
}

/** Creates an object that is stored at these providers and not cached. */
export async function remoteObject({ bytes, urls, hasDigest = true, limits = {} }: RemoteObjectOptions): Promise<RemoteObject> {
  await using stack = new AsyncDisposableStack()
  const rows = stack.use(await openStorageRows())
  const content = await rows.addContent({ bytes })
  for (const serviceUrl of urls) await rows.addCopy(content, await rows.addDataSet({ serviceUrl }), 'committed')
  if (!hasDigest) await rows.database.write((tx) => runSql(tx, 'update contents set sha256 = null'))
  const clients = new Map<string, ProviderClient>()
  stack.defer(() => clients.forEach((open) => void open.close()))
  const client = (url: string) => {
    const existing = clients.get(url) ?? openProviderClient(url, { allowPrivateNetworks: true })
    clients.set(url, existing)
    return existing
  }
  let lookups = 0
  const { read } = rows.database
  const get = async (...call: Parameters<typeof read.get>) => {
    const row = await read.get(...call)
    lookups += 1
    return row
  }
  const database = {
    ...rows.database,
    read: { get, all: (...call: Parameters<typeof read.all>) => read.all(...call) } as unknown as Reader,
  }
  const reader = stack.use(
    createRemoteReader({
      database,
      providers: { client, report: () => {} },
      clock: createFakeClock(),
      log: silentLog,
      suspect: async () => {},
      limits,
    }),
  )
  const version = { key: 'cat.jpg', versionId: 'v1', size: bytes.length } as ObjectVersion
  const disposal = stack.move()
  return {
    rows,
    reader,
    lookups: () => lookups,
    open: () => reader.open(version, content.contentId),
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}
