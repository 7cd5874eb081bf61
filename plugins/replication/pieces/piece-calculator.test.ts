import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPieceWorker } from './hashing-thread.ts'
import { sharedBytesMax } from './piece-calculation.ts'
import { calculationsMax, createPieceCalculator } from './piece-calculator.ts'
import type { DropRequest, SegmentRequest } from './piece-worker.ts'
import { patternBytes } from './testing/pattern-bytes.ts'
import { pieceOf } from './testing/piece-of.ts'
import { unresponsiveWorker } from './testing/unresponsive-worker.ts'
import { watchedWorker } from './testing/watched-worker.ts'

const mib = 1024 * 1024
/** Five segments, the last one odd. */
const largeBytes = 33 * mib + 12_345
const large = patternBytes(largeBytes)

let folder: string
let path: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-pieces-'))
  path = join(folder, 'large.bin')
  await writeFile(path, large)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('I-30: one pass gives the piece CID and the SHA-256 of the same bytes, also for a piece in several segments', async () => {
  await using calculator = createPieceCalculator({ threads: 2 })
  expect(await calculator.calculate({ path, length: largeBytes })).toEqual(pieceOf(large))
})

test('the heaps of the threads are reported once they run, with their limit', async () => {
  await using calculator = createPieceCalculator({ threads: 2 })
  expect(await calculator.memory()).toEqual({ budgetBytes: 2 * 68 * mib, usedBytes: 0 })
  await calculator.calculate({ path, length: largeBytes })
  const { usedBytes } = await calculator.memory()
  expect(usedBytes).toBeGreaterThan(mib)
  expect(usedBytes).toBeLessThan(2 * 68 * mib)
})

test.each([
  ['exactly at the split size', 0, 16 * mib],
  ['one byte above the split size', 0, 16 * mib + 1],
  ['whole segments only', 0, 3 * 8_323_072],
  ['one byte more than whole segments', 1, 3 * 8_323_072 + 1],
  ['a middle part', 1_000_003, 17 * mib],
  ['a small middle part', 777, 1000],
  ['one byte', 5, 1],
])('a range of a file is hashed as a piece: %s', async (_, offset, length) => {
  await using calculator = createPieceCalculator({ threads: 2 })
  expect(await calculator.calculate({ path, offset, length })).toEqual(pieceOf(large.subarray(offset, offset + length)))
})

test('bytes in memory are hashed as a piece, up to one segment', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  const shared = (length: number) => new Uint8Array(new SharedArrayBuffer(length))
  const bytes = shared(100_000)
  bytes.set(large.subarray(0, bytes.length))
  expect(await calculator.calculate({ bytes })).toEqual(pieceOf(large.subarray(0, bytes.length)))
  await expect(calculator.calculate({ bytes: shared(sharedBytesMax + 1) })).rejects.toThrow(RangeError)
  await expect(calculator.calculate({ bytes: shared(0) })).rejects.toThrow(RangeError)
})

test('I-30: the bytes of several files are hashed as one piece, and each file gets its SHA-256', async () => {
  await using calculator = createPieceCalculator({ threads: 2 })
  // Across the segments of the calculation, and several in one of them.
  const lengths = [8_323_072, 100, 1, 5 * mib, 8_323_071]
  let offset = 3
  const files = lengths.map((length) => {
    offset += length
    return { path, offset: offset - length, length }
  })
  const whole = large.subarray(3, offset)
  expect(await calculator.calculate({ files })).toEqual({
    ...pieceOf(whole),
    sha256s: files.map((file) => hash('sha256', large.subarray(file.offset, file.offset + file.length))),
  })
  const small = files.slice(1, 3)
  expect((await calculator.calculate({ files: small })).pieceCid).toBe(
    pieceOf(large.subarray(small[0]?.offset, small[0] && small[0].offset + 101)).pieceCid,
  )
})

test('padTo counts missing bytes as zeros', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  const padded = new Uint8Array(127)
  padded.set(large.subarray(0, 40))
  expect(await calculator.calculate({ path, length: 40, padTo: 127 })).toEqual({
    pieceCid: pieceOf(padded).pieceCid,
    sha256s: pieceOf(large.subarray(0, 40)).sha256s,
    chunkRoots: pieceOf(padded).chunkRoots,
  })
})

test('concurrent calculations each return their own piece', async () => {
  await using calculator = createPieceCalculator({ threads: 2 })
  const ranges = Array.from({ length: 60 }, (_, index) => ({ offset: index * 1000, length: 127 + index * 311 }))
  const found = await Promise.all([
    calculator.calculate({ path, length: largeBytes }),
    ...ranges.map((range) => calculator.calculate({ path, ...range })),
  ])
  expect(found).toEqual([pieceOf(large), ...ranges.map(({ offset, length }) => pieceOf(large.subarray(offset, offset + length)))])
})

test('a small piece does not wait for all of a large one', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  const finished: string[] = []
  await Promise.all([
    calculator.calculate({ path, length: largeBytes }).then(() => finished.push('large')),
    calculator.calculate({ path, length: 127 }).then(() => finished.push('small')),
  ])
  expect(finished).toEqual(['small', 'large'])
})

test('the piece with the fewest segments left is next, and each fourth segment is of the oldest piece', async () => {
  const requests: (SegmentRequest | DropRequest)[] = []
  await using calculator = createPieceCalculator({ threads: 1, startWorker: () => watchedWorker(requests) })
  await Promise.all([calculator.calculate({ path, length: largeBytes }), calculator.calculate({ path, length: 17 * mib })])
  expect(requests.map((request) => 'calculationId' in request && request.calculationId)).toEqual([1, 2, 2, 1, 2, 1, 1, 1])
})

test('threads start on demand', async () => {
  let started = 0
  const startWorker = () => {
    started++
    return startPieceWorker()
  }
  await using calculator = createPieceCalculator({ threads: 2, startWorker })
  expect(started).toBe(0)
  await calculator.calculate({ path, length: 127 })
  await calculator.calculate({ path, length: 127 })
  expect(started).toBe(1)
  await Promise.all([calculator.calculate({ path, length: largeBytes }), calculator.calculate({ path, length: largeBytes - 1 })])
  expect(started).toBe(2)
})

test('a missing file is a typed error', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  const missing = join(folder, 'missing.bin')
  await expect(calculator.calculate({ path: missing, length: 127 })).rejects.toMatchObject({
    name: 'PieceCalculationError',
    code: 'piece_source_missing',
    message: expect.stringContaining(missing),
    cause: expect.objectContaining({ message: expect.stringContaining('ENOENT') }),
  })
})

test('a file shorter than the piece is a typed error, and the calculator keeps working', async () => {
  await using calculator = createPieceCalculator({ threads: 2 })
  await expect(calculator.calculate({ path, length: largeBytes + 1 })).rejects.toMatchObject({ code: 'piece_source_short' })
  await expect(calculator.calculate({ path, offset: largeBytes, length: 1 })).rejects.toMatchObject({ code: 'piece_source_short' })
  expect(await calculator.calculate({ path, length: 127 })).toEqual(pieceOf(large.subarray(0, 127)))
})

test('an unreadable source is a typed error', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  await expect(calculator.calculate({ path: folder, length: 127 })).rejects.toMatchObject({ code: 'piece_source_unreadable' })
})

test('a length that is not a positive integer is refused', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  for (const length of [0, -1, 1.5, Number.NaN]) await expect(calculator.calculate({ path, length })).rejects.toThrow(RangeError)
})

test('an aborted calculation rejects with the reason, the others continue', async () => {
  await using calculator = createPieceCalculator({ threads: 1 })
  const controller = new AbortController()
  const aborted = calculator.calculate({ path, length: largeBytes, signal: controller.signal })
  const other = calculator.calculate({ path, offset: 1, length: largeBytes - 1 })
  controller.abort(new Error('the upload was cancelled'))
  await expect(aborted).rejects.toThrow('the upload was cancelled')
  await expect(calculator.calculate({ path, length: 127, signal: controller.signal })).rejects.toThrow('the upload was cancelled')
  expect(await other).toEqual(pieceOf(large.subarray(1)))
})

test('a crashed thread rejects its piece with the cause and is replaced', async () => {
  const workers = [() => new Worker("throw new Error('crash')", { eval: true }), startPieceWorker]
  await using calculator = createPieceCalculator({ threads: 1, startWorker: () => (workers.shift() ?? startPieceWorker)() })
  await expect(calculator.calculate({ path, length: 127 })).rejects.toMatchObject({
    code: 'piece_worker_crashed',
    cause: expect.objectContaining({ message: 'crash' }),
  })
  expect(await calculator.calculate({ path, length: 127 })).toEqual(pieceOf(large.subarray(0, 127)))
  expect(workers).toEqual([])
})

test('I-30: a piece whose thread ended between two segments is rejected: it gets no SHA-256 of only its last segments', async () => {
  const workers: Worker[] = []
  let segments = 0
  const startWorker = () => {
    const worker = startPieceWorker()
    workers.push(worker)
    // The thread has hashed the first segment of both pieces then.
    worker.on('message', () => ++segments === 2 && worker.terminate())
    return worker
  }
  await using calculator = createPieceCalculator({ threads: 1, startWorker })
  const both = await Promise.allSettled([largeBytes, 17 * mib].map((length) => calculator.calculate({ path, length })))
  expect(both.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(['piece_worker_crashed', 'piece_worker_crashed'])
  expect(workers.length).toBe(2)
  expect(await calculator.calculate({ path, length: largeBytes })).toEqual(pieceOf(large))
})

test('a thread that cannot be started rejects the piece, and the next piece starts it again', async () => {
  const failures = [new Error('no more threads')]
  const startWorker = () => {
    const failure = failures.pop()
    if (failure) throw failure
    return startPieceWorker()
  }
  await using calculator = createPieceCalculator({ threads: 1, startWorker })
  await expect(calculator.calculate({ path, length: 127 })).rejects.toThrow('no more threads')
  expect(await calculator.calculate({ path, length: 127 })).toEqual(pieceOf(large.subarray(0, 127)))
})

test('more calculations than the limit are refused at once', async () => {
  await using calculator = createPieceCalculator({ threads: 1, startWorker: unresponsiveWorker })
  const waiting = Array.from({ length: calculationsMax }, () => calculator.calculate({ path, length: 127 }).catch((error) => error.code))
  await expect(calculator.calculate({ path, length: 127 })).rejects.toMatchObject({ code: 'piece_queue_full' })
  await calculator[Symbol.asyncDispose]()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['piece_calculator_closed']))
})

test('a disposed calculator rejects running and later calculations', async () => {
  const calculator = createPieceCalculator({ threads: 2, startWorker: unresponsiveWorker })
  const underWay = expect(calculator.calculate({ path, length: largeBytes })).rejects.toMatchObject({ code: 'piece_calculator_closed' })
  await calculator[Symbol.asyncDispose]()
  await underWay
  await expect(calculator.calculate({ path, length: 127 })).rejects.toMatchObject({ code: 'piece_calculator_closed' })
})

test('idle threads do not keep a process alive', async () => {
  const calculatorUrl = new URL('./piece-calculator.ts', import.meta.url).href
  const script = `
    import { createPieceCalculator } from ${JSON.stringify(calculatorUrl)}
    const { pieceCid } = await createPieceCalculator({ threads: 1 }).calculate({ path: ${JSON.stringify(path)}, length: 1000 })
    process.stdout.write(pieceCid)`
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { timeout: 30_000 })
  expect(await run).toEqual({ stdout: pieceOf(large.subarray(0, 1000)).pieceCid, stderr: '' })
})
