import { expect, test } from 'vitest'
import { testAdmin } from '../testing/test-admin.ts'
import type { OpenApiDocument } from './openapi-document.ts'

async function readDocument(): Promise<OpenApiDocument> {
  await using admin = await testAdmin()
  return (await admin.call('GET', '/api/v1/openapi.json')).body
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
}

const operationsOf = (document: OpenApiDocument) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, path, ...(operation as Operation) })),
  )

test('every address of the plugin and of signing in is documented', async () => {
  const lines = operationsOf(await readDocument()).map(({ line }) => line)
  expect(lines.sort()).toEqual([
    'DELETE /api/v1/buckets/{name}',
    'DELETE /api/v1/buckets/{name}/objects',
    'GET /api/v1/archives/{ticket}',
    'GET /api/v1/auth/methods',
    'GET /api/v1/auth/session',
    'GET /api/v1/buckets',
    'GET /api/v1/buckets/{name}',
    'GET /api/v1/buckets/{name}/bulk-actions',
    'GET /api/v1/buckets/{name}/objects',
    'GET /api/v1/buckets/{name}/objects/deleted',
    'GET /api/v1/buckets/{name}/objects/deletions',
    'GET /api/v1/buckets/{name}/objects/download',
    'GET /api/v1/buckets/{name}/objects/metadata',
    'GET /api/v1/buckets/{name}/objects/preview',
    'GET /api/v1/buckets/{name}/objects/provenance',
    'GET /api/v1/buckets/{name}/objects/status-detail',
    'GET /api/v1/buckets/{name}/objects/versions',
    'GET /api/v1/buckets/{name}/storage-health/affected-versions',
    'GET /api/v1/bulk-actions/{id}',
    'GET /api/v1/cache/stats',
    'GET /api/v1/doctor/checks',
    'GET /api/v1/events',
    'GET /api/v1/openapi.json',
    'GET /api/v1/overview',
    'GET /api/v1/settings',
    'GET /api/v1/system/info',
    'GET /api/v1/system/plugins',
    'GET /healthz',
    'POST /api/v1/auth/login',
    'POST /api/v1/auth/logout',
    'POST /api/v1/auth/refresh',
    'POST /api/v1/buckets',
    'POST /api/v1/buckets/{name}/archives',
    'POST /api/v1/buckets/{name}/bulk-actions',
    'POST /api/v1/buckets/{name}/bulk-actions/preview',
    'POST /api/v1/buckets/{name}/objects/deleted/permanent-delete',
    'POST /api/v1/buckets/{name}/objects/permanent-delete',
    'POST /api/v1/buckets/{name}/objects/restore',
    'POST /api/v1/buckets/{name}/objects/upload',
    'POST /api/v1/buckets/{name}/objects/versions/restore',
    'POST /api/v1/bulk-actions/{id}/stop',
    'POST /api/v1/doctor/checks/{name}/run',
    'POST /api/v1/doctor/fixes/{name}',
    'POST /api/v1/restart',
    'POST /api/v1/settings/validate',
    'PUT /api/v1/buckets/{name}/copy-policy',
    'PUT /api/v1/buckets/{name}/owner',
    'PUT /api/v1/settings',
  ])
})

test('every operation has a unique name and declares the parameters of its path', async () => {
  const operations = operationsOf(await readDocument())
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { line, path, parameters } of operations) {
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    expect([line, inPath.map(({ name }) => name)]).toEqual([line, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)])
    expect([line, inPath.every(({ required }) => required)]).toEqual([line, true])
  }
})

test('bodies, answers and refusals are described as they are checked', async () => {
  const { paths } = await readDocument()
  expect(paths['/api/v1/buckets']?.post).toMatchObject({
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['name', 'owner_access_key'],
            additionalProperties: false,
            properties: { default_copies: { anyOf: [{ type: 'integer', minimum: 1, maximum: 8 }, { type: 'null' }] } },
          },
        },
      },
    },
    responses: { 201: { content: { 'application/json': { schema: { properties: { owner_access_key: {} } } } } } },
    description: expect.stringContaining('`bucket_exists`'),
  })
  expect(paths['/api/v1/buckets/{name}/objects/upload']?.post).toMatchObject({ requestBody: { content: { '*/*': {} } } })
  expect(paths['/api/v1/events']?.get).toMatchObject({ responses: { 200: { content: { 'text/event-stream': {} } } } })
  expect(paths['/api/v1/buckets/{name}/objects/download']?.get).toMatchObject({ responses: { 200: { content: { '*/*': {} } } } })
  const health = { content: { 'application/json': { schema: { required: ['status'] } } } }
  expect(paths['/healthz']?.get).toMatchObject({ responses: { 200: health, 503: health } })
  expect(paths['/api/v1/buckets/{name}']?.delete).toMatchObject({ responses: { 501: { $ref: '#/components/responses/Error' } } })
})
