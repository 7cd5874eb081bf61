import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { configSections, defineSection } from '../config/section.ts'
import { setting } from '../config/setting.ts'
import { definePlugin } from '../core/plugin.ts'
import { migrateDatabase } from '../start/migrate-database.ts'
import { prepareKernel } from '../start/prepare.ts'
import { type TestKernelOptions, testKernel } from '../testing/test-kernel.ts'
import { defineOwnedDirectory, ownedDirectories } from './owned-directory.ts'

const boxSection = defineSection('box', {
  doc: 'A directory of a plugin.',
  keys: { dir: setting.text({ label: 'Directory', doc: 'Where the box is.', default: ({ dataDir }) => join(dataDir, 'box') }) },
})
const plugins = [
  definePlugin({
    id: 'box',
    contributes: [configSections.with(boxSection), ownedDirectories.with(defineOwnedDirectory('box directory', boxSection, 'dir'))],
  }),
]

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-data-lock-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const start = (dir: string, options: Omit<TestKernelOptions, 'plugins' | 'dir'> = {}) =>
  testKernel({ plugins, dir, isNew: true, ...options })

const settingsIn = (dir: string, settings: Readonly<Record<string, string>>) => ({
  config: Object.fromEntries(Object.entries(settings).map(([key, path]) => [key, join(dir, path)])),
})

test('I-26: a second svc on the same database or the same directory is refused before it opens anything', async () => {
  const [dir, other] = [newDir(), newDir()]
  await using _first = await start(dir)
  await expect(start(dir)).rejects.toThrow(
    new RegExp(
      `^the database ${join(dir, 'db', 'svc.db')} is in use by another svc \\(process ${process.pid} on .+, since .+Z\\); stop it`,
    ),
  )
  await expect(start(other, settingsIn(dir, { 'database.dsn': 'db/svc.db' }))).rejects.toThrow('the database ')
  const [sameBox, ownDatabase] = [newDir(), 'own.db']
  await expect(start(sameBox, settingsIn(dir, { 'box.dir': 'box' }))).rejects.toThrow(`the box directory ${join(dir, 'box')} is in use`)
  expect(existsSync(join(sameBox, 'db', 'svc.db'))).toBe(false)
  // The refused process released the locks it had taken.
  await using _third = await start(sameBox, { config: { 'box.dir': join(sameBox, 'box'), 'database.dsn': join(sameBox, ownDatabase) } })
})

test('another path to the same data finds the lock too', async () => {
  const [dir, other] = [newDir(), newDir()]
  await using _first = await start(dir)
  symlinkSync(join(dir, 'box'), join(other, 'box'))
  await expect(start(other)).rejects.toThrow('the box directory ')
  rmSync(join(other, 'box'))
  rmSync(join(other, 'db'), { recursive: true })
  mkdirSync(join(other, 'db'))
  symlinkSync(join(dir, 'db', 'svc.db'), join(other, 'db', 'svc.db'))
  await expect(start(other)).rejects.toThrow('the database ')
})

test('svc migrate is refused while the service runs', async () => {
  const dir = newDir()
  const prepare = () => prepareKernel({ plugins, configPath: join(dir, 'config.toml'), dataDir: dir, env: {} })
  {
    await using _first = await start(dir)
    await expect(migrateDatabase(await prepare(), { copies: false })).rejects.toThrow('is in use by another svc')
  }
  expect(await migrateDatabase(await prepare(), { copies: false })).toEqual({ applied: [], copy: undefined })
})

test('a waiting start continues when the other svc has stopped', async () => {
  const dir = newDir()
  const first = await start(dir)
  const waits: unknown[] = []
  const log = { debug() {}, warn() {}, error() {}, info: (message: string) => void waits.push(message), child: () => log }
  const second = start(dir, { log, lockWait: { ms: 60_000 } })
  await expect.poll(() => waits).toEqual(['waiting for another svc to stop'])
  await first.stop()
  await (await second).stop()
})

test('a waiting start ends when its signal aborts', async () => {
  const dir = newDir()
  await using _first = await start(dir)
  const stop = new AbortController()
  const second = start(dir, { lockWait: { ms: 60_000, signal: stop.signal } })
  stop.abort(new Error('stopped by SIGTERM'))
  await expect(second).rejects.toThrow('stopped by SIGTERM')
})
