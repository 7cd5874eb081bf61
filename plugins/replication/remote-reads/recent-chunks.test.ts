import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { OpenedObject } from '#plugins/storage'
import { chunkRawBytes } from '../pieces/piece-size.ts'
import { remoteObject, serveCopy } from '../testing/remote-object.ts'

const bytes = randomBytes(3 * chunkRawBytes)
const mib = 1024 * 1024

async function readRange(opened: OpenedObject, start: number, end: number): Promise<Buffer> {
  await using object = opened
  const blocks: Uint8Array[] = []
  for await (const block of object.read({ start, end }, { expectsMore: true })) blocks.push(Buffer.from(block))
  return Buffer.concat(blocks)
}

test('reads of neighbours fetch their chunk once, also one after another, and the chunk leaves the memory after a while', async () => {
  await using copy = await serveCopy(bytes)
  await using object = await remoteObject({ bytes, urls: [copy.url], limits: { keep: 200, keptBytesMax: 8 * mib } })
  for (let at = 0; at < 20; at++) {
    const start = at * 30_000
    expect((await readRange(await object.open(), start, start + 999)).equals(bytes.subarray(start, start + 1000))).toBe(true)
  }
  // The first read also computes the chunk roots, from the whole piece.
  expect(copy.ranges.filter((range) => range === `bytes=0-${chunkRawBytes - 1}`)).toHaveLength(1)
  await expect.poll(() => object.reader.usedBytes).toBe(0)
})

test('chunks that are kept give way to a read that needs their memory', async () => {
  await using copy = await serveCopy(bytes)
  const limits = { bytesMax: chunkRawBytes, keep: 3_600_000, keptBytesMax: 8 * mib, memoryWait: 1000 }
  await using object = await remoteObject({ bytes, urls: [copy.url], limits })
  for (const chunk of [0, 1, 2, 0]) {
    const start = chunk * chunkRawBytes + 7
    expect((await readRange(await object.open(), start, start + 99)).equals(bytes.subarray(start, start + 100))).toBe(true)
  }
  expect(object.reader.usedBytes).toBe(chunkRawBytes)
})

test('a chunk that could not be fetched is fetched again by the next read', async () => {
  let isDown = true
  await using copy = await serveCopy(bytes, ({ response, bytes, respond }) => {
    if (isDown) response.writeHead(503).end()
    else respond(bytes)
  })
  await using object = await remoteObject({ bytes, urls: [copy.url] })
  await expect(object.open().then((opened) => readRange(opened, 0, 9))).rejects.toMatchObject({ code: 'content_unavailable' })
  isDown = false
  expect((await readRange(await object.open(), 0, 9)).equals(bytes.subarray(0, 10))).toBe(true)
})
