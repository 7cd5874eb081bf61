// Routes for data sets: create, add, read and remove pieces, and the status of each transaction.
import type { FastifyRequest } from 'fastify'
import { encodeFunctionData, type Hex, parseEther, zeroAddress } from 'viem'
import { verifierAbi } from '../chain/abis.ts'
import { isOwnDataSet, listPieces } from './chain-reads.ts'
import type { ProviderContext } from './context.ts'
import { encodeAddition, readAdd, readCreate, readCreateAndAdd, readRemoval } from './data-set-requests.ts'
import { named, type RouteGroup, readJson } from './http-server.ts'
import type { TransactionRecord } from './ledger.ts'
import type { OffenceGuard } from './offence-guard.ts'
import { chainCid, pieceCidFromChain, toVersion1 } from './piece-names.ts'
import { refusal } from './refusal.ts'

/** A provider's deposit for the cleanup of the data set. */
const CLEANUP_DEPOSIT = parseEther('0.1')
const hashPattern = /^0x[0-9a-f]{64}$/

type SetRequest = FastifyRequest<{ Params: { id: string } }>
type AddedRequest = FastifyRequest<{ Params: { id: string; tx: string } }>
type PieceRequest = FastifyRequest<{ Params: { id: string; pieceId: string } }>
type CreatedRequest = FastifyRequest<{ Params: { tx: string } }>

export function dataSetRoutes(context: ProviderContext, offences: OffenceGuard): RouteGroup {
  return (app) => {
    app.post('/pdp/data-sets', named('data_set_create'), async (request, reply) => {
      const hash = await createDataSet(context, await readJson(request))
      return reply.code(201).header('location', `/pdp/data-sets/created/${hash}`).send()
    })
    app.post('/pdp/data-sets/create-and-add', named('data_set_create_and_add'), async (request, reply) => {
      const hash = await createAndAdd(context, await readJson(request))
      return reply.code(201).header('location', `/pdp/data-sets/created/${hash}`).send()
    })
    app.get('/pdp/data-sets/created/:tx', named('data_set_created'), (request: CreatedRequest, reply) =>
      reply.send(describeCreation(context, request.params.tx)),
    )
    app.get('/pdp/data-sets/:id', named('data_set_get'), async (request: SetRequest, reply) =>
      reply.send(await describeDataSet(context, await requireDataSet(context, request.params.id))),
    )
    app.post('/pdp/data-sets/:id/pieces', named('pieces_add'), async (request: SetRequest, reply) => {
      const json = await readJson(request)
      const dataSetId = await requireDataSet(context, request.params.id).catch((error) => {
        offences.record(json)
        throw error
      })
      const hash = await addPieces(context, dataSetId, json)
      return reply.code(201).header('location', `/pdp/data-sets/${dataSetId}/pieces/added/${hash}`).send()
    })
    app.get('/pdp/data-sets/:id/pieces/added/:tx', named('pieces_added'), async (request: AddedRequest, reply) => {
      const dataSetId = await requireDataSet(context, request.params.id)
      return reply.send(describeAddition(context, dataSetId, request.params.tx))
    })
    app.get('/pdp/data-sets/:id/pieces/:pieceId', named('piece_get'), async (request: PieceRequest, reply) => {
      const dataSetId = await requireDataSet(context, request.params.id)
      return reply.send(await describePiece(context, dataSetId, requireNumber(request.params.pieceId, 'piece ID')))
    })
    app.delete('/pdp/data-sets/:id/pieces/:pieceId', named('pieces_delete'), async (request: PieceRequest, reply) => {
      const dataSetId = await requireDataSet(context, request.params.id)
      const removal = readRemoval(context, await readJson(request), requireNumber(request.params.pieceId, 'piece ID'))
      return reply.send({ txHash: await removePieces(context, dataSetId, removal) })
    })
  }
}

async function createDataSet(context: ProviderContext, json: unknown): Promise<Hex> {
  const { recordKeeper, extraData } = readCreate(context, json)
  return context.transactions.submit({
    kind: 'create',
    route: 'data_set_create',
    to: context.chain.contracts.pdpVerifier,
    data: encodeFunctionData({ abi: verifierAbi, functionName: 'createDataSet', args: [recordKeeper, extraData] }),
    value: CLEANUP_DEPOSIT,
    extraData,
  })
}

async function createAndAdd(context: ProviderContext, json: unknown): Promise<Hex> {
  const { recordKeeper, extraData, pieceCids } = readCreateAndAdd(context, json)
  return context.transactions.submit({
    kind: 'create_and_add',
    route: 'data_set_create_and_add',
    to: context.chain.contracts.pdpVerifier,
    data: encodeAddition([0n, recordKeeper, pieceCids.map(chainCid), extraData]),
    value: CLEANUP_DEPOSIT,
    pieceCids,
    extraData,
  })
}

async function addPieces(context: ProviderContext, dataSetId: number, json: unknown): Promise<Hex> {
  const { extraData, pieceCids } = readAdd(context, json)
  return context.transactions.submit({
    kind: 'add',
    route: 'pieces_add',
    to: context.chain.contracts.pdpVerifier,
    data: encodeAddition([BigInt(dataSetId), zeroAddress, pieceCids.map(chainCid), extraData]),
    dataSetId,
    pieceCids,
    extraData,
  })
}

async function removePieces(context: ProviderContext, dataSetId: number, removal: ReturnType<typeof readRemoval>): Promise<Hex> {
  const { reader, contracts } = context.chain
  const { pieceIds, extraData } = removal
  const call = { address: contracts.pdpVerifier, abi: verifierAbi } as const
  const set = BigInt(dataSetId)
  for (const pieceId of pieceIds) {
    const isLive = await reader.readContract({ ...call, functionName: 'pieceLive', args: [set, BigInt(pieceId)] })
    if (!isLive) throw refusal(404, 'One or more piece not found')
  }
  const queued = await reader.readContract({ ...call, functionName: 'getScheduledRemovals', args: [set] })
  const { piecesPerRemoval } = context.settings
  if (piecesPerRemoval !== null && queued.length >= piecesPerRemoval) {
    throw refusal(429, `Data set has ${queued.length} pending piece deletions; try again after the next proving period`)
  }
  return context.transactions.submit({
    kind: 'remove',
    route: 'pieces_delete',
    to: contracts.pdpVerifier,
    data: encodeFunctionData({
      abi: verifierAbi,
      functionName: 'schedulePieceDeletions',
      args: [set, pieceIds.map(BigInt), extraData],
    }),
    dataSetId,
    extraData,
  })
}

function describeCreation(context: ProviderContext, tx: string) {
  const record = requireTransaction(context, tx, 'Data set creation not found for given txHash', ['create', 'create_and_add'])
  const isCreated = record.processed && record.dataSetId !== undefined
  return {
    createMessageHash: record.hash,
    dataSetCreated: isCreated,
    service: 'public',
    txStatus: record.status,
    ok: record.ok,
    ...(isCreated && { dataSetId: record.dataSetId, confirmedTxHash: record.hash }),
  }
}

function describeAddition(context: ProviderContext, dataSetId: number, tx: string) {
  const missing = 'Piece addition not found for given transaction'
  const record = requireTransaction(context, tx, missing, ['add', 'create_and_add'])
  if (record.dataSetId !== dataSetId) throw refusal(404, missing)
  return {
    txHash: record.hash,
    txStatus: record.status,
    dataSetId,
    pieceCount: new Set(record.pieceCids).size,
    addMessageOk: record.ok,
    piecesAdded: record.processed,
    ...(record.processed && { confirmedPieceIds: record.pieceIds, confirmedTxHash: record.hash }),
  }
}

async function describeDataSet({ chain }: ProviderContext, dataSetId: number) {
  const call = { address: chain.contracts.pdpVerifier, abi: verifierAbi } as const
  const challengeEpoch = await chain.reader.readContract({ ...call, functionName: 'getNextChallengeEpoch', args: [BigInt(dataSetId)] })
  const pieces = await listPieces(chain, dataSetId)
  return {
    id: dataSetId,
    nextChallengeEpoch: Number(challengeEpoch),
    pieces: pieces.map(({ pieceId, pieceCid }) => ({ pieceId, pieceCid, subPieceCid: pieceCid, subPieceOffset: 0 })),
  }
}

async function describePiece({ chain }: ProviderContext, dataSetId: number, pieceId: number) {
  const cid = await chain.reader.readContract({
    address: chain.contracts.pdpVerifier,
    abi: verifierAbi,
    functionName: 'getPieceCid',
    args: [BigInt(dataSetId), BigInt(pieceId)],
  })
  const pieceCid = pieceCidFromChain(cid.data)
  if (pieceCid === undefined) throw refusal(404, 'Piece not found in data set')
  const version1 = toVersion1(pieceCid)
  return { pieceId, pieceCid: version1, subPieces: [{ subPieceCid: version1, subPieceOffset: 0 }] }
}

function requireTransaction(context: ProviderContext, tx: string, missing: string, kinds: TransactionRecord['kind'][]): TransactionRecord {
  const hash = tx.toLowerCase()
  if (!hashPattern.test(hash)) throw refusal(400, 'Invalid txHash format')
  const record = context.transactions.find(hash, kinds)
  if (!record) throw refusal(404, missing)
  return record
}

/** @throws Refusal 404 when the data set is not of this provider */
export async function requireDataSet(context: ProviderContext, text: string): Promise<number> {
  const dataSetId = requireNumber(text, 'data set ID')
  if (!(await isOwnDataSet(context.chain, context.signer.address, dataSetId))) throw refusal(404, 'Data set not found')
  return dataSetId
}

function requireNumber(text: string, what: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw refusal(400, `Invalid ${what} format`)
  return value
}
