import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { distFolder, draftFolder, uiFolder } from './build-paths.ts'
import { resolveOutFolder } from './out-folder.ts'

const root = dirname(realpathSync(uiFolder))
let folder: string
beforeEach(() => {
  folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'svc-out-'))), 'out')
})
afterEach(() => rmSync(dirname(folder), { recursive: true }))

function fill(place: string, ...names: readonly string[]): void {
  mkdirSync(place, { recursive: true })
  for (const name of names) writeFileSync(join(place, name), 'mine')
}

test.each(['', ' '])('an empty name %j is refused', (out) => {
  expect(() => resolveOutFolder(out)).toThrow('--out is empty: name a folder')
})

test.each([
  ['the clone', root],
  ['the folder that holds the clone', dirname(root)],
  ['the root of the file system', parse(root).root],
  ['the sources', uiFolder],
  ['a folder of the sources', join(uiFolder, 'new')],
  ['the served build', distFolder],
  ['the draft of the served build', draftFolder],
])('%s is refused', (_name, out) => {
  expect(() => resolveOutFolder(out)).toThrow('holds the sources of svc or is one of them: name another folder')
})

test('a link to the sources is refused', () => {
  symlinkSync(uiFolder, folder)
  expect(() => resolveOutFolder(folder)).toThrow('holds the sources')
  expect(() => resolveOutFolder(join(folder, 'new'))).toThrow('holds the sources')
})

describe('a folder is', () => {
  test.each([['notes.txt'], ['index.html'], ['build.json']])('refused while it has other files, such as %s', (name) => {
    fill(folder, name)
    expect(() => resolveOutFolder(folder)).toThrow(`${folder} has files that are not an earlier build`)
  })

  test('refused when it is a file', () => {
    writeFileSync(folder, 'mine')
    expect(() => resolveOutFolder(folder)).toThrow(`${folder} has files that are not an earlier build`)
  })

  test('accepted when it is absent, empty, or an earlier build', () => {
    expect(resolveOutFolder(folder)).toBe(folder)
    fill(folder)
    expect(resolveOutFolder(folder)).toBe(folder)
    fill(folder, 'index.html', 'build.json', 'plugins.json')
    expect(resolveOutFolder(folder)).toBe(folder)
  })
})
