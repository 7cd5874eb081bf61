import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRecord } from '../testing/read-record.ts'
import type { IndexEntry } from './segment-index.ts'
import { SegmentRefused } from './segment-layout.ts'
import { openSegment, type SegmentSource } from './segment-reader.ts'
import { type NewRecord, writeSegment } from './segment-writer.ts'

const segmentId = '00112233445566778899aabbccddeeff'
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const recordOf = (content: number, bytes: Uint8Array, key = `k/${content}`): NewRecord => ({
  content,
  bytes,
  sha256: sha256(bytes),
  versions: [{ bucket: 'photos', key, version: `v${content}`, created: 5, etag: 'e', type: 'text/plain', user: { a: 'ü' } }],
})

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  yield* items
}

async function write(records: readonly NewRecord[], bucket = 'photos', id = segmentId): Promise<Buffer> {
  const blocks: Uint8Array[] = []
  for await (const block of writeSegment({ segmentId: id, bucket, createdAtMs: 1, records: each(records), onRecord() {} }))
    blocks.push(block)
  return Buffer.concat(blocks)
}

const sourceOf = (bytes: Buffer): SegmentSource => ({
  size: bytes.length,
  read: async (start, end) => Buffer.from(bytes.subarray(start, end + 1)),
})

async function readAll(bytes: Buffer, bucket = 'photos'): Promise<readonly (IndexEntry & { readonly bytes: Buffer })[]> {
  const source = sourceOf(bytes)
  const entries: IndexEntry[] = []
  for await (const entry of (await openSegment(source, bucket)).entries()) entries.push(entry)
  return Promise.all(entries.map(async (entry) => ({ ...entry, bytes: await readRecord(source, entry) })))
}

test('what is written is read, with the facts of the versions; 32 bytes before a record are its SHA-256', async () => {
  const keys = ['a', 'line\u2028end', 'a\nb', '\u0000', '🙂'.repeat(200)]
  const records = keys.map((key, at) => recordOf(at + 1, randomBytes(at * 1000), key))
  const bytes = await write(records)
  const read = await readAll(bytes)
  expect(read.map(({ bytes, content, versions, sha256 }) => ({ bytes: Buffer.from(bytes), content, versions, sha256 }))).toEqual(records)
  for (const { offset, sha256 } of read) expect(bytes.toString('hex', offset - 32, offset)).toBe(sha256)
})

test('any list of records is read as it was written', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: 'binary' })), { maxLength: 30 }),
      async (items) => {
        const records = items.map(([bytes, key], at) => recordOf(at, bytes, key.toWellFormed()))
        expect((await readAll(await write(records))).map(({ bytes, versions }) => [new Uint8Array(bytes), versions[0]?.key])).toEqual(
          records.map(({ bytes, versions }) => [new Uint8Array(bytes), versions[0]?.key]),
        )
      },
    ),
    { numRuns: 50 },
  ))

test('a segment that is truncated anywhere is refused', async () => {
  const bytes = await write([recordOf(1, randomBytes(500)), recordOf(2, randomBytes(10))])
  for (let length = 0; length < bytes.length; length++) {
    await expect(readAll(bytes.subarray(0, length))).rejects.toBeInstanceOf(SegmentRefused)
  }
  await expect(readAll(Buffer.concat([bytes, Buffer.alloc(1)]))).rejects.toBeInstanceOf(SegmentRefused)
  await expect(readAll(bytes.subarray(1))).rejects.toBeInstanceOf(SegmentRefused)
})

test('a segment with any changed byte is refused, except one in the length before a record, which no reader uses', async () => {
  const bytes = await write([recordOf(1, randomBytes(200)), recordOf(2, randomBytes(10))])
  const offsets = (await readAll(bytes)).map(({ offset }) => offset)
  const isUnused = (at: number) => offsets.some((offset) => at >= offset - 40 && at < offset)
  for (let at = 0; at < bytes.length; at++) {
    const wrong = Buffer.from(bytes)
    wrong[at] = (wrong[at] ?? 0) ^ 0x41
    const read = readAll(wrong)
    if (isUnused(at)) await read
    else await expect(read).rejects.toBeInstanceOf(SegmentRefused)
  }
})

test('random bytes, with or without the beginning or the end of a segment, are refused', async () => {
  const whole = await write([recordOf(1, randomBytes(300))])
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 2000 }),
      fc.constantFrom('none', 'head', 'tail', 'both'),
      async (noise, kept) => {
        const head = kept === 'head' || kept === 'both' ? whole.subarray(0, 128) : Buffer.alloc(0)
        const tail = kept === 'tail' || kept === 'both' ? whole.subarray(-128) : Buffer.alloc(0)
        await expect(readAll(Buffer.concat([head, noise, tail]))).rejects.toBeInstanceOf(SegmentRefused)
      },
    ),
    { numRuns: 200 },
  )
})

test('a segment of another bucket, and the parts of two segments, are refused', async () => {
  const records = [recordOf(1, Buffer.from('same'))]
  const [one, other] = [await write(records), await write(records, 'photos', 'ff'.repeat(16))]
  await expect(readAll(one, 'videos')).rejects.toThrow(/not of bucket 'videos'/)
  await expect(readAll(Buffer.concat([other.subarray(0, 128), one.subarray(128)]))).rejects.toThrow(/different segments/)
  expect(await readAll(one)).toHaveLength(1)
})

test('an encrypted segment is refused', async () => {
  const bytes = await write([])
  for (const at of [11, bytes.length - 117]) {
    const wrong = Buffer.from(bytes)
    wrong[at] = 1
    const start = at === 11 ? 0 : bytes.length - 128
    Buffer.from(sha256(wrong.subarray(start, start + 96)), 'hex').copy(wrong, start + 96)
    await expect(readAll(wrong)).rejects.toThrow(/encrypted/)
  }
})

test('the independent reader lists and extracts the records, and refuses a damaged segment', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-segment-'))
  try {
    const [file, out] = [join(dir, 'piece'), join(dir, 'out')]
    const bytes = await write([recordOf(7, Buffer.from('seven')), recordOf(8, Buffer.from('eight'))])
    await writeFile(file, bytes)
    const reader = fileURLToPath(new URL('../../../examples/read-segment/read-segment.js', import.meta.url))
    const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, [reader, ...args])
    expect((await run('list', file)).stdout).toBe('7\t5\tphotos\tk/7\tv7\n8\t5\tphotos\tk/8\tv8\n')
    await run('get', file, 'k/8', out)
    expect(await readFile(out, 'utf8')).toBe('eight')
    bytes[130 + 40] = 1
    await writeFile(file, bytes)
    await expect(run('get', file, 'k/7', out)).rejects.toThrow(/damaged/)
    await writeFile(file, bytes.subarray(0, -1))
    await expect(run('list', file)).rejects.toThrow(/no segment/)
  } finally {
    await rm(dir, { recursive: true })
  }
})
