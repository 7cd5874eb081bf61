/** Pages offer a change only to the roles that may make it: each change that a page can send is named by the controls that lead to it. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { adminRoutes } from '#kernel'
import { loadContributions } from '#kernel/host'
import { loadKernelEndpoints } from '#kernel/system'
import { builtinPlugins } from './index.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const groups = [...(await loadContributions(adminRoutes, builtinPlugins)).map(({ item }) => item), ...(await loadKernelEndpoints())]
/** `POST /buckets` → the lowest role that may send it. */
const roles = new Map(
  groups
    .filter(({ access }) => access !== 'open')
    .flatMap(({ endpoints = [] }) => endpoints.map(({ method, path, role }) => [`${method} ${path.replace(/^\/api\/v1/, '')}`, role])),
)

/** Changes that no control leads to. */
const sentByThemselves: Readonly<Record<string, string>> = {
  'POST /settings/validate': 'checks a draft, and the fields of drafts follow PUT /settings',
}

const change = /(?<![<'])(['"])((?:POST|PUT|DELETE) \/[^'"\n]*)\1/g
const named = /(?:changes(?:=|: )|useRefusal\(\)\()(['"])([A-Z]+ \/[^'"\n]*)\1/g
const constant = /const (\w+) = '([A-Z]+ \/[^'\n]*)'/g

interface Page {
  readonly sent: ReadonlySet<string>
  readonly named: ReadonlySet<string>
}

function readPages(plugin: string): Page {
  const files = readdirSync(`${folder}${plugin}/ui`, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  )
  const texts = files.map((file) => readFileSync(`${folder}${plugin}/ui/${file}`, 'utf8'))
  return {
    sent: new Set(texts.flatMap((text) => [...text.matchAll(change)].map(([, , route = '']) => route))),
    named: new Set(texts.flatMap((text) => [...text.matchAll(named)].map(([, , route = '']) => route).concat(namedByConstant(text)))),
  }
}

const namedByConstant = (text: string): readonly string[] =>
  [...text.matchAll(constant)].flatMap(([, name, route = '']) =>
    new RegExp(`(changes(=\\{|: )|useRefusal\\(\\)\\()${name}\\b`).test(text) ? [route] : [],
  )

const plugins = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(`${folder}${entry.name}`).includes('ui'))
  .map(({ name }) => name)

describe('pages name the changes that they can send', () => {
  test('pages were found', () => {
    expect(plugins).toEqual(expect.arrayContaining(['admin', 's3', 'tasks', 'wallet']))
    expect(readPages('admin').sent.size).toBeGreaterThan(15)
  })

  test.each(plugins)('%s', (plugin) => {
    const page = readPages(plugin)
    const routes = [...page.sent, ...page.named]
    expect(routes.filter((route) => !roles.has(route))).toEqual([])
    const restricted = [...page.sent].filter((route) => roles.get(route) !== 'read-only' && !(route in sentByThemselves))
    expect(restricted.filter((route) => !page.named.has(route))).toEqual([])
  })
})
