import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPieceWorker } from './hashing-thread.ts'
import type { CalculatedPiece } from './piece-calculation.ts'
import { createPieceCalculator, type PieceCalculator } from './piece-calculator.ts'
import type { DropRequest, SegmentAnswer, SegmentRequest } from './piece-worker.ts'
import { patternBytes } from './testing/pattern-bytes.ts'
import { pieceOf } from './testing/piece-of.ts'
import { unresponsiveWorker } from './testing/unresponsive-worker.ts'
import { watchedWorker } from './testing/watched-worker.ts'

const mib = 1024 * 1024
/** Ten blocks, the last one odd. */
const largeBytes = 9 * mib + 12_345
const large = patternBytes(largeBytes)

let folder: string
let path: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-read-'))
  path = join(folder, 'large.bin')
  writeFileSync(path, large)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function readAll(blocks: ReturnType<PieceCalculator['read']>) {
  const bytes: Uint8Array[] = []
  const sha256s: string[] = []
  let piece: CalculatedPiece | undefined
  for await (const block of blocks) {
    expect(block.bytes.length).toBeLessThanOrEqual(1_040_384)
    // The memory of a block is used again.
    bytes.push(block.bytes.slice())
    sha256s.push(...block.sha256s)
    piece = block.piece
  }
  return { bytes: Buffer.concat(bytes), sha256s, piece }
}

test.each([
  ['one file', [largeBytes]],
  ['a file of exactly one block', [1_040_384]],
  ['files that end within a block, at its end and after it', [1_040_383, 1, 100, 5 * mib, 3]],
])('I-30: hands over the bytes that it hashed: %s', async (_what, lengths) => {
  await using calculator = createPieceCalculator({ threads: 2 })
  let end = 0
  const files = lengths.map((length) => {
    end += length
    return { path, offset: end - length, length }
  })
  const sha256s = files.map((file) => hash('sha256', large.subarray(file.offset, file.offset + file.length)))
  const { bytes, ...read } = await readAll(calculator.read({ files }))
  expect(bytes.equals(large.subarray(0, end))).toBe(true)
  expect(read).toEqual({ sha256s, piece: { ...pieceOf(large.subarray(0, end)), sha256s } })
})

test('pads the piece, not the bytes', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  const files = [{ path, length: 40 }]
  const { bytes, piece } = await readAll(calculator.read({ files, padTo: 127 }))
  expect(bytes.length).toBe(40)
  expect(piece).toEqual(await calculator.calculate({ files, padTo: 127 }))
})

test('reads one block ahead, and a slow reader does not hold the thread', async () => {
  const requests: (SegmentRequest | DropRequest)[] = []
  await using calculator = createPieceCalculator({ threads: 1, startWorker: () => watchedWorker(requests) })
  const blocks = calculator.read({ files: [{ path, length: largeBytes }] })
  await blocks.next()
  expect(await calculator.calculate({ path, length: 127 })).toEqual(pieceOf(large.subarray(0, 127)))
  expect(requests.map((request) => 'calculationId' in request && request.calculationId)).toEqual([1, 1, 2])
  await blocks.return()
  // The running digest of the thread is freed.
  expect(requests.at(-1)).toEqual({ droppedId: 1 })
})

test('beside its bytes, an answer of a thread holds only digests: those of a large piece stay in memory to its end', async () => {
  const bytesHeld: number[] = []
  const startWorker = () =>
    startPieceWorker().on('message', ({ subtree }: SegmentAnswer) => {
      bytesHeld.push(subtree.root.buffer.byteLength + subtree.chunkRoots.buffer.byteLength)
    })
  await using calculator = createPieceCalculator({ threads: 1, startWorker })
  await readAll(calculator.read({ files: [{ path, length: largeBytes }] }))
  expect(bytesHeld).toEqual(Array(10).fill(64))
})

test('a file that is unlinked while it is read is read to its end, as an open file is', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  const unlinked = join(folder, 'unlinked.bin')
  writeFileSync(unlinked, large)
  const blocks = calculator.read({ files: [{ path: unlinked, length: largeBytes }] })
  const first = (await blocks.next()).value?.bytes.slice() ?? Buffer.of()
  rmSync(unlinked)
  const { bytes, piece } = await readAll(blocks)
  expect(Buffer.concat([first, bytes]).equals(large)).toBe(true)
  expect(piece).toEqual(pieceOf(large))
})

test('an abort ends a read that waits for a thread', async () => {
  await using calculator = createPieceCalculator({ threads: 1, startWorker: unresponsiveWorker })
  const aborter = new AbortController()
  const blocks = calculator.read({ files: [{ path, length: largeBytes }], signal: aborter.signal })
  const next = expect(blocks.next()).rejects.toThrow('the lease was lost')
  aborter.abort(new Error('the lease was lost'))
  await next
  expect(await blocks.next()).toEqual({ done: true, value: undefined })
  await expect(readAll(calculator.read({ files: [{ path, length: 1 }], signal: aborter.signal }))).rejects.toThrow('the lease was lost')
})

test('reads that are under way are spread over the threads', async () => {
  const requests: (SegmentRequest | DropRequest)[][] = []
  let answers = 0
  const startWorker = () => {
    const worker = watchedWorker(requests[requests.push([]) - 1] ?? [])
    return worker.on('message', () => {
      answers++
    })
  }
  await using calculator = createPieceCalculator({ threads: 2, startWorker })
  const reads = Array.from({ length: 4 }, () => calculator.read({ files: [{ path, length: largeBytes }] }))
  for (const [before, blocks] of reads.entries()) {
    await blocks.next()
    // Its next block is read too: both threads are idle.
    await expect.poll(() => answers).toBe(2 * (before + 1))
  }
  const calculations = requests.map((thread) => new Set(thread.map((request) => 'calculationId' in request && request.calculationId)).size)
  expect(calculations).toEqual([2, 2])
  for (const blocks of reads) await blocks.return()
})

test('the memory of a block is used again for a later one', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  let behindLast = 0
  for await (const { bytes } of calculator.read({ files: [{ path, length: largeBytes }] })) {
    const memory = new Uint8Array(bytes.buffer)
    behindLast = memory[bytes.length] ?? 0
    memory.fill(7)
  }
  expect(behindLast).toBe(7)
})

test('a missing, short or later unreadable file is a typed error, and the calculator keeps working', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  const readFiles = (...files: { readonly path: string; readonly length: number }[]) => readAll(calculator.read({ files }))
  await expect(readFiles({ path: join(folder, 'missing.bin'), length: 127 })).rejects.toMatchObject({ code: 'piece_source_missing' })
  await expect(readFiles({ path, length: largeBytes + 1 })).rejects.toMatchObject({ code: 'piece_source_short' })
  await expect(readFiles({ path, length: 3 * mib }, { path: folder, length: 1 })).rejects.toMatchObject({ code: 'piece_source_unreadable' })
  expect(await calculator.calculate({ path, length: 127 })).toEqual(pieceOf(large.subarray(0, 127)))
})

test('I-30: a thread that ends between two blocks gives no piece of only the last ones', async () => {
  const workers: Worker[] = []
  const startWorker = () => {
    const worker = startPieceWorker()
    workers.push(worker)
    return worker
  }
  await using calculator = createPieceCalculator({ threads: 1, startWorker })
  const blocks = calculator.read({ files: [{ path, length: largeBytes }] })
  await blocks.next()
  await blocks.next()
  await workers[0]?.terminate()
  await expect(readAll(blocks)).rejects.toMatchObject({ code: 'piece_worker_crashed' })
})

test('the end of the calculator rejects a reader, and refuses new ones', async () => {
  const calculator = createPieceCalculator({ threads: 1 })
  const blocks = calculator.read({ files: [{ path, length: largeBytes }] })
  await blocks.next()
  await calculator[Symbol.asyncDispose]()
  await expect(readAll(blocks)).rejects.toMatchObject({ code: 'piece_calculator_closed' })
  await expect(readAll(calculator.read({ files: [{ path, length: 127 }] }))).rejects.toMatchObject({ code: 'piece_calculator_closed' })
})
