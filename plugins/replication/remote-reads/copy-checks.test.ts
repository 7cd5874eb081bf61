import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import { openProviderClient } from '../../providers/testing/index.ts'
import type { CopyChecks } from '../contract.ts'
import { suspectCopy } from '../standing/report-copy.ts'
import { failuresApartMs } from '../standing/standing-policy.ts'
import { type RangeRequest, serveCopy } from '../testing/remote-object.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../testing/test-pipeline.ts'
import { createCopyChecks } from './copy-checks.ts'

const { signal } = new AbortController()
const bytes = Buffer.alloc(300_000, 'piece')
let rows: StorageRows
let deps: TestPipeline
let checks: CopyChecks

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  deps.reads.pieceState = async () => 'live'
  const clients = new Map<string, ReturnType<typeof openProviderClient>>()
  deps.providers.client = (url) => {
    const client = clients.get(url) ?? openProviderClient(url, { allowPrivateNetworks: true })
    clients.set(url, client)
    return client
  }
  checks = createCopyChecks(deps)
  onTestFinished(() => clients.forEach((client) => void client.close()))
})
afterEach(() => rows[Symbol.asyncDispose]())

/** One committed copy of the bytes at a provider that answers like this. */
async function copyAt(answer?: (request: RangeRequest) => void) {
  const provider = await serveCopy(bytes, answer)
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const copyId = await rows.addCopy(await rows.addContent({ bytes }), await rows.addDataSet({ serviceUrl: provider.url }), 'committed')
  const [copy] = await checks.draw(1)
  if (copy?.copyId !== copyId) throw new Error('the copy was not drawn')
  return copy
}

const answers: readonly (readonly [string, (request: RangeRequest) => void, string])[] = [
  ['serves the piece', ({ respond, bytes }) => respond(bytes), 'intact'],
  ['answers 404', ({ response }) => void response.writeHead(404).end('not here'), 'missing'],
  ['answers 500', ({ response }) => void response.writeHead(500).end('broken'), 'unreachable'],
  ['changes a byte', ({ respond, bytes }) => respond(Buffer.from(bytes).fill(1, 9, 10)), 'wrong_bytes'],
  ['announces another length', ({ response }) => void response.writeHead(200, { 'content-length': 5 }).end('bytes'), 'wrong_bytes'],
  ['sends more bytes', ({ response, bytes }) => void response.end(Buffer.concat([bytes, Buffer.from('more')])), 'wrong_bytes'],
  [
    'closes the connection early',
    ({ response, bytes }) => void response.write(bytes.subarray(0, 9), () => response.destroy()),
    'unreachable',
  ],
]

test.each(answers)('the check of a copy whose provider %s', async (_what, answer, result) => {
  const copy = await copyAt(answer)
  expect(await checks.check(copy, signal)).toMatchObject({ result })
  expect(await allRows(rows.database.read, 'select failures as n from copy_doubts')).toEqual(
    result === 'missing' || result === 'wrong_bytes' ? [{ n: 1 }] : [],
  )
})

test('a copy that failed a read or a check is due again, until a check finds it intact', async () => {
  let isThere = false
  const copy = await copyAt(({ response, respond, bytes }) => (isThere ? respond(bytes) : void response.writeHead(404).end()))
  expect(await checks.due(10)).toEqual([])
  await suspectCopy(deps, { copyId: copy.copyId, result: 'missing' })
  expect(await checks.due(10)).toEqual([copy])
  await checks.check(copy, signal)
  expect(await checks.due(10)).toEqual([copy])
  await deps.clock.advance(failuresApartMs)
  await checks.check(copy, signal)
  // It is denied now, and looked at less often.
  expect(await checks.due(10)).toEqual([])
  await deps.clock.advance(failuresApartMs)
  expect(await checks.due(10)).toEqual([copy])
  isThere = true
  expect((await checks.check(copy, signal)).result).toBe('intact')
  await deps.clock.advance(failuresApartMs)
  expect(await checks.due(10)).toEqual([])
})

test('copies are drawn uniformly, whatever the gaps between their ids, and only committed ones that are served', async () => {
  const [dataSet, lost] = [await rows.addDataSet(), await rows.addDataSet({ state: 'lost' })]
  const ids: number[] = []
  for (let n = 0; n < 6; n++) ids.push(await rows.addCopy(await rows.addContent(), dataSet, n === 5 ? 'parked' : 'committed'))
  await rows.addCopy(await rows.addContent(), lost, 'committed')
  // A draw of the next id after a random one would choose the copy behind a gap far more often.
  await rows.database.write((tx) => runSql(tx, 'update copies set id = id + 200 where id >= 3'))
  const drawn = new Map<number, number>()
  const draws = 2000
  for (let n = 0; n < draws; n++) for (const { copyId } of await checks.draw(1)) drawn.set(copyId, (drawn.get(copyId) ?? 0) + 1)
  expect([...drawn.keys()].toSorted((a, b) => a - b)).toEqual([1, 2, 203, 204, 205])
  // Binomial with 400 expected and a deviation of 18: six deviations.
  for (const n of drawn.values()) expect(Math.abs(n - draws / 5)).toBeLessThan(110)
  expect((await checks.draw(100)).length).toBe(5)
  expect(await checks.count()).toBe(6)
})

test('each provider gets its share of the copies that are due, those that wait longest first', async () => {
  const dataSets = [await rows.addDataSet(), await rows.addDataSet()]
  const ids: number[] = []
  for (let n = 0; n < 6; n++) {
    const dataSet = dataSets[n < 4 ? 0 : 1]
    if (dataSet) ids.push(await rows.addCopy(await rows.addContent(), dataSet, 'committed'))
  }
  const [first = 0] = ids
  for (const copyId of ids) await suspectCopy(deps, { copyId, result: 'missing' })
  const due = async (ofProvider: number) => (await checks.due(ofProvider)).map(({ copyId }) => copyId)
  expect(await due(2)).toEqual([ids[0], ids[1], ids[4], ids[5]])
  // One that was not committed any more would take the place of another.
  await rows.database.write((tx) => runSql(tx, "update copies set state = 'parked' where id = ?", first))
  expect(await due(2)).toEqual([ids[1], ids[2], ids[4], ids[5]])
  await rows.database.write((tx) => runSql(tx, 'update copy_doubts set next_check_at = next_check_at - 5 where copy_id = ?', ids[3] ?? 0))
  expect(await due(1)).toEqual([ids[3], ids[4]])
})

test('an empty gateway has no copies to draw', async () => {
  expect([await checks.draw(5), await checks.count()]).toEqual([[], 0])
})
