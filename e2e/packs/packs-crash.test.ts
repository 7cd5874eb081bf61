/** Kills at every step of sealing, storing and compaction: no object is lost, no piece is paid twice, and no file is left. */
import { expect, test } from 'vitest'
import { listProbes } from '#kernel/testing'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { until } from '../fixtures/until.ts'
import { killAtEach, packedBucket, putSome, type Round, removeSome } from './packed-bucket.ts'
import '../../plugins/replication/testing/probes.ts'
import '../../plugins/storage/testing/probes.ts'
import '../../plugins/packs/testing/probes.ts'

/** Steps without room in the cache, and of packing what is stored, have tests of their own. */
const otherFlows = /^packs\.(handed-over|stored\.)/
const listed = listProbes().filter((name) => /^(storage\.pack|packs)\./.test(name) && !otherFlows.test(name))
const isOfCompaction = (probe: string) => probe.includes('compact')
/** Compaction comes last, because it needs stored packs. */
const probes = [...listed.filter((name) => !isOfCompaction(name)), 'packs.compact.written', 'packs.compact.moved']
const storingProbes = [
  'storage.store.began',
  'storage.store.uploaded',
  'storage.store.parked',
  'storage.pull.recorded',
  'storage.pull.asked',
  'storage.pull.settled',
  'storage.submit.recorded',
  'storage.submit.sent',
  'storage.submit.settled',
  'storage.commit.confirmed',
]

/** Deletes three objects and asks for each pack to be replaced. The gateway is killed during the last of these requests. */
async function compactAll(round: Round): Promise<void> {
  await removeSome(round, 3)
  const { packs } = (await round.gateway.call('GET', `/api/v1/packs?bucket=${packedBucket}`)).json
  for (const { id } of packs) await round.gateway.call('POST', `/api/v1/packs/${id}/compact`).catch(() => undefined)
}

const oldPacksGone = ({ gateway }: Round) =>
  until('the old packs are gone', async () => {
    const { packs } = (await gateway.call('GET', `/api/v1/packs?bucket=${packedBucket}`)).json
    return packs.every((pack: { members: number }) => pack.members > 0) || undefined
  })

test('I-01 I-03 I-05 I-09: killed at each step of sealing and compaction, every object is stored once', { timeout: 400_000 }, async () => {
  expect([...probes].sort()).toEqual([...listed].sort())
  await using network = await startFundedDevnet({ providers: 2, blockTimeSeconds: 0.5 })
  await killAtEach({
    ...{ network, packing: 'small', probes },
    act: (round) => (isOfCompaction(round.name) ? compactAll(round) : putSome(round)),
    finish: async (round) => void (await oldPacksGone(round)),
  })
})

test('I-04 I-05 I-25: killed at each step of storing a pack, every object is stored once', { timeout: 400_000 }, async () => {
  const known = new Set(listProbes())
  expect(storingProbes.filter((probe) => !known.has(probe))).toEqual([])
  await using network = await startFundedDevnet({ providers: 2, blockTimeSeconds: 0.5 })
  await killAtEach({
    network,
    packing: 'small',
    probes: storingProbes,
    act: putSome,
    finish: async (round) => void (await oldPacksGone(round)),
  })
})
