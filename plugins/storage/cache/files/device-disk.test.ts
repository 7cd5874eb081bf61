import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deviceDisk } from './device-disk.ts'
import { type Disk, directUnit, realDisk } from './disk.ts'

const bytes = randomBytes(3 * 1024 * 1024 + 777)
let dir = ''
const path = () => join(dir, 'file')

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-device-'))
  writeFileSync(path(), bytes)
})
afterAll(() => rmSync(dir, { recursive: true }))

/** Where a test needs the path of direct reads although the temporary directory may have none. */
const asDirect = { ...realDisk, openDirect: realDisk.open }

async function readRange(disk: Disk, position: number, length: number): Promise<Buffer> {
  const descriptor = await disk.open(path())
  try {
    const into = Buffer.alloc(length)
    return into.subarray(0, await disk.read(descriptor, into, position))
  } finally {
    await disk.close(descriptor)
  }
}

test.each([
  ['as the system has it', realDisk],
  ['with direct reads', asDirect],
])('any range is read from the device %s, several at the same time', async (_what, real) => {
  const disk = deviceDisk(real)
  const ranges = [
    [0, bytes.length],
    [bytes.length - 5, 100],
    [1, 1],
    [bytes.length, 1],
    ...Array.from({ length: 20 }, () => [randomInt(bytes.length), randomInt(2_000_000)]),
  ]
  await Promise.all(
    ranges.map(async ([position = 0, length = 0]) =>
      expect((await readRange(disk, position, length)).equals(bytes.subarray(position, position + length))).toBe(true),
    ),
  )
})

test('direct reads have aligned positions and lengths', async () => {
  const reads: number[] = []
  const disk = deviceDisk({
    ...asDirect,
    readSome(descriptor, buffer, position) {
      reads.push(buffer.length, buffer.byteOffset, position)
      return realDisk.readSome(descriptor, buffer, position)
    },
  })
  await readRange(disk, 5000, 3_000_000)
  expect(reads.filter((value) => value % directUnit !== 0)).toEqual([])
})

test('a disk that needs larger units is read through the page cache', async () => {
  const refused = () => Promise.reject(Object.assign(new Error('invalid argument'), { code: 'EINVAL' }))
  expect((await readRange(deviceDisk({ ...asDirect, readSome: refused }), 7, 9000)).equals(bytes.subarray(7, 9007))).toBe(true)
})
