import { expect, test } from 'vitest'
import { adminRoutes, configSections } from '#kernel'
import { contributionsTo, loadPlugin } from '#kernel/host'
import { kernelSections, loadKernelEndpoints } from '#kernel/system'
import { builtinPlugins } from '../../plugins/index.ts'
import { operationTable } from '../../plugins/s3/docs.ts'
import { type EntryLimits, endpointEntries, limitsOfEndpoint, limitsOfOperation, limitTables } from './entry-limits.ts'
import { writeLimitsPage } from './limits-page.ts'

const plugins = await Promise.all(builtinPlugins.map(loadPlugin))
const groups = [...(await loadKernelEndpoints()), ...contributionsTo(adminRoutes, plugins).map(({ item }) => item)]
const sections = [...kernelSections, ...contributionsTo(configSections, plugins).map(({ item }) => item)]
const known = new Set([
  ...limitTables.flatMap(({ values }) => Object.keys(values)),
  ...sections.flatMap(({ path, keys }) => Object.keys(keys).map((key) => `${path}.${key}`)),
])

const entries: readonly (readonly [string, EntryLimits])[] = [
  ...operationTable.map((row) => [`${row.level} ${row.name}`, limitsOfOperation(row)] as const),
  ...endpointEntries(groups).map(({ name, limits }) => [name, limits] as const),
  ['an address of the Admin listener without an endpoint', limitsOfEndpoint(undefined)],
]

test('I-41: every S3 operation and every Admin endpoint has a deadline, a bound of memory and a share, which exist', () => {
  expect(entries.length).toBeGreaterThan(150)
  for (const [name, { deadline, memory, share }] of entries) {
    for (const refs of [deadline, memory, share]) {
      expect(refs, name).not.toEqual([])
      for (const ref of refs) if (!ref.startsWith('own: ')) expect(known, `${name}: ${ref}`).toContain(ref)
    }
  }
})

test('the page has every limit with its text, every implemented operation with a body and every endpoint with limits of its own', () => {
  const page = writeLimitsPage(groups)
  for (const { values, texts } of limitTables) {
    for (const name of Object.keys(values)) expect(page).toContain(`| ${name} |`)
    for (const text of Object.values(texts)) expect(page).toContain(text)
  }
  for (const { name } of operationTable.filter(({ body, handler }) => body && handler)) expect(page).toContain(name)
  for (const name of ['POST /api/v1/buckets/:name/objects/upload', 'GET /api/v1/events']) expect(page).toContain(`\`${name}\``)
})
