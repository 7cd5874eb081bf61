import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLog } from '#kernel/testing'
import { flipByte } from '../../testing/flip-byte.ts'
import { type Disk, realDisk } from '../files/disk.ts'
import { checksumsOf } from '../verification/block-checksums.ts'
import { DamagedBlob } from '../verification/whole-read.ts'
import { openTransfers } from './open-transfers.ts'
import type { BodyOptions, Transfers, Wanted } from './transfers.ts'

const kib = 1024
let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-transfers-'))
})
afterEach(() => rm(dir, { recursive: true }))

describe.each([
  ['in shared memory with threads', true],
  ['plain', false],
])('transfers %s', (_name, usesThreads) => {
  let transfers: Transfers
  beforeEach(() => {
    transfers = openTransfers({ log: silentLog, usesThreads })
  })
  afterEach(async () => {
    expect((await transfers.memory()).transfers).toMatchObject({ usedBytes: 0, waiting: 0 })
    await transfers[Symbol.asyncDispose]()
  })

  async function write(bytes: Uint8Array, { pieceBytes = 50_000, disk = realDisk, ...body }: Writing = {}) {
    const path = join(dir, 'body')
    const file = await transfers.create(disk, path, body)
    try {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        const piece = Buffer.copyBytesFrom(bytes.subarray(at, at + pieceBytes))
        await file.add(piece)
        // The sender may use its memory again.
        piece.fill(0xee)
      }
      const digests = await file.finish()
      await file.sync()
      return { path, digests }
    } finally {
      await file.close()
      await file.close()
    }
  }

  async function read(path: string, wanted: Wanted): Promise<Buffer> {
    const descriptor = await realDisk.open(path)
    const blocks: Buffer[] = []
    const reading = transfers.read({ disk: realDisk, descriptor }, wanted)
    try {
      for await (const block of reading.blocks()) blocks.push(Buffer.copyBytesFrom(block))
    } catch (error) {
      throw Object.assign(error as Error, { seen: Buffer.concat(blocks) })
    } finally {
      await reading[Symbol.asyncDispose]()
      await realDisk.close(descriptor)
    }
    return Buffer.concat(blocks)
  }

  test.each([0, 1, 64 * kib, 64 * kib + 1, 512 * kib, 512 * kib + 1, 1200 * kib + 3])(
    'a body of %i bytes has its bytes and digests, of known and unknown length',
    async (length) => {
      const bytes = randomBytes(length)
      const named = { size: length, md5: hash('md5', bytes), sha256: hash('sha256', bytes), checksum: hash('sha1', bytes) }
      const blockChecksums = length > 64 * kib ? checksumsOf(bytes) : undefined
      for (const size of [length, undefined]) {
        const { path, digests } = await write(bytes, { size, checksum: 'sha1' })
        expect({ blockChecksums: undefined, ...digests }).toEqual({ ...named, blockChecksums })
        expect((await readFile(path)).equals(bytes)).toBe(true)
        await rm(path)
      }
    },
  )

  test('a follower is told of all bytes in their order, after they are written', async () => {
    const bytes = randomBytes(700 * kib)
    const seen: Uint8Array[] = []
    const written: number[] = []
    const disk: Disk = {
      ...realDisk,
      async write(descriptor, chunks, position) {
        await realDisk.write(descriptor, chunks, position)
        written.push(position)
      },
    }
    const follower = {
      grow(path: string, pieces: readonly Uint8Array[]) {
        expect([path, written.length > seen.length]).toEqual([join(dir, 'body'), true])
        for (const piece of pieces) seen.push(Buffer.copyBytesFrom(piece))
      },
    }
    await write(bytes, { size: bytes.length, disk, follower })
    expect(Buffer.concat(seen).equals(bytes)).toBe(true)
    expect(seen.length).toBeGreaterThan(1)
  })

  test('a fault of the disk ends the body, and the file can be closed', async () => {
    const disk: Disk = { ...realDisk, write: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })) }
    await expect(write(randomBytes(1200 * kib), { disk })).rejects.toMatchObject({ code: 'EIO' })
  })

  test('a name that exists is refused', async () => {
    await write(randomBytes(10))
    await expect(write(randomBytes(10))).rejects.toMatchObject({ code: 'EEXIST' })
  })

  test.each([true, false])('I-30: wrong bytes never arrive whole; lent: %s', async (lends) => {
    const bytes = randomBytes(1200 * kib + 3)
    const { path } = await write(bytes)
    const only = { start: 70 * kib, end: 1100 * kib }
    const whole = { start: 0, end: bytes.length - 1, lends }
    const sha256 = { ...whole, expected: { name: 'sha256', hex: hash('sha256', bytes) } } as const
    const part = { ...whole, only, expected: { name: 'blocks', hex: checksumsOf(bytes).toString('hex') } } as const
    const short = { start: 0, end: 100 * kib - 1, lends }
    const shortHex = hash('sha256', bytes.subarray(0, 100 * kib))
    const onVerified = vi.fn()
    expect((await read(path, { ...sha256, onVerified })).equals(bytes)).toBe(true)
    expect((await read(path, { ...part, onVerified })).equals(bytes.subarray(only.start, only.end + 1))).toBe(true)
    expect((await read(path, { ...short, expected: { name: 'sha256', hex: shortHex }, onVerified })).length).toBe(100 * kib)
    expect(onVerified).toHaveBeenCalledTimes(3)
    // The last byte of the file is read, but not wanted.
    await flipByte(path, bytes.length - 1)
    for (const [wanted, length] of [
      [sha256, bytes.length],
      [part, only.end - only.start + 1],
    ] as const) {
      const error = await read(path, wanted).catch((fault) => fault)
      expect(error).toBeInstanceOf(DamagedBlob)
      expect(error.seen.length).toBeLessThan(length)
    }
    expect((await read(path, { ...whole, start: 5, end: 5 })).equals(bytes.subarray(5, 6))).toBe(true)
  })

  test('a read that is closed ends, also while the disk is read', async () => {
    const { path } = await write(randomBytes(1200 * kib))
    const descriptor = await realDisk.open(path)
    const reading = transfers.read({ disk: realDisk, descriptor }, { start: 0, end: 1200 * kib - 1, lends: true })
    const blocks = reading.blocks()
    expect((await blocks.next()).done).toBe(false)
    const next = blocks.next()
    const closing = reading[Symbol.asyncDispose]()
    await expect(next).rejects.toThrow('closed during the read')
    await closing
    await realDisk.close(descriptor)
  })

  test('a file that ends early is an error of the read', async () => {
    const { path } = await write(randomBytes(1200 * kib))
    await expect(read(path, { start: 0, end: 1200 * kib, lends: true })).rejects.toThrow(`it ends at byte ${1200 * kib}`)
    await expect(read(path, { start: 1200 * kib - 5, end: 1200 * kib, lends: true })).rejects.toThrow(`it ends at byte ${1200 * kib}`)
  })

  test.each([1000, 9 * kib * kib])('the SHA-256 of %i bytes from elsewhere', async (length) => {
    const bytes = randomBytes(length)
    using digest = transfers.hash(length)
    for (let at = 0; at < length; at += 3_000_000) await digest.add(bytes.subarray(at, at + 3_000_000))
    expect(await digest.end()).toBe(hash('sha256', bytes))
  })
})

interface Writing extends BodyOptions {
  readonly pieceBytes?: number
  readonly disk?: Disk
}
