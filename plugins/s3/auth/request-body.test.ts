import { expect, test } from 'vitest'
import { readHeaders } from '../wire/headers.ts'
import { openRequestBody, readWholeBody } from './request-body.ts'

async function read(size: number, pieceBytes: number, bytesMax: number) {
  const content = Buffer.from(Array.from({ length: size }, (_, at) => at % 251))
  // One buffer for every piece: a reader that kept the pieces would see the last one only.
  const piece = Buffer.alloc(pieceBytes)
  async function* wire() {
    for (let at = 0; at < size; at += pieceBytes) yield piece.subarray(0, content.copy(piece, 0, at, at + pieceBytes))
  }
  const headers = readHeaders(['transfer-encoding', 'chunked'])
  const body = await openRequestBody({ wire: wire(), headers, authentication: undefined, defaultChecksum: undefined })
  return { content, whole: await readWholeBody(body, bytesMax, () => {}) }
}

test.each([
  [0, 1],
  [1, 1],
  [16_384, 1],
  [16_385, 1],
  [100_000, 7],
  [100_000, 65_536],
])('a body of %i bytes in pieces of %i is copied into one buffer', async (size, pieceBytes) => {
  const { content, whole } = await read(size, pieceBytes, 100_000)
  expect(whole.equals(content)).toBe(true)
  // Doubling never reserves more than the limit.
  expect(whole.buffer.byteLength).toBeLessThanOrEqual(100_000)
})

test('a body of unknown length above the limit is refused', async () => {
  await expect(read(100_001, 1000, 100_000)).rejects.toMatchObject({ code: 'MalformedXML', closesConnection: true })
})
