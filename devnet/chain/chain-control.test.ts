// Hold, drop, reorg and jump, seen through a provider's status answers.
import { parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fixture, startFixture, type TestDataSet } from '../testing/fixture.ts'
import { locationOf, outcome, send, until } from '../testing/provider-calls.ts'
import { warmStorageAbi } from './abis.ts'
import { providerAccount } from './accounts.ts'
import { createAnvilCall, createChainReader, createChainSigner } from './rpc.ts'

let fixture: Fixture
let dataSet: TestDataSet

beforeAll(async () => {
  fixture = await startFixture({ providers: 1, provingPeriodEpochs: 20, providerSettings: { lostAfterMs: 300 } })
  dataSet = await fixture.createDataSet(0)
})

afterAll(() => fixture[Symbol.asyncDispose]())

const chain = () => fixture.devnet.chain
const reader = () => createChainReader(fixture.devnet.rpcUrl)
const serviceCall = () => ({ address: fixture.devnet.contracts.warmStorage, abi: warmStorageAbi }) as const

async function startAdding() {
  const { url, body, nonce } = await fixture.addBody(dataSet, [await fixture.storePiece(dataSet)])
  const statusUrl = await locationOf(url, await send('POST', url, body))
  return { url, body, nonce, statusUrl, hash: `0x${statusUrl.slice(-64)}` as const }
}

const statusAt = async (url: string) => (await (await fetch(url)).json()) as { txStatus: string; piecesAdded: boolean }

test('while held no block is mined and transactions are pending; release resumes mining', async () => {
  await chain().hold()
  const epoch = await chain().epoch()
  const { statusUrl, nonce } = await startAdding()
  expect(await statusAt(statusUrl)).toMatchObject({ txStatus: 'pending', piecesAdded: false })
  expect(await chain().epoch()).toBe(epoch)
  await chain().release()
  expect(await outcome(statusUrl)).toMatchObject({ piecesAdded: true })
  expect(await fixture.devnet.clientNonce(fixture.payer.address, nonce)).not.toBe(0n)
  await until('regular blocks are mined', async () => (await chain().epoch()) > epoch + 1n)
})

test('a dropped transaction fails, its nonce stays unused, and the same extraData can be sent again', async () => {
  await chain().hold()
  const { url, body, nonce, hash, statusUrl } = await startAdding()
  expect(await chain().drop(hash)).toBe(true)
  expect(await chain().drop(hash)).toBe(false)
  await chain().release()
  expect(await outcome(statusUrl)).toMatchObject({ txStatus: 'failed', piecesAdded: false })
  expect(await fixture.devnet.clientNonce(fixture.payer.address, nonce)).toBe(0n)
  expect(await outcome(await locationOf(url, await send('POST', url, body)))).toMatchObject({ piecesAdded: true })
})

test('a reorganisation undoes confirmed transactions', async () => {
  dataSet.provider.faults.add({ kind: 'stop_proving' })
  const { statusUrl, nonce } = await startAdding()
  await outcome(statusUrl)
  const landedAt = (await reader().getTransactionReceipt({ hash: `0x${statusUrl.slice(-64)}` })).blockNumber
  // No block may be mined between reading the depth and using it.
  await chain().hold()
  await chain().reorg(Number((await chain().epoch()) - landedAt) + 1)
  await chain().release()
  expect(await fixture.devnet.clientNonce(fixture.payer.address, nonce)).toBe(0n)
  await until('the provider noticed', async () => (await statusAt(statusUrl)).txStatus === 'reorged')
  expect((await statusAt(statusUrl)).piecesAdded).toBe(false)
  dataSet.provider.faults.clear()
})

test('the provider keeps the bytes of an undone addition, as Curio does, and accepts the same request again', async () => {
  const roundOfProving = async () => {
    const sent = dataSet.provider.counters.provingTransactions
    await chain().mine(25)
    await until('a round of proving', async () => dataSet.provider.counters.provingTransactions > sent)
  }
  await fixture.addPieces(dataSet, [await fixture.storePiece(dataSet)])
  const piece = await fixture.storePiece(dataSet)
  const { url, body } = await fixture.addBody(dataSet, [piece])
  const statusUrl = await locationOf(url, await send('POST', url, body))
  await outcome(statusUrl)
  // The provider has seen the piece in its data set.
  await roundOfProving()
  const landedAt = (await reader().getTransactionReceipt({ hash: `0x${statusUrl.slice(-64)}` })).blockNumber
  await chain().hold()
  await chain().reorg(Number((await chain().epoch()) - landedAt) + 1)
  await chain().release()
  await until('the provider noticed', async () => (await statusAt(statusUrl)).txStatus === 'reorged')
  // The second round starts after the first has deleted the bytes of removed pieces.
  for (let rounds = 0; rounds < 2; rounds++) await roundOfProving()
  expect(dataSet.provider.findPieceFile(piece)).toBeDefined()
  const next = await fixture.addPieces(dataSet, [await fixture.storePiece(dataSet)])
  expect(await outcome(await locationOf(url, await send('POST', url, body)))).toMatchObject({
    piecesAdded: true,
    confirmedPieceIds: next.map((id) => id + 1),
  })
})

test('a proving provider makes the data set active; a stopped one collects faults', async () => {
  await fixture.addPieces(dataSet, [await fixture.storePiece(dataSet)])
  const args = [BigInt(dataSet.dataSetId)] as const
  await until('a proof is in', () => reader().readContract({ ...serviceCall(), functionName: 'provenThisPeriod', args }))
  expect(await reader().readContract({ ...serviceCall(), functionName: 'getDataSetStatus', args })).toBe(1)
  const faults = parseAbi(['event FaultRecord(uint256 indexed dataSetId, uint256 periodsFaulted, uint256 deadline)'])
  const countFaults = async () => {
    const events = await reader().getContractEvents({ address: serviceCall().address, abi: faults, fromBlock: 0n, strict: true })
    return events.reduce((sum, event) => sum + Number(event.args.periodsFaulted), 0)
  }
  const before = await countFaults()
  dataSet.provider.faults.add({ kind: 'stop_proving' })
  await chain().mine(70)
  dataSet.provider.faults.clear()
  await until('the faults are on record', async () => (await countFaults()) >= before + 2)
})

test('proving transactions wait for the next regular block instead of making epochs', async () => {
  await using still = await startFixture({ providers: 1, blockTimeSeconds: 0 })
  const anvil = createAnvilCall(still.devnet.rpcUrl)
  const other = await still.createDataSet(0)
  await still.addPieces(other, [await still.storePiece(other)])
  const isWaiting = async () => Number(((await anvil('txpool_status')) as { pending: string }).pending) > 0
  await until('a proving transaction waits', isWaiting)
  const epoch = await still.devnet.chain.epoch()
  expect(await still.createDataSet(0)).toMatchObject({ dataSetId: other.dataSetId + 1 })
  expect(await isWaiting()).toBe(false)
  expect(await still.devnet.chain.epoch()).toBe(epoch + 1n)
})

test('a jump moves the head at once; receipts, nonces and recent reads survive it', async () => {
  const { statusUrl, nonce, hash } = await startAdding()
  await outcome(statusUrl)
  const before = await chain().epoch()
  await chain().jump(86_400)
  const after = await chain().epoch()
  expect(Number(after - before)).toBeGreaterThanOrEqual(86_400)
  expect((await reader().getTransactionReceipt({ hash })).status).toBe('success')
  expect(await fixture.devnet.clientNonce(fixture.payer.address, nonce)).not.toBe(0n)
  const recent = await reader().readContract({
    ...serviceCall(),
    functionName: 'clientNonces',
    args: [fixture.payer.address, nonce],
    blockNumber: after - 5n,
  })
  expect(recent).not.toBe(0n)
  expect(await fixture.addPieces(dataSet, [await fixture.storePiece(dataSet)])).toHaveLength(1)
})

test('values outside the range of mine, reorg and jump are refused with the range', async () => {
  await expect(chain().mine(0)).rejects.toThrow('blocks is 0; expected 1 to 2000')
  await expect(chain().reorg(65)).rejects.toThrow('depth is 65; expected 1 to 64')
  await expect(chain().jump(0.5)).rejects.toThrow('epochs is 0.5')
})

test('two signers of one key send at the same moments, and each transaction is mined', async () => {
  const { address, privateKey } = providerAccount(1)
  const signers = [1n, 2n].map((value) => ({ value, ...createChainSigner(fixture.devnet.rpcUrl, privateKey) }))
  const sendAll = ({ value, execute }: (typeof signers)[number]) =>
    Promise.all(Array.from({ length: 5 }, () => execute({ to: address, data: '0x', value })))
  const receipts = (await Promise.all(signers.map(sendAll))).flat()
  expect(new Set(receipts.map(({ transactionHash }) => transactionHash)).size).toBe(10)
})
