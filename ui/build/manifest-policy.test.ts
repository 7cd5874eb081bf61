import { expect, test } from 'vitest'
import { type DashboardPart, findManifestProblems } from './manifest-policy.ts'

const page = (path: string, title = 'Holds') => ({ path, title })
const part = (plugin: string, more: Omit<DashboardPart, 'plugin'>): DashboardPart => ({ plugin, ...more })
const nav = [{ to: '/holds', label: 'Holds', icon: 'lock' }]

test('parts with paths and names of their own have no problem', () => {
  const first = part('first', { nav, pages: [page('/holds'), page('/holds/:id')], cards: [{ id: 'a' }] })
  expect(findManifestProblems([first, part('second', { pages: [page('/'), page('/others')], cards: [{ id: 'b' }] })])).toEqual([])
})

test.each<[string, Omit<DashboardPart, 'plugin'>, string]>([
  ['a relative path', { pages: [page('holds')] }, "its path must be like '/buckets/:name'"],
  ['a path of an API', { pages: [page('/api/holds')] }, 'its path belongs to the APIs of the service'],
  ['a path of the assets', { pages: [page('/assets')] }, 'its path belongs to the APIs of the service'],
  ['an empty title', { pages: [page('/holds', ' ')] }, 'its title must not be empty'],
  [
    'a menu entry without a page',
    { nav, pages: [page('/holds/:id')] },
    "menu entry '/holds' of plugin 'legal': the plugin has no page with this path",
  ],
])('%s is refused', (_name, more, problem) => {
  expect(findManifestProblems([part('legal', more)]).join()).toContain(problem)
})

test('a path, and each part with an id, belong to one plugin', () => {
  const taken = {
    cards: [{ id: 'a' }],
    bucketTabs: [{ id: 'b' }],
    providerActions: [{ id: 'c' }],
    walletCards: [{ id: 'd' }],
    actionPrices: [{ id: 'e' }],
  }
  expect(
    findManifestProblems([
      part('first', { pages: [page('/holds/:id')], ...taken }),
      part('second', { pages: [page('/holds/:name')], ...taken }),
    ]),
  ).toEqual([
    "page '/holds/:name' of plugin 'second': plugin 'first' has it already, as '/holds/:id'",
    "card 'a' of plugin 'second': plugin 'first' has it already, as 'a'",
    "tab of buckets 'b' of plugin 'second': plugin 'first' has it already, as 'b'",
    "action of providers 'c' of plugin 'second': plugin 'first' has it already, as 'c'",
    "card of the wallet 'd' of plugin 'second': plugin 'first' has it already, as 'd'",
    "price of actions 'e' of plugin 'second': plugin 'first' has it already, as 'e'",
  ])
})
