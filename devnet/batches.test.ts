// Sizes of additions and removals on both networks.
import { parseEventLogs } from 'viem'
import { expect, test } from 'vitest'
import { newNonce } from '../plugins/replication/testing/typed-data.ts'
import { verifierAbi } from './chain/abis.ts'
import { createChainReader } from './chain/rpc.ts'
import { type Fixture, startFixture, type TestDataSet } from './testing/fixture.ts'
import { createPayer } from './testing/payer.ts'
import { locationOf, mineUntil, outcome, send, whole } from './testing/provider-calls.ts'

/** A provider stores the piece once; the contracts take it under as many ids as are named. */
const repeated = (pieceCid: string, count: number) => Array.from({ length: count }, () => pieceCid)

async function add(fixture: Fixture, dataSet: TestDataSet, pieceCids: readonly string[]): Promise<string | readonly number[]> {
  const { url, body } = await fixture.addBody(dataSet, pieceCids)
  const answer = await send('POST', url, body)
  if (answer.status !== 201) return answer.text()
  const { confirmedPieceIds = [] } = await outcome(await locationOf(dataSet.provider.url, answer))
  return confirmedPieceIds
}

async function eventsOf({ devnet }: Fixture, { provider }: TestDataSet) {
  const hash = provider.transactions().at(-1)?.hash ?? '0x'
  const { logs } = await createChainReader(devnet.rpcUrl).getTransactionReceipt({ hash })
  return parseEventLogs({ abi: verifierAbi, logs }).map(({ eventName, args }) => {
    const pieces = eventName === 'PiecesScheduledForRemoval' ? args.pieceIds : 'pieceCids' in args ? args.pieceCids : []
    return { eventName, pieces: pieces.length }
  })
}

test('1.4: a message has room for 404 pieces without metadata; additions and removals are announced in parts of 100', async () => {
  await using fixture = await startFixture({ network: '1.4', providers: 1, blockTimeSeconds: 0 })
  const dataSet = await fixture.createDataSet(0)
  const pieceCid = await fixture.storePiece(dataSet, 127)
  expect(await add(fixture, dataSet, repeated(pieceCid, 406))).toMatch(/exceeds the Filecoin 65536-byte message limit \(406 pieces\)/)
  expect(await add(fixture, dataSet, repeated(pieceCid, 404))).toEqual(Array.from({ length: 404 }, (_, id) => id))
  const parts = [100, 100, 100, 100, 4]
  expect(await eventsOf(fixture, dataSet)).toEqual(parts.map((pieces) => ({ eventName: 'PiecesAddedV2', pieces })))

  const { provider, dataSetId, clientDataSetId } = dataSet
  const pieceIds = Array.from({ length: 150 }, (_, id) => id)
  const removal = { pieceIds, extraData: await fixture.payer.remove(clientDataSetId, pieceIds) }
  expect((await send('DELETE', `${provider.url}/pdp/data-sets/${dataSetId}/pieces/0`, removal)).status).toBe(200)
  await fixture.devnet.chain.mine()
  expect(await eventsOf(fixture, dataSet)).toEqual([100, 50].map((pieces) => ({ eventName: 'PiecesScheduledForRemoval', pieces })))
  await mineUntil(fixture.devnet, 'the removals take effect', async () => !(await fixture.devnet.pieceLive(dataSetId, 0)))
  expect(await fixture.devnet.pieceLive(dataSetId, 150)).toBe(true)
  // The data set is proven again with what is left.
  const before = provider.counters.provingTransactions
  await mineUntil(fixture.devnet, 'the next period', async () => provider.counters.provingTransactions > before + 2)
})

test('1.4: a data set from before the upgrade takes 80 pieces', async () => {
  await using fixture = await startFixture({ network: '1.4', legacyDataSets: 1, providers: 1, blockTimeSeconds: 0 })
  const [legacy, compact] = [await fixture.createDataSet(0), await fixture.createDataSet(0)]
  const pieceCid = await fixture.storePiece(legacy, 127)
  expect(await add(fixture, legacy, repeated(pieceCid, 81))).toContain('out of gas')
  expect(await add(fixture, legacy, repeated(pieceCid, 80))).toHaveLength(80)
  expect(await add(fixture, compact, repeated(pieceCid, 81))).toHaveLength(81)
})

test('1.3: an addition names the metadata of each piece, and its event has room for 41', async () => {
  const settings = { piecesPerAddition: null }
  await using fixture = await startFixture({ network: '1.3', providers: 1, blockTimeSeconds: 0, providerSettings: settings })
  const dataSet = await fixture.createDataSet(0)
  const pieceCid = await fixture.storePiece(dataSet, 127)
  expect(await add(fixture, dataSet, repeated(pieceCid, 42))).toContain('total event value lengths exceeded the max size')
  expect(await add(fixture, dataSet, repeated(pieceCid, 41))).toHaveLength(41)
  expect(await eventsOf(fixture, dataSet)).toEqual([{ eventName: 'PiecesAdded', pieces: 41 }])

  const { provider, dataSetId, clientDataSetId } = dataSet
  const terms = { clientDataSetId, nonce: newNonce(), pieceCids: [pieceCid] }
  const extraData = await createPayer({ ...fixture.devnet, network: '1.4' }, fixture.userKey).add(terms)
  const refused = await send('POST', `${provider.url}/pdp/data-sets/${dataSetId}/pieces`, { pieces: whole([pieceCid]), extraData })
  // MetadataArrayCountMismatch
  expect(await refused.text()).toContain('revert reason=[0x')
})
