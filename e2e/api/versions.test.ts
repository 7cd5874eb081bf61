/** Object versions over HTTP: history, restore and provenance. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listObjectVersions, objectProvenance, objectStatusDetail, restoreObjectVersion } from '../../plugins/admin/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData, type Uploaded } from '../fixtures/admin-data.ts'
import { type DevnetGateway, startDevnetGateway } from '../fixtures/gateways/devnet-gateway.ts'
import { holdChain, uploadForFailure } from '../fixtures/stuck-storage.ts'

let svc: DevnetGateway
let data: AdminData
let bucket: string
/** Bucket of the objects whose storage fails; shared, so that its data sets are created once. */
let fragile: string
beforeAll(async () => {
  svc = await startDevnetGateway()
  data = createAdminData(svc)
  bucket = await data.makeBucket()
  fragile = await data.makeBucket()
})
afterAll(() => svc?.[Symbol.asyncDispose]())

const at = (rest: string, of = bucket) => `/api/v1/buckets/${of}/objects/${rest}`
const second = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
const bytesOf = async ({ key }: Pick<Uploaded, 'key'>, version?: string) =>
  (await svc.call('GET', at(`download?${new URLSearchParams({ key, ...(version === undefined ? {} : { version_id: version }) })}`))).bytes

let made = 0

/** A key with that many versions, oldest first. */
async function makeHistory(length: number): Promise<readonly Uploaded[]> {
  made += 1
  const key = `history ${made}`
  const versions: Uploaded[] = []
  for (let n = 0; n < length; n++) versions.push(await data.upload(bucket, key))
  return versions
}

const oldest = async (length: number) => {
  const versions = await makeHistory(length)
  const [first, last] = [versions[0], versions.at(-1)]
  if (!first || !last) throw new Error('a history has versions')
  return { key: first.key, first, last, versions }
}

describe('the history', () => {
  const page = async (query: Readonly<Record<string, string>>) =>
    answerOf(listObjectVersions, await svc.call('GET', at(`versions?${new URLSearchParams(query)}`)))

  test('has data versions and delete markers, newest first', async () => {
    const { key, first, last } = await oldest(2)
    const marker = await data.remove(bucket, key)
    const { versions, has_more, current_version_id } = await page({ key })
    expect([has_more, current_version_id]).toEqual([false, marker])
    expect(versions).toMatchObject([
      {
        version_id: marker,
        key,
        is_delete_marker: true,
        is_current: true,
        size: 0,
        etag: '',
        content_type: '',
        location: { cache: false, chain: false },
      },
      { version_id: last.versionId, key, is_delete_marker: false, is_current: false, size: 200, content_type: 'text/plain' },
      { version_id: first.versionId, key, is_delete_marker: false, is_current: false, location: { cache: true }, created_at: second },
    ])
  })

  test.each([1, 2, 3])('in pages of %i has every version once, and the current version id on every page', async (limit) => {
    const { key, versions } = await oldest(4)
    const marker = await data.remove(bucket, key)
    const seen: string[] = []
    let after: string | undefined
    do {
      const read = await page({ key, limit: String(limit), ...(after === undefined ? {} : { version_marker: after }) })
      expect(read.current_version_id).toBe(marker)
      expect(read.versions.length).toBeLessThanOrEqual(limit)
      expect(read.has_more).toBe(read.next_version_marker !== undefined)
      seen.push(...read.versions.map(({ version_id }) => version_id))
      after = read.next_version_marker
    } while (after !== undefined)
    expect(seen).toEqual([marker, ...versions.map(({ versionId }) => versionId).toReversed()])
  })

  test('names the current version also on a page after the last one', async () => {
    const { key, first, last } = await oldest(2)
    const read = await page({ key, version_marker: first.versionId })
    expect(read).toEqual({ versions: [], has_more: false, current_version_id: last.versionId })
  })

  test('of a key that never existed is empty and has no current version', async () => {
    expect(await page({ key: 'never was' })).toEqual({ versions: [], has_more: false })
  })

  test('of one key has no versions of keys that it is a prefix of', async () => {
    const { key } = await oldest(1)
    await data.upload(bucket, `${key} and more`)
    expect((await page({ key })).versions).toHaveLength(1)
  })

  test.each(['0', '1001', 'x', '-3', ''])('with a limit of "%s" counts it as 50', async (limit) => {
    const { key } = await oldest(2)
    expect((await page({ key, limit })).versions).toHaveLength(2)
  })

  test.each(['versions', 'versions?key=', 'versions?key=a&key=b', 'versions?key=a&version_marker=', 'versions?key=%ff'])(
    'with %s is refused with 400',
    async (rest) => {
      expect(refusalOf(await svc.call('GET', at(rest)))).toEqual([400, 'invalid_request'])
    },
  )

  test('in a missing bucket is 404', async () => {
    expect(refusalOf(await svc.call('GET', at('versions?key=a', 'nowhere')))).toEqual([404, 'bucket_not_found'])
  })
})

describe('a restore', () => {
  const restore = (json: unknown, of = bucket) => svc.call('POST', at('versions/restore', of), { json })
  const from = (key: string, version_id: string, expected_current_version_id: string) => ({ key, version_id, expected_current_version_id })

  test('rule 1: creates a new current version with the old bytes, and changes no other', async () => {
    const { key, first, last } = await oldest(3)
    const before = await data.history(bucket, key)
    const restored = answerOf(restoreObjectVersion, await restore(from(key, first.versionId, last.versionId)))
    expect(restored).toEqual({ key, source_version_id: first.versionId, version_id: expect.any(String) })
    expect((await bytesOf({ key })).equals(first.bytes)).toBe(true)
    const after = await data.history(bucket, key)
    expect(after.current_version_id).toBe(restored.version_id)
    expect(after.versions.slice(1)).toMatchObject(
      before.versions.map(({ version_id, etag, created_at }) => ({ version_id, etag, created_at })),
    )
    expect(after.versions[0]).toMatchObject({ version_id: restored.version_id, is_current: true, content_type: 'text/plain', size: 200 })
  })

  test('rule 1: makes a deleted object readable and keeps its delete marker', async () => {
    const { key, first } = await oldest(1)
    const marker = await data.remove(bucket, key)
    const { version_id } = answerOf(restoreObjectVersion, await restore(from(key, first.versionId, marker)))
    expect((await bytesOf({ key })).equals(first.bytes)).toBe(true)
    expect((await data.history(bucket, key)).versions.map((version) => [version.version_id, version.is_delete_marker])).toEqual([
      [version_id, false],
      [marker, true],
      [first.versionId, false],
    ])
  })

  test('rule 2: of the current version changes nothing', async () => {
    const { key, last } = await oldest(2)
    const before = await data.history(bucket, key)
    expect(refusalOf(await restore(from(key, last.versionId, last.versionId)))).toEqual([409, 'object_version_already_current'])
    expect((await data.history(bucket, key)).versions.map(({ version_id }) => version_id)).toEqual(
      before.versions.map(({ version_id }) => version_id),
    )
  })

  test('rule 2: of an equal older version changes nothing', async () => {
    const { key, first } = await oldest(1)
    const same = await data.upload(bucket, key, first.bytes)
    expect(refusalOf(await restore(from(key, first.versionId, same.versionId)))).toEqual([409, 'object_version_already_current'])
    expect((await data.history(bucket, key)).versions).toHaveLength(2)
  })

  test('rule 3: of a delete marker is refused with 409', async () => {
    const { key } = await oldest(1)
    const marker = await data.remove(bucket, key)
    const { versionId: current } = await data.upload(bucket, key)
    expect(refusalOf(await restore(from(key, marker, current)))).toEqual([409, 'object_version_is_delete_marker'])
  })

  test('rule 3: with an outdated token is refused with 409, and succeeds with the new one', async () => {
    const { key, first, last } = await oldest(2)
    const marker = await data.remove(bucket, key)
    for (const stale of [last.versionId, first.versionId, 'none']) {
      expect(refusalOf(await restore(from(key, first.versionId, stale)))).toEqual([409, 'object_version_changed'])
    }
    const { current_version_id = '' } = await data.history(bucket, key)
    expect(current_version_id).toBe(marker)
    expect((await restore(from(key, first.versionId, current_version_id))).status).toBe(200)
  })

  test('rule 3: of concurrent restores with one token one succeeds', async () => {
    const { key, first, last } = await oldest(2)
    const replies = await Promise.all(Array.from({ length: 5 }, () => restore(from(key, first.versionId, last.versionId))))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
    expect((await data.history(bucket, key)).versions).toHaveLength(3)
  })

  test('rule 4: replaces a current version that failed', async () => {
    const good = await data.upload(fragile, 'k')
    await data.stored(fragile, good.versionId)
    const lost = await uploadForFailure(svc, data, fragile, 'k')
    const reply = await restore(from('k', good.versionId, lost.versionId), fragile)
    expect(answerOf(restoreObjectVersion, reply).source_version_id).toBe(good.versionId)
    const { versions } = await data.history(fragile, 'k')
    expect(versions.map(({ state, is_current }) => [state, is_current])).toEqual([
      ['stored', true],
      ['failed', false],
      ['stored', false],
    ])
  })

  test('rule 5: of bytes that no copy has fails with 500 and changes nothing', async () => {
    const lost = await uploadForFailure(svc, data, fragile, 'unreadable')
    const current = await data.upload(fragile, 'unreadable')
    expect(refusalOf(await restore(from('unreadable', lost.versionId, current.versionId), fragile))).toEqual([
      500,
      'restore_source_unreadable',
    ])
    expect((await data.history(fragile, 'unreadable')).current_version_id).toBe(current.versionId)
  })

  test('rule 5: of a missing version is 404', async () => {
    const { key, first, last } = await oldest(2)
    expect(refusalOf(await restore(from(key, 'none', last.versionId)))).toEqual([404, 'version_not_found'])
    expect(refusalOf(await restore(from('never was', first.versionId, last.versionId)))).toEqual([404, 'version_not_found'])
    expect(refusalOf(await restore(from(key, first.versionId, last.versionId), 'nowhere'))).toEqual([404, 'bucket_not_found'])
  })

  test.each([
    ['nothing', {}, 'invalid_request'],
    ['no key', { version_id: 'a', expected_current_version_id: 'b' }, 'invalid_request'],
    ['no version', { key: 'k', expected_current_version_id: 'b' }, 'invalid_request'],
    ['no token', { key: 'k', version_id: 'a' }, 'invalid_request'],
    ['an empty key', from('', 'a', 'b'), 'invalid_request'],
    ['a number for a version', { ...from('k', 'a', 'b'), version_id: 1 }, 'invalid_request'],
    ['an unknown member', { ...from('k', 'a', 'b'), force: true }, 'invalid_request'],
    ['a list', [from('k', 'a', 'b')], 'invalid_request'],
    ['a NUL in the key', from('k\0', 'a', 'b'), 'invalid_key'],
    ['a key that is too long', from('k'.repeat(1025), 'a', 'b'), 'invalid_key'],
    ['more than 4096 bytes', from('k', 'a', 'b'.repeat(4096)), 'invalid_request'],
  ])('rule 5: with %s is refused with 400', async (_what, json, code) => {
    expect(refusalOf(await restore(json))).toEqual([400, code])
  })

  test('rule 6: needs no cache space when the bytes are already cached', async () => {
    const { key, first, last } = await oldest(2)
    const used = async () => (await svc.call('GET', '/api/v1/cache/stats')).json.used_bytes
    const before = await used()
    await restore(from(key, first.versionId, last.versionId))
    expect(await used()).toBe(before)
  })
})

describe('provenance and status', () => {
  const provenance = (query: string, of = bucket) => svc.call('GET', at(`provenance?${query}`, of))
  const detail = (query: string, of = bucket) => svc.call('GET', at(`status-detail?${query}`, of))

  test('show every copy of a stored version', async () => {
    const three = await data.makeBucket({ default_copies: 3 })
    const { versionId } = await data.upload(three, 'a')
    await data.stored(three, versionId)
    const answer = answerOf(objectProvenance, await provenance(`version_id=${versionId}`, three))
    expect(answer).toMatchObject({
      version_id: versionId,
      state: 'stored',
      status: 'success',
      piece_cid: expect.stringMatching(/^baf/),
      requested_copies: 3,
      success_copies: 3,
      copy_health: {
        status: 'available',
        reason_codes: [],
        stale: false,
        total_objects: 1,
        unhealthy_objects: 0,
        requested_copies: 3,
        readable_copies: 3,
        pending_copies: 0,
        failed_copies: 0,
        unknown_copies: 0,
      },
      updated_at: second,
    })
    for (const [slot, copy] of answer.copies.entries()) {
      expect(copy).toMatchObject({
        copy_index: slot,
        status: 'committed',
        health: { status: 'available', reason_codes: [], stale: false },
        provider_id: expect.stringMatching(/^\d+$/),
        data_set_id: expect.stringMatching(/^\d+$/),
        piece_id: expect.stringMatching(/^\d+$/),
        is_new_data_set: true,
        retrieval_url: expect.stringContaining(answer.piece_cid ?? '?'),
      })
    }
    expect(answer.copies.map(({ transfer_method }) => transfer_method).toSorted()).toEqual(['ingress', 'peer_pull', 'peer_pull'])
    const status = answerOf(objectStatusDetail, await detail(`version_id=${versionId}`, three))
    expect(status).toEqual({ version_id: versionId, state: 'stored', status: 'success', updated_at: answer.updated_at })
  })

  test('show what is missing of a version in progress', async () => {
    const other = await data.makeBucket({ default_copies: 2 })
    await using _ = await holdChain(svc)
    const { versionId } = await data.upload(other, 'a')
    const answer = answerOf(objectProvenance, await provenance(`version_id=${versionId}`, other))
    expect(answer).toMatchObject({
      state: expect.stringMatching(/^(cached|uploading)$/),
      status: 'uploading',
      requested_copies: 2,
      success_copies: 0,
      copy_health: { status: 'degraded', unhealthy_objects: 1, readable_copies: 0 },
    })
    expect(answer.copy_health.reason_codes).toContain('copy_under_replicated')
  })

  test('show the failure of a version and its reason', async () => {
    const { versionId } = await uploadForFailure(svc, data, fragile, 'untold')
    expect(answerOf(objectStatusDetail, await detail(`version_id=${versionId}`, fragile))).toMatchObject({
      state: 'failed',
      status: 'warning',
    })
    expect(answerOf(objectProvenance, await provenance(`version_id=${versionId}`, fragile))).toMatchObject({
      state: 'failed',
      success_copies: 0,
      copy_health: { status: expect.stringMatching(/^(degraded|unavailable)$/), unhealthy_objects: 1 },
    })
  })

  test('show no copies for a delete marker', async () => {
    const { key } = await oldest(1)
    const marker = await data.remove(bucket, key)
    expect(answerOf(objectProvenance, await provenance(`version_id=${marker}`))).toMatchObject({ requested_copies: 0, copies: [] })
    expect(answerOf(objectStatusDetail, await detail(`version_id=${marker}`)).version_id).toBe(marker)
  })

  test('of a version of another bucket, or of a missing one, are 404', async () => {
    const { first } = await oldest(1)
    const other = await data.makeBucket()
    for (const ask of [provenance, detail]) {
      expect(refusalOf(await ask(`version_id=${first.versionId}`, other))).toEqual([404, 'version_not_found'])
      expect(refusalOf(await ask('version_id=none'))).toEqual([404, 'version_not_found'])
      expect(refusalOf(await ask(`version_id=${first.versionId}`, 'nowhere'))).toEqual([404, 'bucket_not_found'])
    }
  })

  test.each(['', 'version_id=', 'version_id=a&version_id=b', 'version_id=%ff'])(
    'with the query "%s" are refused with 400',
    async (query) => {
      for (const ask of [provenance, detail]) expect(refusalOf(await ask(query))).toEqual([400, 'invalid_request'])
    },
  )
})
