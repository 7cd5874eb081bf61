/** A gateway whose plugins replication, providers and wallet are disabled, so that costs rests: objects stay in its cache, and the rest works. */
import { randomBytes } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import {
  listBuckets,
  listDeletedObjects,
  listObjects,
  listObjectVersions,
  overview,
  showBucket,
  uploadObject,
} from '../../plugins/admin/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from '../ui/fixtures/browser.ts'

let svc: Gateway
const bytes = randomBytes(1000)
const call = (method: string, path: string, options: object = {}) => svc.call(method, `/api/v1${path}`, options)

beforeAll(async () => {
  if (hasBrowser) await buildDashboard()
  svc = await startServeHere({ settings: { 'plugins.disabled': ['replication', 'providers', 'wallet'] } })
  await call('POST', '/buckets', { json: { name: 'kept', owner_access_key: '__internal_root__' } })
})
afterAll(() => svc?.[Symbol.asyncDispose]())

test('objects are uploaded, listed, downloaded, deleted and restored', async () => {
  const uploaded = answerOf(uploadObject, await call('POST', '/buckets/kept/objects/upload?key=a.bin', { body: bytes }))
  expect((await call('GET', '/buckets/kept/objects/download?key=a.bin')).bytes.equals(bytes)).toBe(true)
  const { objects } = answerOf(listObjects, await call('GET', '/buckets/kept/objects'))
  expect(objects).toMatchObject([{ key: 'a.bin', state: 'cached', location: { cache: true, chain: false } }])
  expect((await call('DELETE', '/buckets/kept/objects?key=a.bin')).status).toBe(200)
  const [deleted] = answerOf(listDeletedObjects, await call('GET', '/buckets/kept/objects/deleted')).objects
  const body = { key: 'a.bin', delete_marker_version_id: deleted?.delete_marker_version_id }
  expect((await call('POST', '/buckets/kept/objects/restore', { json: body })).status).toBe(200)
  const { versions } = answerOf(listObjectVersions, await call('GET', '/buckets/kept/objects/versions?key=a.bin'))
  expect(versions.map(({ version_id }) => version_id)).toContain(uploaded.version_id)
})

test('the S3 API stores and serves', async () => {
  const user = await svc.createUser()
  const s3 = svc.connect(user)
  await call('POST', '/buckets', { json: { name: 'served', owner_access_key: user.access_key } })
  await s3.send(new PutObjectCommand({ Bucket: 'served', Key: 'b', Body: bytes }))
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'served', Key: 'b' }))
  expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true)
})

test('buckets and the overview say that nothing is known of copies', async () => {
  const [listed] = answerOf(listBuckets, await call('GET', '/buckets'))
  expect(listed?.storage_health).toMatchObject({ status: 'unknown', reason_codes: ['replication_disabled'] })
  expect(answerOf(showBucket, await call('GET', '/buckets/kept'))).toMatchObject({ data_sets: [], replacements: [] })
  const { chain_storage_health, objects } = answerOf(overview, await call('GET', '/overview'))
  expect(chain_storage_health).toEqual({ level: 'ok', providers: null, data_sets: null, partial_errors: {} })
  expect(objects.by_state.cached).toBe(objects.total)
})

test.each([
  '/buckets/kept/objects/provenance?version_id=x',
  '/buckets/kept/storage-health/affected-versions',
  '/storage-confirmations',
  '/cost',
])('%s names the disabled plugin', async (path) => {
  expect(refusalOf(await call('GET', path))).toEqual([404, 'plugin_disabled'])
})

describe.runIf(hasBrowser)('the dashboard', { timeout: 240_000 }, () => {
  test('shows overview, buckets and objects without parts of replication', async () => {
    await call('POST', '/buckets/kept/objects/upload?key=shown.bin', { body: bytes })
    await using watched = await openPage()
    const { page } = watched
    const refused: string[] = []
    page.on('response', (answer) => answer.status() >= 400 && answer.status() !== 401 && refused.push(`${answer.status()} ${answer.url()}`))
    await signIn(page, { base_url: svc.adminUrl, admin: testOperator })
    await page.getByRole('heading', { name: 'Objects by state' }).waitFor()
    await page.goto(`${svc.adminUrl}/buckets/kept`)
    const row = page.locator('#main').getByRole('row').filter({ hasText: 'shown.bin' })
    await row.waitFor()
    expect(await page.getByRole('columnheader', { name: 'Copies' }).count()).toBe(0)
    await page.goto(`${svc.adminUrl}/buckets/kept?object=shown.bin`)
    await page.getByRole('dialog').getByRole('link', { name: 'Download' }).waitFor()
    await page.goto(`${svc.adminUrl}/buckets`)
    await page.locator('#main').getByRole('row').filter({ hasText: 'kept' }).waitFor()
    expect(refused).toEqual([])
  })
})
