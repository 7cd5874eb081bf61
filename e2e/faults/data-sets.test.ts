import { createWalletClient, encodeFunctionData, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { listDataSets, type ProvenCopy, proveObject, refreshDataSets, showSamples, startSamples } from '../../plugins/observability/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { type Stage, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

/** Each scenario has its own network, so that scenarios run in parallel. */
const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 180_000 }, run)

const interval = { 'chain.observability.interval': '2s' }

const refresh = async ({ gateway }: Stage) =>
  answerOf(refreshDataSets, await gateway.call('POST', '/api/v1/observability/data-sets/refresh'))
const list = async ({ gateway }: Stage) => answerOf(listDataSets, await gateway.call('GET', '/api/v1/observability/data-sets'))

/** The list of the recurring checks once it holds. */
const shows = (stage: Stage, what: string, holds: (page: Awaited<ReturnType<typeof list>>) => boolean) =>
  until(`data sets that are ${what}`, async () => {
    const page = await list(stage)
    return holds(page) ? page : undefined
  })

const bucketHealth = async ({ gateway }: Stage) => (await gateway.call('GET', `/api/v1/buckets/${stageBucket}`)).json.storage_health
const situation = async ({ gateway }: Stage, key: string) =>
  (await gateway.call('GET', `/api/v1/buckets/${stageBucket}/objects?prefix=${key}`)).json.objects[0]

scenario('I-53: a fresh data set is healthy; one that stops proving loses its standing within an interval, and gets it back', async () => {
  await using stage = await startStage({ providers: 2, copies: 2, settings: interval })
  const object = await stage.put()
  await stage.stored(object)
  const fresh = await refresh(stage)
  expect(fresh.items.map(({ signal, facts }) => [signal.status, facts.standing.state, facts.chain_state])).toEqual([
    ['available', 'kept', 'live'],
    ['available', 'kept', 'live'],
  ])
  expect(fresh.last_refresh).toMatchObject({ data_sets: 2 })
  expect(await bucketHealth(stage)).toMatchObject({ status: 'available', reason_codes: [], stale: false })
  const [first] = await stage.providers()
  const id = first?.faults.add({ kind: 'stop_proving' })
  const late = await shows(stage, 'overdue', ({ items }) => items.some(({ facts }) => facts.standing.reason === 'proving_missed'))
  const overdue = late.items.find(({ facts }) => facts.standing.state === 'denied')
  expect(overdue?.facts.provider_id).toBe(String(first?.providerId))
  expect(overdue?.signal).toMatchObject({ status: 'degraded', level: 'warning', reason_codes: ['proving_overdue'] })
  expect((await bucketHealth(stage)).status).toBe('degraded')
  const pending = await until('the object is below its target', async () => {
    const shown = await situation(stage, object.key)
    return shown.state === 'replicating' ? shown : undefined
  })
  expect(pending.attention_code).toBe('copies_denied')
  first?.faults.clear(id)
  await shows(stage, 'proving again', ({ items }) => items.every(({ facts }) => facts.standing.state === 'kept'))
  await until('the object is stored again', async () => ((await situation(stage, object.key)).state === 'stored' ? true : undefined))
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

scenario('a data set whose service was ended by someone else takes no more pieces, and the lists say so', async () => {
  await using stage = await startStage({ providers: 2, copies: 2, settings: interval })
  await stage.stored(await stage.put())
  const [first] = (await refresh(stage)).items
  const { devnet, privateKey } = stage.network
  const wallet = createWalletClient({ account: privateKeyToAccount(privateKey), transport: http(devnet.rpcUrl) })
  const abi = parseAbi(['function terminateService(uint256 dataSetId)'])
  const args = [BigInt(first?.facts.chain_data_set_id ?? 0)] as const
  await wallet.writeContract({ address: devnet.contracts.warmStorage, abi, functionName: 'terminateService', args, chain: null })
  const { items } = await shows(stage, 'draining', (page) => page.items.some(({ facts }) => facts.local_status === 'draining'))
  const ended = items.find(({ facts }) => facts.local_status === 'draining')
  expect(ended).toMatchObject({
    facts: { chain_state: 'terminated', standing: { state: 'kept' } },
    signal: { status: 'degraded', reason_codes: expect.arrayContaining(['local_status_not_ready', 'chain_data_set_inactive']) },
  })
  expect((await bucketHealth(stage)).reason_codes).toContain('chain_data_set_inactive')
})

scenario(
  'I-53: a check of all copies finds a piece that a provider denies and one that it changed; one failure changes nothing',
  async () => {
    await using stage = await startStage({ providers: 2, copies: 2, settings: interval })
    const object = await stage.put()
    await stage.stored(object)
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
    expect((await situation(stage, object.key)).state).toBe('stored')
    for (const { faults } of stage.network.devnet.providers) faults.clear()
    expect(await stage.settle([object])).toEqual([])
  },
)
