/** Replacements of storage providers over HTTP, on a devnet: every statement of the specification about them. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listReplacements, type ReplacementAnswer } from '../../plugins/replacement/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { watchEvents } from '../fixtures/event-watch.ts'
import { sha256 } from '../fixtures/gateways/stage.ts'
import { checkRecord } from '../fixtures/replacement-calls.ts'
import { type ReplacementStage, startReplacementStage } from '../fixtures/replacement-stage.ts'
import { until } from '../fixtures/until.ts'
import { findDuplicateAdds, findWrongCopies, waitForCopies } from '../fixtures/verify-copies.ts'

let stage: ReplacementStage
beforeAll(async () => {
  stage = await startReplacementStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const scenario = (name: string, run: () => Promise<void>) => test(name, { timeout: 300_000 }, run)

describe('one confirmation', () => {
  let place: Awaited<ReturnType<ReplacementStage['makeBucket']>>
  let first: ReplacementAnswer
  const request = { mode: 'automatic', client_request_id: '  the first  ' }

  scenario('creates the service, moves uploads, copies each content once and ends the old service', async () => {
    place = await stage.makeBucket(2)
    const { bucket, source, object } = place
    // The same bytes again, another version of them, and a deleted key: three contents, all retained.
    const same = await stage.data.upload(bucket, 'second', object.bytes)
    const newer = await stage.data.upload(bucket, 'second', randomBytes(4000))
    const hidden = await stage.data.upload(bucket, 'third', randomBytes(5000))
    for (const { versionId } of [same, newer, hidden]) await waitForCopies(stage.svc, { bucket, versionId }, { copies: 2 })
    await stage.data.remove(bucket, 'third')
    using watch = await watchEvents(stage.svc)

    first = stage.calls.accepted(await stage.calls.ask(bucket, source.id, request))
    expect(first).toMatchObject({
      bucket_name: bucket,
      copy_index: source.copy_index,
      status: 'preparing_target',
      selection_mode: 'automatic',
      client_request_id: 'the first',
      source: { id: source.id, is_current: true, provider_id: source.provider_id, data_set_id: source.data_set_id },
      target: { is_current: false, generation: source.generation + 1, data_set_id: null },
    })
    expect([...place.used]).not.toContain(first.target.provider_id)
    const seen: ReplacementAnswer[] = []
    const isReading = { stopped: false }
    const readers = (async () => {
      while (!isReading.stopped) expect(sha256(await stage.download(bucket, 'first'))).toBe(sha256(object.bytes))
    })()
    const completed = await stage.calls.reaches(first.id, 'completed', seen)
    isReading.stopped = true
    await readers
    expect(completed).toMatchObject({
      items_total: 3,
      items_copied: 3,
      progress: { phase: 'none', seeding_complete: true, percent: 100, items_no_longer_needed: 0 },
      termination_epoch: expect.stringMatching(/^\d+$/),
      source: { status: 'retired', is_current: false },
      target: { status: 'ready', is_current: true },
    })
    const phases = [...new Set(seen.map(({ progress }) => progress.phase))]
    expect(['prepare', 'migrate', 'retire', 'none'].filter((phase) => phases.includes(phase as never))).toEqual(phases)
    await watch.next('storage_replacement_updated', ({ status }) => status === 'completed')
    const heard = watch.events().filter(({ topic }) => topic === 'storage_replacement_updated')
    expect(heard.at(0)?.data).toMatchObject({ replacement_id: first.id, bucket_name: bucket, progress: { scope: 'provider_replacement' } })

    expect([stage.landed(source.provider_id, 'terminate'), stage.landed(first.target.provider_id, 'create')]).toEqual([1, 1])
    const kept = [object, same, newer, hidden]
    for (const { versionId, bytes } of kept) {
      const provenance = await waitForCopies(stage.svc, { bucket, versionId }, { copies: 2 })
      expect(provenance.copies.map(({ provider_id }) => provider_id)).toContain(first.target.provider_id)
      expect(await findWrongCopies(stage.network.devnet, provenance, sha256(bytes))).toEqual([])
    }
    expect(await findDuplicateAdds(stage.network.devnet, stage.network.payer)).toEqual([])
    // A new upload goes to the new provider.
    const later = await stage.data.upload(bucket, 'later', randomBytes(1000))
    const { copies } = await waitForCopies(stage.svc, { bucket, versionId: later.versionId }, { copies: 2 })
    expect(copies.map(({ provider_id }) => provider_id)).toEqual(expect.arrayContaining([first.target.provider_id]))
    expect(copies.map(({ provider_id }) => provider_id)).not.toContain(source.provider_id)
  })

  scenario('is answered with 200 when it is repeated, also after the switch, and with 409 when its id has other parameters', async () => {
    const { bucket, source, sets } = place
    const again = stage.calls.accepted(await stage.calls.ask(bucket, source.id, { ...request, client_request_id: 'the first' }), 200)
    expect([again.id, again.status]).toEqual([first.id, 'completed'])
    const other = await stage.makeBucket(1)
    for (const [where, id, body] of [
      [bucket, source.id, { mode: 'manual', provider_id: first.target.provider_id }],
      [bucket, sets[1]?.id ?? 0, {}],
      [other.bucket, other.source.id, {}],
    ] as const) {
      const reply = await stage.calls.ask(where, id, { ...request, ...body })
      expect(refusalOf(reply)).toEqual([409, 'replacement_idempotency_conflict'])
    }
    expect((await stage.calls.detail(bucket)).replacements).toHaveLength(1)
  })

  scenario('leaves a history: the old generation cannot be replaced, and only a person may choose its provider again', async () => {
    const { bucket, source, used } = place
    const { data_sets, replacements } = await stage.calls.detail(bucket)
    expect(replacements).toEqual([await stage.calls.read(first.id)])
    expect(
      data_sets
        .filter(({ replaceable }) => replaceable)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(
      data_sets
        .filter(({ is_current }) => is_current)
        .map(({ id }) => id)
        .sort(),
    )
    expect(data_sets.find(({ id }) => id === source.id)).toMatchObject({ is_current: false, replaceable: false, status: 'retired' })
    expect(refusalOf(await stage.calls.ask(bucket, source.id))).toEqual([409, 'replacement_source_not_current'])
    const path = `/api/v1/buckets/${bucket}/data-sets/${source.id}/replacement/providers`
    expect(refusalOf(await stage.svc.call('GET', path))).toEqual([409, 'replacement_source_not_current'])
    expect(refusalOf(await stage.calls.retry(first.id))).toEqual([409, 'replacement_not_retryable'])

    const target = first.target.id
    const providers = await stage.calls.providers(bucket, target)
    expect(providers.find(({ provider_id }) => provider_id === source.provider_id)).toMatchObject({ eligible: true, previously_used: true })
    expect(providers.filter(({ previously_used }) => previously_used)).toHaveLength(1)

    const automatic = stage.calls.accepted(await stage.calls.ask(bucket, target))
    expect([...used, first.target.provider_id]).not.toContain(automatic.target.provider_id)
    // The provider of the retired generation takes the place of the automatic choice.
    const back = stage.calls.accepted(await stage.calls.ask(bucket, target, { mode: 'manual', provider_id: source.provider_id }))
    expect(back.target).toMatchObject({ provider_id: source.provider_id, generation: automatic.target.generation + 1 })
    expect(await stage.calls.read(automatic.id)).toMatchObject({ status: 'superseded', superseded_by: back.id })
    await stage.calls.reaches(back.id, 'completed')
    expect((await stage.calls.detail(bucket)).replacements).toMatchObject([{ id: back.id }, { id: automatic.id }, { id: first.id }])
    const page = async (query: string) => answerOf(listReplacements, await stage.svc.call('GET', `/api/v1/storage-replacements?${query}`))
    const newest = await page(`bucket=${bucket}&limit=2`)
    expect([newest.replacements.map(({ id }) => id), newest.next_cursor]).toEqual([[back.id, automatic.id], automatic.id])
    const rest = await page(`bucket=${bucket}&limit=2&cursor=${automatic.id}`)
    expect([rest.replacements.map(checkRecord).map(({ id }) => id), rest.next_cursor]).toEqual([[first.id], undefined])
    expect((await page(`bucket=${bucket}&status=superseded`)).replacements.map(({ id }) => id)).toEqual([automatic.id])
  })
})

describe('the providers', () => {
  scenario('that are listed are those that a confirmation accepts, and the others say why', async () => {
    const { bucket, source, sets } = await stage.makeBucket(2)
    const [, second] = sets
    const providers = await stage.calls.providers(bucket, source.id)
    expect(providers.map(({ provider_id }) => Number(provider_id)).sort()).toEqual([1, 2, 3, 4, 5, 6])
    const of = (id: string | undefined) => providers.find(({ provider_id }) => provider_id === id)
    expect(of(source.provider_id)).toMatchObject({ eligible: false, ineligible_reason: 'current_source', previously_used: false })
    expect(of(second?.provider_id)).toMatchObject({ eligible: false, ineligible_reason: 'already_serves_bucket', previously_used: false })
    const eligible = providers.filter((one) => one.eligible)
    expect([eligible.length, eligible.filter((one) => 'ineligible_reason' in one)]).toEqual([4, []])
    const manual = (provider_id: unknown) => stage.calls.ask(bucket, source.id, { mode: 'manual', provider_id })
    expect(refusalOf(await manual(source.provider_id))).toEqual([400, 'replacement_target_invalid'])
    expect(refusalOf(await manual(second?.provider_id))).toEqual([409, 'replacement_target_in_use'])
    expect(refusalOf(await manual('4711'))).toEqual([400, 'replacement_target_unavailable'])
    expect(refusalOf(await manual('new one'))).toEqual([400, 'replacement_target_invalid'])
    expect((await stage.calls.detail(bucket)).replacements).toEqual([])
    const chosen = eligible.at(-1)?.provider_id
    expect(stage.calls.accepted(await manual(chosen)).target.provider_id).toBe(chosen)
  })

  scenario('without an answer are in neither listing nor choice; without any the automatic choice finds none', async () => {
    const place = await stage.makeBucket(2)
    const { bucket, source, used } = place
    const others = stage.network.devnet.providers.filter(({ providerId }) => !used.has(String(providerId)))
    for (const { faults } of others) faults.add({ kind: 'dark' })
    const listed = await until('a listing without dark providers', async () => {
      const found = await stage.calls.providers(bucket, source.id)
      return found.length === used.size ? found : undefined
    })
    const topology = (await stage.svc.call('GET', '/api/v1/observability/providers?status=available&limit=100')).json.items
    expect(topology.map(({ facts }: { facts: { provider_id: string } }) => facts.provider_id).sort()).toEqual(
      listed.map(({ provider_id }) => provider_id).sort(),
    )
    const dark = String(others[0]?.providerId)
    expect(refusalOf(await stage.calls.ask(bucket, source.id, { mode: 'manual', provider_id: dark }))).toEqual([
      400,
      'replacement_target_unavailable',
    ])
    expect(refusalOf(await stage.calls.ask(bucket, source.id))).toEqual([409, 'replacement_no_eligible_provider'])
    expect((await stage.calls.detail(bucket)).replacements).toEqual([])
    for (const { faults } of others) faults.clear()
  })
})

describe('a request', () => {
  scenario('for what does not exist is refused with 404', async () => {
    const [one, other] = [await stage.makeBucket(1), await stage.makeBucket(1)]
    expect(refusalOf(await stage.calls.ask('no-such-bucket', one.source.id))).toEqual([404, 'bucket_not_found'])
    expect(refusalOf(await stage.calls.ask(one.bucket, 999_999))).toEqual([404, 'replacement_data_set_not_found'])
    expect(refusalOf(await stage.calls.ask(one.bucket, other.source.id))).toEqual([404, 'replacement_data_set_not_found'])
    expect(refusalOf(await stage.svc.call('GET', `/api/v1/buckets/${one.bucket}/data-sets/999999/replacement/providers`))).toEqual([
      404,
      'replacement_data_set_not_found',
    ])
    for (const [method, path] of [
      ['GET', '/api/v1/storage-replacements/999999'],
      ['POST', '/api/v1/storage-replacements/999999/retry'],
    ] as const) {
      expect(refusalOf(await stage.svc.call(method, path))).toEqual([404, 'replacement_not_found'])
    }
  })

  test.each([
    ['without an id', { client_request_id: undefined }, 'client_request_id_required'],
    ['with an id of spaces', { client_request_id: ' \t ' }, 'client_request_id_required'],
    ['with an id of 129 characters', { client_request_id: 'x'.repeat(129) }, 'client_request_id_required'],
    ['with another mode', { mode: 'best' }, 'replacement_target_invalid'],
    ['that is manual without a provider', { mode: 'manual' }, 'replacement_target_invalid'],
    ['that is automatic with a provider', { provider_id: '1' }, 'replacement_target_invalid'],
    ['with an unknown member', { now: true }, 'invalid_request'],
  ])('%s is refused with 400', async (_what, body, code) => {
    expect(refusalOf(await stage.calls.ask('no-such-bucket', 1, body))).toEqual([400, code])
  })
})
