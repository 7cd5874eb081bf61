/** Responses about objects that are stored on chain, and about failed storage, on one devnet. */
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listAffectedVersions, listObjects, objectProvenance, objectStatusDetail, overview, showBucket } from '../../plugins/admin/api.ts'
import { chainReadiness } from '../../plugins/wallet/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData } from '../fixtures/admin-data.ts'
import { watchEvents } from '../fixtures/event-watch.ts'
import { type DevnetGateway, startDevnetGateway } from '../fixtures/gateways/devnet-gateway.ts'
import { missingMembers } from '../fixtures/missing-members.ts'
import { uploadForFailure } from '../fixtures/stuck-storage.ts'
import { until } from '../fixtures/until.ts'

let svc: DevnetGateway
let data: AdminData
beforeAll(async () => {
  svc = await startDevnetGateway()
  data = createAdminData(svc)
})
afterAll(() => svc?.[Symbol.asyncDispose]())

const pathOf = (bucket: string, rest = '') => `/api/v1/buckets/${bucket}${rest}`
const readOverview = async () => answerOf(overview, await svc.call('GET', '/api/v1/overview'))

test('storing an object sends events: upload progress, finished tasks and state changes', async () => {
  using watch = await watchEvents(svc)
  const bucket = await data.makeBucket()
  const owner = await svc.createUser()
  const s3 = svc.connect(owner)
  await svc.call('PUT', `/api/v1/buckets/${bucket}/owner`, { json: { owner_access_key: owner.access_key } })
  const { VersionId } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'a/ü', Body: Buffer.alloc(400, 'ü') }))
  s3.destroy()
  const stored = await watch.next('upload_state_changed', ({ state }) => state === 'stored')
  const upload = { upload_id: expect.any(Number), version_id: VersionId, object_key: 'a/ü', bucket_name: bucket, task_id: null }
  expect(stored.data).toEqual({ seq: Number(stored.id), topic: 'upload_state_changed', ...upload, state: 'stored' })
  const sent = await watch.next('upload_progress_updated', ({ progress }) => progress.done)
  expect(sent.data).toEqual({
    seq: Number(sent.id),
    topic: 'upload_progress_updated',
    ...upload,
    progress: {
      scope: 'ingress_store',
      attempt: 1,
      uploaded_bytes: 400,
      total_bytes: 400,
      percent: 100,
      done: true,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
  })
  const ended = await watch.next('task_updated', ({ type }) => type === 'storage_commit')
  expect(ended.data).toEqual({
    seq: Number(ended.id),
    topic: 'task_updated',
    task_id: expect.any(Number),
    type: 'storage_commit',
    status: 'completed',
    presentation_status: 'completed',
    subject: { type: 'storage_data_set', key: expect.stringMatching(/^\d+$/) },
  })
})

describe('a stored object', () => {
  let bucket: string
  let versionId: string
  beforeAll(async () => {
    bucket = await data.makeBucket({ default_copies: 2 })
    versionId = (await data.upload(bucket, 'a', Buffer.alloc(500, 'a'))).versionId
    await data.stored(bucket, versionId)
  })

  test('is shown with its piece, cached and on chain', async () => {
    const { objects } = answerOf(listObjects, await svc.call('GET', pathOf(bucket, '/objects')))
    expect(objects[0]).toMatchObject({
      state: 'stored',
      status: 'success',
      location: { cache: true, chain: true },
      piece_cid: expect.stringMatching(/^baf[a-z0-9]+$/),
    })
    expect(objects[0]).not.toHaveProperty('progress')
  })

  test('has a data set for each copy, which can be replaced while it receives writes', async () => {
    const { id, data_sets, replacements, storage_health } = answerOf(showBucket, await svc.call('GET', pathOf(bucket)))
    expect(replacements).toEqual([])
    expect(storage_health).toMatchObject({ status: 'unknown', abnormal_data_sets: 2, affected_versions_capped: 1 })
    expect(data_sets).toHaveLength(2)
    expect(new Set(data_sets.map(({ provider_id }) => provider_id)).size).toBe(2)
    for (const [slot, dataSet] of data_sets.entries()) {
      expect(dataSet).toMatchObject({
        bucket_id: id,
        bucket_name: bucket,
        copy_index: slot,
        generation: 1,
        is_current: true,
        replaceable: true,
        provider_identity: { registry_provider_id: dataSet.provider_id, service_url: expect.stringMatching(/^http:/) },
        data_set_id: expect.stringMatching(/^\d+$/),
        client_data_set_id: expect.stringMatching(/^\d+$/),
        status: 'ready',
        committed_copies: 1,
        readable_copies: 1,
        physical_bytes: 500,
        referenced_version_count: 1,
        current_version_count: 1,
      })
    }
  })

  test.each([
    [showBucket, ''],
    [listObjects, '/objects'],
    [objectProvenance, '/objects/provenance?version_id={version}'],
    [objectStatusDetail, '/objects/status-detail?version_id={version}'],
    [listAffectedVersions, '/storage-health/affected-versions?limit=1'],
    [chainReadiness, undefined],
  ] as const)('is shown by $path with exactly the documented members', async (endpoint, rest) => {
    const { paths } = (await svc.call('GET', '/api/v1/openapi.json')).json
    const path = rest === undefined ? endpoint.path : pathOf(bucket, rest.replace('{version}', versionId))
    const reply = await svc.call('GET', path)
    expect(answerOf<typeof endpoint>(endpoint, reply)).toEqual(reply.json)
    const { schema } = paths[endpoint.path.replaceAll(/:(\w+)/g, '{$1}')].get.responses[200].content['application/json']
    expect(missingMembers(schema, reply.json)).toEqual([])
  })
})

describe('the overview', () => {
  test('counts objects by state until all of them are stored', async () => {
    const bucket = await data.makeBucket()
    await data.stored(bucket, (await data.upload(bucket, 'a')).versionId)
    await until('the counts agree', async () => {
      const { objects } = await readOverview()
      return objects.by_state.stored === objects.total ? true : undefined
    })
    expect((await readOverview()).objects.attention).toEqual({
      needs_attention: 0,
      stuck: 0,
      stuck_data_sets: 0,
      storage_confirmations: 0,
      unavailable: 0,
    })
  })

  test('counts an acknowledged failure as failed, without attention', async () => {
    const bucket = await data.makeBucket()
    await uploadForFailure(svc, data, bucket, 'lost')
    const failed = await until('the failure', async () => {
      const { tasks, objects } = await readOverview()
      return tasks.attention.failed === 1 && objects.by_state.failed === 1 ? { tasks, objects } : undefined
    })
    expect(failed.tasks.by_status.failed).toBe(1)
    expect(failed.objects.attention.needs_attention).toBe(1)
    const [task] = (await svc.call('GET', '/api/v1/tasks?status=failed')).json.tasks
    expect((await svc.call('POST', `/api/v1/tasks/${task.id}/acknowledge`)).status).toBe(200)
    const { by_status, attention } = (await readOverview()).tasks
    expect([by_status.failed, attention.failed]).toEqual([1, 0])
  })
})
