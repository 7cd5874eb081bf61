import { createHash, randomBytes } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { checkDatabase } from '../fixtures/check-database.ts'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { startGateway, startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { stageBucket as Bucket } from '../fixtures/gateways/stage.ts'
import type { S3User } from '../fixtures/s3-client.ts'
import { until } from '../fixtures/until.ts'
import { type Kept, useBucket } from '../fixtures/use-bucket.ts'
import { findDuplicateAdds, findWrongCopies, waitForCopies } from '../fixtures/verify-copies.ts'
import { completes, confirm, generationsOf, look, withReplacements } from './scene.ts'

const killWithinMs = 90_000

/** Sorted as a replacement reaches them. After a kill between a request and its answer the chain is asked: that answer has no probe. */
const probes = [
  'replacement.confirmed',
  'storage.dataset.recorded',
  'storage.dataset.sent',
  'storage.dataset.ready',
  'replacement.taken_over',
  'replacement.seeded',
  'replacement.copies_added',
  'storage.pull.recorded',
  'storage.pull.asked',
  'storage.submit.recorded',
  'storage.submit.sent',
  'storage.commit.confirmed',
  'replacement.end_requested',
  'storage.end.recorded',
  'storage.end.sent',
  'storage.end.landed',
  'storage.end.retired',
  'replacement.completed',
]

/** Names of the probes of the plugin, read from its files: those that a gateway loads depend on what it has to do. */
const definedProbes = (): readonly string[] =>
  globSync('plugins/replacement/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/defineProbe\('(replacement\.[^']+)'\)/g)].map(([, name = '']) => name),
  )

test('crash_matrix I-48: killed at each probe of prepare, takeover, copy, retire and terminate, a replica moves once, while its bucket is read and written', {
  timeout: 900_000,
}, async () => {
  await using network = await startFundedDevnet({ providers: 4 })
  const dir = network.makeDir('crashes')
  const options = { dir, devnet: network.devnet, privateKey: network.privateKey, settings: withReplacements }
  const kept = new Map<string, Kept>()
  let user: S3User | undefined
  let isConfirmed = false
  for (const probe of probes) {
    await using gateway = await startGateway({ ...options, killAt: isConfirmed ? probe : '' })
    if (!user) {
      user = await gateway.createUser()
      const s3 = gateway.connect(user)
      await s3.send(new CreateBucketCommand({ Bucket }))
      for (let n = 0; n < 4; n++) {
        const bytes = randomBytes(2000 + n)
        const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ Bucket, Key: `object-${n}`, Body: bytes }))
        kept.set(`object-${n}`, { bytes, versionId })
        await waitForCopies(gateway, { bucket: Bucket, versionId }, { copies: 3 })
      }
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
    if (!isConfirmed) {
      gateway.killAt(probe)
      isConfirmed = true
      // The gateway is killed before it answers.
      await expect(confirm({ gateway }, { clientRequestId: 'the one' })).rejects.toThrow()
    }
    const signal = await Promise.race([gateway.ended, sleep(killWithinMs, 'still alive', { ref: false })])
    expect(signal, `the probe ${probe} was not reached; ${signal === 'SIGKILL' ? '' : JSON.stringify(await look({ gateway }))}`).toBe(
      'SIGKILL',
    )
    use.stop()
    await used
    expect(failure).toBeUndefined()
    s3.destroy()
  }
  await using gateway = await startGatewayHere(options)
  const on = { gateway }
  const { replacements } = await look(on)
  expect(replacements).toHaveLength(1)
  const done = await completes(on, replacements[0] as { readonly id: number })
  expect(done).toMatchObject({ lastError: null, failureReason: null, progress: { percent: 100 } })
  const providers = (await generationsOf(on)).map(({ providerId, state, endCause }) => [providerId === done.providerId, state, endCause])
  expect(providers).toEqual([
    [false, 'retired', 'replaced'],
    [true, 'ready', null],
  ])
  for (const [key, { bytes, versionId }] of kept) {
    // The copies of the ended service leave the rows a moment after the replacement is complete.
    await until(`sound copies of ${key}`, async () => {
      const provenance = await waitForCopies(gateway, { bucket: Bucket, versionId }, { copies: 3 })
      const isMoved = provenance.copies.some(({ provider_id }) => provider_id === done.providerId)
      const wrong = await findWrongCopies(network.devnet, provenance, createHash('sha256').update(bytes).digest('hex'))
      return isMoved && wrong.length === 0 ? provenance : undefined
    })
  }
  await gateway.stop()
  // A new probe gets its place in the list. Those of repair end its round, which begins again.
  const own = definedProbes().filter((name) => !name.startsWith('replacement.repair.'))
  expect(own.toSorted()).toEqual(probes.filter((name) => name.startsWith('replacement.')).toSorted())
  expect(await findDuplicateAdds(network.devnet)).toEqual([])
  const transactions = network.devnet.providers.flatMap((provider) => provider.transactions()).filter(({ ok }) => ok === true)
  expect(transactions.filter(({ kind }) => kind === 'terminate')).toHaveLength(1)
  expect(transactions.filter(({ kind }) => kind === 'create')).toHaveLength(4)
  expect(await checkDatabase(dir, network.devnet)).toEqual([])
})
