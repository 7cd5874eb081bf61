import { expect, test } from 'vitest'
import type { ChainPort } from './chain-port.ts'
import { openDataSetObserver } from './observed-data-sets.ts'

const fwss = '0x02925630df557F957f70E112bA06e50965417CA0'
const payer = '0x00000000000000000000000000000000000000aA'
const epoch = 5000n
const nonsense = 2n ** 255n

type Answers = Readonly<Record<string, (args: readonly unknown[]) => unknown>>

/** A live data set with three pieces. */
const honest: Answers = {
  getLastBlockHash: () => '0xaa',
  getPDPConfig: () => [2880n, 60n, 5n, 4000n],
  accounts: () => [100n, 0n, 0n, 10n],
  getDataSet: ([id]) => ({
    pdpRailId: 3n,
    dataSetId: id,
    providerId: 2n,
    pdpEndEpoch: 0n,
    pendingOneTimePayments: 0n,
    lifecycleReserveBalance: 1n,
  }),
  clientNonces: ([, id]) => id as bigint,
  dataSetLive: () => true,
  provingActivationEpoch: () => 1000n,
  provingDeadline: () => 6760n,
  provenThisPeriod: () => true,
  getDataSetListener: () => fwss,
  getDataSetLastProvenEpoch: () => 4900n,
  getDataSetLeafCount: () => 12n,
  getNextPieceId: () => 3n,
  getActivePieceCount: () => 3n,
}

function open(changes: Answers = {}) {
  const answers = { ...honest, ...changes }
  const read = async (call: { functionName: string; args?: readonly unknown[] }) => answers[call.functionName]?.(call.args ?? [])
  const contracts = { fwss, pdpVerifier: payer, filecoinPay: payer, usdfc: payer, multicall3: payer }
  const chain = { network: { contracts }, readAt: () => read, warmStorageView: async () => payer } as unknown as ChainPort
  return openDataSetObserver(chain, payer, epoch)
}
const ids = [1n, 2n, 3n].map((dataSetId) => ({ dataSetId, clientDataSetId: dataSetId }))
/** A lie about the second data set. */
const lie = (name: string, value: unknown): Answers => ({ [name]: (args) => (args[0] === 2n ? value : honest[name]?.(args)) })

test('data sets are observed together, and counted as calls in few requests', async () => {
  const observer = await open()
  // The answer of a node comes in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  const found = await observer.observe(ids)
  expect(found.map((one) => (one instanceof Error ? one.message : one.state))).toEqual(['live', 'live', 'live'])
  expect(found[0]).toMatchObject({ addedPieces: 3n, proving: { activationEpoch: 1000n, deadline: 6760n, lastProvenEpoch: 4900n } })
  expect({ calls: observer.calls, requests: observer.requests }).toEqual({ calls: 34, requests: 2 })
})

const record = (changes: object) => ({ ...(honest.getDataSet?.([2n]) as object), ...changes })

test.each<readonly [what: string, lies: Answers]>([
  ['a deadline beyond all time', lie('provingDeadline', nonsense)],
  ['an activation in the future', lie('provingActivationEpoch', epoch + 1n)],
  ['a proof in the future', lie('getDataSetLastProvenEpoch', epoch + 1n)],
  ['an end beyond all time', lie('getDataSet', record({ pdpEndEpoch: nonsense }))],
  ['another data set', lie('getDataSet', record({ dataSetId: 9n }))],
])('%s is not believed, and the other data sets are observed', async (_what, lies) => {
  const found = await (await open(lies)).observe(ids)
  expect(found.map((one) => (one instanceof Error ? one : one.state))).toEqual([
    'live',
    expect.objectContaining({
      code: 'chain_unreachable',
      message: expect.stringMatching(/^the chain node reports .*, which is impossible$/),
    }),
    'live',
  ])
})

test('more pieces than were asked to be counted are not believed', async () => {
  await expect((await open({ getActivePieceCount: () => nonsense })).activePieces([1n])).rejects.toMatchObject({
    code: 'chain_unreachable',
  })
})

test.each<readonly [what: string, lies: Answers]>([
  ['proving periods of no length', { getPDPConfig: () => [0n, 60n, 5n, 4000n] }],
  ['proving periods without end', { getPDPConfig: () => [nonsense, 60n, 5n, 4000n] }],
  ['an account from the future', { accounts: () => [1n, 0n, 0n, epoch + 1n] }],
])('%s end the round before it begins', async (_what, lies) => {
  await expect(open(lies)).rejects.toMatchObject({ code: 'chain_unreachable' })
})

test('after a reorganisation nothing that was read since fits together', async () => {
  let hash = '0xaa'
  const observer = await open({ getLastBlockHash: () => hash })
  await observer.requireSameFork()
  hash = '0xbb'
  await expect(observer.observe(ids)).rejects.toMatchObject({ code: 'chain_unreachable', message: expect.stringContaining('another fork') })
  await expect(observer.requireSameFork()).rejects.toMatchObject({ code: 'chain_unreachable' })
})
