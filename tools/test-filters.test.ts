import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { toFilters } from './test-filters.ts'

const dir = mkdtempSync(join(tmpdir(), 'svc-filters-'))
afterAll(() => rmSync(dir, { recursive: true }))
for (const folder of ['cli', 'e2e/cli', 'cli/node_modules/other', 'empty']) mkdirSync(join(dir, folder), { recursive: true })
for (const file of ['cli/a.test.ts', 'cli/a.ts', 'e2e/cli/b.test.ts', 'cli/node_modules/other/c.test.ts'])
  writeFileSync(join(dir, file), '')

test.each([
  ['cli', [join(dir, 'cli', 'a.test.ts')]],
  ['e2e', [join(dir, 'e2e', 'cli', 'b.test.ts')]],
  ['cli/a.test.ts', [join(dir, 'cli', 'a.test.ts')]],
  ['empty', [join(dir, 'empty') + sep]],
])('%s means exactly its test files', (argument, filters) => {
  expect(toFilters(join(dir, argument))).toEqual(filters)
})

test.each(['-t', 'no such file'])('%s goes to vitest as it is', (argument) => {
  expect(toFilters(argument)).toEqual([argument])
})
