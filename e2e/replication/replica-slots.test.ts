import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SlotProgress } from '#plugins/replication'
import { checkDatabase } from '../fixtures/check-database.ts'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGateway, startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import type { S3User } from '../fixtures/s3-client.ts'
import { until } from '../fixtures/until.ts'
import { type Kept, useBucket } from '../fixtures/use-bucket.ts'
import { findDuplicateAdds, findWrongCopies, waitForCopies } from '../fixtures/verify-copies.ts'

const Bucket = 'moved'
const killWithinMs = 90_000
/** Sorted as a move of a slot reaches them. After a kill between a request and its answer the chain is asked: that answer has no probe. */
const probes = [
  'test.move.planned',
  'storage.dataset.recorded',
  'storage.dataset.sent',
  'storage.dataset.ready',
  'test.move.switched',
  'test.move.added',
  'storage.submit.recorded',
  'storage.submit.sent',
  'storage.commit.confirmed',
  'test.move.end_requested',
  'storage.end.retiring',
  'storage.end.recorded',
  'storage.end.sent',
  'storage.end.landed',
  'storage.end.retired',
  'storage.end.copies_ended',
]

let network: FundedDevnet

beforeAll(async () => {
  network = await startFundedDevnet({ providers: 4 })
})

afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
})

interface Answer {
  readonly phase?: string
  readonly progress?: SlotProgress
  readonly slots: readonly {
    readonly slot: number
    readonly currentId: number
    readonly generations: readonly { readonly providerId: string; readonly state: string; readonly endCause: string | null }[]
  }[]
}

const look = async (gateway: Gateway): Promise<Answer> => (await gateway.call('GET', `/api/v1/test-moves/${Bucket}`)).json

async function startMove(gateway: Gateway): Promise<string> {
  const used = new Set((await look(gateway)).slots.flatMap(({ generations }) => generations.map(({ providerId }) => providerId)))
  const free = network.devnet.providers.find(({ providerId }) => !used.has(String(providerId)))
  if (!free) throw new Error('the bucket uses every provider')
  const { providerId, address, url } = free
  const provider = { providerId: String(providerId), address, payee: address, serviceUrl: url, pieceBytesMax: 1_065_353_216 }
  // The gateway may be killed before it answers.
  await gateway.call('POST', '/api/v1/test-moves', { json: { bucket: Bucket, provider } }).catch(() => undefined)
  return provider.providerId
}

test('I-48: killed at each probe, a slot moves to another provider once, while its bucket is read and written', {
  timeout: 900_000,
}, async () => {
  const dir = network.makeDir('moves')
  const plugin = fileURLToPath(new URL('../fixtures/replacement-plugin.ts', import.meta.url))
  const settings = { 'plugins.packages': [plugin] }
  const options = { dir, devnet: network.devnet, privateKey: network.privateKey, settings }
  const kept = new Map<string, Kept>()
  let user: S3User | undefined
  let target: string | undefined
  for (const probe of probes) {
    await using gateway = await startGateway({ ...options, killAt: target === undefined ? '' : probe })
    if (!user) {
      user = await gateway.createUser()
      const s3 = gateway.connect(user)
      await s3.send(new CreateBucketCommand({ Bucket }))
      for (let n = 0; n < 5; n++) {
        const bytes = randomBytes(2000 + n)
        const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ Bucket, Key: `object-${n}`, Body: bytes }))
        kept.set(`object-${n}`, { bytes, versionId })
        await waitForCopies(gateway, { bucket: Bucket, versionId }, { copies: 3 })
      }
      // Its pieces are still being removed when the services of their data sets end.
      const deleted = { Key: 'object-4', VersionId: kept.get('object-4')?.versionId }
      await s3.send(new DeleteObjectCommand({ Bucket, ...deleted }))
      kept.delete(deleted.Key)
      s3.destroy()
    }
    const s3 = gateway.connect(user)
    const use = useBucket({ s3, Bucket }, kept)
    let failure: unknown
    // Only the kill may end a request, and it gives no answer.
    const used = use.ended.catch(async (error: { readonly $metadata?: { readonly httpStatusCode?: number } }) => {
      const signal = await Promise.race([gateway.ended, sleep(2000, 'still alive', { ref: false })])
      if (signal !== 'SIGKILL' || error.$metadata?.httpStatusCode !== undefined) failure = error
    })
    if (target === undefined) {
      gateway.killAt(probe)
      target = await startMove(gateway)
    }
    const signal = await Promise.race([gateway.ended, sleep(killWithinMs, 'still alive', { ref: false })])
    expect(signal, `the probe ${probe} was not reached; ${JSON.stringify(signal === 'SIGKILL' ? '' : await look(gateway))}`).toBe('SIGKILL')
    use.stop()
    await used
    expect(failure).toBeUndefined()
    s3.destroy()
  }
  await using gateway = await startGatewayHere(options)
  const { phase, slots } = await until('the move is done', async () => {
    const found = await look(gateway)
    // The figures of the progress are kept for a second.
    return found.phase === 'done' && found.progress?.total === 0 ? found : undefined
  })
  expect([phase, slots[0]?.generations.map(({ providerId, state, endCause }) => [providerId === target, state, endCause])]).toEqual([
    'done',
    [
      [false, 'retired', 'replaced'],
      [true, 'ready', null],
    ],
  ])
  const s3 = gateway.connect(user as S3User)
  for (const [key, { bytes, versionId }] of kept) {
    const provenance = await waitForCopies(gateway, { bucket: Bucket, versionId }, { copies: 3 })
    expect(provenance.copies.map(({ provider_id }) => provider_id)).toContain(target)
    expect(await findWrongCopies(network.devnet, provenance, createHash('sha256').update(bytes).digest('hex')), key).toEqual([])
  }
  s3.destroy()
  await gateway.stop()
  expect(await findDuplicateAdds(network.devnet)).toEqual([])
  const endings = network.devnet.providers
    .flatMap((provider) => provider.transactions())
    .filter(({ kind, ok }) => kind === 'terminate' && ok === true)
  expect(endings).toHaveLength(1)
  expect(await checkDatabase(dir, network.devnet)).toEqual([])
})
