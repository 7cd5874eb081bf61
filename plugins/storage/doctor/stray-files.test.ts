/** What `svc doctor` finds in the cache directory without a row, and removes. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEpoch } from '../catalog/cached/cache-epoch-store.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'
import { strayFilesCheck } from './cache-checks.ts'
import { fixNames } from './fix-names.ts'
import { storageFixes } from './fixes.ts'
import { classify } from './stray-policy.ts'

let storage: VersionStorage
/** The folder of a start that has ended. */
let ended: number

beforeEach(async () => {
  storage = await openVersionStorage()
  await storage.put('one', 'the bytes of one')
  ended = (await storage.database.write((tx) => openEpoch(tx, 0, 'cache'))) - 1
  await storage.database.write((tx) => openEpoch(tx, 0, 'cache'))
})
afterEach(() => storage[Symbol.asyncDispose]())

const settings = () => ({ dir: join(storage.dir, 'cache') })
const inBlobs = (...names: readonly string[]) => join(settings().dir, 'blobs', ...names)

/** Each page, to its end. */
async function pages(isOnline = false) {
  const all = []
  const clock = { sleep: async () => undefined }
  for (let after: string | undefined; ; ) {
    const look = { read: storage.database.read, after, sample: undefined, isOnline, signal: new AbortController().signal }
    const page = await strayFilesCheck.look({ settings: settings(), clock } as never, look)
    all.push(page)
    after = page.next
    if (after === undefined) return all
  }
}
const findings = async (isOnline?: boolean) => (await pages(isOnline)).flatMap((page) => page.findings)
const fix = (target: string) => {
  const found = storageFixes.find(({ name }) => name === fixNames.removeStray)
  // The doctor compares the pattern before it applies a fix.
  if (!found?.target.pattern.test(target)) return false
  return found.apply({ database: storage.database, settings: settings() } as never, target)
}

const orphan = (n: number) => n.toString(16).padStart(30, '0')

test('files and links that svc may have written are removed; other entries are reported with what to do by hand', async () => {
  expect(await findings()).toEqual([])
  const folder = inBlobs(String(ended), '0a')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${orphan(1)}0a`), 'nine byte')
  symlinkSync('nowhere', join(folder, `${orphan(2)}0a`))
  mkdirSync(join(folder, `${orphan(3)}0a`))
  writeFileSync(join(folder, `${orphan(4)}0b`), '')
  writeFileSync(join(folder, 'core'), '')
  writeFileSync(inBlobs(String(ended), 'notes'), '')
  mkdirSync(inBlobs(String(ended), 'folder'))
  writeFileSync(inBlobs('stray.txt'), '')
  mkdirSync(inBlobs('lost+found'))
  mkdirSync(inBlobs('backup'))
  mkdirSync(inBlobs('76', '00'), { recursive: true })
  mkdirSync(inBlobs('77', '00'), { recursive: true })
  for (const n of [1, 2, 3]) writeFileSync(inBlobs('77', '00', `${orphan(n)}00`), '')

  const found = await findings()
  const byHand = 'Move it to another place, or remove it by hand'
  expect(found.map(({ subject, repair }) => [subject.id, repair.startsWith('Run svc doctor --fix') ? 'fix' : repair]).toSorted()).toEqual(
    [
      ['77', expect.stringContaining('remove the folder by hand')],
      ['backup', byHand],
      ['stray.txt', byHand],
      [`${ended}/folder`, byHand],
      [`${ended}/notes`, byHand],
      [`${ended}/0a/core`, byHand],
      [`${ended}/0a/${orphan(4)}0b`, byHand],
      [`${ended}/0a/${orphan(3)}0a`, byHand],
      [`${ended}/0a/${orphan(1)}0a`, 'fix'],
      [`${ended}/0a/${orphan(2)}0a`, 'fix'],
    ].toSorted(),
  )
  expect(found.find(({ subject }) => subject.id === `${ended}/notes`)?.message).toBe(
    `${inBlobs(String(ended), 'notes')} was not written by svc`,
  )
  for (const { subject, fix: offered } of found) {
    expect(await fix(subject.id), subject.id).toBe(offered !== undefined)
    expect(await fix(subject.id), subject.id).toBe(false)
  }
  expect((await findings()).filter(({ fix }) => fix)).toEqual([])
  expect(existsSync(inBlobs('77', '00', `${orphan(1)}00`))).toBe(true)
})

test('of many strays in a folder and of many folders a page lists some, and says that there are more', async () => {
  for (const name of ['00', '01', '02', '03', '04', '05']) {
    mkdirSync(inBlobs(String(ended), name), { recursive: true })
    for (let n = 0; n < 130; n++) writeFileSync(inBlobs(String(ended), name, `${orphan(n)}${name}`), '')
  }
  for (let n = 0; n < 130; n++) writeFileSync(inBlobs(`foreign-${n}`), '')
  const all = await pages()
  expect(all.map((page) => [page.findings.length, page.isCut])).toEqual([
    [400, true],
    [300, true],
  ])
})

test('the folder of the start of a running gateway is left out', async () => {
  const newest = ended + 2
  mkdirSync(inBlobs(String(newest), '00'), { recursive: true })
  writeFileSync(inBlobs(String(newest), '00', `${orphan(1)}00`), '')
  expect(await findings(true)).toEqual([])
  expect(await findings(false)).toMatchObject([{ fix: { target: `${newest}/00/${orphan(1)}00` } }])
})

test('a folder that cannot be listed is one finding', async () => {
  mkdirSync(inBlobs(String(ended)), { recursive: true })
  symlinkSync(inBlobs(String(ended), '0f'), inBlobs(String(ended), '0f'))
  writeFileSync(inBlobs('stray.txt'), '')
  expect(await findings()).toMatchObject([
    { subject: { id: 'stray.txt' } },
    { subject: { id: `${ended}/0f` }, message: expect.stringContaining('cannot be read (ELOOP: too many symbolic links encountered)') },
  ])
})

test('when the folder of all files cannot be listed, there is one finding', async () => {
  renameSync(inBlobs(), `${inBlobs()}-away`)
  symlinkSync(inBlobs(), inBlobs())
  try {
    expect(await findings()).toMatchObject([{ subject: { id: 'blobs' }, message: expect.stringContaining('cannot be read (ELOOP') }])
  } finally {
    rmSync(inBlobs())
    renameSync(`${inBlobs()}-away`, inBlobs())
  }
})

const entry = (name: string, is: 'file' | 'folder' | 'link' | 'socket') => ({
  name,
  isFile: () => is === 'file',
  isDirectory: () => is === 'folder',
  isSymbolicLink: () => is === 'link',
})

test.each([
  { folder: '', one: entry('5', 'folder'), kind: undefined },
  { folder: '', one: entry('5', 'link'), kind: undefined },
  { folder: '', one: entry('5', 'file'), kind: 'foreign' },
  { folder: '', one: entry('05', 'folder'), kind: 'foreign' },
  { folder: '', one: entry('6', 'folder'), kind: 'unknown start' },
  { folder: '', one: entry('lost+found', 'folder'), kind: undefined },
  { folder: '', one: entry('lost+found', 'file'), kind: 'foreign' },
  { folder: '5/', one: entry('0a', 'folder'), kind: undefined },
  { folder: '5/', one: entry('0a', 'socket'), kind: 'foreign' },
  { folder: '5/', one: entry('0A', 'folder'), kind: 'foreign' },
  { folder: '5/0a', one: entry(`${orphan(1)}0a`, 'socket'), kind: 'foreign' },
  { folder: '5/0a', one: entry(`${orphan(1)}0a`, 'file'), kind: 'file' },
  { folder: '5/0a', one: entry(`${orphan(1)}.0a`, 'file'), kind: 'foreign' },
])('in "$folder" $one.name is $kind', ({ folder, one, kind }) => {
  expect(classify(folder, [one], new Set([5])).map((stray) => stray.kind)).toEqual(kind === undefined ? [] : [kind])
})
