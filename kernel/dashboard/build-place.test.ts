import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isReplacementCut, openBuildPlace } from './build-place.ts'

let home: string
let folder: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-build-place-')))
  folder = join(home, 'dashboard')
})
afterEach(() => rmSync(home, { recursive: true }))

function fill(path: string, text: string): void {
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'index.html'), text)
}

/** A stage with a finished build. */
function stageOf(text: string): string {
  const stage = mkdtempSync(`${folder}.svc-build-`)
  fill(join(stage, 'new'), text)
  return stage
}

const shown = () => readFileSync(join(folder, 'index.html'), 'utf8')
const stages = () => readdirSync(home).filter((name) => name.includes('.svc-build-'))

test('a finished build replaces the folder whole, and nothing of its stage or of the earlier one stays', () => {
  fill(folder, 'first')
  writeFileSync(join(folder, 'only-of-the-first.js'), '')
  {
    using place = openBuildPlace(folder)
    const stage = stageOf('second')
    expect(shown()).toBe('first')
    place.publish(stage)
  }
  expect([shown(), readdirSync(folder), stages()]).toEqual(['second', ['index.html'], []])
})

test('a second build of a folder, also by another name of it, is refused with who builds and since when, until the first has ended', () => {
  fill(folder, 'first')
  symlinkSync(home, `${home}-link`)
  const first = openBuildPlace(folder)
  const refusal = new RegExp(`^${folder} is being built by process ${process.pid} on \\S+, since \\d{4}-\\S+Z: wait until it has ended$`)
  try {
    for (const name of [folder, join(`${home}-link`, 'dashboard')]) expect(() => openBuildPlace(name)).toThrow(refusal)
    openBuildPlace(join(home, 'other'))[Symbol.dispose]()
    // The refused build has not taken the stage of the first for one of a killed build.
    const stage = stageOf('second')
    expect(() => openBuildPlace(folder)).toThrow(refusal)
    first.publish(stage)
  } finally {
    first[Symbol.dispose]()
    rmSync(`${home}-link`)
  }
  openBuildPlace(folder)[Symbol.dispose]()
  expect(shown()).toBe('second')
})

test('after a build that was killed while it replaced the folder the earlier one is back, before the next one is built', () => {
  const stage = stageOf('second')
  fill(join(stage, 'old'), 'first')
  expect(isReplacementCut(folder)).toBe(true)
  openBuildPlace(folder)[Symbol.dispose]()
  expect([shown(), stages(), isReplacementCut(folder)]).toEqual(['first', [], false])
})

test('what killed builds left is removed, and other names beside the folder are not', () => {
  fill(folder, 'first')
  fill(join(stageOf('half'), 'old'), 'older')
  const others = [
    'dashboard-old',
    'dashboard.svc-build-',
    'dashboard.svc-build-abcde',
    'dashboard.svc-build-abcdefg',
    'xdashboard.svc-build-abcdef',
  ]
  for (const name of others) fill(join(home, name), 'mine')
  writeFileSync(join(home, 'dashboard.svc-build-aFile1'), 'mine')
  symlinkSync(join(home, 'dashboard-old'), join(home, 'dashboard.svc-build-aLink1'))
  const before = stages().length
  openBuildPlace(folder)[Symbol.dispose]()
  expect(shown()).toBe('first')
  expect(stages()).toHaveLength(before - 1)
  for (const name of [...others, 'dashboard.svc-build-aFile1', 'dashboard.svc-build-aLink1'])
    expect([name, existsSync(join(home, name))]).toEqual([name, true])
})

test('a build that cannot be put in its place leaves the earlier one there', () => {
  fill(folder, 'first')
  using place = openBuildPlace(folder)
  const stage = stageOf('second')
  rmSync(join(stage, 'new'), { recursive: true })
  expect(() => place.publish(stage)).toThrow('ENOENT')
  expect(shown()).toBe('first')
})

test('a parent that is missing is made readable, as for an image, although svc keeps its own files private', () => {
  const before = process.umask(0o077)
  try {
    openBuildPlace(join(home, 'image/www/dashboard'))[Symbol.dispose]()
    expect(process.umask()).toBe(0o077)
  } finally {
    process.umask(before)
  }
  expect(statSync(join(home, 'image/www')).mode & 0o777).toBe(0o755)
  expect(statSync(join(home, 'image/www/dashboard.lock')).mode & 0o077).toBe(0)
})

test.runIf(process.getuid?.() === 0)('a stage of another user is neither put in place nor removed', () => {
  const stage = stageOf('theirs')
  fill(join(stage, 'old'), 'theirs')
  chownSync(stage, 4711, 4711)
  openBuildPlace(folder)[Symbol.dispose]()
  expect([existsSync(folder), stages().length, isReplacementCut(folder)]).toEqual([false, 1, false])
})
