import { expect, test } from 'vitest'
import { BlockRead } from './block-read.ts'
import { BodyMemory, blockBytes } from './body-memory.ts'
import type { Disk } from './disk.ts'

test('I-30: a read that is closed while its bytes are compared yields none of them', async () => {
  const ending = Promise.withResolvers<string>()
  const asked = Promise.withResolvers<void>()
  const digest = {
    add: async () => {},
    end() {
      asked.resolve()
      return ending.promise
    },
    [Symbol.dispose]() {},
  }
  const memory = new BodyMemory()
  const disk = { read: async (_descriptor: number, bytes: Uint8Array) => bytes.length } as unknown as Disk
  const wanted = { start: 0, end: 2 * blockBytes - 1, sha256: 'expected', lends: true }
  const reading = new BlockRead({ disk, memory, digests: { beginSha256: () => digest } }, 0, wanted)
  const blocks = reading.blocks()
  expect((await blocks.next()).value?.length).toBe(blockBytes)
  const last = blocks.next()
  await asked.promise
  await reading[Symbol.asyncDispose]()
  ending.resolve('expected')
  await expect(last).rejects.toThrow('closed during the read')
  expect(memory.stats().usedBytes).toBe(0)
})
