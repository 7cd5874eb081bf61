import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { flipByte } from '../../testing/flip-byte.ts'
import { realDisk } from '../files/disk.ts'
import { GrowingFile } from './growing-file.ts'

const kib = 1024
/** Short writes, and one across several blocks of 256 KiB. */
const lengths = [1, 100 * kib, 200 * kib + 3, 700 * kib, 5]

async function openFile() {
  const dir = await mkdtemp(join(tmpdir(), 'svc-growing-file-'))
  const path = join(dir, 'file')
  const descriptor = await realDisk.create(path)
  let damage = 0
  const file = new GrowingFile(() => {
    damage += 1
  })
  let written: Buffer = Buffer.alloc(0)
  return {
    path,
    damage: () => damage,
    written: () => written,
    async write(length: number): Promise<void> {
      const chunks = [randomBytes(Math.floor(length / 3)), randomBytes(length - Math.floor(length / 3))]
      await realDisk.write(descriptor, chunks, written.length)
      written = Buffer.concat([written, ...chunks])
      file.grow(path, chunks)
    },
    complete: () => file.complete(),
    /** The yielded bytes, the position of the first other one, and the number of memories of the blocks. */
    async follow(range: Parameters<GrowingFile['follow']>[1]) {
      const blocks = file.follow(realDisk, range, new AbortController().signal)
      const yielded: Uint8Array[] = []
      const memories = new Set<ArrayBufferLike>()
      for (;;) {
        const next = await blocks.next()
        if (next.done) return { bytes: Buffer.concat(yielded), reached: next.value, memories: memories.size }
        yielded.push(range.lends ? Buffer.from(next.value) : next.value)
        memories.add(next.value.buffer)
      }
    },
    async [Symbol.asyncDispose]() {
      await realDisk.close(descriptor)
      await rm(dir, { recursive: true })
    },
  }
}

test('followers get the bytes of any range, whatever the lengths of the writes', async () => {
  await using file = await openFile()
  const size = lengths.reduce((sum, length) => sum + length, 0)
  const ranges = [
    { start: 0, end: size - 1 },
    { start: 250 * kib, end: 300 * kib },
    { start: 256 * kib - 1, end: 256 * kib },
    { start: 512 * kib, end: 512 * kib },
    { start: size - 2, end: size - 1 },
  ]
  const during = ranges.map(file.follow)
  for (const length of lengths) await file.write(length)
  file.complete()
  for (const [at, { start, end }] of ranges.entries()) {
    for (const followed of [await during[at], await file.follow({ start, end })]) {
      expect(followed?.bytes.equals(file.written().subarray(start, end + 1))).toBe(true)
      expect(followed?.reached).toBe(end + 1)
    }
  }
  expect(file.damage()).toBe(0)
})

test('blocks that are lent use two memories in turn, so that one is hashed while the next one is read; others are kept', async () => {
  await using file = await openFile()
  await file.write(1300 * kib)
  file.complete()
  const range = { start: 3, end: 1300 * kib - 1 }
  for (const [lends, memories] of [
    [true, 2],
    [false, 6],
  ] as const) {
    const followed = await file.follow({ ...range, lends })
    expect(followed.bytes.equals(file.written().subarray(3))).toBe(true)
    expect(followed.memories).toBe(memories)
  }
})

test('blocks that are lent are right when the file grows within a block', async () => {
  await using file = await openFile()
  const following = file.follow({ start: 0, end: 999_999, lends: true })
  for (let written = 0; written < 1_000_000; written += 50_000) {
    await file.write(50_000)
    await new Promise(setImmediate)
  }
  file.complete()
  expect((await following).bytes.equals(file.written())).toBe(true)
})

test('a follower ends before a block whose bytes are not those that were written, also one that is still short', async () => {
  await using file = await openFile()
  for (const length of [300 * kib, 50 * kib, 10 * kib]) await file.write(length)
  await flipByte(file.path, 320 * kib)
  const whole = await file.follow({ start: 0, end: 400 * kib })
  expect(whole.bytes.equals(file.written().subarray(0, 256 * kib))).toBe(true)
  const range = await file.follow({ start: 310 * kib, end: 312 * kib })
  expect([whole.reached, range.reached, range.bytes.length]).toEqual([256 * kib, 310 * kib, 0])
  expect(file.damage()).toBe(2)
  await file.write(400 * kib)
  expect((await file.follow({ start: 512 * kib, end: 700 * kib })).reached).toBe(700 * kib + 1)
})
