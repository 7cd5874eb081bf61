import { afterAll, beforeAll, expect, test } from 'vitest'
import { promised } from '#kernel/testing'
import { replacementErrors } from '../errors.ts'
import { progress, replacement, type TestSurface, testSurface } from '../testing/test-surface.ts'
import type { ReplacementAnswer } from './record-api.ts'
import { confirmReplacement, listCandidates, listReplacements, retryReplacement, showReplacement } from './replacement-api.ts'

const path = '/api/v1/buckets/photos/data-sets/1/replacement'
const automatic = { mode: 'automatic', client_request_id: 'first' }

/** For requests that are refused. */
let empty: TestSurface
beforeAll(async () => {
  empty = await testSurface()
})
afterAll(() => empty?.stop())

test('a confirmation answers 201 with the record, and its exact repeat 200 with the same one', async () => {
  await using svc = await testSurface()
  const first = await svc.call('POST', path, automatic)
  expect(first.status).toBe(201)
  const record = promised(confirmReplacement, first)
  expect(record).toMatchObject({
    id: 1,
    bucket_name: 'photos',
    copy_index: 0,
    status: 'preparing_target',
    last_error: null,
    selection_mode: 'automatic',
    origin: 'operator',
    source: { id: 1, generation: 1, is_current: true, provider_id: '7', data_set_id: '41', provider_identity: { name: 'Old One' } },
    target: { id: 2, generation: 2, is_current: false, status: 'creating', provider_id: '8', data_set_id: null },
    client_request_id: 'first',
    created_at: '1970-01-01T00:00:00Z',
    retryable: false,
  })
  const again = await svc.call('POST', path, { ...automatic, client_request_id: ' first ' })
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(svc.commands).toEqual(
    Array(2).fill({ bucketId: 1, dataSetId: 1, mode: 'automatic', providerId: undefined, clientRequestId: 'first', origin: 'operator' }),
  )
})

test('a manual confirmation names its provider', async () => {
  await using svc = await testSurface()
  await svc.call('POST', path, { mode: 'manual', provider_id: '8', client_request_id: 'b' })
  expect(svc.commands).toMatchObject([{ mode: 'manual', providerId: '8' }])
})

test.each([
  ['without an id of the request', { mode: 'automatic' }, 'client_request_id_required'],
  ['with an id of spaces', { mode: 'automatic', client_request_id: '  ' }, 'client_request_id_required'],
  ['with an id of 129 characters', { mode: 'automatic', client_request_id: 'x'.repeat(129) }, 'client_request_id_required'],
  ['with neither an id nor a mode', {}, 'client_request_id_required'],
  ['without a mode', { client_request_id: 'a' }, 'replacement_target_invalid'],
  ['with an unknown mode', { mode: 'best', client_request_id: 'a' }, 'replacement_target_invalid'],
  ['with a mode that is no text', { mode: 1, client_request_id: 'a' }, 'replacement_target_invalid'],
  ['automatic with a provider', { mode: 'automatic', provider_id: '8', client_request_id: 'a' }, 'replacement_target_invalid'],
  ['manual without a provider', { mode: 'manual', client_request_id: 'a' }, 'replacement_target_invalid'],
  ['manual with a number', { mode: 'manual', provider_id: 8, client_request_id: 'a' }, 'replacement_target_invalid'],
  ['manual with other characters', { mode: 'manual', provider_id: '8a', client_request_id: 'a' }, 'replacement_target_invalid'],
  ['with an unknown member', { ...automatic, force: true }, 'invalid_request'],
  ['with a NUL character in the id', { mode: 'automatic', client_request_id: 'a\0' }, 'invalid_request'],
  ['with an id that is no text', { mode: 'automatic', client_request_id: 1 }, 'invalid_request'],
  ['larger than 4096 bytes', { mode: 'automatic', client_request_id: 'x'.repeat(4096) }, 'invalid_request'],
])('a confirmation %s is refused before the bucket is looked up', async (_what, body, code) => {
  for (const bucket of ['photos', 'nowhere']) {
    expect(await empty.call('POST', `/api/v1/buckets/${bucket}/data-sets/1/replacement`, body)).toMatchObject({
      status: 400,
      body: { code },
    })
  }
  expect(empty.commands).toEqual([])
})

test('128 characters are accepted, also those of two UTF-16 units', async () => {
  await using svc = await testSurface()
  expect((await svc.call('POST', path, { mode: 'automatic', client_request_id: ` ${'😀'.repeat(128)} ` })).status).toBe(201)
})

test.each([
  ['POST', '/api/v1/buckets/nowhere/data-sets/1/replacement', 404, 'bucket_not_found'],
  ['POST', '/api/v1/buckets/photos/data-sets/0/replacement', 400, 'invalid_request'],
  ['POST', '/api/v1/buckets/photos/data-sets/x/replacement', 400, 'invalid_request'],
  ['GET', '/api/v1/buckets/nowhere/data-sets/1/replacement/providers', 404, 'bucket_not_found'],
  ['GET', '/api/v1/buckets/photos/data-sets/-1/replacement/providers', 400, 'invalid_request'],
  ['GET', '/api/v1/storage-replacements/9', 404, 'replacement_not_found'],
  ['GET', '/api/v1/storage-replacements/0', 400, 'invalid_request'],
  ['POST', '/api/v1/storage-replacements/9/retry', 404, 'replacement_not_found'],
  ['GET', '/api/v1/storage-replacements?status=done', 400, 'invalid_request'],
  ['GET', '/api/v1/storage-replacements?limit=101', 400, 'invalid_request'],
  ['GET', '/api/v1/storage-replacements?cursor=x', 400, 'invalid_request'],
  ['GET', '/api/v1/storage-replacements?bucket=nowhere', 404, 'bucket_not_found'],
])('%s %s answers %i %s', async (method, address, status, code) => {
  const body = method === 'POST' && !address.endsWith('/retry') ? automatic : undefined
  expect(await empty.call(method, address, body)).toMatchObject({ status, body: { code } })
})

test('the record says why it waits, or why it failed, and never both', async () => {
  await using svc = await testSurface()
  svc.records.set(1, replacement({ status: 'waiting', phase: 'migrate', waitReason: 'source', waitMessage: '3 contents have no source' }))
  svc.records.set(2, replacement({ id: 2, status: 'failed', lastError: 'provider 8 serves the bucket', failureReason: 'target_in_use' }))
  svc.records.set(3, replacement({ id: 3, status: 'cleanup_attention', phase: 'retire', lastError: 'debt', takenOverAtMs: 1000 }))
  svc.records.set(
    4,
    replacement({ id: 4, status: 'superseded', phase: 'none', supersededById: 5, finishedAtMs: 2000, terminationEpoch: '77' }),
  )
  const read = async (id: number) => promised(showReplacement, await svc.call('GET', `/api/v1/storage-replacements/${id}`))
  const shown = await Promise.all([1, 2, 3, 4].map(read))
  const parts = (record: ReplacementAnswer) => [
    record.wait_reason,
    record.wait_message,
    record.failure_reason,
    record.last_error,
    record.retryable,
  ]
  expect(shown.map(parts)).toEqual([
    ['source', '3 contents have no source', undefined, null, false],
    [undefined, undefined, 'target_in_use', 'provider 8 serves the bucket', false],
    [undefined, undefined, undefined, 'debt', true],
    [undefined, undefined, undefined, null, false],
  ])
  expect(shown[2]?.taken_over_at).toBe('1970-01-01T00:00:01Z')
  expect(shown[3]).toMatchObject({ superseded_by: 5, finished_at: '1970-01-01T00:00:02Z', termination_epoch: '77' })
})

test('the progress has no share while contents are being found', async () => {
  await using svc = await testSurface()
  svc.records.set(1, replacement({ status: 'migrating', phase: 'migrate' }))
  const read = async () => promised(showReplacement, await svc.call('GET', '/api/v1/storage-replacements/1')).progress
  svc.progresses.set(1, progress({ phase: 'migrate', byState: { pending: 3, copied: 1 } }))
  const first = await read()
  expect(first).toMatchObject({ scope: 'provider_replacement', phase: 'migrate', seeding_complete: false, items_total: 4, items_copied: 1 })
  expect(first).not.toHaveProperty('percent')
  expect(first).not.toHaveProperty('next_retry_at')
  const byState = { pending: 1, active: 2, retrying: 3, waiting_source: 4, failed: 5, attention: 6, copied: 7, no_longer_needed: 8 }
  svc.progresses.set(1, progress({ phase: 'migrate', isSeeded: true, percent: 41.66, nextRetryAtMs: 5000, byState }))
  expect(await read()).toEqual({
    scope: 'provider_replacement',
    phase: 'migrate',
    seeding_complete: true,
    items_total: 36,
    items_copied: 7,
    items_no_longer_needed: 8,
    items_processed: 15,
    percent: 41.66,
    items_pending: 1,
    items_active: 2,
    items_retrying: 3,
    items_waiting_source: 4,
    items_failed: 5,
    items_attention: 6,
    next_retry_at: '1970-01-01T00:00:05Z',
  })
})

test('the list is newest first, filtered by status and bucket, and paged by cursor without a gap', async () => {
  await using svc = await testSurface()
  for (const id of [1, 2, 3, 4, 5]) svc.records.set(id, replacement({ id, status: id === 2 ? 'failed' : 'completed' }))
  const list = async (query: string) => {
    const page = promised(listReplacements, await svc.call('GET', `/api/v1/storage-replacements${query}`))
    return [page.replacements.map(({ id }) => id), page.next_cursor]
  }
  expect(await list('')).toEqual([[5, 4, 3, 2, 1], undefined])
  expect(await list('?limit=2')).toEqual([[5, 4], 4])
  expect(await list('?limit=2&cursor=4')).toEqual([[3, 2], 2])
  expect(await list('?limit=2&cursor=2')).toEqual([[1], undefined])
  expect(await list('?status=failed&bucket=photos')).toEqual([[2], undefined])
  expect(await list('?status=migrating')).toEqual([[], undefined])
})

test('a retry answers the record that continues; its body is empty or an empty object', async () => {
  await using svc = await testSurface()
  svc.records.set(1, replacement({ status: 'failed', phase: 'migrate', lastError: 'no answer' }))
  for (const body of [undefined, {}]) {
    const record = promised(retryReplacement, await svc.call('POST', '/api/v1/storage-replacements/1/retry', body))
    expect([record.status, record.last_error]).toEqual(['migrating', null])
  }
  expect(await svc.call('POST', '/api/v1/storage-replacements/1/retry', { force: true })).toMatchObject({ status: 400 })
})

test('candidates say why they are not eligible and what we measured', async () => {
  await using svc = await testSurface()
  const provider = (providerId: string) => ({ providerId, name: `n${providerId}`, serviceUrl: `https://p${providerId}.example` }) as never
  svc.candidates = [
    { provider: provider('8'), isEligible: true, ineligibleReason: undefined, wasUsed: true },
    { provider: provider('9'), isEligible: false, ineligibleReason: 'already_serves_bucket', wasUsed: false },
  ]
  const { providers } = promised(listCandidates, await svc.call('GET', `${path}/providers`))
  expect(providers).toEqual([
    {
      provider_id: '8',
      eligible: true,
      previously_used: true,
      provider_identity: { registry_provider_id: '8', name: 'n8', service_url: 'https://p8.example' },
      upload_bytes_per_second: 2_000_000,
      failing: false,
    },
    {
      provider_id: '9',
      eligible: false,
      ineligible_reason: 'already_serves_bucket',
      previously_used: false,
      provider_identity: { registry_provider_id: '9', name: 'n9', service_url: 'https://p9.example' },
      failing: true,
    },
  ])
})

test('a bucket shows its 50 newest replacements, newest first, and the target of an unfinished one cannot be replaced', async () => {
  await using svc = await testSurface()
  for (let id = 1; id <= 60; id++) svc.records.set(id, replacement({ id, status: 'superseded', phase: 'none', createdAtMs: id * 1000 }))
  interface Detail {
    readonly replacements: readonly { readonly id: number }[]
    readonly data_sets: readonly { readonly id: number; readonly replaceable: boolean }[]
  }
  const read = async (): Promise<Detail> => (await svc.call('GET', '/api/v1/buckets/photos')).body
  const before = await read()
  expect(before.replacements.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, at) => 60 - at))
  expect(before.data_sets.map(({ id, replaceable }) => [id, replaceable])).toEqual([
    [1, true],
    [2, false],
  ])
  svc.records.set(60, replacement({ id: 60, targetId: 1, status: 'migrating', phase: 'migrate' }))
  expect((await read()).data_sets.map(({ replaceable }) => replaceable)).toEqual([false, false])
})

test('replacements of a bucket that is being deleted are left out', async () => {
  await using svc = await testSurface()
  svc.records.set(1, replacement({ bucketId: 99 }))
  svc.records.set(2, replacement({ id: 2 }))
  const { replacements } = promised(listReplacements, await svc.call('GET', '/api/v1/storage-replacements'))
  expect(replacements.map(({ id }) => id)).toEqual([2])
  expect(await svc.call('GET', '/api/v1/storage-replacements/1')).toMatchObject({ status: 404 })
})

test.each([
  ['replacement_service_unavailable', 503],
  ['replacement_data_set_not_found', 404],
  ['replacement_idempotency_conflict', 409],
  ['replacement_active', 409],
  ['replacement_source_not_current', 409],
  ['replacement_source_creating', 409],
  ['replacement_target_unavailable', 409],
  ['replacement_target_in_use', 409],
  ['replacement_no_eligible_provider', 409],
] as const)('a confirmation that is refused as %s is answered with %i', async (code, status) => {
  empty.refusal = replacementErrors[code]()
  expect(await empty.call('POST', path, automatic)).toMatchObject({ status, body: { code, error: expect.any(String) } })
})

test.each([
  ['replacement_superseded', 409],
  ['replacement_not_retryable', 409],
  ['replacement_task_running', 409],
  ['replacement_target_in_use', 409],
  ['replacement_target_unavailable', 409],
] as const)('a retry that is refused as %s is answered with %i, and the record stays', async (code, status) => {
  await using svc = await testSurface()
  svc.records.set(1, replacement({ status: 'failed', lastError: 'no answer' }))
  svc.refusal = replacementErrors[code]()
  expect(await svc.call('POST', '/api/v1/storage-replacements/1/retry')).toMatchObject({ status, body: { code } })
  expect(await svc.call('GET', '/api/v1/storage-replacements/1')).toMatchObject({ body: { status: 'failed', last_error: 'no answer' } })
})

test('an internal failure is answered with 500 and says nothing about its cause', async () => {
  await using svc = await testSurface()
  svc.records.set(1, replacement({ status: 'failed', lastError: 'no answer' }))
  svc.refusal = new Error('database is locked at /secret/path')
  for (const address of [path, '/api/v1/storage-replacements/1/retry']) {
    const { status, body } = await svc.call('POST', address, address === path ? automatic : undefined)
    expect([status, Object.keys(body)]).toEqual([500, ['error']])
    expect(JSON.stringify(body)).not.toContain('secret')
  }
})
