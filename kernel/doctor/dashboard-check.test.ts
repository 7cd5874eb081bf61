import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { definePlugin } from '../core/plugin.ts'
import { dashboardUis } from '../dashboard-ui.ts'
import { version } from '../process/version.ts'
import { testKernel } from '../testing/test-kernel.ts'
import { dashboardCheck } from './dashboard-check.ts'
import { doctor } from './service.ts'

let home: string
let folder: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-dashboard-check-'))
  folder = join(home, 'dashboard')
})
afterEach(() => rmSync(home, { recursive: true }))

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

function build(plugins: string, maker = version.version, path = folder): void {
  const files = { 'index.html': '<!doctype html>', 'plugins.json': plugins }
  mkdirSync(path, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  const hashes = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, hash(text)]))
  writeFileSync(join(path, 'files.json'), JSON.stringify({ svc: { version: maker, commit: version.commit }, files: hashes }))
}

const parts = (...plugins: readonly string[]) => JSON.stringify(plugins.map((plugin) => ({ plugin })))

async function look() {
  const dashboard = { folder, enabled: ['admin', 'holds'], known: ['admin', 'holds', 'packs'] }
  const { findings } = await dashboardCheck.look({ places: { dashboard } } as never, { signal: new AbortController().signal } as never)
  return findings
}

test('no folder, and a whole build of this svc with the enabled and disabled plugins, have no findings', async () => {
  expect(await look()).toEqual([])
  build(parts('admin', 'holds'))
  expect(await look()).toEqual([])
  build(parts('admin', 'holds', 'packs'))
  expect(await look()).toEqual([])
})

test.each<[string, () => void, string]>([
  [
    'a damaged file',
    () => writeFileSync(join(folder, 'index.html'), 'other'),
    'it is not served, and the built-in dashboard is: index.html is damaged',
  ],
  [
    'another version',
    () => build(parts('admin', 'holds'), '0.0.9'),
    `svc 0.0.9 (commit ${version.commit}) built it, and this is svc ${version.version}`,
  ],
  [
    'an enabled plugin that is missing',
    () => build(parts('admin')),
    'it has no pages of the plugin holds, which the configuration enables',
  ],
  [
    'plugins that were removed',
    () => build(parts('admin', 'holds', 'a', 'b')),
    'it has pages of the plugins a, b, which the configuration does not name',
  ],
  ['a list that is no list', () => build('{}'), 'its list of plugins cannot be read'],
  [
    'no folder after a build that was killed',
    () => renameSync(folder, join(mkdtempSync(`${folder}.svc-build-`), 'old')),
    'a build ended while it replaced it',
  ],
])('%s is a finding with the next step', async (_name, damage, message) => {
  build(parts('admin', 'holds'))
  damage()
  expect(await look()).toEqual([
    {
      severity: 'warning',
      subject: { kind: 'dashboard', id: folder },
      message: expect.stringContaining(message),
      repair: 'Run svc plugins build',
    },
  ])
})

test('a folder that a build replaces at this moment is no finding', async () => {
  build(parts('admin', 'holds'), version.version, join(home, 'next'))
  build(parts('admin'))
  const looked = look()
  rmSync(folder, { recursive: true })
  renameSync(join(home, 'next'), folder)
  expect(await looked).toEqual([])
})

test('the doctor of a gateway compares the build beside its configuration with the plugins that have pages', async () => {
  const holds = definePlugin({ id: 'holds', contributes: [dashboardUis.with({ module: new URL('file:///holds/ui/index.ts') })] })
  const silent = definePlugin({ id: 'silent' })
  await using svc = await testKernel({ plugins: [holds, silent] })
  const running = svc.kernel.get(doctor)
  expect(await running.look('kernel.dashboard', {})).toEqual({ findings: [], compared: 1 })
  build(parts('gone'), version.version, join(svc.dir, 'dashboard'))
  const { findings } = await running.look('kernel.dashboard', {})
  expect(findings.map(({ message }) => message)).toEqual([
    'it has no pages of the plugin holds, which the configuration enables',
    'it has pages of the plugin gone, which the configuration does not name',
  ])
})
