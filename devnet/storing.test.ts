// The life of a data set on the devnet, with the calls of a gateway.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toChain, validateDevnetInfo } from '@filoz/synapse-core/devnet'
import * as Pay from '@filoz/synapse-core/pay'
import { getApprovedPDPProviders } from '@filoz/synapse-core/sp-registry'
import { createWalletClient, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newNonce } from '../plugins/replication/testing/typed-data.ts'
import { createChainReader, findReceipt } from './chain/rpc.ts'
import { type Devnet, startDevnet } from './devnet.ts'
import { createPayer, type Payer } from './testing/payer.ts'
import { locationOf, mineUntil, outcome, pieceCidOfBytes, send, store, until, whole } from './testing/provider-calls.ts'

const bytes = randomBytes(2_000_000)
let devnet: Devnet
let payer: Payer
let dir: string

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svc-devnet-'))
  devnet = await startDevnet({ dir, providers: 2 })
  payer = createPayer(devnet, userKey(0))
})

afterAll(async () => {
  await devnet[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

const urlOf = (index: number) => devnet.providers[index]?.url ?? ''
const payeeOf = (index: number) => devnet.providers[index]?.address ?? '0x'
const userKey = (index: number) => devnet.users[index]?.privateKey ?? '0x'

function sdkClient() {
  const chain = toChain(validateDevnetInfo(JSON.parse(readFileSync(devnet.infoPath, 'utf8'))))
  return createWalletClient({ chain, account: privateKeyToAccount(userKey(0)), transport: http(), pollingInterval: 20 })
}

test('the info file is valid for the wallet SDK, which lists the providers and funds the account', async () => {
  const client = sdkClient()
  const providers = await getApprovedPDPProviders(client)
  expect(providers.map((provider) => provider.pdp.serviceURL)).toEqual([urlOf(0), urlOf(1)])

  expect(await Pay.isFwssMaxApproved(client, { clientAddress: client.account.address })).toBe(false)
  const hash = await Pay.fund(client, { amount: parseEther('10') })
  expect(hash).toMatch(/^0x/)
  await until('the deposit is booked', async () => (await Pay.accounts(client, { address: payer.address })).funds === parseEther('10'))
  expect(await Pay.isFwssMaxApproved(client, { clientAddress: client.account.address })).toBe(true)
})

test('a data set is created, filled, copied, emptied and ended', async () => {
  const [clientDataSetId, nonce] = [newNonce(), newNonce()]
  const pieceCid = await store(urlOf(0), bytes)
  expect(pieceCid).toBe(pieceCidOfBytes(bytes))
  expect(await devnet.readPiece(0, pieceCid)).toEqual(bytes)

  // Create and add in one transaction at the first provider.
  const createExtra = await payer.createAndAdd(payeeOf(0), { clientDataSetId, nonce, pieceCids: [pieceCid] })
  const createBody = { recordKeeper: devnet.contracts.warmStorage, extraData: createExtra, pieces: whole([pieceCid]) }
  const created = await outcome(await locationOf(urlOf(0), await send('POST', `${urlOf(0)}/pdp/data-sets/create-and-add`, createBody)))
  const first = created.dataSetId ?? 0
  expect(created).toMatchObject({ txStatus: 'confirmed', ok: true, dataSetCreated: true })
  expect(await devnet.clientNonce(payer.address, clientDataSetId)).toBe(BigInt(first))
  expect(await devnet.clientNonce(payer.address, nonce)).toBe((1n << 128n) | BigInt(first))
  expect(await devnet.pieceLive(first, 0)).toBe(true)

  // An empty data set at the second provider, then a pull and an add with the same extraData.
  const secondClientId = newNonce()
  const second = await createAt(1, secondClientId)
  const addExtra = await payer.add({ clientDataSetId: secondClientId, nonce: newNonce(), pieceCids: [pieceCid] })
  await pull({ dataSetId: second, extraData: addExtra, pieceCid })
  const addUrl = `${urlOf(1)}/pdp/data-sets/${second}/pieces`
  const added = await outcome(await locationOf(urlOf(1), await send('POST', addUrl, { pieces: whole([pieceCid]), extraData: addExtra })))
  expect(added).toMatchObject({ piecesAdded: true, addMessageOk: true, confirmedPieceIds: [0] })

  // The same extraData again: refused by the chain, with the error that means it has landed.
  const replay = await send('POST', addUrl, { pieces: whole([pieceCid]), extraData: addExtra })
  expect([replay.status, await replay.text()]).toEqual([500, expect.stringContaining('revert reason=[0xdb94c961')])
  expect(devnet.addPiecesTransactions()).toHaveLength(2)

  const listed = await (await fetch(`${urlOf(1)}/pdp/data-sets/${second}`)).json()
  expect(listed).toMatchObject({ id: second, pieces: [{ pieceId: 0, pieceCid, subPieceCid: pieceCid, subPieceOffset: 0 }] })
  await removeEverything(second, secondClientId)
  await endBothWays(first, second)
})

async function createAt(index: number, clientDataSetId: bigint): Promise<number> {
  const extraData = await payer.create(clientDataSetId, payeeOf(index))
  const answer = await send('POST', `${urlOf(index)}/pdp/data-sets`, { recordKeeper: devnet.contracts.warmStorage, extraData })
  const created = await outcome(await locationOf(urlOf(index), answer))
  expect(created).toMatchObject({ ok: true, dataSetCreated: true })
  return created.dataSetId ?? 0
}

async function pull({ dataSetId, extraData, pieceCid }: { dataSetId: number; extraData: string; pieceCid: string }): Promise<void> {
  const body = {
    dataSetId,
    extraData,
    recordKeeper: devnet.contracts.warmStorage,
    pieces: [{ pieceCid, sourceUrl: `${urlOf(0)}/piece/${pieceCid}` }],
  }
  await until('the pull is complete', async () => {
    const answer = await send('POST', `${urlOf(1)}/pdp/piece/pull`, body)
    expect(answer.status).toBe(200)
    return ((await answer.json()) as { status: string }).status === 'complete'
  })
  expect(await devnet.readPiece(1, pieceCid)).toEqual(bytes)
  expect(devnet.providers[1]?.counters.pullsStarted).toBe(1)
}

/** The removal is accepted at once and takes effect with the next proving period. */
async function removeEverything(dataSetId: number, clientDataSetId: bigint): Promise<void> {
  const url = `${urlOf(1)}/pdp/data-sets/${dataSetId}`
  const isProving = async () => ((await (await fetch(url)).json()) as { nextChallengeEpoch: number }).nextChallengeEpoch > 0
  await until('proving has started', isProving)
  const extraData = await payer.remove(clientDataSetId, [0])
  const answer = await send('DELETE', `${url}/pieces/0`, { extraData })
  expect([answer.status, await answer.json()]).toEqual([200, { txHash: expect.stringMatching(/^0x/) }])
  expect(await devnet.pieceLive(dataSetId, 0)).toBe(true)
  await mineUntil(devnet, 'the removal takes effect', async () => !(await devnet.pieceLive(dataSetId, 0)))
}

/** Ends one by the payer's transaction (after the lockup period), the other through the provider (at once). */
async function endBothWays(first: number, second: number): Promise<void> {
  const terminateUrl = `${urlOf(1)}/pdp/data-sets/${second}/terminate`
  const accepted = await send('POST', terminateUrl, { extraData: await payer.terminate(second) })
  expect(accepted.status).toBe(202)
  await until('the relay is through', async () => {
    const status = (await (await fetch(terminateUrl)).json()) as { fwssTerminated: boolean | null }
    return status.fwssTerminated === true
  })
  expect((await send('POST', terminateUrl, { extraData: await payer.terminate(second) })).status).toBe(409)

  const client = sdkClient()
  const before = await devnet.chain.epoch()
  const hash = await client.writeContract({
    address: devnet.contracts.warmStorage,
    abi: [
      { type: 'function', name: 'terminateService', stateMutability: 'nonpayable', inputs: [{ name: 'id', type: 'uint256' }], outputs: [] },
    ],
    functionName: 'terminateService',
    args: [BigInt(first)],
  })
  await until('the termination is mined', async () => (await findReceipt(createChainReader(devnet.rpcUrl), hash)) !== undefined)
  const rest = await (
    await send('POST', `${urlOf(0)}/pdp/data-sets/${first}/terminate`, { extraData: await payer.terminate(first) })
  ).json()
  expect(rest).toMatchObject({ code: 0, message: 'already terminated' })
  expect((rest as { serviceTerminationEpoch: number }).serviceTerminationEpoch).toBeGreaterThan(Number(before) + 86_000)
}

test('unlocked funds can be withdrawn, locked funds cannot', async () => {
  const client = sdkClient()
  const { availableFunds } = await Pay.accounts(client, { address: payer.address })
  await expect(Pay.withdraw(client, { amount: parseEther('10') })).rejects.toThrow()
  const hash = await Pay.withdraw(client, { amount: availableFunds - parseEther('0.01') })
  expect(hash).toMatch(/^0x/)
  await until(
    'the withdrawal is booked',
    async () => (await Pay.accounts(client, { address: payer.address })).availableFunds < parseEther('0.02'),
  )
})
