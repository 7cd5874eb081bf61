import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { databaseSource, dataFolder, readFile } from './path-rule.ts'

const program = fileURLToPath(new URL('../..', import.meta.url))

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-paths-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test.each([
  ['/', 'for svc alone'],
  ['/etc', 'outside of /etc, which belongs to the system'],
  ['/etc/svc/cache', 'outside of /etc'],
  ['/var/../etc/', 'outside of /etc'],
  ['/proc/self/cwd', 'outside of /proc'],
  ['/sys/fs', 'outside of /sys'],
  ['/dev/sda', 'outside of /dev'],
  ['/usr/lib/svc', 'outside of /usr/lib'],
  ['/tmp', 'for svc alone'],
  ['/var/lib', 'for svc alone, such as /var/lib/svc/cache'],
  [homedir(), 'for svc alone'],
  [program, 'for svc alone'],
  [join(program, '..'), 'for svc alone'],
  [join(program, 'kernel', 'cache'), 'which holds the program of svc'],
  ['', 'non-empty'],
])('no data is written to %s', (path, reason) => {
  expect(dataFolder.mustBe(path)).toContain(reason)
})

test.each(['/var/lib/svc/cache', '/mnt', '/mnt/disk/cache', '/srv/svc', join(homedir(), '.svc', 'cache'), '/dev/shm/svc', '/etcetera'])(
  'data may be written to %s',
  (path) => {
    expect(dataFolder.mustBe(path)).toBeUndefined()
  },
)

test('the directory of svc dev in a clone holds data', () => {
  const dir = join(program, '.svc-dev', 'gateway')
  expect([dataFolder.mustBe(join(dir, 'cache')), databaseSource.mustBe(join(dir, 'db', 'svc.db'))]).toEqual([undefined, undefined])
})

test('a link to such a folder is followed, also when the folder at the end is not made yet', () => {
  const link = join(newDir(), 'link')
  symlinkSync('/etc', link)
  expect(dataFolder.mustBe(link)).toContain('outside of /etc')
  expect(dataFolder.mustBe(join(link, 'cache', 'new'))).toContain('outside of /etc')
})

test('a file to read is a file, or does not exist yet', () => {
  const dir = newDir()
  const [file, folder, pipe] = [join(dir, 'key.pem'), join(dir, 'folder'), join(dir, 'pipe')]
  writeFileSync(file, '')
  mkdirSync(folder)
  expect([file, join(dir, 'later.pem'), '/etc/ssl/openssl.cnf', ''].map(readFile.mustBe)).toEqual(Array(4).fill(undefined))
  expect(['/', '/etc', folder].map(readFile.mustBe)).toEqual(Array(3).fill('a file, not a folder'))
  expect(['/dev/zero', '/proc/self/environ', '/sys/kernel'].map((path) => readFile.mustBe(path))).toEqual([
    'a file outside of /dev, which belongs to the system',
    'a file outside of /proc, which belongs to the system',
    'a file outside of /sys, which belongs to the system',
  ])
  if (spawnSync('mkfifo', [pipe]).status === 0) expect(readFile.mustBe(pipe)).toBe('a file, not a device or pipe')
})

test('a database of SQLite is not made in a folder of the system or of the program', () => {
  const allowed = ['postgres://svc@db/etc', 'file:///var/lib/svc/db/svc.db', '/srv/svc.db', '']
  expect(allowed.map(databaseSource.mustBe)).toEqual(Array(4).fill(undefined))
  expect(databaseSource.mustBe('file:///etc/svc.db')).toBe('a file outside of /etc, which belongs to the system')
  expect(databaseSource.mustBe(join(program, 'svc.db'))).toContain('which holds the program of svc')
})
