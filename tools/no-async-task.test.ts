/** Lints small files with the rule of `no-async-task.grit` alone. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'svc-lint-'))
afterAll(() => rmSync(dir, { recursive: true }))

test('an async task of the dashboard is a problem, a task that starts async work is none', () => {
  const plugins = [path('no-async-task.grit')]
  writeFileSync(join(dir, 'biome.json'), JSON.stringify({ root: true, plugins, linter: { rules: { preset: 'none' } } }))
  writeFileSync(
    join(dir, 'tasks.ts'),
    `useTask$(async ({ track }) => { await track(() => 1) })
useTask$(async () => { await 1 }, { eagerness: 'load' })
useVisibleTask$(async () => { await 1 })
useVisibleTask$(async () => { await 1 }, { strategy: 'document-ready' })
useTask$(({ track }) => { void (async () => { await track(() => 1) })() })
useVisibleTask$(() => {}, { strategy: 'document-ready' })
useAction$(async () => { await 1 })
`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, [path('../node_modules/@biomejs/biome/bin/biome'), 'lint', '--colors=off', '.'], {
    cwd: dir,
    encoding: 'utf8',
  })
  const lines = [...`${stdout}${stderr}`.matchAll(/tasks\.ts:(\d+):\d+ plugin/g)].map(([, line]) => Number(line))
  expect(lines).toEqual([1, 2, 3, 4])
})
