import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, watch, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { modeForOthers, readConfigFile, resolveConfigPath, saveConfigFile, writePrivateFile } from './file.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-file-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

test('the path comes from the flag, then a SVC_CONFIG that is not blank, then the home directory', () => {
  expect(resolveConfigPath('/a.toml', { SVC_CONFIG: '/b.toml' })).toBe('/a.toml')
  expect(resolveConfigPath(undefined, { SVC_CONFIG: ' /b.toml ' })).toBe('/b.toml')
  expect(resolveConfigPath(undefined, { SVC_CONFIG: '  ' })).toBe(join(homedir(), '.svc', 'config.toml'))
})

test('a file that is not TOML is refused with its path, the line, the column and what was expected', () => {
  const path = join(dir, 'config.toml')
  writeFileSync(path, '[cache]\nlow = 1\nhigh = = 2\n')
  expect(() => readConfigFile(path)).toThrow(
    /config\.toml is not valid TOML: line 3, column 8: expected a value: "text", a number, true, false, \[list\] or {table}$/,
  )
})

test.each(['private_key = "0xfeed', 'private_key = 0xfeedz', 'private_key "0xfeed"', 'private_key = 5feed'])(
  'I-10: the message about an unreadable line such as %s does not quote it',
  (line) => {
    const path = join(dir, 'config.toml')
    writeFileSync(path, `[chain]\n${line}\n`)
    const error = catchError(() => readConfigFile(path))
    expect(inspect(error)).toContain('line 2')
    expect(inspect(error)).not.toContain('feed')
  },
)

function catchError(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}

test('a file that cannot be read is refused with its path', () => {
  expect(() => readConfigFile(dir)).toThrow(`${dir} cannot be read`)
})

const written = `# The service of the team.
title = "svc" # shown nowhere

[cache]
# Half of the disk.
max_size_gb = 50
low = 80      # keep room

[chain]
private_key = "0x1234"
peers = [
  "a", # first
  "b",
]
`

test('saving changes only the given keys: comments and layout stay', () => {
  const path = join(dir, 'config.toml')
  writeFileSync(path, written)
  saveConfigFile(path, { 'cache.max_size_gb': 60 })
  expect(readFileSync(path, 'utf8')).toBe(written.replace('max_size_gb = 50', 'max_size_gb = 60'))
})

test('saving adds keys and tables, and removes what is undefined', () => {
  const path = join(dir, 'config.toml')
  writeFileSync(path, written)
  saveConfigFile(path, { 'cache.high': 90, 'admin.auth.username': 'root', 'chain.private_key': undefined })
  const text = readFileSync(path, 'utf8')
  expect(text).toContain('# Half of the disk.')
  expect(readConfigFile(path).tree).toEqual({
    title: 'svc',
    cache: { max_size_gb: 50, low: 80, high: 90 },
    chain: { peers: ['a', 'b'] },
    admin: { auth: { username: 'root' } },
  })
})

test('a saved file is private, whatever its mode was, and no other file remains', () => {
  const path = join(dir, 'deep', 'config.toml')
  saveConfigFile(path, { 'cache.low': 1 })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(dir, 'deep')).mode & 0o777).toBe(0o700)
  writeFileSync(join(dir, 'open.toml'), 'x = 1\n', { mode: 0o644 })
  saveConfigFile(join(dir, 'open.toml'), { x: 2 })
  expect(statSync(join(dir, 'open.toml')).mode & 0o777).toBe(0o600)
  expect(readdirSync(dir).sort()).toEqual(['deep', 'open.toml'])
})

test('any string survives a save', () => {
  const path = join(dir, 'config.toml')
  const values = {
    'a.quote': 'say "hi"',
    'a.path': 'C:\\x',
    'a.lines': 'one\ntwo',
    'a.uni': 'naïve ☃',
    'a.empty': '',
    'a.list': ['x', 'y z'],
  }
  saveConfigFile(path, values)
  const tree = readConfigFile(path).tree as { a: Record<string, unknown> }
  for (const [field, value] of Object.entries(values)) expect(tree.a[field.slice(2)]).toEqual(value)
})

test('an unwritable path is named in the error, and no file remains', () => {
  const path = join(dir, 'config.toml')
  mkdirSync(path)
  expect(() => writePrivateFile(path, 'x')).toThrow(`${path} cannot be written`)
  expect(readdirSync(dir)).toEqual(['config.toml'])
})

test('the temporary file has a new random name each time, so that no link in its place is followed', async () => {
  const path = join(dir, 'config.toml')
  const victim = join(dir, 'victim')
  writeFileSync(victim, 'untouched')
  symlinkSync(victim, `${path}.${process.pid}.tmp`)
  const names = new Set<string | null>()
  const watcher = watch(dir, (_event, name) => void names.add(name))
  try {
    for (let i = 0; i < 5; i++) writePrivateFile(path, `${i}`)
    const temporary = () => [...names].filter((name) => /^config\.toml\.[0-9a-f]{16}\.tmp$/.test(name ?? ''))
    await expect.poll(() => temporary().length).toBe(5)
  } finally {
    watcher.close()
  }
  expect(readFileSync(victim, 'utf8')).toBe('untouched')
})

test('the mode is reported only when other users can access the file', () => {
  const path = join(dir, 'config.toml')
  expect(modeForOthers(path)).toBeUndefined()
  writePrivateFile(path, '')
  expect(modeForOthers(path)).toBeUndefined()
  for (const [mode, text] of [
    [0o640, '0640'],
    [0o604, '0604'],
    [0o622, '0622'],
  ] as const) {
    chmodSync(path, mode)
    expect(modeForOthers(path)).toBe(text)
  }
})
