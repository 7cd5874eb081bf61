import { array, assert, asyncProperty, constantFrom, integer, nat, property, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { checksumLengths, startChecksum } from '#plugins/storage'
import { type CrcAlgorithm, crcAlgorithms } from './checksum-algorithms.ts'
import { combineCrcs } from './combine-crc.ts'

async function crcOf(algorithm: CrcAlgorithm, bytes: Uint8Array): Promise<Buffer> {
  const running = await startChecksum(algorithm)
  running.update(bytes)
  return running.digest()
}

test('the combined CRC of parts is that of all bytes', async () => {
  const parts = array(uint8Array({ maxLength: 300 }), { maxLength: 6 })
  await assert(
    asyncProperty(constantFrom(...crcAlgorithms), parts, async (algorithm, bytes) => {
      const crcs = await Promise.all(bytes.map(async (part) => ({ digest: await crcOf(algorithm, part), size: part.length })))
      expect(combineCrcs(algorithm, crcs)).toEqual(await crcOf(algorithm, Buffer.concat(bytes)))
    }),
    { numRuns: 300 },
  )
})

test.each(crcAlgorithms)('the %s of parts of mebibytes with equal and other lengths is that of all bytes', async (algorithm) => {
  const sizes = [1_048_576, 1_048_576, 1_048_576, 1_048_577, 3, 0, 65_536]
  const bytes = sizes.map((size, at) => Buffer.alloc(size, `part ${at} of the object`))
  const crcs = await Promise.all(bytes.map(async (part) => ({ digest: await crcOf(algorithm, part), size: part.length })))
  expect(combineCrcs(algorithm, crcs)).toEqual(await crcOf(algorithm, Buffer.concat(bytes)))
})

test('combining is associative for lengths above 32 bits', async () => {
  const part = (algorithm: CrcAlgorithm) => (seed: number) => Buffer.alloc(checksumLengths[algorithm], `${seed} seed`)
  const size = integer({ min: 0, max: 5 * 1024 ** 4 })
  await assert(
    property(constantFrom(...crcAlgorithms), nat(), array(size, { minLength: 3, maxLength: 3 }), (algorithm, seed, sizes) => {
      const [first, second, third] = sizes.map((bytes, at) => ({ digest: part(algorithm)(seed + at), size: bytes }))
      if (!first || !second || !third) throw new Error('three parts are drawn')
      const tail = { digest: combineCrcs(algorithm, [second, third]), size: second.size + third.size }
      expect(combineCrcs(algorithm, [first, tail])).toEqual(combineCrcs(algorithm, [first, second, third]))
    }),
  )
})

test('no parts have the CRC of no bytes', async () => {
  for (const algorithm of crcAlgorithms) expect(combineCrcs(algorithm, [])).toEqual(await crcOf(algorithm, Buffer.alloc(0)))
})
