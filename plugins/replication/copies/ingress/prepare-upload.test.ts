import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UploadSourceDamaged, UploadSourceFailed } from '#plugins/providers'
import type { CachedFile } from '#plugins/storage'
import { bodyBytes, sendBody } from '../../../providers/testing/index.ts'
import { createPieceCalculator, type PieceCalculator } from '../../pieces/piece-calculator.ts'
import { smallPieceBytesMax } from '../../pieces/small-piece.ts'
import { pieceOf } from '../../pieces/testing/piece-of.ts'
import type { Pipeline } from '../../pipeline.ts'
import { calculatePiece } from './cached-file.ts'
import { prepareUpload, readOnceBytesMax } from './prepare-upload.ts'

const { signal } = new AbortController()

interface OneFile extends CachedFile {
  readonly path: string
  readonly sha256: string
}

function cache(bytes: Buffer): OneFile {
  const dir = mkdtempSync(join(tmpdir(), 'svc-prepare-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'blob')
  writeFileSync(path, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { path, sha256, size: bytes.length, segments: [{ path, size: bytes.length, sha256 }], blobId: 'blob' }
}

/** Counts the calculations in threads. */
function depsWith(): { readonly deps: Pipeline; readonly calculated: string[] } {
  const calculator = createPieceCalculator({ threads: 1 })
  onTestFinished(() => calculator[Symbol.asyncDispose]())
  const calculated: string[] = []
  const pieces: Partial<PieceCalculator> = {
    read: (source) => calculator.read(source),
    calculate: (source: Parameters<typeof calculator.calculate>[0]) => {
      calculated.push(...('bytes' in source ? ['memory'] : ('files' in source ? source.files : [source]).map(({ path }) => path)))
      return calculator.calculate(source)
    },
  }
  return { deps: { pieces } as unknown as Pipeline, calculated }
}

test.each([1, 126, 127, smallPieceBytesMax, smallPieceBytesMax + 1, readOnceBytesMax])(
  'I-30: a file of %i bytes is read once: the bytes that gave the piece and the SHA-256 are those that are sent',
  async (size) => {
    const { deps, calculated } = depsWith()
    const bytes = randomBytes(size)
    const file = cache(bytes)
    const { body, piece, pieceCid } = await prepareUpload(deps, { file, pieceCid: null }, signal)
    // Damage after the read cannot reach the provider.
    writeFileSync(file.path, randomBytes(size))
    expect((await bodyBytes(body)).equals(Buffer.concat([bytes], Math.max(size, 127)))).toBe(true)
    expect([piece?.sha256s[0], piece?.pieceCid]).toEqual([file.sha256, pieceCid])
    expect(calculated).toEqual(size > smallPieceBytesMax ? ['memory'] : [])
    expect(pieceCid).toBe(pieceOf(Buffer.concat([bytes], Math.max(size, 127))).pieceCid)
  },
)

test.each([4096, 40_960])('I-30: a file of %i bytes with other bytes than the content gives no upload', async (size) => {
  const { deps } = depsWith()
  const file = cache(randomBytes(size))
  writeFileSync(file.path, randomBytes(size))
  await expect(prepareUpload(deps, { file, pieceCid: null }, signal)).rejects.toThrow(UploadSourceDamaged)
  writeFileSync(file.path, randomBytes(size - 1))
  await expect(prepareUpload(deps, { file, pieceCid: null }, signal)).rejects.toThrow(UploadSourceFailed)
})

test.each([4096, 40_960])('a missing file of %i bytes is a fault of the source', async (size) => {
  const { deps } = depsWith()
  const file = cache(randomBytes(size))
  rmSync(file.path)
  await expect(prepareUpload(deps, { file, pieceCid: null }, signal)).rejects.toThrow(UploadSourceFailed)
})

test.each([
  ['a file that is too large for memory', [readOnceBytesMax + 1]],
  ['several files', [2_000_000, 1, 3_000_000]],
  ['files that are padded', [50, 60]],
])('I-30: %s: each byte is read once, hashed and sent', async (_what, sizes) => {
  const { deps, calculated } = depsWith()
  const all = sizes.map((size) => randomBytes(size))
  const files = all.map(cache)
  const bytes = Buffer.concat(all)
  const file = { size: bytes.length, segments: files.flatMap(({ segments }) => segments), blobId: 'blob' }
  const prepared = await prepareUpload(deps, { file, pieceCid: null }, signal)
  expect([prepared.pieceCid, prepared.piece, calculated]).toEqual([null, undefined, []])
  const sentPiece = () => ('sentPiece' in prepared ? prepared.sentPiece() : 'known before')
  expect(sentPiece()).toBeUndefined()
  const padded = Buffer.concat([bytes], Math.max(bytes.length, 127))
  expect((await bodyBytes(prepared.body)).equals(padded)).toBe(true)
  const sha256s = files.map(({ sha256 }) => sha256)
  expect(sentPiece()).toEqual({ ...pieceOf(padded), sha256s })
})

test('a file that is gone, or shorter, fails with its name', async () => {
  const { deps } = depsWith()
  const file = cache(randomBytes(readOnceBytesMax + 1))
  const prepared = () => prepareUpload(deps, { file, pieceCid: null }, signal)
  const send = async () => sendBody((await prepared()).body, new Writable({ write: (_block, _encoding, done) => done() }), () => {})
  writeFileSync(file.path, randomBytes(readOnceBytesMax))
  await expect(send()).rejects.toThrow(
    new UploadSourceFailed(`${file.path} ends at byte ${readOnceBytesMax}, expected ${readOnceBytesMax + 1}`),
  )
  rmSync(file.path)
  await expect(send()).rejects.toThrow(new UploadSourceFailed(`there is no file at ${file.path}`))
})

test('I-30: a damaged file of several is not sent completely, nor are the files after it, and there is no piece', async () => {
  const { deps } = depsWith()
  const files = [cache(randomBytes(3_000_000)), cache(randomBytes(3_000_000))] as const
  writeFileSync(files[0].path, randomBytes(3_000_000))
  const file = { size: 6_000_000, segments: files.flatMap(({ segments }) => segments), blobId: 'blob' }
  const prepared = await prepareUpload(deps, { file, pieceCid: null }, signal)
  let received = 0
  const wire = new Writable({
    write(block: Buffer, _encoding, done) {
      received += block.length
      done()
    },
  })
  await expect(sendBody(prepared.body, wire, () => {})).rejects.toThrow(UploadSourceDamaged)
  expect(received).toBeLessThan(3_000_000)
  expect('sentPiece' in prepared && prepared.sentPiece()).toBeUndefined()
})

test('a known piece is not calculated again', async () => {
  const { deps, calculated } = depsWith()
  const { pieceCid, piece } = await prepareUpload(deps, { file: cache(randomBytes(4096)), pieceCid: 'known' }, signal)
  expect([pieceCid, piece, calculated]).toEqual(['known', undefined, []])
})

describe('a content in the database', () => {
  const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const inDatabase = (bytes: Buffer, sha256 = sha256Of(bytes)): CachedFile => ({
    size: bytes.length,
    segments: [{ bytes, size: bytes.length, sha256 }],
    blobId: 'blob',
  })

  test.each([1, 126, smallPieceBytesMax])('of %i bytes has the piece of a file with these bytes, and they are sent', async (size) => {
    const { deps, calculated } = depsWith()
    const bytes = randomBytes(size)
    const asFile = await prepareUpload(deps, { file: cache(bytes), pieceCid: null }, signal)
    const { body, piece, pieceCid } = await prepareUpload(deps, { file: inDatabase(bytes), pieceCid: null }, signal)
    expect({ piece, pieceCid }).toEqual({ piece: asFile.piece, pieceCid: asFile.pieceCid })
    const padded = Buffer.concat([bytes], Math.max(size, 127))
    expect((await bodyBytes(body)).equals(padded)).toBe(true)
    expect(await calculatePiece(deps, inDatabase(bytes), signal)).toEqual(piece)
    const known = await prepareUpload(deps, { file: inDatabase(bytes), pieceCid }, signal)
    expect((await bodyBytes(known.body)).equals(padded)).toBe(true)
    expect(calculated).toEqual([])
  })

  test('I-30: with other bytes it gives no upload, also of a known piece', async () => {
    const { deps } = depsWith()
    const file = inDatabase(randomBytes(1000), sha256Of(randomBytes(1000)))
    await expect(prepareUpload(deps, { file, pieceCid: null }, signal)).rejects.toThrow(UploadSourceDamaged)
    await expect(prepareUpload(deps, { file, pieceCid: 'known' }, signal)).rejects.toThrow(UploadSourceDamaged)
    await expect(calculatePiece(deps, file, signal)).rejects.toThrow(UploadSourceDamaged)
  })
})
