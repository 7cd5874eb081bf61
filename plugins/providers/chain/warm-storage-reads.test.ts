import { zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import type { ChainPort } from './chain-port.ts'
import { openWarmStorageReads } from './warm-storage-reads.ts'

const fwss = '0x02925630df557F957f70E112bA06e50965417CA0'
const payer = '0x00000000000000000000000000000000000000aA'
const tuple = {
  pdpRailId: 3n,
  cacheMissRailId: 0n,
  cdnRailId: 0n,
  payer,
  payee: payer,
  serviceProvider: payer,
  commissionBps: 0n,
  clientDataSetId: 77n,
  pdpEndEpoch: 0n,
  providerId: 2n,
  pendingOneTimePayments: 5n,
  lifecycleReserveBalance: 100n,
  dataSetId: 9n,
}
const absent = { ...tuple, pdpRailId: 0n, payer: zeroAddress }
const notLive = () => {
  throw Object.assign(new Error('reverted'), { code: 'chain_reverted', errorName: 'DataSetNotLive' })
}
type Answers = Record<string, (args: readonly unknown[]) => unknown>

/** A chain with these contract functions; any other read throws. `finals` collects the functions read at the final epoch. */
function chainWith(answers: Answers, finals: string[] = []): ChainPort {
  const reader = (isFinal: boolean) => async (call: { functionName: string; args?: readonly unknown[] }) => {
    if (isFinal) finals.push(call.functionName)
    const answer = answers[call.functionName]
    if (answer === undefined) throw new Error(`unexpected read of ${call.functionName}`)
    return answer(call.args ?? [])
  }
  return {
    network: { contracts: { fwss, pdpVerifier: payer } },
    read: reader(false),
    readFinal: reader(true),
    readAt: () => reader(false),
    currentEpoch: async () => 1000n,
    warmStorageView: async () => payer,
  } as unknown as ChainPort
}
const live: Answers = { getDataSet: () => tuple, dataSetLive: () => true, getDataSetListener: () => fwss.toLowerCase() }

test.each([
  [live, { live: true }],
  [
    { ...live, getDataSet: () => ({ ...tuple, pdpEndEpoch: 44n }) },
    { live: false, reason: 'terminated', endEpoch: 44n },
  ],
  [
    { ...live, getDataSetListener: () => payer },
    { live: false, reason: 'foreign_listener' },
  ],
  [
    { ...live, dataSetLive: () => false, getDataSetListener: notLive },
    { live: false, reason: 'deleted' },
  ],
  [
    { getDataSet: () => absent, dataSetLive: () => false, getDataSetListener: notLive },
    { live: false, reason: 'absent' },
  ],
])('liveness, case %#: %o', async (answers, expected) => {
  expect(await openWarmStorageReads(chainWith(answers)).liveness(9n)).toEqual(expected)
})

test('nonceOutcome reads at the final epoch', async () => {
  const finals: string[] = []
  const reads = openWarmStorageReads(
    chainWith({ clientNonces: ([who, nonce]) => (who === payer && nonce === 4n ? (6n << 128n) | 9n : 0n) }, finals),
  )
  expect(await reads.nonceOutcome(payer, 4n)).toEqual({ landed: true, dataSetId: 9n, nextPieceId: 6n })
  expect(await reads.nonceOutcome(payer, 5n)).toEqual({ landed: false })
  expect(finals).toEqual(['clientNonces', 'clientNonces'])
})

test.each([
  [true, true, 'live'],
  [true, false, 'gone'],
  // pieceLive is false for every piece of a data set that is not live, so it does not prove a removal.
  [false, false, 'unknowable'],
])('with dataSetLive %s and pieceLive %s a piece is %s', async (isSetLive, isPieceLive, expected) => {
  const reads = openWarmStorageReads(chainWith({ dataSetLive: () => isSetLive, pieceLive: () => isPieceLive }))
  expect(await reads.pieceState(9n, 1n)).toBe(expected)
})

test('an absent data set is null, an existing one includes its reserve', async () => {
  expect(await openWarmStorageReads(chainWith({ getDataSet: () => absent })).dataSet(9n)).toBeNull()
  expect(await openWarmStorageReads(chainWith(live)).dataSet(9n)).toMatchObject({
    dataSetId: 9n,
    clientDataSetId: 77n,
    endEpoch: 0n,
    reserve: { balance: 100n, pending: 5n },
  })
})

test('the data sets of a payer are read page by page, each with its metadata', async () => {
  const all = Array.from({ length: 130 }, (_, index) => ({ ...tuple, dataSetId: BigInt(index + 1) }))
  const reads = openWarmStorageReads(
    chainWith({
      getClientDataSets: ([, offset, limit]) => all.slice(Number(offset), Number(offset) + Number(limit)),
      getAllDataSetMetadata: ([id]) => [['bucket'], [`b${id}`]],
    }),
  )
  const found = await reads.dataSetsOf(payer)
  expect(found).toHaveLength(130)
  expect(found[129]).toMatchObject({ dataSetId: 130n, metadata: [{ key: 'bucket', value: 'b130' }] })
})

test('reads of a data set that is no longer live return no pieces, removals or proving status', async () => {
  const answers = {
    getActivePiecesByCursor: notLive,
    getScheduledRemovals: notLive,
    getPieceCid: notLive,
    getDataSetLeafCount: notLive,
    getDataSetLastProvenEpoch: notLive,
    getNextChallengeEpoch: notLive,
  }
  const reads = openWarmStorageReads(chainWith(answers))
  expect(await reads.livePieces({ dataSetId: 9n, from: 0n, limit: 100 })).toEqual([])
  expect(await reads.scheduledRemovals(9n)).toEqual([])
  expect(await reads.pieceCidOf(9n, 1n)).toBeNull()
  expect(await reads.leafCount(9n)).toBe(0n)
  expect(await reads.provingStatus(9n)).toBeNull()
})

test('errors other than DataSetNotLive are rethrown', async () => {
  const unreachable = () => {
    throw Object.assign(new Error('no node'), { code: 'chain_unreachable' })
  }
  await expect(openWarmStorageReads(chainWith({ getScheduledRemovals: unreachable })).scheduledRemovals(9n)).rejects.toThrow('no node')
})

const proving: Answers = {
  getDataSetLastProvenEpoch: () => 900n,
  getNextChallengeEpoch: () => 1010n,
  provingActivationEpoch: () => 500n,
  provingDeadline: () => 1020n,
  provenThisPeriod: () => false,
  getPDPConfig: () => [240n, 20n, 5n, 0n],
}
test.each<[Answers, object]>([
  [
    {},
    { isStarted: true, lastProvenEpoch: 900n, nextChallengeEpoch: 1010n, deadline: 1020n, isOverdue: false, maxProvingPeriodEpochs: 240n },
  ],
  [{ provingDeadline: () => 999n }, { isOverdue: true }],
  [{ provingDeadline: () => 999n, provenThisPeriod: () => true }, { isOverdue: false }],
  [
    { provingDeadline: () => 0n, provingActivationEpoch: () => 0n, getNextChallengeEpoch: () => 0n },
    { isStarted: false, deadline: null, nextChallengeEpoch: null, isOverdue: false },
  ],
  [{ getNextChallengeEpoch: () => 2n ** 256n - 1n }, { nextChallengeEpoch: null }],
])('proving at epoch 1000, case %#', async (changes, expected) => {
  expect(await openWarmStorageReads(chainWith({ ...proving, ...changes })).provingStatus(9n)).toMatchObject(expected)
})

test.each([
  ['3.4.0', 40],
  ['3.5.0', 80],
  ['3.6.0', 80],
])('PDPVerifier %s is asked for the layout of a data set if it knows it, which limits additions', async (pdpVerifier, piecesMax) => {
  const answers = pdpVerifier === '3.4.0' ? {} : { legacyPieceStorageIdLimit: () => 10n }
  const chain = { ...chainWith(answers), contractVersions: async () => ({ fwss: '1.4.0', pdpVerifier }) } as ChainPort
  expect(await openWarmStorageReads(chain).additionLimits(9n)).toEqual({ piecesMax, omitsMetadata: true })
})
