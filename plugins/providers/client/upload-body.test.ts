import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { flipByte } from '../../storage/testing/flip-byte.ts'
import { fileBody, joinBodies, sendBody, UploadSourceDamaged, UploadSourceFailed } from './upload-body.ts'

/** A writable that collects the body. */
function request() {
  const blocks: Buffer[] = []
  const into = new Writable({
    write(block: Buffer, _encoding, done) {
      blocks.push(block)
      done()
    },
  })
  return { into, bytes: () => Buffer.concat(blocks) }
}

test.each([
  ['of one block', 1000],
  ['of several blocks', 2_500_000],
])('I-30: a file %s with another SHA-256 than recorded is not sent completely', async (_what, size) => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-upload-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'blob')
  const bytes = randomBytes(size)
  await writeFile(path, bytes)
  const body = fileBody(path, { size, sha256: hash('sha256', bytes) })
  const intact = request()
  await sendBody(body, intact.into, () => {})
  expect(Buffer.compare(intact.bytes(), bytes)).toBe(0)

  await flipByte(path, size - 1)
  const damaged = request()
  await expect(sendBody(body, damaged.into, () => {})).rejects.toThrow(UploadSourceDamaged)
  expect(damaged.into.destroyed).toBe(true)
  expect(damaged.bytes().length).toBeLessThan(size)
})

test('I-30: files sent as one body are each compared with their SHA-256', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-upload-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const files = await Promise.all(
    [1000, 2_500_000, 50].map(async (size, at) => {
      const bytes = randomBytes(size)
      const path = join(directory, String(at))
      await writeFile(path, bytes)
      return { path, size, bytes, sha256: hash('sha256', bytes) }
    }),
  )
  const body = joinBodies(files.map(({ path, ...file }) => fileBody(path, file)))
  const whole = Buffer.concat(files.map(({ bytes }) => bytes))
  const intact = request()
  await sendBody(body, intact.into, () => {})
  expect(Buffer.compare(intact.bytes(), whole)).toBe(0)

  await flipByte(files[1]?.path ?? '', 2_400_000)
  const damaged = request()
  await expect(sendBody(body, damaged.into, () => {})).rejects.toThrow(UploadSourceDamaged)
  // Nothing of the next file follows.
  expect(damaged.bytes().length).toBeLessThan(1000 + 2_500_000)

  await writeFile(files[0]?.path ?? '', 'short')
  await expect(sendBody(body, request().into, () => {})).rejects.toThrow(UploadSourceFailed)
})

test('a provider that does not read gets one block into memory', async () => {
  let pulled = 0
  const body = {
    size: 1024 ** 3,
    async *open() {
      for (;;) {
        pulled++
        yield Buffer.alloc(1_040_384)
      }
    },
  }
  const stalled = new Writable({ write: () => {} })
  const sending = sendBody(body, stalled, () => {})
  for (let turn = 0; turn < 100; turn++) await setImmediate()
  expect(pulled).toBe(1)
  stalled.destroy(new Error('the end of the test'))
  await expect(sending).rejects.toThrow('the end of the test')
})

test('blocks that were sent are not kept until the end of the upload', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const sent: WeakRef<Buffer>[] = []
  let held = 0
  const body = {
    size: 40 * 65_536,
    async *open() {
      for (let block = 0; block < 40; block++) {
        const bytes = Buffer.alloc(65_536)
        sent.push(new WeakRef(bytes))
        yield bytes
        await setImmediate()
      }
      collect()
      held = sent.filter((block) => block.deref() !== undefined).length
    },
  }
  await sendBody(body, new Writable({ write: (_block, _encoding, done) => done() }), () => {})
  expect(held).toBeLessThan(5)
})

test('a request that is closed ends an upload whose disk hangs', async () => {
  const body = { size: 10, open: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }) }
  const { into } = request()
  const sending = sendBody(body, into, () => {})
  into.destroy()
  await expect(sending).rejects.toThrow('the connection was closed')
  await expect(sendBody(body, into, () => {})).rejects.toThrow('the connection was closed')
})

test('an abort that ends the source and the request together is no failure of the local bytes', async () => {
  const aborter = new AbortController()
  const { into } = request()
  const aborted = new Promise<never>((_resolve, reject) => {
    aborter.signal.addEventListener('abort', () => {
      reject(new Error('the lease was lost'))
      into.destroy(new Error('aborted by the caller'))
    })
  })
  const sending = sendBody({ size: 10, open: () => ({ [Symbol.asyncIterator]: () => ({ next: () => aborted }) }) }, into, () => {})
  // The source fails in a microtask, as after a failed renewal: before the event of the request.
  await Promise.resolve()
  aborter.abort()
  const failure = await sending.catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  expect(failure).not.toBeInstanceOf(UploadSourceFailed)
})

test('the memory of a block can be used again when the next one is asked for', async () => {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const received: Buffer[] = []
  server.once('connection', (socket) => setTimeout(() => socket.on('data', (chunk) => received.push(chunk)), 50))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const memory = Buffer.alloc(4_000_000)
  const blocks = 5
  const body = {
    size: blocks * memory.length,
    async *open() {
      for (let block = 0; block < blocks; block++) yield memory.fill(block)
    },
  }
  await sendBody(body, socket, () => {})
  await expect.poll(() => received.reduce((sum, { length }) => sum + length, 0)).toBe(body.size)
  const whole = Buffer.concat(received)
  for (let block = 0; block < blocks; block++) {
    const sent = whole.subarray(block * memory.length, (block + 1) * memory.length)
    expect(sent.every((byte) => byte === block)).toBe(true)
  }
})
