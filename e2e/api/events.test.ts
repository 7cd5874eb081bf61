/** The event stream over HTTP: framing, events and limits. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusalOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData, internalRoot } from '../fixtures/admin-data.ts'
import { type EventWatch, watchEvents } from '../fixtures/event-watch.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'
import { until } from '../fixtures/until.ts'

let svc: Gateway
let data: AdminData
/** Opened first, so that it receives a heartbeat. */
let patient: EventWatch
beforeAll(async () => {
  svc = await sharedServe()
  data = createAdminData(svc)
  patient = await watchEvents(svc)
})
afterAll(() => patient?.[Symbol.dispose]())

const watchersMax = 64

test('the stream starts with a comment at once and is not buffered or cached', async () => {
  using watch = await watchEvents(svc)
  expect(watch.status).toBe(200)
  expect(watch.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  })
  await expect.poll(watch.text).toBe(': connected\n\n')
})

test('a frame has topic, number and one line of JSON that repeats both beside the payload', async () => {
  using watch = await watchEvents(svc)
  const bucket_name = await data.makeBucket()
  const event = await watch.next('bucket_updated')
  expect(event.data).toEqual({ seq: Number(event.id), topic: 'bucket_updated', bucket_name })
  expect(watch.text()).toContain(`\n\nevent: bucket_updated\nid: ${event.id}\ndata: ${JSON.stringify(event.data)}\n\n`)
})

test('numbers follow each other without a gap, the same for every watcher', async () => {
  using one = await watchEvents(svc)
  using other = await watchEvents(svc)
  const names = [await data.makeBucket(), await data.makeBucket(), await data.makeBucket()]
  const last = ({ bucket_name }: { bucket_name: string }) => bucket_name === names[2]
  await Promise.all([one.next('bucket_updated', last), other.next('bucket_updated', last)])
  const ids = one.events().map(({ id }) => Number(id))
  expect(ids).toEqual(ids.map((_, at) => (ids[0] ?? 0) + at))
  expect(other.events().slice(0, ids.length)).toEqual(one.events().slice(0, ids.length))
})

test('bucket events follow creation, owner and policy changes, through the Admin API and S3', async () => {
  using watch = await watchEvents(svc)
  const bucket = await data.makeBucket()
  const of = (name: string) => watch.events().filter((event) => event.data.bucket_name === name && event.topic === 'bucket_updated').length
  await svc.call('PUT', `/api/v1/buckets/${bucket}/owner`, { json: { owner_access_key: internalRoot } })
  await svc.call('PUT', `/api/v1/buckets/${bucket}/copy-policy`, { json: { default_copies: 2 } })
  await svc.call('PUT', `/api/v1/buckets/${bucket}/copy-policy`, { json: {} })
  const s3 = svc.connect(await svc.createUser())
  await s3.send(new CreateBucketCommand({ Bucket: 'made-by-s3' }))
  s3.destroy()
  await watch.next('bucket_updated', ({ bucket_name }) => bucket_name === 'made-by-s3')
  expect(of(bucket)).toBe(3)
})

test('Last-Event-ID does not replay events', async () => {
  const before = await data.makeBucket()
  const { id } = await patient.next('bucket_updated', ({ bucket_name }) => bucket_name === before)
  using watch = await watchEvents(svc, { headers: { 'last-event-id': '0' } })
  const after = await data.makeBucket()
  await watch.next('bucket_updated', ({ bucket_name }) => bucket_name === after)
  expect(watch.events().filter((event) => Number(event.id) <= Number(id))).toEqual([])
})

test('the stream is for operators: Basic or a session', async () => {
  expect(refusalOf(await svc.call('GET', '/api/v1/events', { as: 'anonymous' }))).toEqual([401, 'authentication_required'])
  using watch = await watchEvents(svc, { as: await svc.signIn() })
  expect(watch.status).toBe(200)
})

test('the stream of a session ends once the session has', async () => {
  const session = await svc.signIn()
  using watch = await watchEvents(svc, { as: session })
  expect((await svc.call('POST', '/api/v1/auth/logout', { as: session })).status).toBe(204)
  const unseen = await data.makeBucket()
  await watch.ended
  expect(watch.text()).not.toContain(`"${unseen}"`)
})

test('a watcher above the limit is refused, and accepted once another one disconnects', async () => {
  const watches: EventWatch[] = []
  const open = async () => watches.push(await watchEvents(svc))
  // `patient` takes one place.
  while (watches.length < watchersMax - 1) await open()
  expect(refusalOf(await svc.call('GET', '/api/v1/events'))).toEqual([503, 'event_streams_exhausted'])
  watches.pop()?.[Symbol.dispose]()
  await until('a place', async () => {
    await open()
    const last = watches.at(-1)
    if (last?.status === 200) return true
    watches.pop()
    return undefined
  })
  for (const watch of watches) watch[Symbol.dispose]()
})

test('closed and reset connections free their places', async () => {
  const { hostname, port } = new URL(svc.adminUrl)
  const { authorization } = svc.headersOf({})
  for (let opened = 0; opened < 2 * watchersMax; opened++) {
    const socket = connect(Number(port), hostname)
    socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${authorization}\r\n\r\n`)
    await once(socket, 'data')
    opened % 2 === 0 ? socket.resetAndDestroy() : socket.destroy()
  }
  // All places are free again.
  const watches = await until('all places', async () => {
    const all = await Promise.all(Array.from({ length: watchersMax - 1 }, () => watchEvents(svc)))
    if (all.every(({ status }) => status === 200)) return all
    for (const watch of all) watch[Symbol.dispose]()
    return undefined
  })
  for (const watch of watches) watch[Symbol.dispose]()
})

test('a watcher that reads nothing does not delay others', async () => {
  using idle = await watchEvents(svc)
  idle.pause()
  using awake = await watchEvents(svc)
  const bucket = await data.makeBucket()
  const change = () => svc.call('PUT', `/api/v1/buckets/${bucket}/owner`, { json: { owner_access_key: internalRoot } })
  for (let changes = 0; changes < 200; changes++) expect((await change()).status).toBe(200)
  const seen = () => awake.events().filter(({ data }) => data.bucket_name === bucket).length
  await expect.poll(seen).toBe(201)
})

test('heartbeat comments keep an idle stream open', async () => {
  await expect.poll(patient.text, { timeout: 30_000, interval: 100 }).toContain('\n\n: heartbeat\n\n')
})
