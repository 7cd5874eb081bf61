import { array, assert, asyncProperty, constantFrom, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { type ChecksumAlgorithm, checksumLengths, startChecksum } from '#plugins/storage'
import { decodeChecksum, readAnnouncedTrailers, readBodyChecks, readChecksumAlgorithm } from './checksums.ts'
import { readHeaders } from './headers.ts'

async function checksum(algorithm: ChecksumAlgorithm, pieces: readonly Uint8Array[]): Promise<Buffer> {
  const running = await startChecksum(algorithm)
  for (const piece of pieces) running.update(piece)
  return running.digest()
}

test.each([
  ['crc32', 'cbf43926'],
  ['crc32c', 'e3069283'],
  ['crc64nvme', 'ae8b14860a799888'],
  ['sha1', 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
  ['sha256', '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'],
  ['md5', '25f9e794323b453885f5181f1b624d0b'],
  ['xxhash64', '8cb841db40e6ae83'],
  ['xxhash3', '72dcb18b67a17dff'],
  ['xxhash128', '33119477ede5dcd5e9716427681d5860'],
] as const)('%s of the digits 1 to 9 has its published value', async (algorithm, hex) => {
  expect((await checksum(algorithm, [Buffer.from('1234'), Buffer.from('56789')])).toString('hex')).toBe(hex)
})

const algorithms = Object.keys(checksumLengths) as ChecksumAlgorithm[]

test('concurrent checksums are independent', async () => {
  await assert(
    asyncProperty(constantFrom(...algorithms), array(uint8Array(), { minLength: 1 }), async (algorithm, pieces) => {
      const [one, two] = await Promise.all([startChecksum(algorithm), startChecksum(algorithm)])
      for (const piece of pieces) {
        one.update(piece)
        two.update(Buffer.from([...piece, 1]))
      }
      two.digest()
      expect(one.digest()).toEqual(await checksum(algorithm, [Buffer.concat(pieces)]))
    }),
    { numRuns: 60 },
  )
})

function checks(headers: Record<string, string>, trailers: string[] = []) {
  return readBodyChecks(readHeaders(Object.entries(headers).flat()), trailers)
}

test('reads a Content-MD5 and a checksum with its value in a header or a trailer', () => {
  expect(checks({})).toEqual({ md5: undefined, checksum: undefined })
  expect(checks({ 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }).md5).toEqual(Buffer.alloc(16))
  const both = { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-sdk-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' }
  expect(checks(both).checksum).toEqual({ algorithm: 'crc32', value: 'AAAAAA==' })
  expect(checks({ 'x-amz-sdk-checksum-algorithm': 'SHA256' }, ['x-amz-checksum-sha256']).checksum).toEqual({
    algorithm: 'sha256',
    value: undefined,
  })
})

test.each([
  ['a Content-MD5 that is not base64', { 'content-md5': 'not base64!' }, 'InvalidDigest'],
  ['a Content-MD5 of the wrong length', { 'content-md5': 'AAAA' }, 'InvalidDigest'],
  ['a checksum of the wrong length', { 'x-amz-checksum-crc32': 'AAAA' }, 'InvalidRequest'],
  ['a checksum that is not base64', { 'x-amz-checksum-sha1': '***' }, 'InvalidRequest'],
  ['two checksums', { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' }, 'InvalidRequest'],
  ['an announced algorithm without a checksum', { 'x-amz-sdk-checksum-algorithm': 'CRC32' }, 'InvalidRequest'],
  ['another algorithm than announced', { 'x-amz-sdk-checksum-algorithm': 'SHA1', 'x-amz-checksum-crc32': 'AAAAAA==' }, 'InvalidRequest'],
  ['a checksum of the length of another', { 'x-amz-checksum-xxhash128': 'AAAAAAAAAAA=' }, 'InvalidRequest'],
  ['an unknown algorithm', { 'x-amz-checksum-rot13': 'AAAA' }, 'InvalidRequest'],
  ['an algorithm named like an inherited member', { 'x-amz-checksum-constructor': 'AAAA' }, 'InvalidRequest'],
  ['a value given twice', { 'x-amz-checksum-crc32': 'AAAAAA==,AAAAAA==' }, 'InvalidRequest'],
])('rejects %s', (_, headers, code) => {
  expect(() => checks(headers)).toThrow(expect.objectContaining({ code }))
})

test('rejects a checksum in both a header and a trailer, and a malformed one in a trailer', () => {
  expect(() => checks({ 'x-amz-checksum-crc32': 'AAAAAA==' }, ['x-amz-checksum-crc32'])).toThrow(
    expect.objectContaining({ code: 'InvalidRequest' }),
  )
  expect(() => decodeChecksum('crc32', 'AAAA')).toThrow(expect.objectContaining({ code: 'InvalidRequest' }))
})

test('the algorithm that a request asks for is read by its name', () => {
  const read = (name: string) => readChecksumAlgorithm(readHeaders(['x-amz-checksum-algorithm', name]))
  expect(readChecksumAlgorithm(readHeaders([]))).toBeUndefined()
  expect([read('CRC64NVME'), read('sha1')]).toEqual(['crc64nvme', 'sha1'])
  for (const name of ['', 'ROT13', 'constructor']) expect(() => read(name)).toThrow(expect.objectContaining({ code: 'InvalidRequest' }))
})

test('only checksums may be announced as trailers', () => {
  const announced = (value: string) => readAnnouncedTrailers(readHeaders(['X-Amz-Trailer', value]))
  expect(announced('X-Amz-Checksum-Crc32c')).toEqual(['x-amz-checksum-crc32c'])
  expect(announced('')).toEqual([])
  expect(() => announced('x-amz-acl')).toThrow(expect.objectContaining({ code: 'InvalidRequest' }))
})
