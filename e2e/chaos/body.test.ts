import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Body, blockBytes, blocksOf, bodyOf, digestOf, findDifference, joined, sliceOf, sparseBody } from './body.ts'

const all = (body: Body): Buffer => Buffer.concat([...blocksOf(body)])
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

async function* chunksOf(bytes: Buffer, chunkBytes: number) {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

test.each([0, 1, 7, 65_536, 65_541, blockBytes + 1])('a sparse body of %s bytes has the same bytes in any slices', async (length) => {
  const body = await sparseBody(7, length)
  const bytes = all(body)
  expect(bytes).toHaveLength(length)
  expect(body.etag).toBe(md5(bytes))
  for (const [start, end] of [[3, 65_540] as const, [65_537, length] as const]) {
    if (start < end && end <= length) expect(body.slice(start, end).equals(bytes.subarray(start, end))).toBe(true)
  }
  expect(await findDifference(body, chunksOf(bytes, 1000))).toBeUndefined()
  expect(await digestOf('sha256', body)).toBe(createHash('sha256').update(bytes).digest('hex'))
})

test('bodies of other seeds and other places differ', async () => {
  const body = await sparseBody(7, 300_000)
  expect(await findDifference(body, chunksOf(all(await sparseBody(8, 300_000)), 1000))).toContain('other bytes')
  const moved = await sliceOf(body, 65_536, 265_536)
  expect(await findDifference(body, chunksOf(all(moved), 1000), { start: 0, end: 200_000 })).toContain('other bytes')
  expect(await findDifference(body, chunksOf(all(moved), 1000), { start: 65_536, end: 265_536 })).toBeUndefined()
})

test('received bytes that end early or go on are a difference', async () => {
  const body = bodyOf(Buffer.from('0123456789'))
  expect(await findDifference(body, chunksOf(Buffer.from('01234'), 3))).toBe('5 bytes instead of 10')
  expect(await findDifference(body, chunksOf(Buffer.from('01234567891'), 3))).toBe('more than 10 bytes')
  expect(await findDifference(body, chunksOf(Buffer.from('234'), 3), { start: 2, end: 5 })).toBeUndefined()
})

test('joined parts have the bytes of all parts and the ETag of an upload in parts', async () => {
  const parts = [await sparseBody(1, 100_000), bodyOf(Buffer.from('tail'))]
  const whole = joined(parts)
  expect(all(whole).equals(Buffer.concat(parts.map(all)))).toBe(true)
  expect(whole.slice(99_998, 100_002).toString('latin1', 2)).toBe('ta')
  expect(whole.etag).toBe(`${md5(Buffer.from(parts.map(({ etag }) => etag).join(''), 'hex'))}-2`)
})
