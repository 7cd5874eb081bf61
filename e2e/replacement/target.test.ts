import { PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { watchProbes } from '#kernel/testing'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { stageBucket as Bucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { waitForCopies } from '../fixtures/verify-copies.ts'
import { completes, confirm, currentOf, generationsOf, reaches, retry, withReplacements } from './scene.ts'

const scenario = (name: string, run: () => Promise<void>) => test(name, { timeout: 300_000 }, run)

scenario('writes_during_prepare go to the source, and writes_after_takeover to the target only', async () => {
  await using stage = await startStage({ providers: 3, copies: 1, settings: withReplacements })
  await stage.stored(await stage.put())
  const dataSetId = await currentOf(stage)
  using probes = watchProbes()
  using held = probes.holdAt('storage.dataset.recorded')
  const confirmed = await confirm(stage)
  await held.reached
  const during = await stage.put()
  const [source] = await generationsOf(stage)
  expect((await stage.stored(during)).copies.map(({ provider_id }) => provider_id)).toEqual([source?.providerId])
  held.release()
  await reaches(stage, confirmed, ({ phase }) => phase !== 'prepare')
  const after = await stage.put()
  expect((await stage.stored(after)).copies.map(({ provider_id }) => provider_id)).toEqual([confirmed.providerId])
  await completes(stage, confirmed)
  expect(dataSetId).toBe(source?.id)
  const sent = stage.network.devnet.addPiecesTransactions().filter(({ dataSetId: id, ok }) => ok === true && String(id) === source?.chainId)
  expect(sent.flatMap(({ pieceCids }) => pieceCids)).toHaveLength(2)
  expect(await stage.settle([during, after])).toEqual([])
})

scenario(
  'confirm_supersedes_with_undecided_create: a target whose creation answer was lost is looked up by its nonce, then ended, and never left paid',
  async () => {
    await using stage = await startStage({ providers: 4, copies: 1, settings: withReplacements })
    const object = await stage.put()
    await stage.stored(object)
    const { providers } = stage.network.devnet
    for (const { faults } of providers) faults.add({ kind: 'drop_answer', routes: ['data_set_create'], count: 1 })
    const used = (await generationsOf(stage)).map(({ providerId }) => providerId)
    const [first, second] = providers.filter(({ providerId }) => !used.includes(String(providerId)))
    using probes = watchProbes()
    using held = probes.holdAt('storage.dataset.sent')
    const superseded = await confirm(stage, { mode: 'manual', providerId: String(first?.providerId) })
    await held.reached
    const confirmed = await confirm(stage, { mode: 'manual', providerId: String(second?.providerId) })
    held.release()
    await completes(stage, confirmed)
    expect(await reaches(stage, superseded, ({ status }) => status === 'superseded')).toMatchObject({ supersededById: confirmed.id })
    const unused = await until('the unused target has ended', async () => {
      const found = (await generationsOf(stage)).find(({ id }) => id === superseded.targetId)
      return found && ['retired', 'abandoned'].includes(found.state) ? found : undefined
    })
    expect(unused).toMatchObject({ endCause: 'unused', state: 'retired' })
    const kinds = (first?.transactions() ?? []).filter(({ ok }) => ok === true).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'terminate')).toHaveLength(1)
    expect(await stage.settle([object])).toEqual([])
  },
)

scenario(
  'target_in_use_on_chain: a provider that already runs a data set of the bucket is found while the target is prepared, and nothing moves',
  async () => {
    // A gateway whose database was lost made a data set for a bucket of this name, with the same wallet.
    await using lost = await startStage({ providers: 3, copies: 1 })
    const { network } = lost
    await lost.stored(await lost.put())
    const [taken] = await lost.providers()
    await lost.gateway.stop()
    // It may not be chosen for the first data set.
    taken?.faults.add({ kind: 'answer', status: 503, routes: ['ping'] })
    const settings = withReplacements
    await using gateway = await startGatewayHere({
      dir: network.makeDir('second'),
      devnet: network.devnet,
      privateKey: network.privateKey,
      settings,
    })
    const user = await gateway.createUser()
    const bucket = { name: Bucket, owner_access_key: user.access_key, default_copies: 1, minimum_durable_copies: 1 }
    expect((await gateway.call('POST', '/api/v1/buckets', { json: bucket })).status).toBe(201)
    const s3 = gateway.connect(user)
    const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'x'.repeat(1000) }))
    await waitForCopies(gateway, { bucket: Bucket, versionId }, { copies: 1 })
    taken?.faults.clear()
    const on = { gateway }
    const [before] = await generationsOf(on)
    if (before?.providerId === String(taken?.providerId)) throw new Error('the provider that must be free was chosen')
    const chosen = { mode: 'manual', providerId: String(taken?.providerId) }
    const confirmed = await until('the provider is available again', () => confirm(on, chosen).catch(() => undefined))
    const failed = await reaches(on, confirmed, ({ status }) => status === 'failed')
    expect(failed).toMatchObject({ failureReason: 'target_in_use', phase: 'prepare' })
    expect(failed.lastError).toContain(`provider ${taken?.providerId}`)
    expect((await retry(on, failed.id)).json).toMatchObject({ code: 'replacement_target_in_use' })
    expect(await currentOf(on)).toBe(before?.id)
    await completes(on, await confirm(on))
    s3.destroy()
  },
)
