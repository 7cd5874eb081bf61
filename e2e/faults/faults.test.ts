import { expect, test } from 'vitest'
import type { Fault } from '../../devnet/faults.ts'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { type Stage, type StoredObject, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

/** Each scenario has its own network, so that scenarios run in parallel. */
const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 120_000 }, run)

function placeFaults(providers: readonly SimulatedProvider[], ...faults: readonly Fault[]): void {
  for (const provider of providers) for (const fault of faults) provider.faults.add(fault)
}

const goDark = (provider: SimulatedProvider) => provider.faults.add({ kind: 'dark' })

/** The provider that receives the object by upload; the others pull it. */
async function ingressOf(stage: Stage, object: StoredObject): Promise<SimulatedProvider> {
  const providers = await stage.providers()
  return until(
    'an ingress provider',
    async () => {
      const ingress = (await stage.copies(object)).find((copy) => copy.transfer_method === 'ingress' && copy.status !== 'pending')
      return providers.find(({ providerId }) => String(providerId) === ingress?.provider_id)
    },
    { everyMs: 50 },
  )
}

/** Two providers and one stored object: the next object is uploaded to the first provider, and the second pulls it. */
async function startWarmStage() {
  const stage = await startStage({ providers: 2, copies: 2 })
  const first = await stage.put()
  await stage.stored(first)
  const [ingress, puller] = await stage.providers()
  if (!ingress || !puller) throw new Error('two slots need two providers')
  return { stage, first, ingress, puller, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

/** Times (performance.now) at which the provider used this fault; grows with each use. */
function watchUses(provider: SimulatedProvider, fault: Fault): readonly number[] {
  const id = provider.faults.add(fault)
  const times: number[] = []
  let seen = 0
  provider.faults.subscribe(() => {
    const placed = provider.faults.list().find((candidate) => candidate.id === id)
    // A used-up fault is removed from the list.
    const uses = placed?.uses ?? fault.count ?? seen
    if (uses > seen) times.push(performance.now())
    seen = uses
  })
  return times
}

const lostAnswers: readonly (readonly [string, Fault['kind'] & ('drop_answer' | 'fail_answer')])[] = [
  ['closes the connection', 'drop_answer'],
  ['answers 500', 'fail_answer'],
]

for (const [outcome, kind] of lostAnswers) {
  scenario(`I-05: a provider broadcasts and then ${outcome}: one data set, one addPieces, no attempt used`, async () => {
    await using stage = await startStage({ providers: 2, copies: 2 })
    const { providers } = stage.network.devnet
    placeFaults(providers, { kind, routes: ['data_set_create'], count: 1 }, { kind, routes: ['pieces_add'], count: 1 })
    // One object: two could be committed in two batches.
    expect(await stage.settle([await stage.put()])).toEqual([])
    for (const { counters, faults } of providers) {
      expect(faults.list()).toEqual([])
      expect(counters).toMatchObject({ createTransactions: 1, addPiecesTransactions: 1 })
    }
  })
}

scenario('I-08: all providers are dark before the first upload and recover one after the other', async () => {
  await using stage = await startStage({ providers: 2, copies: 2 })
  const [first, second] = stage.network.devnet.providers as [SimulatedProvider, SimulatedProvider]
  const faults = [goDark(first), goDark(second)]
  const object = await stage.put()
  await stage.waits('storage_store', 'provider')
  first.faults.clear(faults[0])
  await stage.stored(object, 1)
  await stage.waits('storage_store', 'provider')
  second.faults.clear(faults[1])
  expect(await stage.settle([object])).toEqual([])
})

scenario('I-08: an upload skips a dark ingress provider, which gets its copy after it recovers', async () => {
  await using warm = await startWarmStage()
  const { stage, first, ingress, puller } = warm
  const fault = goDark(ingress)
  const second = await stage.put()
  await stage.stored(second, 1)
  expect((await stage.copies(second)).find((copy) => copy.status === 'committed')?.provider_id).toBe(String(puller.providerId))
  await stage.waits('storage_pull', 'provider')
  ingress.faults.clear(fault)
  expect(await stage.settle([first, second])).toEqual([])
})

scenario('I-08: a provider is dark while it pulls', async () => {
  await using warm = await startWarmStage()
  const { stage, first, ingress, puller } = warm
  ingress.faults.add({ kind: 'delay', delayMs: 3000, routes: ['retrieve'], count: 1 })
  const started = puller.counters.pullsStarted
  const second = await stage.put()
  await until('a pull', async () => puller.counters.pullsStarted > started || undefined, { everyMs: 20 })
  const fault = goDark(puller)
  await stage.waits('storage_pull', 'provider')
  puller.faults.clear(fault)
  expect(await stage.settle([first, second])).toEqual([])
})

scenario('I-08: a pull whose source drops connections is retried and succeeds after the source recovers', async () => {
  await using warm = await startWarmStage()
  const { stage, first, ingress, puller } = warm
  Object.assign(puller.settings, { pullRetryMs: [50] })
  ingress.faults.add({ kind: 'drop_connection', routes: ['retrieve'] })
  const second = await stage.put()
  await stage.waits('storage_pull', 'retry')
  ingress.faults.clear()
  expect(await stage.settle([first, second])).toEqual([])
})

scenario('I-08: a provider is dark when its pieces are due for commit', async () => {
  await using stage = await startStage({ providers: 2, copies: 2 })
  const object = await stage.put()
  const ingress = await ingressOf(stage, object)
  await stage.copyReaches(object, ingress, 'piece_ready')
  const fault = goDark(ingress)
  await stage.waits('storage_commit', 'provider')
  ingress.faults.clear(fault)
  expect(await stage.settle([object])).toEqual([])
})

scenario('when the only provider with the bytes is dark, the other one gets them from the cache', async () => {
  await using stage = await startStage({ providers: 2, copies: 2 })
  for (const { settings } of stage.network.devnet.providers) Object.assign(settings, { pullRetryMs: [50] })
  const object = await stage.put()
  const ingress = await ingressOf(stage, object)
  await stage.copyReaches(object, ingress, 'piece_ready')
  const fault = goDark(ingress)
  await stage.stored(object, 1)
  ingress.faults.clear(fault)
  expect(await stage.settle([object])).toEqual([])
})

scenario('a provider goes dark after it accepted a commit, and the chain alone confirms its pieces', async () => {
  await using stage = await startStage({ providers: 2, copies: 2 })
  const { devnet } = stage.network
  const object = await stage.put()
  const ingress = await ingressOf(stage, object)
  await stage.copyReaches(object, ingress, 'piece_ready')
  await devnet.chain.hold()
  await until('an addPieces transaction', async () => ingress.counters.addPiecesTransactions > 0 || undefined, { everyMs: 20 })
  await stage.waits('storage_commit', 'confirmation')
  const fault = goDark(ingress)
  await devnet.chain.release()
  await stage.copyReaches(object, ingress, 'committed')
  ingress.faults.clear(fault)
  expect(await stage.settle([object])).toEqual([])
})

scenario('Retry-After is respected also when more work becomes due for the provider', async () => {
  await using stage = await startStage({ providers: 1, copies: 1 })
  const retryAfterSeconds = 3
  const [provider] = stage.network.devnet.providers as [SimulatedProvider]
  const busy = (routes: Fault['routes'] & {}) => watchUses(provider, { kind: 'answer', status: 429, retryAfterSeconds, routes, count: 2 })
  const waits = [busy(['data_set_create']), busy(['upload_create', 'piece_post']), busy(['pieces_add'])]
  const first = await stage.put()
  await stage.waits('storage_dataset_ensure', 'provider_busy')
  await stage.waits('storage_store', 'provider_busy')
  await stage.waits('storage_commit', 'provider_busy')
  // A second piece for the same data set must not cause an early request.
  const second = await stage.put()
  expect(await stage.settle([first, second])).toEqual([])
  for (const [at = 0, again = 0] of waits) expect(again - at).toBeGreaterThanOrEqual(retryAfterSeconds * 1000 - 50)
})

scenario('a reverted data set creation and a reverted addPieces are sent again with the same nonce', async () => {
  await using stage = await startStage({ providers: 1, copies: 1 })
  const { providers } = stage.network.devnet
  placeFaults(providers, { kind: 'revert', routes: ['data_set_create'], count: 1 }, { kind: 'revert', routes: ['pieces_add'], count: 1 })
  const object = await stage.put()
  expect(await stage.settle([object], { retriesMax: 1 })).toEqual([])
  const transactions = stage.network.devnet.addPiecesTransactions()
  expect(transactions.map(({ ok }) => ok)).toEqual([false, true])
  expect(new Set(transactions.map(({ nonce }) => nonce)).size).toBe(1)
  expect(providers[0]?.counters.createTransactions).toBe(2)
})

scenario('a pull that fails for some of its pieces commits the others and pulls the failed ones again', async () => {
  await using warm = await startWarmStage()
  const { stage, first, puller } = warm
  puller.faults.add({ kind: 'pull_failed', routes: ['pull'], count: 2 })
  const more = await Promise.all(Array.from({ length: 5 }, () => stage.put()))
  expect(await stage.settle([first, ...more])).toEqual([])
  expect(puller.faults.list()).toEqual([])
})

scenario('bytes that a provider discarded before the commit are transferred again', async () => {
  await using stage = await startStage({ providers: 2, copies: 2 })
  const object = await stage.put()
  const ingress = await ingressOf(stage, object)
  await stage.copyReaches(object, ingress, 'piece_ready')
  for (const provider of stage.network.devnet.providers) provider.collectGarbage()
  expect(await stage.settle([object], { retriesMax: 1 })).toEqual([])
})

scenario('a provider that pulls damaged bytes stores none of them', async () => {
  await using warm = await startWarmStage()
  const { stage, first, ingress } = warm
  ingress.faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'], count: 1 })
  const second = await stage.put()
  expect(await stage.settle([first, second])).toEqual([])
  expect(ingress.faults.list()).toEqual([])
})

scenario('I-22: parallel first puts create one data set per slot', async () => {
  await using stage = await startStage({ providers: 4, copies: 3 })
  const objects = await Promise.all(Array.from({ length: 12 }, () => stage.put()))
  expect(await stage.settle(objects)).toEqual([])
  const created = stage.network.devnet.providers.map(({ counters }) => counters.createTransactions)
  expect(created.sort()).toEqual([0, 1, 1, 1])
})

scenario('a stalled chain delays a commit, and an addPieces that the chain drops is sent again once', async () => {
  await using stage = await startStage({ providers: 1, copies: 1 })
  const { devnet } = stage.network
  const [provider] = devnet.providers as [SimulatedProvider]
  const first = await stage.put()
  await stage.stored(first)
  await devnet.chain.hold()
  const second = await stage.put()
  await until('an addPieces transaction', async () => provider.counters.addPiecesTransactions > 1 || undefined)
  await stage.waits('storage_commit', 'confirmation')
  await devnet.chain.release()
  await stage.stored(second)
  await devnet.chain.hold()
  const third = await stage.put()
  await until('an addPieces transaction', async () => provider.counters.addPiecesTransactions > 2 || undefined)
  const lost = devnet.addPiecesTransactions().at(-1)
  if (!lost) throw new Error('no transaction was sent')
  expect(await devnet.chain.drop(lost.hash)).toBe(true)
  await devnet.chain.release()
  expect(await stage.settle([first, second, third], { retriesMax: 1 })).toEqual([])
})

scenario('an addPieces that a reorganisation removes is sent again once', async () => {
  await using stage = await startStage({ providers: 1, copies: 1 })
  const { devnet } = stage.network
  const [provider] = devnet.providers as [SimulatedProvider]
  const first = await stage.put()
  await stage.stored(first)
  // Held, so that the block with the addPieces is still the newest one at the reorganisation.
  await devnet.chain.hold()
  const second = await stage.put()
  await until('an addPieces transaction', async () => provider.counters.addPiecesTransactions > 1 || undefined)
  await devnet.chain.mine()
  await until('a mined addPieces', async () => devnet.addPiecesTransactions().at(-1)?.ok ?? undefined)
  await devnet.chain.reorg(1)
  await until('the reorganisation of the addPieces', async () => devnet.addPiecesTransactions().at(-1)?.status === 'reorged' || undefined)
  await devnet.chain.release()
  expect(await stage.settle([first, second])).toEqual([])
})

scenario('I-08: with an unfunded wallet all work waits for the deposit, then for the approval, and resumes automatically', async () => {
  await using stage = await startStage({ providers: 2, copies: 2, isFunded: false })
  const { devnet, privateKey } = stage.network
  const objects = [await stage.put(), await stage.put()]
  await stage.waits('storage_dataset_ensure', 'funding')
  await stage.waits('storage_store', 'data_set')
  await devnet.depositFor(privateKey, 100n * 10n ** 18n)
  await until('a wait for the approval', async () => {
    const { status_message } = await stage.waits('storage_dataset_ensure', 'funding')
    return status_message?.includes('approve') || undefined
  })
  await devnet.approveFwss(privateKey)
  expect(await stage.settle(objects)).toEqual([])
})

scenario('without chain.allow_private_networks a provider at a private address gets no request', async () => {
  await using stage = await startStage({ providers: 1, copies: 1, settings: { 'chain.allow_private_networks': false } })
  await stage.put()
  await stage.waits('storage_store', 'provider')
  const requests = stage.network.devnet.providers.flatMap(({ counters }) => Object.values(counters.requests))
  expect(requests.filter((count) => count > 0)).toEqual([])
})
