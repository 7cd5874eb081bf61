/** Data sets and pieces against real contracts and simulated providers, from the signature to the nonce on chain. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { BaseError, ContractFunctionRevertedError, createPublicClient, http, parseEther } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesBody, type ProviderClient, pieceIdsOf, type WarmStorageReads } from '#plugins/providers'
import { type Devnet, startDevnet } from '../../../devnet/devnet.ts'
import {
  type ChainPort,
  openProviderClient,
  openWarmStorageReads,
  type RegisteredProvider,
  readApprovedIds,
  readEndorsedIds,
  readProvider,
  readRegistry,
} from '../../providers/testing/index.ts'
import { pieceCidOf } from '../pieces/piece-cid.ts'
import { createPieceHasher } from '../pieces/piece-hasher.ts'
import { newNonce, type SigningDomain, signAddPieces, signCreateDataSet, signScheduleRemovals, signTerminateService } from './typed-data.ts'

let devnet: Devnet
let chain: ChainPort
let reads: WarmStorageReads
let account: PrivateKeyAccount
let domain: SigningDomain
let offers: readonly RegisteredProvider[]
let clients: readonly ProviderClient[]
const stack = new AsyncDisposableStack()

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-storage-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  devnet = stack.use(await startDevnet({ dir, providers: 2, blockTimeSeconds: 0, providerSettings: { parkDelayMs: 0, unprocessedMs: 0 } }))
  const privateKey = devnet.users[0]?.privateKey ?? '0x'
  account = privateKeyToAccount(privateKey)
  await devnet.depositFor(privateKey, parseEther('10'))
  await devnet.approveFwss(privateKey)
  chain = chainOf(devnet)
  reads = openWarmStorageReads(chain)
  domain = { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss }
  offers = await readRegistry(chain)
  clients = offers.map(({ serviceUrl = '' }) => openProviderClient(serviceUrl, { allowPrivateNetworks: true }))
  stack.defer(() => {
    for (const client of clients) client.close()
  })
})
afterAll(() => stack.disposeAsync())

/** A ChainPort on viem. Final reads are one block behind the head. */
function chainOf({ rpcUrl, contracts }: Devnet): ChainPort {
  const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const read = async (call: object) => {
    try {
      return await client.readContract(call as never)
    } catch (error) {
      const reverted = error instanceof BaseError ? error.walk((cause) => cause instanceof ContractFunctionRevertedError) : null
      if (!(reverted instanceof ContractFunctionRevertedError)) throw error
      throw Object.assign(new Error('reverted', { cause: error }), { code: 'chain_reverted', errorName: reverted.data?.errorName })
    }
  }
  const port = {
    network: {
      chainId: 31415926,
      contracts: {
        fwss: contracts.warmStorage,
        pdpVerifier: contracts.pdpVerifier,
        registry: contracts.serviceProviderRegistry,
        endorsements: contracts.endorsements,
      },
    },
    currentEpoch: () => client.getBlockNumber(),
    read,
    readFinal: async (call: object) => read({ ...call, blockNumber: (await client.getBlockNumber()) - 1n }),
    warmStorageView: async () => contracts.warmStorage,
  }
  return port as unknown as ChainPort
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`nothing at ${index}`)
  return item
}

/** Polls until the answer is defined, for at most 10 s. */
async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const answer = await read()
    if (answer !== undefined) return answer
    await delay(20)
  }
  throw new Error('no answer within 10 s')
}

async function ok<T>(answer: Promise<{ kind: string; value?: T }>): Promise<T> {
  const given = await answer
  if (given.kind !== 'ok' || given.value === undefined) throw new Error(`expected ok: ${JSON.stringify(given)}`)
  return given.value
}

function newPiece(size = 1000) {
  const bytes = randomBytes(size)
  const hasher = createPieceHasher()
  hasher.update(bytes)
  return { bytes, pieceCid: pieceCidOf(hasher.digest()) }
}

async function store(client: ProviderClient, { bytes, pieceCid }: ReturnType<typeof newPiece>): Promise<void> {
  await ok(client.upload({ pieceCid, body: bytesBody(bytes) }))
  await until(async () => ((await ok(client.findPiece(pieceCid))).isFound ? true : undefined))
}

interface OwnDataSet {
  readonly dataSetId: bigint
  readonly clientDataSetId: bigint
}

async function createOn(index: number): Promise<OwnDataSet> {
  const clientDataSetId = newNonce()
  const metadata = [{ key: 'bucket', value: 'photos' }]
  const extraData = await signCreateDataSet({ account, domain, clientDataSetId, payee: at(offers, index).payee, metadata })
  const client = at(clients, index)
  const { txHash } = await ok(client.createDataSet({ recordKeeper: domain.fwss, extraData }))
  const created = await until(async () => {
    const status = await ok(client.creationStatus(txHash))
    return status.state === 'created' ? status : undefined
  })
  await devnet.chain.mine()
  expect(await reads.nonceOutcome(account.address, clientDataSetId)).toEqual({ landed: true, dataSetId: created.dataSetId })
  return { dataSetId: created.dataSetId, clientDataSetId }
}

test('the registry lists the providers, all approved and endorsed', async () => {
  expect(offers.map(({ providerId }) => providerId)).toEqual(['1', '2'])
  expect(await readApprovedIds(chain)).toEqual(new Set(['1', '2']))
  expect(await readEndorsedIds(chain)).toEqual(new Set(['1', '2']))
  expect(await readProvider(chain, '2')).toEqual(at(offers, 1))
  expect(await readProvider(chain, '99')).toBeUndefined()
  expect(await at(clients, 0).ping()).toMatchObject({ kind: 'ok' })
})

test('a piece is stored at one provider, pulled by another, and added to a data set of each', async () => {
  const first = await createOn(0)
  const second = await createOn(1)
  const piece = newPiece()
  await store(at(clients, 0), piece)
  expect(await ok(at(clients, 0).upload({ pieceCid: piece.pieceCid, body: bytesBody(piece.bytes) }))).toEqual({ alreadyStored: true })

  // The second provider pulls before the piece is on chain: providers also serve parked pieces.
  const pullNonce = newNonce()
  const pieces = [{ pieceCid: piece.pieceCid }]
  const pullData = await signAddPieces({ account, domain, clientDataSetId: second.clientDataSetId, nonce: pullNonce, pieces })
  const pull = {
    dataSetId: second.dataSetId,
    recordKeeper: domain.fwss,
    extraData: pullData,
    pieces: [{ pieceCid: piece.pieceCid, sourceUrl: at(clients, 0).pieceUrl(piece.pieceCid) }],
  }
  await until(async () => ((await ok(at(clients, 1).pull(pull))).pieces.every(({ status }) => status === 'complete') ? true : undefined))

  for (const [index, dataSet, extraData, nonce] of [
    [1, second, pullData, pullNonce],
    [0, first, undefined, newNonce()],
  ] as const) {
    const client = at(clients, index)
    const signed = extraData ?? (await signAddPieces({ account, domain, clientDataSetId: dataSet.clientDataSetId, nonce, pieces }))
    const { txHash } = await ok(client.addPieces({ dataSetId: dataSet.dataSetId, pieces: [piece.pieceCid], extraData: signed }))
    const added = await until(async () => {
      const status = await ok(client.additionStatus({ dataSetId: dataSet.dataSetId, txHash }))
      return status.state === 'added' ? status : undefined
    })
    await devnet.chain.mine()
    const outcome = await reads.nonceOutcome(account.address, nonce)
    expect(outcome).toEqual({ landed: true, dataSetId: dataSet.dataSetId, nextPieceId: 1n })
    expect(added.pieceIds).toEqual(pieceIdsOf(1n, 1))
    expect(await reads.livePieces({ dataSetId: dataSet.dataSetId, from: 0n, limit: 100 })).toEqual([
      { pieceId: 0n, pieceCid: piece.pieceCid },
    ])
    expect(await reads.pieceState(dataSet.dataSetId, 0n)).toBe('live')
    expect(await reads.pieceCidOf(dataSet.dataSetId, 0n)).toBe(piece.pieceCid)
    // The same signed bytes cannot land twice: the provider reports the used nonce.
    expect(await client.addPieces({ dataSetId: dataSet.dataSetId, pieces: [piece.pieceCid], extraData: signed })).toEqual({
      kind: 'landed',
    })
  }
  const opened = await ok(at(clients, 1).openPiece(piece.pieceCid, { range: { start: 10, end: 19 } }))
  expect(await buffer(opened.stream)).toEqual(piece.bytes.subarray(10, 20))
})

test('I-05: the outcome of an addition answered with an error is decided by its nonce', async () => {
  const { dataSetId, clientDataSetId } = await createOn(0)
  const [one, two] = [newPiece(127), newPiece(5000)]
  await store(at(clients, 0), one)
  await store(at(clients, 0), two)
  const nonce = newNonce()
  const pieces = [one, two].map(({ pieceCid }) => ({ pieceCid }))
  const extraData = await signAddPieces({ account, domain, clientDataSetId, nonce, pieces })
  expect(await reads.nonceOutcome(account.address, nonce)).toEqual({ landed: false })

  at(devnet.providers, 0).faults.add({ kind: 'fail_answer', routes: ['pieces_add'], count: 1 })
  const answer = await at(clients, 0).addPieces({ dataSetId, pieces: pieces.map(({ pieceCid }) => pieceCid), extraData })
  expect(answer).toMatchObject({ kind: 'uncertain', cause: { reason: 'server_error', status: 500 } })
  await devnet.chain.mine(2)
  expect(await reads.nonceOutcome(account.address, nonce)).toEqual({ landed: true, dataSetId, nextPieceId: 2n })
  expect(await reads.livePieces({ dataSetId, from: 1n, limit: 1 })).toEqual([{ pieceId: 1n, pieceCid: two.pieceCid }])
})

test('a signature for other pieces is refused before a transaction is sent', async () => {
  const { dataSetId, clientDataSetId } = await createOn(0)
  const piece = newPiece()
  await store(at(clients, 0), piece)
  const extraData = await signAddPieces({
    account,
    domain,
    clientDataSetId,
    nonce: newNonce(),
    pieces: [{ pieceCid: newPiece().pieceCid }],
  })
  expect(await at(clients, 0).addPieces({ dataSetId, pieces: [piece.pieceCid], extraData })).toMatchObject({
    kind: 'not_sent',
    cause: { reason: 'reverted', revert: { contract: 'fwss', errorName: 'InvalidSignature' } },
  })
  expect(await at(clients, 0).addPieces({ dataSetId: 9999n, pieces: [piece.pieceCid], extraData })).toMatchObject({
    kind: 'not_sent',
    cause: { reason: 'data_set_gone', status: 404 },
  })
})

test('a removal is queued, then a relayed termination ends the service', async () => {
  const { dataSetId, clientDataSetId } = await createOn(1)
  const piece = newPiece()
  await store(at(clients, 1), piece)
  const extraData = await signAddPieces({ account, domain, clientDataSetId, nonce: newNonce(), pieces: [{ pieceCid: piece.pieceCid }] })
  await ok(at(clients, 1).addPieces({ dataSetId, pieces: [piece.pieceCid], extraData }))
  await devnet.chain.mine(2)
  expect(await reads.leafCount(dataSetId)).toBe(32n)
  expect(await reads.liveness(dataSetId)).toEqual({ live: true })
  expect(await reads.provingStatus(dataSetId)).toMatchObject({ isOverdue: false })

  // The provider only queues removals of pieces that it has processed.
  const removal = await signScheduleRemovals({ account, domain, clientDataSetId, pieceIds: [0n] })
  await until(async () => {
    const answer = await at(clients, 1).deletePieces({ dataSetId, pieceIds: [0n], extraData: removal })
    return answer.kind === 'ok' ? true : undefined
  })
  await devnet.chain.mine(2)
  const [queued, state] = [await reads.scheduledRemovals(dataSetId), await reads.pieceState(dataSetId, 0n)]
  // A new proving period may already have executed the removal.
  expect(state === 'gone' || (state === 'live' && queued.includes(0n))).toBe(true)

  const termination = await signTerminateService({ account, domain, dataSetId })
  expect(await ok(at(clients, 1).terminate({ dataSetId, extraData: termination }))).toEqual({ state: 'queued' })
  await until(async () => {
    await devnet.chain.mine()
    return (await ok(at(clients, 1).terminationStatus(dataSetId))).state === 'terminated' ? true : undefined
  })
  await devnet.chain.mine(2)
  expect(await reads.liveness(dataSetId)).toMatchObject({ live: false })
})

test('the data sets of the wallet are found with their metadata; others are absent', async () => {
  const found = await reads.dataSetsOf(account.address)
  expect(found.length).toBeGreaterThanOrEqual(4)
  expect(found[0]).toMatchObject({ payer: account.address, providerId: 1n, metadata: [{ key: 'bucket', value: 'photos' }] })
  expect(await reads.dataSet(9999n)).toBeNull()
  expect(await reads.liveness(9999n)).toEqual({ live: false, reason: 'absent' })
  expect(await reads.pieceState(9999n, 0n)).toBe('unknowable')
})
