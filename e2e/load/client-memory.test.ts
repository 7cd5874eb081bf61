/** Connections cost the gateway their own buffers only, also when their clients do not read. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'
import { mib, readResidentMemory, resetPeak } from './resident-memory.ts'

const idleConnections = 1000
const slowReaders = 200
const bucket = 'films'
const key = 'film'
const testMs = 120_000
/** More than a connection can buffer. */
const bytes = Buffer.alloc(24 * mib, 'frames')

const stack = new AsyncDisposableStack()
let svc: ServeProcess
let s3: S3Client
beforeAll(async () => {
  svc = stack.use(await startServe({ settings: { 'server.max_connections_per_client': 2 * (idleConnections + slowReaders) } }))
  s3 = stack.adopt(svc.connect(await svc.createUser()), (client) => client.destroy())
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }))
  // Warm-up: the first reads start threads and grow buffers to their usual size.
  for (let read = 0; read < 2; read++) await readObject()
})
afterAll(() => stack.disposeAsync())

async function readObject(): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

async function open(count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(svc.s3Url)
  const sockets = Array.from({ length: count }, () => stack.adopt(connect(Number(port), hostname), (socket) => void socket.destroy()))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return sockets
}

/** MiB above the use at the start of the work. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  resetPeak(svc.pid)
  const resting = readResidentMemory(svc.pid)
  await work()
  return (readResidentMemory(svc.pid).peakBytes - resting.bytes) / mib
}

test.skipIf(process.platform !== 'linux')(
  '1,000 idle connections take less than 40 KiB each',
  async () => {
    const growth = await growthDuring(async () => {
      await open(idleConnections)
      // Answered behind all of them.
      expect((await readObject()).equals(bytes)).toBe(true)
    })
    expect(growth).toBeLessThan((idleConnections * 40) / 1024)
  },
  testMs,
)

test.skipIf(process.platform !== 'linux')(
  '200 clients that do not read a large object share the memory of transfers, and others can read it',
  async () => {
    const { pathname, search, host } = new URL(await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: key })))
    const growth = await growthDuring(async () => {
      const readers = await open(slowReaders)
      await Promise.all(
        readers.map(async (socket) => {
          socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
          // The first bytes of the answer; no more are read.
          await once(socket, 'readable')
        }),
      )
      expect((await readObject()).equals(bytes)).toBe(true)
    })
    // 16 MiB of blocks, and what the connections and their requests need. A block for each reader would be 100 MiB.
    expect(growth).toBeLessThan(48)
  },
  testMs,
)
