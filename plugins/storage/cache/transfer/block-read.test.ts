import { expect, test } from 'vitest'
import type { Disk } from '../files/disk.ts'
import { BlockRead } from './block-read.ts'
import { BodyMemory, blockBytes } from './body-memory.ts'

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
  const wanted = { start: 0, end: 2 * blockBytes - 1, expected: { name: 'sha256', hex: 'expected' }, lends: true } as const
  const reading = new BlockRead({ disk, memory, digests: { beginOne: () => digest } }, 0, wanted)
  const blocks = reading.blocks()
  expect((await blocks.next()).value?.length).toBe(blockBytes)
  const last = blocks.next()
  await asked.promise
  await reading[Symbol.asyncDispose]()
  ending.resolve('expected')
  await expect(last).rejects.toThrow('closed during the read')
  expect(memory.stats().usedBytes).toBe(0)
})

test('I-30: in small blocks, the last bytes of a range wait for the comparison of all bytes that are read', async () => {
  const small = () => new Uint8Array(new SharedArrayBuffer(8192))
  const memory = { take: async () => small(), tryTake: small, give() {}, isShort: true } as unknown as BodyMemory
  const disk = {
    read: async (_descriptor: number, bytes: Uint8Array, position: number) => bytes.fill(position / 8192).length,
  } as unknown as Disk
  const digest = { add: async () => {}, end: () => 'computed', [Symbol.dispose]() {} }
  const read = async (hex: string, lends: boolean) => {
    const wanted = { start: 0, end: 65_535, only: { start: 8000, end: 20_000 }, expected: { name: 'blocks', hex }, lends } as const
    const blocks: Buffer[] = []
    try {
      for await (const block of new BlockRead({ disk, memory, digests: { beginOne: () => digest } }, 0, wanted).blocks())
        blocks.push(Buffer.copyBytesFrom(block))
    } catch (error) {
      return { length: Buffer.concat(blocks).length, error }
    }
    return { length: Buffer.concat(blocks).length, last: blocks.at(-1)?.[0], error: undefined }
  }
  for (const lends of [true, false]) {
    expect(await read('computed', lends)).toEqual({ length: 12_001, last: 2, error: undefined })
    const { length, error } = await read('other', lends)
    expect([length, String(error)]).toEqual([8192 + 192, 'DamagedBlob: the cached file is damaged: a block has another CRC-32'])
  }
})
