/** Confirmations while the chain does not answer. */
import { expect, test } from 'vitest'
import { listReplacements } from '../../plugins/replacement/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { createAdminData } from '../fixtures/admin-data.ts'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { startLyingNode } from '../fixtures/lying-node.ts'
import { createReplacementCalls } from '../fixtures/replacements/replacement-calls.ts'
import { until } from '../fixtures/until.ts'
import { waitForCopies } from '../fixtures/verify-copies.ts'

test('while the chain is silent, providers cannot be listed and a new confirmation changes nothing, but a repeat gets its record; afterwards the same request is accepted', {
  timeout: 300_000,
}, async () => {
  await using network = await startFundedDevnet({ providers: 4 })
  const { devnet, privateKey } = network
  const chain = { isSilent: false }
  await using node = await startLyingNode(devnet.rpcUrl, { loses: () => chain.isSilent })
  const dir = network.makeDir('gateway')
  await using svc = await startGatewayHere({ dir, devnet, privateKey, settings: { 'chain.rpc_url': node.url } })
  const [data, calls] = [createAdminData(svc), createReplacementCalls(svc)]
  const bucket = await data.makeBucket({ default_copies: 2, minimum_durable_copies: 1 })
  const { versionId } = await data.upload(bucket, 'first')
  await waitForCopies(svc, { bucket, versionId }, { copies: 2 })
  const [first, second] = await calls.current(bucket)
  if (!first || !second) throw new Error('the bucket has no two data sets')
  const known = calls.accepted(await calls.ask(bucket, first.id, { client_request_id: 'known' }))

  chain.isSilent = true
  const ask = () => calls.ask(bucket, second.id, { client_request_id: 'silent' })
  const providers = () => svc.call('GET', `/api/v1/buckets/${bucket}/data-sets/${second.id}/replacement/providers`)
  // The inventory of the last epochs is still good.
  await until('the list of providers is too old', async () => ((await providers()).status === 503 ? true : undefined))
  expect(refusalOf(await providers())).toEqual([503, 'replacement_service_unavailable'])
  expect(refusalOf(await ask())).toEqual([503, 'replacement_service_unavailable'])
  const { replacements } = answerOf(listReplacements, await svc.call('GET', `/api/v1/storage-replacements?bucket=${bucket}`))
  expect(replacements.map(({ id }) => id)).toEqual([known.id])
  expect(calls.accepted(await calls.ask(bucket, first.id, { client_request_id: 'known' }), 200).id).toBe(known.id)

  chain.isSilent = false
  const accepted = await until('the chain answers again', async () => {
    const reply = await ask()
    return reply.status === 503 ? undefined : calls.accepted(reply)
  })
  expect(accepted.id).toBeGreaterThan(known.id)
  for (const { id } of [known, accepted]) await calls.reaches(id, 'completed')
})
