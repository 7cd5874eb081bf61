import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type DashboardPage, dashboardPages, defineDashboardPage } from './page.ts'
import { readPageManifest } from './page-manifest.ts'
import { definePlugin } from './plugin.ts'

const module = new URL(import.meta.url)
const page = (more: Partial<DashboardPage> = {}) =>
  defineDashboardPage({ id: 'holds', path: '/holds', label: 'Holds', icon: 'lock', order: 10, module, ...more })
const owner = (id: string, ...pages: readonly DashboardPage[]) => definePlugin({ id, contributes: [dashboardPages.with(...pages)] })

test('the manifest lists the pages of all plugins by group and order, with their defaults and files', async () => {
  const buckets = page({ id: 'buckets', path: '/buckets', group: 'Storage', order: 20 })
  const detail = page({ id: 'bucket', path: '/buckets/:name', access: 'session' })
  const manifest = await readPageManifest([owner('late', buckets, page({ group: 'Storage' })), owner('early', detail)])
  expect(manifest.map(({ id }) => id)).toEqual(['bucket', 'holds', 'buckets'])
  expect(JSON.parse(JSON.stringify(manifest))[0]).toEqual({
    plugin: 'early',
    id: 'bucket',
    path: '/buckets/:name',
    label: 'Holds',
    icon: 'lock',
    order: 10,
    group: null,
    access: 'session',
    module: fileURLToPath(module),
  })
  expect(manifest[1]).toMatchObject({ plugin: 'late', access: 'operator' })
})

test.each<[string, Partial<DashboardPage>, string]>([
  ['an id in another case', { id: 'Holds' }, 'kebab-case'],
  ['a relative path', { path: 'holds' }, "'holds' must be like"],
  ['a path in another case', { path: '/Holds' }, "'/Holds' must be like"],
  ['a path of an API', { path: '/api/holds' }, 'belongs to the APIs'],
  ['an empty label', { label: ' ' }, 'must not be empty'],
  ['a module elsewhere', { module: new URL('https://pages.example/holds.js') }, 'must be a file'],
  ['a missing module', { module: new URL('./nowhere.tsx', import.meta.url) }, 'nowhere.tsx does not exist'],
])('%s is refused', async (_name, more, problem) => {
  await expect(readPageManifest([owner('legal', page(more))])).rejects.toThrow(problem)
})

test('an id and a path belong to one page, and every problem is listed', async () => {
  const first = owner('first', page(), page({ id: 'hold', path: '/holds/:id' }))
  const second = owner('second', page({ path: '/others' }), page({ id: 'other', path: '/holds/:name' }))
  await expect(readPageManifest([first, second])).rejects.toMatchObject({
    problems: [
      "page 'holds' of plugin 'second': its id 'holds' is taken by page 'holds' of plugin 'first'",
      "page 'other' of plugin 'second': its path '/holds/:name' is taken by page 'hold' of plugin 'first'",
    ],
  })
})
