import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { metricCollectors } from '#kernel'
import { kernelContributions, loadContributions } from '#kernel/host'
import { builtinPlugins } from '../plugins/index.ts'
import { readListed } from './checks/check-error-codes.ts'
import { readRows } from './checks/check-spec.ts'
import { checkGeneratedDocs, findStale, writeDocs } from './generated-docs.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly $ref?: string }>>
}

const pages = await writeDocs()
const pageOf = (name: string): string => pages.find(({ path }) => path.endsWith(name))?.text ?? ''
const openApi = JSON.parse(pageOf('openapi.json'))
const operations = Object.entries<Record<string, Operation>>(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, method, path, ...operation })),
)

test('every generated page is up to date', async () => {
  expect(await checkGeneratedDocs()).toEqual([])
})

test('a missing or stale page is reported with the command that updates it', () => {
  const docs = ['a', 'b', 'c'].map((path) => ({ path, text: 'now' }))
  const pages: Readonly<Record<string, string>> = { a: 'now', b: 'before' }
  expect(findStale(docs, (path) => pages[path])).toEqual(['b', 'c'].map((path) => `${path} is stale: update it with \`npm run docs\``))
})

test('pages are the same on every machine', () => {
  for (const { text } of pages) expect(text).not.toMatch(/\/(root|home|tmp|Users)\//)
})

test('the OpenAPI document has every implemented endpoint of the specification', () => {
  const built = readRows(pageOf('spec-coverage.md')).filter(({ section, later }) => section === 'Endpoints' && later.length === 0)
  const lines = operations.map(({ line }) => line)
  // The router takes no hyphen in the name of a parameter.
  const wanted = built.map(({ name }) => name.replace('{copy-id}', '{copyId}')).filter((name) => name.includes('/api/v1/'))
  expect(lines).toEqual(expect.arrayContaining(wanted))
})

const severalStatuses: Readonly<Record<string, readonly string[]>> = {
  // An unhealthy service answers in the same form as a healthy one.
  'GET /healthz': ['200', '503', 'default'],
  // A range of the object.
  'GET /api/v1/buckets/{name}/objects/preview': ['200', '206', 'default'],
  // An exact repeat answers 200.
  'POST /api/v1/buckets/{name}/data-sets/{id}/replacement': ['200', '201', 'default'],
}

test('every operation of the OpenAPI document has a unique operationId, a summary, an answer and an error answer', () => {
  expect(openApi.openapi).toBe('3.1.0')
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { line, summary, responses } of operations) {
    expect([line, summary]).toEqual([line, expect.stringMatching(/^\S.{3,}/)])
    const statuses = Object.keys(responses).sort()
    const expected = severalStatuses[line] ?? [expect.stringMatching(/^2\d\d$|^303$|^501$/), 'default']
    expect([line, statuses]).toEqual([line, expected])
    expect(responses.default).toEqual({ $ref: '#/components/responses/Error' })
  }
})

test('the path parameters of the OpenAPI document are those of its paths, and no parameter is listed twice', () => {
  for (const { line, path, method, parameters, requestBody } of operations) {
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    expect([line, inPath.map(({ name }) => name).sort()]).toEqual([line, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()])
    expect(inPath.every(({ required }) => required)).toBe(true)
    expect([line, new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).size]).toEqual([line, parameters.length])
    if (method === 'get') expect([line, requestBody]).toEqual([line, undefined])
  }
})

test('every operation of the OpenAPI document names its security schemes, and all of them are defined', () => {
  const schemes = Object.keys(openApi.components.securitySchemes)
  for (const { line, security } of operations) {
    for (const name of security.flatMap((way) => Object.keys(way))) expect(schemes).toContain(name)
    if (!line.includes('/auth/') && line !== 'GET /healthz') expect([line, security[0]]).toEqual([line, { basic: [] }])
  }
  const of = (line: string) => operations.find((operation) => operation.line === line)?.security
  expect(of('GET /healthz')).toEqual([])
  expect(of('POST /api/v1/auth/login')).toEqual([])
  expect(of('GET /api/v1/auth/session')).toEqual([{ session: [] }])
  expect(of('POST /api/v1/auth/logout')).toEqual([{ session: [], csrf: [] }])
  expect(of('GET /api/v1/tasks')).toEqual([{ basic: [] }, { session: [] }])
  expect(of('DELETE /api/v1/buckets/{name}/objects')).toEqual([{ basic: [] }, { session: [], csrf: [] }])
})

test('every error code that the OpenAPI document names is published', () => {
  const published = readListed(readFileSync(new URL('../docs/reference/error-codes.md', import.meta.url), 'utf8'))
  const named = operations.flatMap(({ description = '' }) => [...description.matchAll(/`([a-z0-9_]+)`/g)].map(([, code = '']) => code))
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((code) => !published.has(code))).toEqual([])
})

test('every reference in the OpenAPI document resolves', () => {
  const references = listReferences(openApi)
  expect(references).toContain('#/components/schemas/Error')
  for (const reference of references) {
    const target = reference
      .split('/')
      .slice(1)
      .reduce((at, word) => at?.[word], openApi)
    expect([reference, target]).toEqual([reference, expect.any(Object)])
  }
})

function listReferences(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === '$ref' ? [String(inner)] : listReferences(inner)))
}

test('the settings page has every key with its default and environment name, and no secret', () => {
  const page = pageOf('settings.md')
  expect(page).toContain('| `admin.addr` | `SVC_ADMIN_ADDR` | `"127.0.0.1:9090"` | no | – |')
  expect(page).toContain('| `chain.network` | `SVC_CHAIN_NETWORK` | `"calibration"` | yes | high |')
  expect(page).toMatch(/\| `database\.dsn` \| `SVC_DATABASE_DSN` \| secret \|/)
  const specified = readRows(pageOf('spec-coverage.md')).filter(({ section, name }) => section === 'Settings' && name.includes('.'))
  expect(specified.length).toBeGreaterThan(10)
  for (const { name } of specified) expect(page).toContain(`| \`${name}\` |`)
})

test('the metrics page lists every metric', async () => {
  const page = pageOf('metrics.md')
  const names = (await loadContributions(metricCollectors, [kernelContributions, ...builtinPlugins])).map(({ item }) => item.name)
  expect([...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual([...names].sort())
})
