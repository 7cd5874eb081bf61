import { createWalletClient, encodeFunctionData, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import {
  listDataSets,
  listProviders,
  type ProvenCopy,
  proveObject,
  refreshDataSets,
  showSamples,
  startSamples,
} from '../../plugins/observability/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import type { FundedDevnetOptions } from '../fixtures/gateways/funded-devnet.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

/** Each scenario has its own network, so that scenarios run in parallel. */
const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 180_000 }, run)

/** The default of `chain.observability.interval`. */
const intervalMs = 5 * 60_000
/** Long enough that no period ends before the test mines to its end, however slow the machine is. */
const provingPeriodEpochs = 2000
/** Makes a state of the devnet final, and more. */
const finalEpochs = 20

/** The clock of the gateway moves by the test: each round of checks is one that the test asked for. */
async function startClocked(options: Pick<FundedDevnetOptions, 'provingPeriodEpochs'> = { provingPeriodEpochs }) {
  const clock = createAdvancingClock()
  const stage = await startStage({ providers: 2, copies: 2, clock, ...options })
  return { stage, clock, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

const refresh = async ({ gateway }: Stage) =>
  answerOf(refreshDataSets, await gateway.call('POST', '/api/v1/observability/data-sets/refresh'))
const list = async ({ gateway }: Stage) => answerOf(listDataSets, await gateway.call('GET', '/api/v1/observability/data-sets'))
type Page = Awaited<ReturnType<typeof list>>

/** The list of the recurring checks once it holds. It holds within one interval if the clock moved by one. */
const shows = (stage: Stage, what: string, holds: (page: Page) => boolean) =>
  until(`data sets that are ${what}`, async () => {
    const page = await list(stage)
    return holds(page) ? page : undefined
  })

const at = (page: Page, provider: SimulatedProvider | undefined) =>
  page.items.find(({ facts }) => facts.provider_id === String(provider?.providerId))

const bucketHealth = async ({ gateway }: Stage) => (await gateway.call('GET', `/api/v1/buckets/${stageBucket}`)).json.storage_health
const situation = async ({ gateway }: Stage, { key }: StoredObject) => {
  const { state, attention_code } = (await gateway.call('GET', `/api/v1/buckets/${stageBucket}/objects?prefix=${key}`)).json.objects[0]
  return [state, attention_code]
}
const becomes = (stage: Stage, object: StoredObject, state: string, attention?: string) =>
  until(`the object is ${state}`, async () => {
    const [shown, code] = await situation(stage, object)
    return shown === state && code === attention ? true : undefined
  })

/** Mines to the epoch, and so far beyond it that the gateway sees it. */
async function mineTo({ network: { devnet } }: Stage, epoch: number) {
  const missing = () => devnet.chain.epoch().then((head) => epoch + finalEpochs - Number(head))
  for (let left = await missing(); left > 0; left = await missing()) await devnet.chain.mine(Math.min(left, 2000))
}

scenario('I-53: a fresh data set is healthy; one that stops proving loses its standing within an interval, and gets it back', async () => {
  await using scene = await startClocked()
  const { stage, clock } = scene
  const object = await stage.put()
  await stage.stored(object)
  const [first] = await stage.providers()
  const fresh = await until('the first period of both', async () => {
    const page = await refresh(stage)
    return page.items.every(({ facts }) => facts.proving?.next_due_epoch !== undefined) ? page : undefined
  })
  expect(fresh.items.map(({ signal, facts }) => [signal.status, facts.standing.state, facts.chain_state])).toEqual([
    ['available', 'kept', 'live'],
    ['available', 'kept', 'live'],
  ])
  expect(fresh.last_refresh).toMatchObject({ data_sets: 2 })
  expect(await bucketHealth(stage)).toMatchObject({ status: 'available', reason_codes: [], stale: false })
  const id = first?.faults.add({ kind: 'stop_proving' })
  await mineTo(stage, Number(at(fresh, first)?.facts.proving?.next_due_epoch))
  expect(at(await list(stage), first)?.facts.standing.state).toBe('kept')
  clock.advance(intervalMs)
  const late = await shows(stage, 'overdue', (page) => at(page, first)?.facts.standing.reason === 'proving_missed')
  expect(at(late, first)?.signal).toMatchObject({ status: 'degraded', level: 'warning', reason_codes: ['proving_overdue'] })
  expect((await bucketHealth(stage)).status).toBe('degraded')
  await becomes(stage, object, 'replicating', 'copies_denied')
  first?.faults.clear(id)
  // Providers prove in the second half of a period, so that the chain must get there.
  await until('data sets that prove again', async () => {
    await stage.network.devnet.chain.mine(provingPeriodEpochs / 10)
    const { items } = await refresh(stage)
    return items.every(({ facts }) => facts.standing.state === 'kept') || undefined
  })
  await becomes(stage, object, 'stored')
  // Nothing was paid for meanwhile.
  for (const { counters } of stage.network.devnet.providers)
    expect(counters).toMatchObject({ createTransactions: 1, addPiecesTransactions: 1 })
  const listed = async (query: string) =>
    answerOf(listDataSets, await stage.gateway.call('GET', `/api/v1/observability/data-sets?${query}`)).items
  const [shown] = await listed(`history=true&current=true&provider_id=${first?.providerId}`)
  expect(shown?.facts.chosen_because?.reason).toMatch(/^[a-z_]+$/)
  const { days, observed_periods, missed_periods } = shown?.facts.proving ?? {}
  expect(days?.map(({ days_ago }) => days_ago)).toEqual([0])
  expect(days?.[0]).toEqual({ days_ago: 0, periods: observed_periods, proven: (observed_periods ?? 0) - (missed_periods ?? 0) })
  expect(missed_periods).toBeGreaterThan(0)
  expect(await listed('current=false')).toEqual([])
  const { json: providers } = await stage.gateway.call('GET', '/api/v1/observability/providers?used=true')
  expect(providers.items.map(({ facts }: { facts: { data_sets: number } }) => facts.data_sets)).toEqual([1, 1])
  const proof = answerOf(proveObject, await stage.gateway.call('GET', `/api/v1/buckets/${stageBucket}/objects/proof?key=${object.key}`))
  expect(proof.copies).toHaveLength(2)
  const missed = proof.copies.find(({ provider_id }) => provider_id === String(first?.providerId))
  expect(missed?.history.some(({ proven }) => !proven)).toBe(true)
  expect(missed?.transaction).toMatch(/^0x[0-9a-f]{64}$/)
  await repeatCalls(
    stage,
    proof.copies.flatMap(({ verify }) => verify),
  )
})

/** Anybody can repeat the calls of a proof at the node, without this service. */
async function repeatCalls({ network }: Stage, calls: ProvenCopy['verify']): Promise<void> {
  expect(calls.length).toBeGreaterThan(10)
  for (const call of calls) {
    const [functionName = ''] = call.function.split('(')
    const abi: readonly unknown[] = parseAbi([`function ${call.function} view`] as readonly string[])
    const data = encodeFunctionData({ abi, functionName, args: call.arguments.map(BigInt) })
    const answer = await fetch(network.devnet.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: call.contract, data }, 'latest'] }),
    })
    const { result = '0x0' } = (await answer.json()) as { readonly result?: string }
    if (call.expected === 'true') expect(BigInt(result)).toBe(1n)
    else if (call.expected === undefined) expect(result).toMatch(/^0x[0-9a-f]{64}/)
    else expect(result.toLowerCase()).toContain(call.expected.slice(2).toLowerCase())
  }
}

scenario(
  'a data set whose service was ended by someone else is listed with its reason within an interval, and takes no more pieces',
  async () => {
    await using scene = await startClocked()
    const { stage, clock } = scene
    await stage.stored(await stage.put())
    const [first] = (await refresh(stage)).items
    const { devnet, privateKey } = stage.network
    const wallet = createWalletClient({ account: privateKeyToAccount(privateKey), transport: http(devnet.rpcUrl) })
    const abi = parseAbi(['function terminateService(uint256 dataSetId)'])
    const args = [BigInt(first?.facts.chain_data_set_id ?? 0)] as const
    await wallet.writeContract({ address: devnet.contracts.warmStorage, abi, functionName: 'terminateService', args, chain: null })
    await mineTo(stage, Number(await devnet.chain.epoch()) + 1)
    clock.advance(intervalMs)
    const terminated = await shows(stage, 'terminated', (page) => page.items.some(({ facts }) => facts.chain_state === 'terminated'))
    expect(terminated.items.find(({ facts }) => facts.chain_state === 'terminated')).toMatchObject({
      facts: { standing: { state: 'kept' }, end_epoch: expect.any(String) },
      signal: { status: 'degraded', reason_codes: expect.arrayContaining(['chain_data_set_inactive']) },
    })
    expect((await bucketHealth(stage)).reason_codes).toContain('chain_data_set_inactive')
    // A second look makes sure that the node did not lag.
    clock.advance(intervalMs)
    const { items } = await shows(stage, 'draining', (page) => page.items.some(({ facts }) => facts.local_status === 'draining'))
    expect(items.find(({ facts }) => facts.local_status === 'draining')?.signal.reason_codes).toContain('local_status_not_ready')
    const { end_epoch } = terminated.items.find(({ facts }) => facts.chain_state === 'terminated')?.facts ?? {}
    await devnet.chain.jump(Number(end_epoch) - Number(await devnet.chain.epoch()) + finalEpochs)
    clock.advance(intervalMs)
    const ended = await shows(stage, 'ended', (page) =>
      page.items.some(({ facts }) => facts.end_epoch === end_epoch && facts.standing.reason),
    )
    const over = ended.items.find(({ facts }) => facts.end_epoch === end_epoch)
    // The provider deletes it on chain some time after the end.
    expect(['service_ended', 'not_on_chain']).toContain(over?.facts.standing.reason)
    expect(over?.signal).toMatchObject({
      status: 'unavailable',
      level: 'blocking',
      reason_codes: expect.arrayContaining(['chain_data_set_inactive']),
    })
  },
)

scenario('a provider that goes dark and comes back changes the health of its data sets within an interval, and no copy', async () => {
  await using scene = await startClocked()
  const { stage, clock } = scene
  const object = await stage.put()
  await stage.stored(object)
  await refresh(stage)
  const [first] = await stage.providers()
  const provider = async () => {
    const path = `/api/v1/observability/providers?provider_id=${first?.providerId}`
    return answerOf(listProviders, await stage.gateway.call('GET', path)).items[0]?.signal
  }
  const turns = (status: string) =>
    until(`a provider that is ${status}`, async () => ((await provider())?.status === status ? true : undefined))
  await turns('available')
  const id = first?.faults.add({ kind: 'dark' })
  clock.advance(intervalMs)
  await turns('unavailable')
  expect((await provider())?.reason_codes).toEqual(['provider_http_unreachable'])
  expect(at(await refresh(stage), first)).toMatchObject({
    signal: { status: 'degraded', reason_codes: ['provider_http_unreachable'] },
    facts: { standing: { state: 'kept', denied_copies: 0 } },
  })
  expect(await situation(stage, object)).toEqual(['stored', undefined])
  first?.faults.clear(id)
  clock.advance(intervalMs)
  await turns('available')
  expect(at(await refresh(stage), first)?.signal.status).toBe('available')
})

const standings = async (stage: Stage) =>
  (await list(stage)).items.map(({ facts, signal }) => [
    facts.standing.denied_copies,
    facts.standing.confirmed_copies,
    ...signal.reason_codes,
  ])

scenario(
  'I-53: providers that deny a piece to a read are listed at once, and trusted within an interval when they serve it again',
  async () => {
    await using scene = await startClocked()
    const { stage, clock } = scene
    const object = await stage.put()
    await stage.stored(object)
    await refresh(stage)
    expect(stage.emptyCache()).toBeGreaterThan(0)
    for (const { faults } of stage.network.devnet.providers) faults.add({ kind: 'answer', status: 404, routes: ['retrieve'] })
    await expect(stage.get(object)).rejects.toThrow()
    await becomes(stage, object, 'replicating', 'copies_denied')
    expect(await standings(stage)).toEqual([
      [1, 0, 'copies_missing_at_provider'],
      [1, 0, 'copies_missing_at_provider'],
    ])
    for (const { faults } of stage.network.devnet.providers) faults.clear()
    clock.advance(intervalMs)
    await becomes(stage, object, 'stored')
    expect(await standings(stage)).toEqual([
      [0, 0],
      [0, 0],
    ])
    expect(await stage.get(object)).toEqual(object.bytes)
    expect(await stage.settle([object])).toEqual([])
  },
)

scenario(
  'I-53: a check of all copies finds a piece that a provider denies and one that it changed; checks of ten minutes confirm it',
  async () => {
    await using scene = await startClocked()
    const { stage, clock } = scene
    const object = await stage.put()
    await stage.stored(object)
    await refresh(stage)
    const [first, second] = await stage.providers()
    first?.faults.add({ kind: 'answer', status: 404, routes: ['retrieve'] })
    second?.faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'] })
    const samples = '/api/v1/observability/samples'
    const { planned } = answerOf(startSamples, await stage.gateway.call('POST', samples, { json: { share: 1 } }))
    expect(planned).toBe(2)
    const { run, failures } = await until('the check of both copies', async () => {
      const shown = answerOf(showSamples, await stage.gateway.call('GET', samples))
      return shown.run?.state === 'completed' ? shown : undefined
    })
    expect(run).toMatchObject({ copies: 2, intact: 0, missing: 1, wrong_bytes: 1, unreachable: 0 })
    expect(failures.map(({ provider_id, result }) => [provider_id, result])).toEqual(
      expect.arrayContaining([
        [String(first?.providerId), 'missing'],
        [String(second?.providerId), 'wrong_bytes'],
      ]),
    )
    const unconfirmed = await list(stage)
    expect(at(unconfirmed, first)).toMatchObject({
      facts: { standing: { denied_copies: 1, confirmed_copies: 0 } },
      signal: { status: 'degraded', reason_codes: ['copies_missing_at_provider'] },
    })
    expect(at(unconfirmed, second)?.signal.reason_codes).toEqual(['copies_with_wrong_bytes'])
    await becomes(stage, object, 'replicating', 'copies_denied')
    // The object is served from the cache, and the cached bytes stay.
    expect(await stage.get(object)).toEqual(object.bytes)
    await until('the second look of both', async () => {
      clock.advance(intervalMs)
      return (await standings(stage)).every(([, confirmed]) => confirmed === 1) || undefined
    })
    for (const { faults } of stage.network.devnet.providers) faults.clear()
    await until('the check that finds them intact', async () => {
      clock.advance(intervalMs)
      return (await standings(stage)).every(([denied]) => denied === 0) || undefined
    })
    expect(await stage.settle([object])).toEqual([])
  },
)
