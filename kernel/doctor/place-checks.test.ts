import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { DoctorCheck } from './check.ts'
import { createDirectoriesCheck, fileModeFix, permissionsCheck } from './place-checks.ts'

const dir = mkdtempSync(join(tmpdir(), 'svc-places-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const configPath = join(dir, 'config.toml')
const databasePath = join(dir, 'svc.db')
const cache = join(dir, 'cache')
const tlsKey = join(dir, 'tls', 'key.pem')
const places = {
  configPath,
  databasePath,
  secretFiles: [tlsKey],
  directories: [{ label: 'cache directory', path: cache, folders: ['blobs', 'made-later'] }],
}

beforeEach(() => {
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  for (const path of [configPath, databasePath]) writeFileSync(path, 'secret', { mode: 0o600 })
})

const findingsOf = async (check: DoctorCheck) =>
  (await check.look({ places } as never, { signal: new AbortController().signal } as never)).findings

test('files with secrets that others may access are found and fixed; other files are not changed', async () => {
  expect(await findingsOf(permissionsCheck)).toEqual([])
  chmodSync(configPath, 0o640)
  chmodSync(databasePath, 0o604)
  const findings = await findingsOf(permissionsCheck)
  expect(findings.map(({ subject, message }) => [subject.id, message])).toEqual([
    [configPath, 'other users may access a file with secrets (mode 0640)'],
    [databasePath, 'other users may access a file with secrets (mode 0604)'],
  ])
  for (const { fix } of findings) expect(await fileModeFix.apply({ places } as never, fix?.target ?? '')).toBe(true)
  expect(await findingsOf(permissionsCheck)).toEqual([])
  expect(await fileModeFix.apply({ places } as never, configPath)).toBe(false)
  const foreign = join(cache, 'foreign')
  writeFileSync(foreign, '')
  chmodSync(foreign, 0o644)
  await expect(fileModeFix.apply({ places } as never, foreign)).rejects.toMatchObject({ code: 'doctor_fix_target_invalid', status: 400 })
  expect(statSync(foreign).mode & 0o777).toBe(0o644)
})

test('the file with the first Admin password is found and fixed', async () => {
  const path = join(dir, 'admin-initial-password')
  writeFileSync(path, 'secret', { mode: 0o644 })
  expect(await findingsOf(permissionsCheck)).toMatchObject([{ severity: 'error', subject: { id: path }, fix: { target: path } }])
  expect(await fileModeFix.apply({ places } as never, path)).toBe(true)
  expect(await findingsOf(permissionsCheck)).toEqual([])
})

test('a key that all users may access is found, and not fixed: svc may need its rights', async () => {
  mkdirSync(dirname(tlsKey))
  writeFileSync(tlsKey, 'key')
  for (const mode of [0o640, 0o600, 0o660]) {
    chmodSync(tlsKey, mode)
    expect(await findingsOf(permissionsCheck)).toEqual([])
  }
  chmodSync(tlsKey, 0o644)
  const findings = await findingsOf(permissionsCheck)
  expect(findings).toMatchObject([{ severity: 'error', message: 'all users may access a file with a secret (mode 0644)' }])
  expect(findings[0]?.fix).toBeUndefined()
  await expect(fileModeFix.apply({ places } as never, tlsKey)).rejects.toMatchObject({ code: 'doctor_fix_target_invalid', status: 400 })
})

test('a key whose rights cannot be read is found, and the other files are compared', async () => {
  symlinkSync(dirname(tlsKey), dirname(tlsKey))
  chmodSync(configPath, 0o644)
  expect(await findingsOf(permissionsCheck)).toMatchObject([
    { subject: { id: configPath } },
    {
      severity: 'warning',
      subject: { id: tlsKey },
      message: expect.stringContaining('rights of a file with a secret are not known: ELOOP'),
    },
  ])
})

const gib = 1024 ** 3
const onDisk = (type: number, freeBytes: number) =>
  createDirectoriesCheck({ stat: async () => ({ type, bsize: 1, bavail: freeBytes }), access: accessSync })

test.for([
  { what: 'a local disk with space', type: 0xef53, free: 2 * gib, found: [] },
  { what: 'NFS', type: 0x6969, free: 2 * gib, found: ['error the file system is NFS, whose locks and fsync are not reliable'] },
  { what: 'little space', type: 0xef53, free: gib / 2, found: ['warning the disk has 512 MiB left'] },
  { what: 'no space', type: 0xef53, free: 1, found: ['error the disk has 0 MiB left'] },
])('a cache directory on $what', async ({ type, free, found }) => {
  const findings = (await findingsOf(onDisk(type, free))).filter(({ subject }) => subject.id === cache)
  const expected = process.platform === 'linux' ? found : found.filter((text) => !text.includes('file system'))
  expect(findings.map(({ severity, message }) => `${severity} ${message}`)).toEqual(expected)
})

test('a missing directory is found', async () => {
  rmSync(cache, { recursive: true })
  expect(await findingsOf(onDisk(0xef53, 2 * gib))).toMatchObject([
    { severity: 'error', subject: { kind: 'cache directory', id: cache }, message: 'the directory is missing' },
  ])
})

test.each([
  { what: 'the database', path: databasePath, message: expect.stringContaining('may not write it') },
  { what: 'the log of the database', path: `${databasePath}-wal`, message: expect.stringContaining('may not write it') },
  { what: 'the index of the log', path: `${databasePath}-shm`, message: expect.stringContaining('may not write it') },
  { what: 'the folder of cached files', path: join(cache, 'blobs'), message: expect.stringContaining('may not write there') },
  { what: 'the directory of the database', path: dir, message: expect.stringContaining('may not write there') },
])('$what without the right to write is found', async ({ path: denied, message }) => {
  mkdirSync(join(cache, 'blobs'))
  for (const suffix of ['-wal', '-shm']) writeFileSync(`${databasePath}${suffix}`, '')
  const asked: string[] = []
  const check = createDirectoriesCheck({
    stat: async () => ({ type: 0xef53, bsize: 1, bavail: 2 * gib }),
    access(path, mode) {
      asked.push(path)
      if (path === denied && (mode & constants.W_OK) !== 0) throw new Error('EACCES')
    },
  })
  expect(await findingsOf(check)).toMatchObject([{ severity: 'error', subject: { id: denied }, message }])
  expect(asked).not.toContain(join(cache, 'made-later'))
})

test.skipIf(process.getuid?.() === 0)('a directory that svc may not write is found', async () => {
  chmodSync(cache, 0o500)
  expect(await findingsOf(onDisk(0xef53, 2 * gib))).toMatchObject([
    { severity: 'error', message: expect.stringContaining('may not write there') },
  ])
  chmodSync(cache, 0o700)
})
