// The provider's API in detail: uploads, retrieval and refusals.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fixture, startFixture, type TestDataSet } from '../testing/fixture.ts'
import { locationOf, mineUntil, outcome, pieceCidOfBytes, send, store, until, whole } from '../testing/provider-calls.ts'
import { toVersion1 } from './piece-names.ts'

let fixture: Fixture
let dataSet: TestDataSet
let url: string

beforeAll(async () => {
  fixture = await startFixture({ providers: 1, providerSettings: { piecesPerAddition: 40, piecesPerRemoval: 35 } })
  dataSet = await fixture.createDataSet(0)
  url = dataSet.provider.url
})

afterAll(() => fixture[Symbol.asyncDispose]())

const answerOf = async (answer: Response) => [answer.status, (await answer.text()).trimEnd()]
const put = (target: string, bytes: Uint8Array) => fetch(target, { method: 'PUT', body: Buffer.from(bytes) })

test('an upload session accepts bytes once, checks the piece CID, and ends', async () => {
  const bytes = randomBytes(200)
  const session = await locationOf(url, await send('POST', `${url}/pdp/piece/uploads`))
  expect((await send('POST', session, { pieceCid: pieceCidOfBytes(bytes) })).status).toBe(500)
  expect(await answerOf(await put(session, randomBytes(126)))).toEqual([400, 'piece data is below the minimum allowed size (127 bytes)'])
  expect((await put(session, bytes)).status).toBe(204)
  expect((await send('POST', session, { pieceCid: pieceCidOfBytes(randomBytes(200)) })).status).toBe(400)
  expect((await send('POST', session, { pieceCid: toVersion1(pieceCidOfBytes(bytes)) })).status).toBe(400)
  expect(await answerOf(await send('POST', session, { pieceCid: pieceCidOfBytes(bytes) }))).toEqual([200, ''])
  expect(await answerOf(await send('POST', session, { pieceCid: pieceCidOfBytes(bytes) }))).toEqual([404, '404 page not found'])
  expect(await answerOf(await put(`${url}/pdp/piece/uploads/nonsense`, bytes))).toEqual([400, 'Invalid upload UUID'])
})

test('a classic upload requires the declared bytes, and no bytes of a stored piece', async () => {
  const bytes = randomBytes(5000)
  const pieceCid = pieceCidOfBytes(bytes)
  const session = await locationOf(url, await send('POST', `${url}/pdp/piece`, { pieceCid }))
  expect(await answerOf(await put(session, bytes.subarray(1)))).toEqual([400, 'Piece size does not match the expected size'])
  expect(await answerOf(await put(session, randomBytes(5000)))).toEqual([400, 'Computed hash does not match expected hash'])
  expect((await put(session, Buffer.concat([bytes, bytes]))).status).toBe(413)
  expect((await put(session, bytes)).status).toBe(204)
  await until('it is found', async () => (await fetch(`${url}/pdp/piece?pieceCid=${pieceCid}`)).status === 200)
  const known = await send('POST', `${url}/pdp/piece`, { pieceCid })
  expect([known.status, await known.json()]).toEqual([200, { pieceCid }])
  expect((await fetch(`${url}/pdp/piece/${toVersion1(pieceCid)}/status`)).status).toBe(200)
  expect((await fetch(`${url}/pdp/piece?pieceCid=${toVersion1(pieceCid)}`)).status).toBe(400)
})

test('received bytes are on disk before the upload is complete', async () => {
  const bytes = randomBytes(20_000_000)
  const session = await locationOf(url, await send('POST', `${url}/pdp/piece/uploads`))
  const arriving = join(fixture.dir, 'providers', '1', 'arriving', session.split('/').at(-1) ?? '')
  const upload = httpRequest(session, { method: 'PUT', headers: { 'content-length': bytes.length } })
  const answered = once(upload, 'response')
  upload.write(bytes.subarray(0, 15_000_000))
  await until('most of it is on disk', () => (statSync(arriving, { throwIfNoEntry: false })?.size ?? 0) > 14_000_000)
  upload.end(bytes.subarray(15_000_000))
  const [answer] = await answered
  expect(answer.statusCode).toBe(204)
  answer.resume()
  expect((await send('POST', session, { pieceCid: pieceCidOfBytes(bytes) })).status).toBe(200)
})

test('pieces are served whole, by range or as headers only, and 304 answers a matching ETag', async () => {
  const bytes = randomBytes(1000)
  const pieceCid = await store(url, bytes)
  const piece = `${url}/piece/${pieceCid}`
  const read = async (range?: string) => {
    const answer = await fetch(piece, { headers: { ...(range && { range }) } })
    return { status: answer.status, range: answer.headers.get('content-range'), body: Buffer.from(await answer.arrayBuffer()) }
  }
  expect(await read()).toEqual({ status: 200, range: null, body: bytes })
  expect(await read('bytes=10-19')).toEqual({ status: 206, range: 'bytes 10-19/1000', body: bytes.subarray(10, 20) })
  expect(await read('bytes=990-')).toEqual({ status: 206, range: 'bytes 990-999/1000', body: bytes.subarray(990) })
  expect(await read('bytes=-5')).toEqual({ status: 206, range: 'bytes 995-999/1000', body: bytes.subarray(995) })
  expect(await read('bytes=1000-')).toMatchObject({ status: 416, range: 'bytes */1000' })

  const head = await fetch(piece, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([200, '1000', `"${pieceCid}"`])
  const cached = await fetch(piece, { headers: { 'if-none-match': `"${pieceCid}"` } })
  expect([cached.status, cached.headers.get('cache-control')]).toEqual([304, 'public, max-age=29030400, immutable'])
  expect((await fetch(`${url}/piece/${toVersion1(pieceCid)}`)).status).toBe(200)
  expect((await fetch(`${url}/piece/${pieceCidOfBytes(randomBytes(300))}`)).status).toBe(404)
  expect((await fetch(`${url}/piece/nonsense`)).status).toBe(400)
})

test('with its old limit, forty pieces are added in one transaction, forty-one are refused', async () => {
  const pieceCids = await Promise.all(Array.from({ length: 41 }, () => store(url, randomBytes(127))))
  const { url: addUrl, body } = await fixture.addBody(dataSet, pieceCids)
  expect(await answerOf(await send('POST', addUrl, body))).toEqual([
    400,
    'piece count (41) exceeds the maximum allowed per AddPieces call (40)',
  ])
  expect(await fixture.addPieces(dataSet, pieceCids.slice(0, 40))).toEqual(Array.from({ length: 40 }, (_, index) => index))
})

test('with its old limit, thirty-five removals can be queued in a proving period; more are refused until it ends', async () => {
  dataSet.provider.faults.add({ kind: 'stop_proving' })
  const remove = async (pieceIds: number[]) => {
    const extraData = await fixture.payer.remove(dataSet.clientDataSetId, pieceIds)
    return send('DELETE', `${url}/pdp/data-sets/${dataSet.dataSetId}/pieces/${pieceIds[0]}`, { extraData, pieceIds })
  }
  expect((await remove(Array.from({ length: 36 }, (_, index) => index))).status).toBe(400)
  expect((await remove([999])).status).toBe(404)
  expect((await remove(Array.from({ length: 35 }, (_, index) => index))).status).toBe(200)
  // The answer comes before the block.
  await fixture.devnet.chain.mine()
  expect((await remove([36])).status).toBe(429)
  dataSet.provider.faults.clear()
  await mineUntil(fixture.devnet, 'the removals take effect', async () => !(await fixture.devnet.pieceLive(dataSet.dataSetId, 34)))
  const held = await fetch(`${url}/pdp/data-sets/${dataSet.dataSetId}`)
  expect(((await held.json()) as { pieces: unknown[] }).pieces).toHaveLength(5)
})

test('a data set request with an unknown record keeper, bad hex or an invalid signature is refused', async () => {
  const { warmStorage } = fixture.devnet.contracts
  const create = (recordKeeper: string, extraData: string) => send('POST', `${url}/pdp/data-sets`, { recordKeeper, extraData })
  expect(await answerOf(await create(fixture.payer.address, '0x00'))).toEqual([403, 'recordKeeper address not allowed for public service'])
  expect((await create(warmStorage, '0xzz')).status).toBe(400)
  expect((await create(warmStorage, `0x${'00'.repeat(4097)}`)).status).toBe(400)
  const forOther = await fixture.payer.create(1n, fixture.payer.address)
  expect(await answerOf(await create(warmStorage, forOther))).toEqual([500, expect.stringContaining('revert reason=[0x42d750dc')])
  expect((await fetch(`${url}/pdp/data-sets/created/0x12`)).status).toBe(400)
  expect((await fetch(`${url}/pdp/data-sets/created/0x${'0'.repeat(64)}`)).status).toBe(404)
  expect((await fetch(`${url}/pdp/data-sets/77`)).status).toBe(404)
})

test('a repeated removal is refused with the error of the chain', async () => {
  const [pieceId] = await fixture.addPieces(dataSet, [await fixture.storePiece(dataSet)])
  const extraData = await fixture.payer.remove(dataSet.clientDataSetId, [pieceId ?? 0])
  const target = `${url}/pdp/data-sets/${dataSet.dataSetId}/pieces/${pieceId}`
  expect((await send('DELETE', target, { extraData })).status).toBe(200)
  await fixture.devnet.chain.mine()
  const [status, text] = await answerOf(await send('DELETE', target, { extraData }))
  expect([status, text]).toEqual([500, expect.stringContaining('revert reason=[Error(Piece ID already scheduled for removal)]')])
})

test('a piece of a data set is described by version 1 CIDs', async () => {
  const pieceCid = await fixture.storePiece(dataSet)
  const { url: addUrl, body } = await fixture.addBody(dataSet, [pieceCid])
  const statusUrl = await locationOf(url, await send('POST', addUrl, body))
  const { confirmedPieceIds = [] } = await outcome(statusUrl)
  const answer = await fetch(`${addUrl}/${confirmedPieceIds[0]}`)
  expect(await answer.json()).toMatchObject({ pieceId: confirmedPieceIds[0], pieceCid: toVersion1(pieceCid) })
  expect(whole([pieceCid])).toEqual([{ pieceCid, subPieces: [{ subPieceCid: pieceCid }] }])
})

test('data sets of an abandoned payer are no longer proven', async () => {
  await using still = await startFixture({ providers: 2, blockTimeSeconds: 0 })
  const [abandoned, proven] = [await still.createDataSet(0), await still.createDataSet(1)]
  for (const dataSet of [abandoned, proven]) {
    await still.addPieces(dataSet, [await still.storePiece(dataSet)])
    await mineUntil(still.devnet, 'its proving begins', async () => dataSet.provider.counters.provingTransactions > 0)
  }
  abandoned.provider.abandon(still.payer.address)
  const before = abandoned.provider.counters.provingTransactions
  const enough = proven.provider.counters.provingTransactions + 4
  await mineUntil(still.devnet, 'two more proving periods', async () => proven.provider.counters.provingTransactions >= enough)
  expect(abandoned.provider.counters.provingTransactions).toBeLessThanOrEqual(before + 1)
})
