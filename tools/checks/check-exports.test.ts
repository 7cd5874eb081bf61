import { expect, test } from 'vitest'
import { findDeadExports, findWideDoors } from './check-exports.ts'

const imports = { '#kernel': './kernel/index.ts', '#plugins/*': './plugins/*/contract.ts' }
const find = (files: Readonly<Record<string, string>>) => findDeadExports(new Map(Object.entries(files)), imports)

test('an export that no file imports is reported, also a type, a member of a pattern and a name of a door', () => {
  const dead = find({
    'kernel/index.ts': "export { used, type Unused } from './a.ts'",
    'kernel/a.ts': 'export const used = 1\nexport interface Unused {}\nexport const { left, right } = used\nexport function lone() {}',
    'plugins/s3/plugin.ts': "import { used } from '#kernel'",
  })
  expect(dead.map((line) => line.split(' is exported')[0])).toEqual([
    'kernel/index.ts: Unused',
    'kernel/a.ts: left',
    'kernel/a.ts: right',
    'kernel/a.ts: lone',
  ])
})

test('each way to import a name counts', () => {
  const ways = [
    "import { name } from './a.ts'",
    "import { name as other } from './a.ts'",
    "import type { name } from './a.ts'",
    "import * as all from './a.ts'",
    "export { name } from './a.ts'",
    "const { name } = await import('./a.ts')",
    "const other = (await import('./a.ts')).name",
    "const load = () => import('./a.ts')",
    "type All = typeof import('./a.ts')",
  ]
  for (const way of ways)
    expect(find({ 'cli/a.ts': 'export const name = 1', 'cli/b.ts': way })).not.toContainEqual(expect.stringContaining('a.ts'))
  expect(find({ 'cli/a.ts': 'export const name = 1', 'cli/b.ts': "const { other } = await import('./a.ts')" })).toHaveLength(1)
})

test('a test keeps exports of test support and of doors, and elsewhere only those that their own file uses', () => {
  const files = {
    'cli/a.ts': 'export const limit = 1\nexport const used = limit\nexport const tested = 1',
    'cli/b.ts': "import { used } from './a.ts'",
    'cli/a.test.ts':
      "import { limit, tested } from './a.ts'\nimport { help } from './testing/help.ts'\nimport { contract } from '#plugins/s3'",
    'cli/testing/help.ts': 'export const help = 1',
    'plugins/s3/contract.ts': 'export const contract = 1',
  }
  expect(find(files)).toEqual(['cli/a.ts: tested is exported and used by tests only: remove it'])
})

test('a door with too many names is reported', () => {
  const sources = new Map([['kernel/index.ts', "export { a, type B } from './a.ts'\nexport const c = 1"]])
  expect(findWideDoors(sources, { 'kernel/index.ts': 3 })).toEqual([])
  expect(findWideDoors(sources, { 'kernel/index.ts': 2 })).toEqual([
    'kernel/index.ts has 3 names; at most 2: a name that one plugin needs belongs to it, or to another door',
  ])
})
