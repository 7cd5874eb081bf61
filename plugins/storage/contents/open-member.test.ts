import { expect, test } from 'vitest'
import type { Database } from '#kernel'
import { readAll } from '../testing/object-storage.ts'
import { openMembers } from './open-member.ts'

const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const member = { packId: 7, offset: 132, length: 4, packSize: 300, sha256 }
const pack = Buffer.concat([Buffer.alloc(100), Buffer.from(sha256, 'hex'), Buffer.from('test'), Buffer.alloc(164)])
const database = { read: { get: async () => member } } as unknown as Database
const version = { key: 'a' } as never

/** Opens the member in a source that sends blocks of this length, and ends early behind `sentMax` bytes. */
const open = (blockBytes: number, sentMax = pack.length) =>
  openMembers({ database }, async (whole, contentId) => ({
    version: whole,
    source: 'provider',
    async *read({ start, end } = { start: 0, end: pack.length - 1 }) {
      expect([contentId, whole.size, whole.contentId]).toEqual([7, 300, 7])
      for (let at = start; at <= end && at < sentMax; at += blockBytes) yield pack.subarray(at, Math.min(at + blockBytes, end + 1, sentMax))
    },
    async [Symbol.asyncDispose]() {},
  }))(version, 1)

test.each([1, 3, 32, 33, 1000])('a member arrives in blocks of %i bytes of its pack', async (blockBytes) => {
  expect(Buffer.from(await readAll(await open(blockBytes))).toString()).toBe('test')
  expect(Buffer.from(await readAll(await open(blockBytes), { start: 1, end: 2 })).toString()).toBe('es')
})

test('I-31: a pack that ends within the member is refused', async () => {
  for (const sentMax of [90, 120, 132, 134]) await expect(readAllOf(1000, sentMax)).rejects.toMatchObject({ code: 'content_unavailable' })
})

const readAllOf = async (blockBytes: number, sentMax: number) => readAll(await open(blockBytes, sentMax))
