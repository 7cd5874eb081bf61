import { createHash } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { version } from '../process/version.ts'
import { chooseDashboard, ownDashboardFolder } from './choose-dashboard.ts'

const builtIn = '/usr/lib/svc/ui/dist'
const hash = (text: string) => createHash('sha256').update(text).digest('hex')
let home: string
let own: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-own-dashboard-'))
  own = ownDashboardFolder(home)
})
afterEach(() => rmSync(home, { recursive: true }))

const texts = { 'index.html': '<!doctype html>', 'assets/a.js': 'start()' }
const maker = { version: version.version, commit: version.commit }

function build(list: object = { svc: maker, files: Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, hash(text)])) }) {
  mkdirSync(join(own, 'assets'), { recursive: true })
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(own, path), text)
  writeFileSync(join(own, 'files.json'), JSON.stringify(list))
}

const problem = () => chooseDashboard(builtIn, own).problem

test('a whole build of this svc is served, and without one the built-in build', () => {
  expect(chooseDashboard(builtIn, own)).toEqual({ folder: builtIn })
  build()
  expect(chooseDashboard(builtIn, own)).toEqual({ folder: own })
})

test('the build of another version or commit is refused, and the message names both', () => {
  build({ svc: { ...maker, version: '0.0.9' }, files: { 'index.html': '' } })
  expect(chooseDashboard(builtIn, own)).toEqual({
    folder: builtIn,
    problem: `${own} is not served: svc 0.0.9 (commit ${maker.commit}) built it, and this is svc ${maker.version} (commit ${maker.commit}). Run \`svc plugins build\`, or delete the folder.`,
  })
  build({ svc: { ...maker, commit: 'f00' }, files: { 'index.html': '' } })
  expect(problem()).toContain(`svc ${maker.version} (commit f00) built it`)
})

test.each<[string, () => void, string]>([
  ['a changed file', () => writeFileSync(join(own, 'assets/a.js'), 'other()'), 'assets/a.js is damaged'],
  ['a missing file', () => rmSync(join(own, 'assets/a.js')), 'assets/a.js is missing'],
  ['a further file', () => writeFileSync(join(own, 'assets/b.js'), 'more()'), 'assets/b.js does not belong to it'],
  ['a link', () => symlinkSync('/etc/passwd', join(own, 'assets/passwd')), 'assets/passwd is not a file'],
  ['a file named like a member of objects', () => writeFileSync(join(own, 'constructor'), ''), 'constructor does not belong to it'],
  ['no list', () => rmSync(join(own, 'files.json')), 'files.json is missing or damaged'],
  ['a list that is no JSON', () => writeFileSync(join(own, 'files.json'), '{'), 'files.json is missing or damaged'],
  ['a list of something else', () => writeFileSync(join(own, 'files.json'), 'null'), 'files.json is missing or damaged'],
  ['a folder that every user can write to', () => chmodSync(own, 0o777), 'every user of this machine can write to it'],
  ['a script that every user can write to', () => chmodSync(join(own, 'assets/a.js'), 0o666), 'can write to assets/a.js'],
])('a build with %s is refused', (_name, damage, fault) => {
  build()
  damage()
  expect(chooseDashboard(builtIn, own).folder).toBe(builtIn)
  expect(problem()).toContain(fault)
})

test('a link in place of the folder is refused', () => {
  build()
  const elsewhere = join(home, 'elsewhere')
  symlinkSync(own, elsewhere)
  expect(chooseDashboard(builtIn, elsewhere).problem).toContain('it is not a folder')
})

test.runIf(process.getuid?.() === 0)('a folder of a user who cannot change the configuration is refused', () => {
  build()
  chownSync(own, 4711, 4711)
  expect(problem()).toContain('it belongs to the user 4711')
  chownSync(home, 4711, 4711)
  expect(problem()).toBeUndefined()
})
