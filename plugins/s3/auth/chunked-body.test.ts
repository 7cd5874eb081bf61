import { createHash } from 'node:crypto'
import { array, assert, asyncProperty, constantFrom, integer, tuple, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { chunkedBody, framingKinds, signedFraming } from '../testing/chunked-body.ts'
import { S3Error } from '../wire/s3-error.ts'
import { type ChunkedBodyOptions, decodeChunkedBody } from './chunked-body.ts'
import { signingKey } from './signing-key.ts'

async function* inPieces(wire: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const ends = [...cuts.map((cut) => cut % (wire.length + 1)), wire.length].sort((a, b) => a - b)
  let at = 0
  for (const end of ends) {
    yield wire.subarray(at, end)
    at = end
  }
}

async function decode(wire: Buffer, options: ChunkedBodyOptions, cuts: readonly number[] = []) {
  const body = decodeChunkedBody(inPieces(wire, cuts), options)
  const pieces: Buffer[] = []
  for await (const piece of body.bytes) pieces.push(Buffer.from(piece))
  return { bytes: Buffer.concat(pieces), trailers: Object.fromEntries(body.trailers) }
}

const unsigned: ChunkedBodyOptions = { trailers: ['x-amz-checksum-crc32'] }

const documentedKey = signingKey('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', '20130524', 'us-east-1')
const documentedSigning = { key: documentedKey, amzDate: '20130524T000000Z', scope: '20130524/us-east-1/s3/aws4_request' }

function documentedChunks(signatures: [string, string, string]): string {
  const [first, second, last] = signatures
  return `10000;chunk-signature=${first}\r\n${'a'.repeat(65536)}\r\n400;chunk-signature=${second}\r\n${'a'.repeat(1024)}\r\n0;chunk-signature=${last}\r\n`
}

test('decodes the signed chunked upload that AWS publishes', async () => {
  const wire = documentedChunks([
    'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
    '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
    'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
  ])
  const seed = '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9'
  const { bytes } = await decode(Buffer.from(`${wire}\r\n`), { signed: { signing: documentedSigning, seed }, decodedLength: 66560 })
  expect(bytes.equals(Buffer.alloc(66560, 'a'))).toBe(true)
})

test('decodes the signed chunked upload with a trailer that AWS publishes', async () => {
  const wire = documentedChunks([
    'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
    '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
    '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
  ])
  const trailer =
    'x-amz-checksum-crc32c:sOO8/Q==\n\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n'
  const seed = '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e'
  const { trailers } = await decode(Buffer.from(wire + trailer), {
    signed: { signing: documentedSigning, seed },
    trailers: ['x-amz-checksum-crc32c'],
  })
  expect(trailers).toEqual({ 'x-amz-checksum-crc32c': 'sOO8/Q==' })
})

test('decodes the end of an unsigned trailer that AWS documents and minio-go sends', async () => {
  const wire = Buffer.from('3\r\nabc\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\n\r\n\r\n')
  for (let cut = 0; cut <= wire.length; cut++) {
    expect(await decode(wire, unsigned, [cut])).toEqual({ bytes: Buffer.from('abc'), trailers: { 'x-amz-checksum-crc32': 'AAAAAA==' } })
  }
  await expect(decode(wire.subarray(0, -1), unsigned)).rejects.toMatchObject({ code: 'IncompleteBody' })
  for (const more of ['\r\n', '\n', 'x']) {
    await expect(decode(Buffer.concat([wire, Buffer.from(more)]), unsigned)).rejects.toMatchObject({ code: 'IncompleteBody' })
  }
})

const contents = array(uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 5 }).map((chunks) =>
  chunks.map((chunk) => Buffer.from(chunk)),
)
const cuts = array(integer({ min: 0, max: 4096 }), { maxLength: 12 })

test('the received bytes decode to the same object, however they are split', async () => {
  await assert(
    asyncProperty(constantFrom(...framingKinds), contents, cuts, async (kind, chunks, at) => {
      const { wire, options, trailers } = chunkedBody(kind, chunks)
      const decoded = await decode(wire, options, at)
      expect(decoded.bytes.equals(Buffer.concat(chunks))).toBe(true)
      expect(decoded.trailers).toEqual(trailers)
    }),
    { numRuns: 200 },
  )
})

test('every flipped byte of a signed body is rejected, unless it changes neither the object nor its trailers', async () => {
  await assert(
    asyncProperty(
      tuple(constantFrom('signed', 'signed-trailer'), contents, integer({ min: 0 }), integer({ min: 1, max: 255 })),
      async (drawn) => {
        const [kind, chunks, position, flip] = drawn
        const { wire, options, trailers } = chunkedBody(kind, chunks)
        const at = position % wire.length
        wire[at] = (wire[at] ?? 0) ^ flip
        // The case of hexadecimal sizes and trailer names is not signed.
        const outcome = await decode(wire, options).catch((error: unknown) => error)
        if (outcome instanceof S3Error) return
        expect(outcome).toEqual({ bytes: Buffer.concat(chunks), trailers })
      },
    ),
    { numRuns: 400 },
  )
})

test('every truncated body is rejected as incomplete', async () => {
  await assert(
    asyncProperty(constantFrom(...framingKinds), contents, integer({ min: 0 }), async (kind, chunks, position) => {
      const { wire, options } = chunkedBody(kind, chunks)
      await expect(decode(wire.subarray(0, position % wire.length), options)).rejects.toMatchObject({ code: 'IncompleteBody' })
    }),
    { numRuns: 200 },
  )
})

test('bytes are delivered before their chunk is complete', async () => {
  const { wire, options } = chunkedBody('signed', [Buffer.alloc(100_000, 'x')])
  const body = decodeChunkedBody(inPieces(wire, [5_000, 6_000]), options)
  const first = await body.bytes[Symbol.asyncIterator]().next()
  expect(first.value?.length).toBeGreaterThan(4_000)
})

const malformed: [string, string, ChunkedBodyOptions, string][] = [
  ['a chunk size that is not a number', 'xyz\r\nabc\r\n0\r\n\r\n', {}, 'IncompleteBody'],
  ['a negative chunk size', '-3\r\nabc\r\n0\r\n\r\n', {}, 'IncompleteBody'],
  ['a chunk longer than its size', '3\r\nabcd\r\n0\r\n\r\n', {}, 'IncompleteBody'],
  ['a chunk line without carriage return', '3\nabc\r\n0\r\n\r\n', {}, 'IncompleteBody'],
  ['an endless chunk line', 'a'.repeat(2_000), {}, 'IncompleteBody'],
  ['bytes after the end', '0\r\n\r\nmore', {}, 'IncompleteBody'],
  ['bytes after the trailers', '0\r\nx-amz-checksum-crc32:A\r\n\r\nmore\r\n', unsigned, 'IncompleteBody'],
  ['fewer bytes than announced', '3\r\nabc\r\n0\r\n\r\n', { decodedLength: 4 }, 'IncompleteBody'],
  ['more bytes than announced', '3\r\nabc\r\n0\r\n\r\n', { decodedLength: 2 }, 'IncompleteBody'],
  ['a chunk without signature', '3\r\nabc\r\n', { signed: { signing: documentedSigning, seed: '' } }, 'IncompleteBody'],
  ['a missing trailer', '3\r\nabc\r\n0\r\n\r\n', unsigned, 'MalformedTrailerError'],
  ['an unannounced trailer', '0\r\nx-amz-checksum-sha1:AA==\r\n\r\n', unsigned, 'MalformedTrailerError'],
  ['a trailer without colon', '0\r\nx-amz-checksum-crc32\r\n\r\n', unsigned, 'MalformedTrailerError'],
  ['a repeated trailer', '0\r\nx-amz-checksum-crc32:A\r\nx-amz-checksum-crc32:A\r\n\r\n', unsigned, 'MalformedTrailerError'],
  ['an endless trailer', `0\r\nx-amz-checksum-crc32:${'A'.repeat(20_000)}`, unsigned, 'MalformedTrailerError'],
]

test.each(malformed)('rejects %s', async (_, wire, options, code) => {
  await expect(decode(Buffer.from(wire), options)).rejects.toMatchObject({ code, closesConnection: true })
})

test('a chunk signed with another key is rejected as a wrong signature', async () => {
  const { wire, options } = chunkedBody('signed', [Buffer.from('abc')])
  const other = { ...signedFraming.signing, key: signingKey('another secret', '20260101', 'us-east-1') }
  await expect(decode(wire, { ...options, signed: { ...signedFraming, signing: other } })).rejects.toMatchObject({
    code: 'SignatureDoesNotMatch',
    status: 403,
  })
})

test('a body of many chunks keeps its hash', async () => {
  const chunks = Array.from({ length: 64 }, (_, index) => Buffer.alloc(8_192, index))
  const { wire, options } = chunkedBody('signed-trailer', chunks)
  const { bytes } = await decode(wire, options, [1, 77, 8_200, 9_000])
  const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
  expect(sha256(bytes)).toBe(sha256(Buffer.concat(chunks)))
})
