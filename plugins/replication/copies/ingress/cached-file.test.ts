import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { UploadSourceDamaged } from '#plugins/providers'
import { sendBody } from '../../../providers/testing/index.ts'
import { createPieceCalculator } from '../../pieces/piece-calculator.ts'
import { pieceOf } from '../../pieces/testing/piece-of.ts'
import type { Pipeline } from '../../pipeline.ts'
import { cachedBody, calculatePiece } from './cached-file.ts'
import { prepareUpload } from './prepare-upload.ts'

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function cachedFile(bytes: Uint8Array, sha256 = sha256Of(bytes)) {
  const dir = mkdtempSync(join(tmpdir(), 'svc-cached-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'blob')
  writeFileSync(path, bytes)
  const { length: size } = bytes
  return { size, segments: [{ path, size, sha256 }], blobId: 'blob' }
}

async function sent(body: ReturnType<typeof cachedBody>): Promise<Buffer> {
  const wire = new PassThrough()
  const [received] = await Promise.all([buffer(wire), sendBody(body, wire, () => {})])
  return received
}

test.each([1, 64, 126, 127, 128])(
  'the piece of a content of %i bytes is padded with zeros to 127, and its CID is that of the padded bytes',
  async (size) => {
    const bytes = randomBytes(size)
    const file = cachedFile(bytes)
    const padded = Buffer.concat([bytes, Buffer.alloc(Math.max(0, 127 - size))])
    const body = cachedBody(file)
    expect(body.size).toBe(padded.length)
    expect((await sent(body)).equals(padded)).toBe(true)
    // A retry opens the body again.
    expect((await sent(body)).equals(padded)).toBe(true)
    await using pieces = createPieceCalculator({ threads: 1 })
    const deps = { pieces } as unknown as Pipeline
    const { signal } = new AbortController()
    const expected = { pieceCid: pieceOf(padded).pieceCid, sha256s: [sha256Of(bytes)] }
    expect(await calculatePiece(deps, file, signal)).toMatchObject(expected)
    // Read once: the same bytes are sent.
    const small = await prepareUpload(deps, { file, pieceCid: null }, signal)
    expect(small).toMatchObject({ pieceCid: expected.pieceCid, piece: expected })
    expect((await sent(small.body)).equals(padded)).toBe(true)
    const known = await prepareUpload(deps, { file, pieceCid: expected.pieceCid }, signal)
    expect((await sent(known.body)).equals(padded)).toBe(true)
  },
)

test('I-30: a damaged file of a padded piece is not sent completely', async () => {
  const file = cachedFile(Buffer.from('damaged'), sha256Of(Buffer.from('intact.')))
  const wire = new PassThrough()
  let received = 0
  wire.on('data', (block: Buffer) => {
    received += block.length
  })
  wire.on('error', () => {})
  await expect(sendBody(cachedBody(file), wire, () => {})).rejects.toThrow(UploadSourceDamaged)
  expect(received).toBeLessThan(127)
})
