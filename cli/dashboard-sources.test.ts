import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { dashboardUis, definePlugin } from '#kernel'
import { readDashboardSources } from './dashboard-sources.ts'

const module = new URL(import.meta.url)
const owner = (id: string, ...uis: readonly { readonly module: URL }[]) => definePlugin({ id, contributes: [dashboardUis.with(...uis)] })

test('the parts of the dashboard are listed by plugin, without being imported', async () => {
  expect(await readDashboardSources([owner('late', { module }), owner('early', { module }), owner('none')])).toEqual([
    { plugin: 'early', module: fileURLToPath(module) },
    { plugin: 'late', module: fileURLToPath(module) },
  ])
})

test('every part that is no file of its own is named', async () => {
  const elsewhere = { module: new URL('https://pages.example/index.ts') }
  const missing = { module: new URL('./nowhere.ts', import.meta.url) }
  await expect(
    readDashboardSources([owner('a', elsewhere), owner('b', missing), owner('c', { module }, { module })]),
  ).rejects.toMatchObject({
    problems: [
      "dashboard of plugin 'a': its module must be a file: new URL('./ui/index.ts', import.meta.url)",
      expect.stringMatching(/^dashboard of plugin 'b': its module .*nowhere\.ts does not exist$/),
      "dashboard of plugin 'c': one plugin has one part in the dashboard",
    ],
  })
})
