// The effect of each fault on a real request.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newNonce } from '../plugins/replication/testing/typed-data.ts'
import { createFaultBox } from './faults.ts'
import { type Fixture, startFixture, type TestDataSet } from './testing/fixture.ts'
import { locationOf, outcome, pieceCidOfBytes, send, store, until, upload, whole } from './testing/provider-calls.ts'

let fixture: Fixture
let dataSet: TestDataSet
const ping = () => fetch(`${dataSet.provider.url}/pdp/ping`)

beforeAll(async () => {
  fixture = await startFixture({ providers: 2, providerSettings: { pullRetryMs: [50, 50], lostAfterMs: 500 } })
  dataSet = await fixture.createDataSet(0)
})

afterEach(() => {
  for (const provider of fixture.devnet.providers) provider.faults.clear()
})

afterAll(() => fixture[Symbol.asyncDispose]())

test('a fault acts on its routes only, at most `count` times, and can be cleared', () => {
  const box = createFaultBox()
  const id = box.add({ kind: 'answer', status: 503, routes: ['ping', 'pull'], count: 2 })
  expect(box.take('answer', 'retrieve')).toBeUndefined()
  expect(box.take('delay', 'ping')).toBeUndefined()
  expect(box.take('answer', 'ping')).toMatchObject({ status: 503 })
  expect(box.list()).toMatchObject([{ id, uses: 1 }])
  expect(box.take('answer', 'pull')).toMatchObject({ status: 503 })
  expect(box.take('answer', 'ping')).toBeUndefined()
  box.clear(box.add({ kind: 'dark' }))
  expect(box.has('dark')).toBe(false)
})

test('answer: the answer has the status and Retry-After, then the route works again', async () => {
  const { faults, counters } = dataSet.provider
  const before = counters.requests.ping
  faults.add({ kind: 'answer', status: 429, text: 'slow down', retryAfterSeconds: 7, routes: ['ping'], count: 1 })
  const refused = await ping()
  expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([429, '7', 'slow down\n'])
  expect((await ping()).status).toBe(200)
  expect(counters.requests.ping).toBe(before + 2)
})

test('delay and drop_connection: the answer is late, or the connection closes', async () => {
  dataSet.provider.faults.add({ kind: 'delay', delayMs: 120, count: 1 })
  const startedMs = performance.now()
  expect((await ping()).status).toBe(200)
  expect(performance.now() - startedMs).toBeGreaterThan(110)
  dataSet.provider.faults.add({ kind: 'drop_connection', routes: ['ping'], count: 1 })
  await expect(ping()).rejects.toThrow('fetch failed')
})

test('hang: the connection is accepted but not answered until the fault is cleared', async () => {
  const { faults } = dataSet.provider
  faults.add({ kind: 'hang', routes: ['ping'] })
  const hanging = ping()
  await until('the request is there', async () => faults.list()[0]?.uses === 1)
  faults.clear()
  await expect(hanging).rejects.toThrow('fetch failed')
  expect((await ping()).status).toBe(200)
})

test('switch_protocols and drip: the answer is unusable and does not end', async () => {
  const { faults, url } = dataSet.provider
  faults.add({ kind: 'switch_protocols', routes: ['ping'], count: 1 })
  const [response] = (await once(get(`${url}/pdp/ping`), 'upgrade')) as [IncomingMessage, Socket]
  expect(response.statusCode).toBe(101)
  faults.add({ kind: 'drip', routes: ['ping'] })
  const [dripping] = (await once(get(`${url}/pdp/ping`), 'response')) as [IncomingMessage]
  const [first] = (await once(dripping, 'data')) as [Buffer]
  expect([dripping.headers['content-length'], first.length]).toEqual(['100000', 1])
  dripping.once('error', () => undefined)
  faults.clear()
  await new Promise((done) => dripping.once('close', done))
  expect(dripping.complete).toBe(false)
})

test('dark: nothing listens until the fault is cleared', async () => {
  dataSet.provider.faults.add({ kind: 'dark' })
  await until('the port is closed', () =>
    ping().then(
      () => false,
      () => true,
    ),
  )
  dataSet.provider.faults.clear()
  await until('the port is open', () =>
    ping().then(
      ({ status }) => status === 200,
      () => false,
    ),
  )
})

test.each([
  ['drop_answer', undefined],
  ['fail_answer', 500],
] as const)('%s: the transaction lands although the client is not told', async (kind, status) => {
  const pieceCid = await fixture.storePiece(dataSet)
  const { url, body, nonce } = await fixture.addBody(dataSet, [pieceCid])
  const sentBefore = dataSet.provider.counters.addPiecesTransactions
  dataSet.provider.faults.add({ kind, routes: ['pieces_add'], count: 1 })
  const answer = await send('POST', url, body).then(
    (response) => response.status,
    () => undefined,
  )
  expect(answer).toBe(status)
  await until('the nonce is used', async () => (await fixture.devnet.clientNonce(fixture.payer.address, nonce)) !== 0n)
  expect(dataSet.provider.counters.addPiecesTransactions).toBe(sentBefore + 1)
  const again = await send('POST', url, body)
  expect([again.status, await again.text()]).toEqual([500, expect.stringContaining('0xdb94c961')])
})

test('revert: the status reports it, the nonce stays unused, and the same extraData succeeds afterwards', async () => {
  const pieceCid = await fixture.storePiece(dataSet)
  const { url, body, nonce } = await fixture.addBody(dataSet, [pieceCid])
  dataSet.provider.faults.add({ kind: 'revert', routes: ['pieces_add'], count: 1 })
  const reverted = await outcome(await locationOf(url, await send('POST', url, body)))
  expect(reverted).toMatchObject({ txStatus: 'confirmed', addMessageOk: false, piecesAdded: false })
  expect(await fixture.devnet.clientNonce(fixture.payer.address, nonce)).toBe(0n)
  expect(await outcome(await locationOf(url, await send('POST', url, body)))).toMatchObject({ addMessageOk: true, piecesAdded: true })
})

test('unprocessed: a mined transaction stays confirmed without pieces', async () => {
  dataSet.provider.faults.add({ kind: 'unprocessed' })
  const { url, body } = await fixture.addBody(dataSet, [await fixture.storePiece(dataSet)])
  const statusUrl = await locationOf(url, await send('POST', url, body))
  const read = async () => (await fetch(statusUrl)).json()
  await until('it is confirmed', async () => ((await read()) as { txStatus: string }).txStatus === 'confirmed')
  expect(await read()).toMatchObject({ txStatus: 'confirmed', addMessageOk: true, piecesAdded: false })
  dataSet.provider.faults.clear()
  expect(await outcome(statusUrl)).toMatchObject({ piecesAdded: true })
})

test('late_parking: a finalised upload is found only after the delay', async () => {
  dataSet.provider.faults.add({ kind: 'late_parking', delayMs: 400, count: 1 })
  const pieceCid = await upload(dataSet.provider.url, randomBytes(500))
  const find = async () => (await fetch(`${dataSet.provider.url}/pdp/piece?pieceCid=${pieceCid}`)).status
  expect(await find()).toBe(404)
  await until('it is found', async () => (await find()) === 200)
})

test('corrupt_bytes and cut_bytes: the client receives other bytes than the piece', async () => {
  const bytes = randomBytes(300_000)
  const pieceCid = await store(dataSet.provider.url, bytes)
  const url = `${dataSet.provider.url}/piece/${pieceCid}`
  dataSet.provider.faults.add({ kind: 'corrupt_bytes', count: 1 })
  const corrupt = new Uint8Array(await (await fetch(url)).arrayBuffer())
  expect(corrupt).toHaveLength(bytes.length)
  expect(pieceCidOfBytes(corrupt)).not.toBe(pieceCid)
  dataSet.provider.faults.add({ kind: 'cut_bytes', afterBytes: 1000, count: 1 })
  await expect(fetch(url).then((response) => response.arrayBuffer())).rejects.toThrow()
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(bytes)
})

test('drip_bytes: the piece is sent one byte at a time', async () => {
  const bytes = randomBytes(200)
  const url = `${dataSet.provider.url}/piece/${await store(dataSet.provider.url, bytes)}`
  dataSet.provider.faults.add({ kind: 'drip_bytes', everyMs: 1, count: 1 })
  const sizes: number[] = []
  for await (const block of (await fetch(url)).body ?? []) sizes.push(block.length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes.length)
  expect(sizes.length).toBeGreaterThan(1)
})

test('a piece deleted by garbage collection can neither be added nor retrieved', async () => {
  const pieceCid = await fixture.storePiece(dataSet)
  dataSet.provider.collectGarbage(pieceCid)
  expect((await fetch(`${dataSet.provider.url}/piece/${pieceCid}`)).status).toBe(404)
  const { url, body } = await fixture.addBody(dataSet, [pieceCid])
  const refused = await send('POST', url, body)
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringMatching(/subPiece CID baga\w+ not found/)])
})

test('an unclaimed piece is deleted after its time, a claimed one is not', async () => {
  const { settings } = dataSet.provider
  const [kept, lost] = [await fixture.storePiece(dataSet), await fixture.storePiece(dataSet)]
  await fixture.addPieces(dataSet, [kept])
  const keepMs = settings.unclaimedKeepMs
  settings.unclaimedKeepMs = 10
  await until('it is gone', () => dataSet.provider.findPieceFile(lost) === undefined)
  settings.unclaimedKeepMs = keepMs
  expect(dataSet.provider.findPieceFile(kept)).toBeDefined()
})

test('pull_stuck, pull_failed and a missing source: a repeated pull returns the status of the first', async () => {
  const target = await fixture.createDataSet(1)
  const pieceCid = await fixture.storePiece(dataSet)
  const pullFrom = async (sourceUrl: string) => {
    const extraData = await fixture.payer.add({ clientDataSetId: target.clientDataSetId, nonce: newNonce(), pieceCids: [pieceCid] })
    const body = {
      dataSetId: target.dataSetId,
      extraData,
      recordKeeper: fixture.devnet.contracts.warmStorage,
      pieces: [{ pieceCid, sourceUrl }],
    }
    return async () => ((await (await send('POST', `${target.provider.url}/pdp/piece/pull`, body)).json()) as { status: string }).status
  }
  const source = `${dataSet.provider.url}/piece/${pieceCid}`
  target.provider.faults.add({ kind: 'pull_stuck', count: 1 })
  const stuck = await pullFrom(source)
  expect(await stuck()).toBe('inProgress')

  target.provider.faults.add({ kind: 'pull_failed', count: 1 })
  const failed = await pullFrom(source)
  await until('it has failed', async () => (await failed()) === 'failed')

  const missing = await pullFrom(`${dataSet.provider.url}/piece/${pieceCidOfBytes(randomBytes(200))}`)
  await until('it has failed', async () => (await missing()) === 'failed')

  dataSet.provider.faults.add({ kind: 'answer', status: 503, routes: ['retrieve'], count: 2 })
  const retried = await pullFrom(source)
  await until('it is complete', async () => (await retried()) === 'complete')
  expect(await stuck()).toBe('inProgress')
})

test('a full pull queue answers 429 with Retry-After', async () => {
  const { settings, url } = dataSet.provider
  const pieceCid = pieceCidOfBytes(randomBytes(200))
  const extraData = await fixture.payer.add({ clientDataSetId: dataSet.clientDataSetId, nonce: newNonce(), pieceCids: [pieceCid] })
  settings.pullPiecesMax = 0
  const body = { dataSetId: dataSet.dataSetId, extraData, pieces: [{ pieceCid, sourceUrl: 'http://127.0.0.1:1/piece/x' }] }
  const refused = await send('POST', `${url}/pdp/piece/pull`, body)
  settings.pullPiecesMax = 120
  expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([429, '60', 'pull queue backpressure\n'])
})

test('after five additions to unknown data sets PDP requests are refused, but not retrieval', async () => {
  const { url, settings } = fixture.provider(1)
  const pieceCid = await store(url, randomBytes(400))
  settings.offenceBlockMs = 500
  for (let offence = 0; offence < 5; offence++) {
    const answer = await send('POST', `${url}/pdp/data-sets/${dataSet.dataSetId}/pieces`, { pieces: whole([pieceCid]), extraData: '0x' })
    expect([answer.status, await answer.text()]).toEqual([404, 'Data set not found\n'])
  }
  const closed = await fetch(`${url}/pdp/ping`)
  expect([closed.status, closed.headers.get('retry-after')]).toEqual([429, '1'])
  expect((await fetch(`${url}/piece/${pieceCid}`)).status).toBe(404)
  await until('the routes are open', async () => (await fetch(`${url}/pdp/ping`)).status === 200)
})
