/** The OpenAPI document against the specification, and the responses of a running service against the document. */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  cacheStats,
  listAffectedVersions,
  listBuckets,
  listDeletedObjects,
  listDeletions,
  listObjects,
  listObjectVersions,
  objectProvenance,
  objectStatusDetail,
  overview,
  readSettings,
  showBucket,
  systemInfo,
  systemPlugins,
} from '../../plugins/admin/api.ts'
import { listReplacements } from '../../plugins/replacement/api.ts'
import { listUsers } from '../../plugins/s3/api.ts'
import { listTasks, previewAcknowledge, taskStats, workers } from '../../plugins/tasks/api.ts'
import { chainReadiness } from '../../plugins/wallet/api.ts'
import { readCoverage } from '../../tools/checks/check-spec.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData } from '../fixtures/admin-data.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'
import { missingMembers } from '../fixtures/missing-members.ts'

let svc: Gateway
let data: AdminData
// biome-ignore lint/suspicious/noExplicitAny: the document is read at many depths
let document: any
beforeAll(async () => {
  svc = await sharedServe()
  data = createAdminData(svc)
  document = (await svc.call('GET', '/api/v1/openapi.json')).json
})

/** Additions to the specification. */
const ours = [
  'PUT /api/v1/setup/wallet-key',
  'POST /api/v1/restart',
  'GET /api/v1/buckets/{name}/copies/raise',
  'POST /api/v1/buckets/{name}/copies/raise',
  'GET /api/v1/packs',
  'GET /api/v1/packs/{id}',
  'POST /api/v1/packs/seal',
  'POST /api/v1/packs/{id}/compact',
  'PUT /api/v1/packs/policy',
  'POST /api/v1/storage-confirmations/release',
  'GET /api/v1/storage-repairs',
  'GET /api/v1/storage-replacements/what-if',
  'GET /api/v1/openapi.json',
  'GET /api/v1/buckets/{name}/bulk-actions',
  'POST /api/v1/buckets/{name}/bulk-actions',
  'POST /api/v1/buckets/{name}/bulk-actions/preview',
  'GET /api/v1/bulk-actions/{id}',
  'POST /api/v1/bulk-actions/{id}/stop',
  'POST /api/v1/buckets/{name}/archives',
  'GET /api/v1/archives/{ticket}',
  'GET /api/v1/buckets/{name}/objects/metadata',
  'GET /api/v1/buckets/{name}/objects/preview',
  'POST /api/v1/buckets/{name}/objects/share',
  'GET /api/v1/s3-address',
  'GET /api/v1/buckets/{name}/s3-settings',
  'PUT /api/v1/buckets/{name}/s3-settings/access',
  'PUT /api/v1/buckets/{name}/s3-settings/cors',
  'PUT /api/v1/buckets/{name}/s3-settings/lifecycle',
  'PUT /api/v1/buckets/{name}/s3-settings/quota',
  'PUT /api/v1/buckets/{name}/s3-settings/tags',
  'GET /api/v1/buckets/{name}/uploads',
  'POST /api/v1/buckets/{name}/uploads/abort',
  'PUT /api/v1/s3-users/{accessKey}/profile',
  'GET /api/v1/system/plugins',
  'GET /api/v1/s3-limits',
  'PUT /api/v1/s3-users/{accessKey}/limits',
  'GET /api/v1/doctor/checks',
  'POST /api/v1/doctor/checks/{name}/run',
  'POST /api/v1/doctor/fixes/{name}',
  'GET /api/v1/buckets/{name}/objects/proof',
  'GET /api/v1/observability/samples',
  'POST /api/v1/observability/samples',
  'GET /api/v1/cost',
  'POST /api/v1/cost/refresh',
  'POST /api/v1/cost/estimate',
  'GET /api/v1/buckets/{name}/cost',
  'GET /api/v1/receipts',
  'GET /api/v1/storage-replacements',
  'GET /api/v1/storage-replacements/{id}',
  'GET /api/v1/observability/series',
  'GET /api/v1/observability/series/names',
  'DELETE /api/v1/auth/sessions/{id}',
  'GET /api/v1/audit',
  'GET /api/v1/auth/methods',
  'GET /api/v1/auth/oidc/callback',
  'GET /api/v1/auth/oidc/start',
  'GET /api/v1/auth/second-factor',
  'GET /api/v1/auth/sessions',
  'GET /api/v1/below-target',
  'GET /api/v1/below-target/causes',
  'GET /api/v1/cost/leaks',
  'GET /api/v1/packs/stored',
  'GET /api/v1/tasks/retry/preview',
  'POST /api/v1/auth/second-factor',
  'POST /api/v1/auth/second-factor/confirm',
  'POST /api/v1/auth/second-factor/remove',
  'POST /api/v1/below-target/retry',
  'POST /api/v1/packs/stored',
  'POST /api/v1/tasks/retry',
]

const listOperations = (): readonly string[] =>
  Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )

test('the document has every implemented endpoint of the specification, and no other', () => {
  const implemented = readCoverage().filter(({ section, later }) => section === 'Endpoints' && later.length === 0)
  const wanted = implemented.map(({ name }) => name.replace('{copy-id}', '{copyId}'))
  expect(listOperations().toSorted()).toEqual([...wanted, ...ours].toSorted())
})

test('it is OpenAPI 3.1 with the version of svc, and every reference in it resolves', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'svc Admin API', version: expect.stringMatching(/^\d+\.\d+\.\d+/) } })
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)
  expect(references.length).toBeGreaterThan(0)
  for (const path of references) {
    expect([path, path.split('/').reduce((at, word) => at?.[word], document)]).toEqual([path, expect.any(Object)])
  }
})

test('every operation documents its answer and the common error answer', () => {
  for (const methods of Object.values<Record<string, { responses: object; summary: string }>>(document.paths)) {
    for (const { responses, summary } of Object.values(methods)) {
      expect(summary).not.toBe('')
      expect(responses).toMatchObject({ default: { $ref: '#/components/responses/Error' } })
      // Deleting a bucket is not supported. An exact replay of a confirmed replacement answers 200 instead of 201, a range 206.
      const statuses = Object.keys(responses).filter((status) => /^20[0-46]$|^303$|^501$/.test(status))
      expect(['200,201', '200,206'].includes(statuses.join()) || statuses.length === 1, statuses.join()).toBe(true)
    }
  }
})

describe('the answer of', () => {
  let bucket: string
  let versionId: string
  beforeAll(async () => {
    bucket = await data.makeBucket({ default_copies: 2 })
    versionId = (await data.upload(bucket, 'folder/kept')).versionId
    await data.upload(bucket, 'deleted')
    await data.remove(bucket, 'deleted')
  })

  const objects = '/api/v1/buckets/{bucket}/objects'

  test.each([
    [systemInfo, '/api/v1/system/info'],
    [systemPlugins, '/api/v1/system/plugins'],
    [workers, '/api/v1/workers'],
    [cacheStats, '/api/v1/cache/stats'],
    [overview, '/api/v1/overview'],
    [listBuckets, '/api/v1/buckets'],
    [showBucket, '/api/v1/buckets/{bucket}'],
    [listObjects, objects],
    [listObjects, `${objects}?delimiter=/&limit=1`],
    [listObjectVersions, `${objects}/versions?key=deleted`],
    [listDeletedObjects, `${objects}/deleted`],
    [listDeletions, `${objects}/deletions`],
    [objectProvenance, `${objects}/provenance?version_id={version}`],
    [objectStatusDetail, `${objects}/status-detail?version_id={version}`],
    [listAffectedVersions, '/api/v1/buckets/{bucket}/storage-health/affected-versions?limit=1'],
    [listUsers, '/api/v1/s3-users'],
    [readSettings, '/api/v1/settings'],
    [listTasks, '/api/v1/tasks?limit=1'],
    [taskStats, '/api/v1/tasks/stats'],
    [previewAcknowledge, '/api/v1/tasks/acknowledge/preview'],
    [chainReadiness, '/api/v1/chain/readiness'],
    [listReplacements, '/api/v1/storage-replacements?limit=1'],
  ] as const)('$path is JSON with exactly the documented members', async (endpoint, path) => {
    const reply = await svc.call('GET', path.replace('{bucket}', bucket).replace('{version}', versionId))
    expect(reply.headers['content-type']).toMatch(/^application\/json/)
    expect(answerOf<typeof endpoint>(endpoint, reply)).toEqual(reply.json)
    expect(missingMembers(schemaOf(endpoint.path), reply.json)).toEqual([])
  })

  test('health is documented too', async () => {
    expect(missingMembers(schemaOf('/healthz'), (await svc.call('GET', '/healthz')).json)).toEqual([])
  })

  const schemaOf = (path: string) =>
    document.paths[path.replaceAll(/:(\w+)/g, '{$1}')].get.responses[200].content['application/json'].schema
})
