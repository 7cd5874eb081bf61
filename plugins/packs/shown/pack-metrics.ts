import { database, defineMetric } from '#kernel'
import { sumPacks } from './sum-packs-store.ts'

/** The sums read a row for each pack, and for each content that waits. */
const keepMs = 60_000

export const packMetrics = [
  defineMetric({
    name: 'svc_pack_bytes',
    help: 'Bytes of packs: living, of objects; dead, of deleted objects and of the format; waiting, of objects that wait for a pack. Summed at most every minute.',
    type: 'gauge',
    labels: ['kind'],
    keepMs,
    uses: { database },
    series: [
      { name: 'pack_living', label: 'Packed', unit: 'bytes', where: { kind: ['living'] } },
      { name: 'pack_waiting', label: 'Waiting for a pack', unit: 'bytes', where: { kind: ['waiting'] } },
    ],
    async collect({ database }) {
      const { livingBytes, bytes, waitingBytes } = await sumPacks(database.read)
      return [
        { labels: { kind: 'living' }, value: livingBytes },
        { labels: { kind: 'dead' }, value: bytes - livingBytes },
        { labels: { kind: 'waiting' }, value: waitingBytes },
      ]
    },
  }),
  defineMetric({
    name: 'svc_packed_contents',
    help: 'Contents in packs, contents that wait for one, and packs. Counted at most every minute.',
    type: 'gauge',
    labels: ['kind'],
    keepMs,
    uses: { database },
    async collect({ database }) {
      const { members, waiting, packs } = await sumPacks(database.read)
      return [
        { labels: { kind: 'packed' }, value: members },
        { labels: { kind: 'waiting' }, value: waiting },
        { labels: { kind: 'packs' }, value: packs },
      ]
    },
  }),
]
