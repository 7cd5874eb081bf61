import fs, { constants } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { directDisk } from '../../testing/direct-disk.ts'
import { type Disk, realDisk } from '../files/disk.ts'
import { BodyFile } from './body-file.ts'
import { type Block, BodyMemory, blockBytes, smallBlockBytes } from './body-memory.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-body-'))
})
afterEach(() => rm(dir, { recursive: true }))

const size = 2 * blockBytes + 5
/** Other processors have other values. */
const directFlag = constants.O_DIRECT

/** The blocks of a body, filled with their number, counted from 1; the last one has 5 bytes. */
async function blocksOf(memory: BodyMemory): Promise<readonly Block[]> {
  const blocks: Block[] = []
  for (const bytes of [blockBytes, blockBytes, 5]) {
    const block = (await memory.take()).subarray(0, bytes)
    blocks.push(block.fill(blocks.length + 1))
  }
  return blocks
}

/** Notes the descriptors that are written to, each with the way it was opened. */
function watched(disk: Disk = realDisk) {
  const ways = new Map<number, 'direct' | 'buffered'>()
  const writes: (readonly ['direct' | 'buffered' | undefined, number])[] = []
  const closed: number[] = []
  const opening = async (way: 'direct' | 'buffered', descriptor: Promise<number | undefined>) => {
    const opened = await descriptor
    if (opened !== undefined) ways.set(opened, way)
    return opened
  }
  const watching: Disk = {
    ...disk,
    create: (path) => opening('buffered', disk.create(path)) as Promise<number>,
    createDirect: (path) => opening('direct', disk.createDirect(path)),
    openToWrite: (path) => opening('buffered', disk.openToWrite(path)) as Promise<number>,
    async write(descriptor, chunks, position) {
      writes.push([ways.get(descriptor), position])
      await disk.write(descriptor, chunks, position)
    },
    async close(descriptor) {
      closed.push(descriptor)
      await disk.close(descriptor)
    },
  }
  return { disk: watching, writes, closed, ways }
}

async function writeAll(
  disk: Disk,
  path: string,
  { blocks, isFollowed }: { readonly blocks: readonly Block[]; readonly isFollowed?: boolean },
) {
  const file = await BodyFile.create(disk, path, { size, isFollowed })
  let position = 0
  for (const block of blocks) {
    await file.write(block, position)
    position += block.length
  }
  await file.sync()
  await Promise.all([file.close(), file.close()])
}

const bodyOf = (blocks: readonly Block[]) => Buffer.concat(blocks.map((block) => Buffer.from(block)))

/**
 * Not on every file system. Some in memory accept such writes at any place: there, these tests do not show that body memory begins at a page.
 */
const hasDirectWrites = await (async () => {
  const probe = await mkdtemp(join(tmpdir(), 'svc-direct-'))
  try {
    const descriptor = await realDisk.createDirect(join(probe, 'file'))
    if (descriptor === undefined) return false
    await realDisk.close(descriptor)
    return true
  } finally {
    await rm(probe, { recursive: true })
  }
})()

test.runIf(hasDirectWrites)('whole blocks of a large body go past the page cache, the rest of it does not', async () => {
  const blocks = await blocksOf(new BodyMemory())
  const { disk, writes, closed, ways } = watched()
  await writeAll(disk, join(dir, 'body'), { blocks })
  expect(writes).toEqual([
    ['direct', 0],
    ['direct', blockBytes],
    ['buffered', 2 * blockBytes],
  ])
  expect(await readFile(join(dir, 'body'))).toEqual(bodyOf(blocks))
  expect(closed.toSorted()).toEqual([...ways.keys()].toSorted())
})

test.runIf(hasDirectWrites)('the system is asked for writes past its page cache', async () => {
  const descriptor = (await realDisk.createDirect(join(dir, 'body'))) as number
  const flags = /^flags:\s+(\d+)$/m.exec(await readFile(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
  expect(Number.parseInt(flags ?? '0', 8) & directFlag).toBe(directFlag)
  await realDisk.close(descriptor)
  await expect(realDisk.createDirect(join(dir, 'body'))).rejects.toMatchObject({ code: 'EEXIST' })
})

test('a file system without such writes gets all of them the usual way', async () => {
  const blocks = await blocksOf(new BodyMemory())
  const { disk, writes } = watched({ ...realDisk, createDirect: async () => undefined })
  await writeAll(disk, join(dir, 'body'), { blocks })
  expect(writes.map(([way]) => way)).toEqual(['buffered', 'buffered', 'buffered'])
  expect(await readFile(join(dir, 'body'))).toEqual(bodyOf(blocks))
})

test('a disk that refuses such a write gets it, and all later ones, the usual way', async () => {
  const blocks = await blocksOf(new BodyMemory())
  const refused = Object.assign(new Error('invalid argument'), { code: 'EINVAL' })
  let direct: number | undefined
  const refusing: Disk = {
    ...realDisk,
    async createDirect(path) {
      direct = await realDisk.create(path)
      return direct
    },
    write: (descriptor, chunks, position) =>
      descriptor === direct && position > 0 ? Promise.reject(refused) : realDisk.write(descriptor, chunks, position),
  }
  const { disk, writes } = watched(refusing)
  await writeAll(disk, join(dir, 'body'), { blocks })
  expect(writes).toEqual([
    ['direct', 0],
    ['direct', blockBytes],
    ['buffered', blockBytes],
    ['buffered', 2 * blockBytes],
  ])
  expect(await readFile(join(dir, 'body'))).toEqual(bodyOf(blocks))
})

test.runIf(hasDirectWrites)('blocks that were cut short move all later ones, which are written the usual way', async () => {
  const memory = new BodyMemory()
  const [first, second, last] = (await blocksOf(memory)) as [Block, Block, Block]
  const blocks = [first.subarray(0, blockBytes / 2), second.subarray(0, 100), first, last]
  const { disk, writes } = watched()
  await writeAll(disk, join(dir, 'body'), { blocks })
  expect(writes.map(([way]) => way)).toEqual(['direct', 'buffered', 'buffered', 'buffered'])
  expect(await readFile(join(dir, 'body'))).toEqual(bodyOf(blocks))
})

test.runIf(hasDirectWrites)('a body of whole blocks opens its file once', async () => {
  const blocks = (await blocksOf(new BodyMemory())).slice(0, 2)
  const { disk, writes, closed } = watched()
  await writeAll(disk, join(dir, 'body'), { blocks })
  expect(writes.map(([way]) => way)).toEqual(['direct', 'direct'])
  expect(closed).toHaveLength(1)
  expect(await readFile(join(dir, 'body'))).toEqual(bodyOf(blocks))
})

const slowDisk: Disk = {
  ...directDisk,
  async write(descriptor, chunks, position) {
    await sleep(110)
    await realDisk.write(descriptor, chunks, position)
  },
}

test('on a slow disk, the page cache takes the blocks that others wait for', async () => {
  const blocks = await blocksOf(new BodyMemory())
  const { disk, writes } = watched(slowDisk)
  const file = await BodyFile.create(disk, join(dir, 'body'), { size })
  let position = 0
  for (const isMemoryShort of [true, true, false, true]) {
    await file.write(blocks[0] as Block, position, { isMemoryShort })
    position += blockBytes
  }
  await file.sync()
  await file.close()
  // The first shows that the disk is slow.
  expect(writes.map(([way]) => way)).toEqual(['direct', 'buffered', 'direct', 'buffered'])
  expect(await readFile(join(dir, 'body'))).toEqual(bodyOf(Array.from({ length: 4 }, () => blocks[0] as Block)))
})

test('small blocks, which transfers get when memory is short, are written the usual way', async () => {
  const [block] = await blocksOf(new BodyMemory())
  const { disk, writes } = watched(directDisk)
  await writeAll(disk, join(dir, 'body'), { blocks: [(block as Block).subarray(0, smallBlockBytes)] })
  expect(writes.map(([way]) => way)).toEqual(['buffered'])
})

test('a file that the system made before it refused the flag is made again', async () => {
  const open = fs.open
  const refusing = vi.spyOn(fs, 'open').mockImplementation(((
    path: string,
    flags: number,
    mode: number,
    done: (error: Error | null) => void,
  ) => {
    open(path, flags & ~(constants.O_DIRECT ?? 0), mode, (_, descriptor) =>
      fs.close(descriptor, () => done(Object.assign(new Error('invalid argument'), { code: 'EINVAL' }))),
    )
  }) as never)
  const path = join(dir, 'body')
  expect(await realDisk.createDirect(path)).toBeUndefined()
  refusing.mockRestore()
  await realDisk.close(await realDisk.create(path))
})

test('when the file cannot be opened again, its first descriptor is closed', async () => {
  const exhausted = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  const blocks = await blocksOf(new BodyMemory())
  const { disk, closed, ways } = watched({
    ...directDisk,
    openToWrite: () => Promise.reject(exhausted),
  })
  const file = await BodyFile.create(disk, join(dir, 'body'), { size })
  await expect(file.write(blocks[2] as Block, 0)).rejects.toBe(exhausted)
  await file.close()
  expect(closed).toEqual([...ways.keys()])
})

test('another error of the disk is not hidden', async () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const [block] = await blocksOf(new BodyMemory())
  const disk: Disk = { ...directDisk, write: () => Promise.reject(full) }
  const file = await BodyFile.create(disk, join(dir, 'body'), { size })
  await expect(file.write(block as Block, 0)).rejects.toBe(full)
  await file.close()
})

test('bodies of unknown or small size, and those that others follow, are written the usual way', async () => {
  const disk: Disk = { ...realDisk, createDirect: () => Promise.reject(new Error('not asked for')) }
  for (const [name, options] of Object.entries({ unknown: {}, small: { size: 1024 * 1024 - 1 }, followed: { size, isFollowed: true } })) {
    await (await BodyFile.create(disk, join(dir, name), options)).close()
  }
  expect((await readdir(dir)).toSorted()).toEqual(['followed', 'small', 'unknown'])
})
