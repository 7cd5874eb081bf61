/** Kills at every step of packing what is stored, and of removing its single pieces: no object is lost, and no piece stays or is paid twice. */
import { expect, test } from 'vitest'
import { listProbes } from '#kernel/testing'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { until } from '../fixtures/until.ts'
import type { Provenance } from '../fixtures/verify-copies.ts'
import { expectStored, killAtEach, packedBucket, putSome, type Round } from './packed-bucket.ts'
import '../../plugins/replication/testing/probes.ts'
import '../../plugins/packs/testing/probes.ts'

const storedProbes = listProbes().filter((name) => name.startsWith('packs.stored.'))
const removalProbes = ['recorded', 'sent', 'settled', 'scheduled', 'removed'].map((step) => `storage.remove.${step}`)
const probes = [...storedProbes, 'packs.compact.moved', ...removalProbes]

const packStored = ({ gateway }: Round) => gateway.call('POST', '/api/v1/packs/stored', { json: { bucket: packedBucket } })

async function expectRemoved({ devnet }: FundedDevnet, pieces: readonly Provenance['copies'][number][]): Promise<void> {
  for (const { data_set_id, piece_id } of pieces) {
    await until(
      `piece ${piece_id} of data set ${data_set_id} is removed`,
      async () => !(await devnet.pieceLive(BigInt(data_set_id), BigInt(piece_id))) || undefined,
      { withinMs: 120_000 },
    )
  }
}

test('I-02 I-05 I-09 I-20: killed at each step, every stored object is packed once, and its single pieces are removed', {
  timeout: 400_000,
}, async () => {
  expect(storedProbes).toHaveLength(2)
  await using network = await startFundedDevnet({ providers: 2, blockTimeSeconds: 0.5 })
  const pieces: Provenance['copies'][number][] = []
  await killAtEach({
    ...{ network, packing: 'off', probes },
    async prepare(round) {
      await putSome(round)
      for (const { pack, copies } of await expectStored({ ...round, objects: round.objects.slice(-6) })) {
        expect(pack).toBeUndefined()
        pieces.push(...copies)
      }
    },
    act: async (round) => void (await packStored(round)),
    async finish(round) {
      const { gateway } = round
      await until('everything is packed', async () => {
        const { contents, running } = (await gateway.call('GET', `/api/v1/packs/stored?bucket=${packedBucket}`)).json
        return (contents === 0 && running === undefined) || undefined
      })
      for (const { pack } of await expectStored(round)) expect(pack).toBeDefined()
      expect(pieces).toHaveLength(probes.length * 12)
      await expectRemoved(network, pieces)
    },
  })
})
