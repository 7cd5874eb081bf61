import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refuseExisting, saveFile } from './save-file.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-save-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

async function* bytes(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}
const target = (overwrite = false) => ({ file: 'object', overwrite, cwd: dir })

test('the file has its name only once it is complete', async () => {
  async function* watched() {
    yield Buffer.from('one ')
    expect(readdirSync(dir)).toEqual([expect.stringMatching(/^object\.[0-9a-f]{12}\.part$/)])
    yield Buffer.from('two')
  }
  expect(await saveFile(target(), watched())).toEqual({ path: join(dir, 'object'), size: 7 })
  expect(readdirSync(dir)).toEqual(['object'])
  expect(readFileSync(join(dir, 'object'), 'utf8')).toBe('one two')
})

test('an interrupted transfer leaves no file and does not change an existing one', async () => {
  writeFileSync(join(dir, 'object'), 'mine')
  async function* broken() {
    yield Buffer.from('half')
    throw new Error('the connection broke')
  }
  await expect(saveFile(target(true), broken())).rejects.toThrow('the connection broke')
  expect(readdirSync(dir)).toEqual(['object'])
  expect(readFileSync(join(dir, 'object'), 'utf8')).toBe('mine')
})

test('an existing file is replaced with --overwrite only, also when it appeared during the transfer', async () => {
  async function* raced() {
    yield Buffer.from('theirs')
    writeFileSync(join(dir, 'object'), 'mine')
  }
  await expect(saveFile(target(), raced())).rejects.toThrow('already exists; nothing was changed. Replace it with --overwrite')
  expect([readdirSync(dir), readFileSync(join(dir, 'object'), 'utf8')]).toEqual([['object'], 'mine'])
  await expect(refuseExisting(target())).rejects.toThrow('already exists')
  await refuseExisting(target(true))
  await saveFile(target(true), bytes('theirs'))
  expect(readFileSync(join(dir, 'object'), 'utf8')).toBe('theirs')
})

test('a directory is refused as the target, and a missing parent directory is named', async () => {
  await expect(refuseExisting({ file: '.', overwrite: true, cwd: dir })).rejects.toThrow('is a directory; name a file in it')
  await expect(saveFile({ file: 'none/object', overwrite: false, cwd: dir }, bytes('x'))).rejects.toThrow(
    `${join(dir, 'none/object')} cannot be written`,
  )
})
