import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashSources, listSources } from './sources-hash.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-sources-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, text = ''): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

test('every source counts, whatever its name; builds, packages and tests do not', () => {
  const sources = ['build/distance.ts', 'distribution.tsx', 'index.ts', 'src/dist/parts.ts', 'src/node_modules.ts']
  const others = ['dist/index.html', 'dist-draft/a.js', 'dist-old/a.js', 'node_modules/a/index.js', 'src/parts.test.ts']
  for (const name of [...sources, ...others]) write(name)
  expect(listSources(folder)).toEqual(sources.map((name) => join(folder, name)))
})

test('a change of a source changes the hash', () => {
  const sources = [{ plugin: 'a', module: join(folder, 'index.ts') }]
  write('index.ts')
  write('distance.ts', 'one')
  const before = hashSources(sources)
  expect(hashSources(sources)).toBe(before)
  write('distance.ts', 'two')
  expect(hashSources(sources)).not.toBe(before)
})
