import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { BlockChecksums, checkedBytes, checkedRange, checksumsOf } from './block-checksums.ts'

test('however the bytes are split, each block of 64 KiB has its CRC-32, big-endian', () => {
  const bytes = randomBytes(3 * checkedBytes + 5)
  const expected = [0, 1, 2, 3].map((block) => {
    const checksum = Buffer.alloc(4)
    checksum.writeUInt32BE(crc32(bytes.subarray(block * checkedBytes, (block + 1) * checkedBytes)))
    return checksum.toString('hex')
  })
  for (const step of [1000, checkedBytes, checkedBytes + 1, bytes.length]) {
    const checksums = new BlockChecksums()
    for (let at = 0; at < bytes.length; at += step) checksums.add(bytes.subarray(at, at + step))
    expect(checksums.toBytes().toString('hex')).toBe(expected.join(''))
  }
  expect(checksumsOf(bytes).toString('hex')).toBe(expected.join(''))
})

const blocksOf = (first: number, last: number) => ({
  blocks: { first, last, count: 3 },
  place: { from: 4 * first, bytes: 4 * (last - first + 1) },
})

test.each([
  [
    { start: 0, end: 0 },
    { start: 0, end: checkedBytes - 1, ...blocksOf(0, 0) },
  ],
  [
    { start: checkedBytes - 1, end: checkedBytes },
    { start: 0, end: 2 * checkedBytes - 1, ...blocksOf(0, 1) },
  ],
  [
    { start: 2 * checkedBytes, end: 2 * checkedBytes + 9 },
    { start: 2 * checkedBytes, end: 2 * checkedBytes + 9, ...blocksOf(2, 2) },
  ],
])('of 131082 bytes, the blocks of %j are %j', (range, expected) => {
  expect(checkedRange(range, 2 * checkedBytes + 10)).toEqual(expected)
})

test('the checksums of 200 files of 1 GiB fit in a hashing thread', async () => {
  // Blocks of 64 bytes: as many checksums, from fewer bytes.
  const code = `import(${JSON.stringify(new URL('./block-checksums.ts', import.meta.url).href)}).then(({ BlockChecksums }) => {
    const bytes = new Uint8Array(1024 * 1024)
    globalThis.kept = Array.from({ length: 200 }, () => {
      const checksums = new BlockChecksums(64)
      checksums.add(bytes)
      return checksums
    })
    require('node:worker_threads').parentPort.postMessage(kept.at(-1).toBytes().length)
  })`
  const worker = new Worker(code, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 } })
  const [bytes] = await once(worker, 'message')
  expect(bytes).toBe(4 * 16 * 1024)
  await worker.terminate()
})
