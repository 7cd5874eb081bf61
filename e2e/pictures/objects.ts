/** The objects of the story, with the names and sizes of a small company. */
import { randomBytes } from 'node:crypto'
import { drawLandscapes } from './draw-landscapes.ts'

export interface NewObject {
  readonly bucket: 'photos' | 'backups' | 'logs'
  readonly key: string
  readonly body: Buffer
  readonly type: string
}

const kib = 1024
const dayMs = 86_400_000
const dayOf = (daysAgo: number): string => new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10)
const two = (n: number): string => String(n).padStart(2, '0')

const trips = ['2026/lofoten', '2026/kyoto', '2025/patagonia'] as const
const photosOfTrip = 14

async function listPhotos(): Promise<readonly NewObject[]> {
  const drawn = await drawLandscapes(trips.length * photosOfTrip)
  const captions = `title,place,camera\n${trips.map((trip) => `"${trip.slice(5)}",outdoors,X100V\n`).join('')}`
  return [
    ...drawn.map((body, at) => {
      const trip = trips[Math.floor(at / photosOfTrip)] ?? trips[0]
      return { bucket: 'photos', key: `${trip}/IMG_${2041 + at * 3}.jpg`, body, type: 'image/jpeg' } as const
    }),
    { bucket: 'photos', key: 'captions.csv', body: Buffer.from(captions.padEnd(400)), type: 'text/csv' },
  ]
}

const dump = (database: string, daysAgo: number, sizeKib: number): NewObject => ({
  bucket: 'backups',
  key: `postgres/${dayOf(daysAgo)}/${database}.dump.zst`,
  body: randomBytes(sizeKib * kib),
  type: 'application/zstd',
})

const listBackups = (): readonly NewObject[] =>
  [4, 3, 2, 1].flatMap((daysAgo) => [
    dump('orders', daysAgo, 3100 - daysAgo * 41),
    dump('customers', daysAgo, 1280 - daysAgo * 13),
    dump('inventory', daysAgo, 640 - daysAgo * 9),
  ])

/** Backups of today, which one provider refuses. */
export const listRefused = (): readonly NewObject[] => [
  dump('orders', 0, 3120),
  dump('customers', 0, 1290),
  dump('inventory', 0, 644),
  { bucket: 'backups', key: `vm/${dayOf(0)}/web-01.qcow2.zst`, body: randomBytes(4200 * kib), type: 'application/zstd' },
]

/** Photographs whose copies wait in a chain that stands still. */
export const listUndecided = (): readonly NewObject[] =>
  [2201, 2204, 2207].map((number) => ({
    bucket: 'photos',
    key: `2026/lofoten/IMG_${number}.jpg`,
    body: randomBytes(310 * kib),
    type: 'image/jpeg',
  }))

const listLogs = (): readonly NewObject[] =>
  ['api', 'worker', 'edge'].flatMap((service, of) =>
    Array.from({ length: 20 }, (_, hour) => ({
      bucket: 'logs' as const,
      key: `${service}/${dayOf(1)}/${two(hour)}.log.gz`,
      body: randomBytes((6 + ((hour * 7 + of * 11) % 23)) * kib),
      type: 'application/gzip',
    })),
  )

/** Everything that has its copies. */
export const listObjects = async (): Promise<readonly NewObject[]> => [...(await listPhotos()), ...listBackups(), ...listLogs()]
