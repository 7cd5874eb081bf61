import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { saveConfigFile } from '#kernel/system'
import { type DataSet, listAffectedVersions } from '../../plugins/admin/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { createAdminData } from '../fixtures/admin-data.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { sharedDevnet } from '../fixtures/gateways/shared-devnet.ts'

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))

test('plugins choose the providers of new data sets, and their health and replaceability are shown', { timeout: 120_000 }, async () => {
  const { devnet, privateKey, makeDir, ...network } = await sharedDevnet()
  onTestFinished(() => network[Symbol.asyncDispose]())
  const settings = {
    'plugins.packages': [example('plugin-regions'), example('plugin-legal-hold')],
    'regions.providers': ['1=us', '2=us', '3=us', '5=asia'],
    'regions.preferred': 'asia',
    'regions.blocked': ['us'],
    'legal_hold.data_sets': ['1'],
  }
  const on = { devnet, privateKey, dir: makeDir('gateway'), settings }
  const first = await startGatewayHere(on)
  onTestFinished(() => first.stop())
  const data = createAdminData(first)
  const bucket = await data.makeBucket({ default_copies: 2 })
  const { versionId } = await data.upload(bucket, 'a', Buffer.alloc(500, 'a'))
  await data.stored(bucket, versionId)
  const { json } = await first.call('GET', `/api/v1/buckets/${bucket}`)
  const { legal_hold, ...standard } = json
  expect(legal_hold).toEqual({ prefix: 'legal/' })
  const data_sets: readonly DataSet[] = standard.data_sets
  expect(
    data_sets.map(({ provider_id, provider_identity, replaceable }) => [provider_id, provider_identity.location, replaceable]),
  ).toEqual([
    ['5', 'asia', false],
    ['4', undefined, true],
  ])

  await first.stop()
  saveConfigFile(first.configPath, { 'regions.blocked': ['asia'] })
  await using second = await startGatewayHere(on)
  const affected = answerOf(listAffectedVersions, await second.call('GET', `/api/v1/buckets/${bucket}/storage-health/affected-versions`))
  expect(affected.versions[0]?.risk_data_sets).toMatchObject([
    {
      provider_id: '5',
      storage_health: { status: 'degraded', reason_codes: ['provider_blocked'], last_error: 'the region asia is blocked' },
    },
    { provider_id: '4', storage_health: { status: 'unknown', reason_codes: ['copy_observation_missing'] } },
  ])
})
