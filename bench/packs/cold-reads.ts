// Measures reads of members of packs that are not cached: random ones, and all members of a pack in order beside the whole piece.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { FundedDevnet } from '../../e2e/fixtures/gateways/funded-devnet.ts'
import { mib } from '../../e2e/load/resident-memory.ts'
import { signedRequest } from '../../plugins/s3/testing/signed-request.ts'
import type { Gateway } from '../bench-server.ts'
import type { BenchRow } from '../bench-table.ts'
import { RawConnection } from '../raw-connection.ts'
import { putObjects, waitForCount } from '../stored-objects.ts'

const readersAtOnce = 4
/** Members that are read in order: the chunks of 12 MiB stay in memory for a second pass. */
const inOrderBytes = 12 * mib
const smallBytes = 4096
const largeBytes = 64 * 1024
/** A provider that is not on this machine. */
const farMs = 50
const withinMs = 600_000
/** Packs that are read in order: no chunk of one is in memory when it is read. */
const runs = [
  { objectBytes: smallBytes, delayMs: 0 },
  { objectBytes: smallBytes, delayMs: farMs },
  { objectBytes: largeBytes, delayMs: 0 },
  { objectBytes: largeBytes, delayMs: farMs },
] as const

interface ColdScene {
  readonly network: FundedDevnet
  /** Evicts what is stored, and fills nothing on reads. */
  readonly gateway: Gateway
}

interface ColdScale {
  /** Objects among which random ones are read, and most objects of a pack that is read in order. */
  readonly objects: number
  readonly reads: number
}

interface InOrder {
  readonly objectBytes: number
  readonly delayMs: number
  readonly mibPerSecond: number
  /** Rate of the second pass, without a provider. */
  readonly memoryMibPerSecond: number
  readonly wholeMibPerSecond: number
  readonly requests: number
  readonly chunks: number
}

/** @throws Error when a read is wrong, or objects are not stored in time */
export async function benchColdReads(scene: ColdScene, { objects, reads }: ColdScale): Promise<readonly BenchRow[]> {
  using database = new DatabaseSync(join(scene.gateway.dir, 'db', 'svc.db'), { readOnly: true })
  const cold = { ...scene, database }
  const batches = runs.map(({ objectBytes }) => ({ objects: Math.min(objects, Math.floor(inOrderBytes / objectBytes)), objectBytes }))
  const [many = [], ...packs] = await storePacks(cold, [{ objects, objectBytes: smallBytes }, ...batches])
  const random = await readRandom(cold, many, reads)
  const inOrder: InOrder[] = []
  for (const [at, run] of runs.entries()) inOrder.push(await readInOrder(cold, packs[at]?.[0], run))
  return [
    { label: `cold reads of ${reads} random members, p50`, value: random.p50Ms, unit: 'ms', note: `${readersAtOnce} readers` },
    { label: 'cold reads, p99', value: random.p99Ms, unit: 'ms', note: `${random.requests} requests to providers` },
    ...inOrder.flatMap(inOrderRows),
  ]
}

interface Scene extends ColdScene {
  readonly database: DatabaseSync
}

interface Pack {
  readonly id: number
  readonly size: number
  readonly url: string
  readonly members: readonly Member[]
}

interface Member {
  readonly key: string
  readonly sha256: string
  readonly size: number
}

interface Batch {
  readonly objects: number
  readonly objectBytes: number
}

/** Stores the objects of each batch in packs of its own, until none of them is cached. Returns the packs, those with the most members first. */
async function storePacks({ gateway, database }: Scene, batches: readonly Batch[]): Promise<readonly (readonly Pack[])[]> {
  const last = database.prepare('select coalesce(max(id), 0) as id from contents')
  const sealed = database.prepare('select count(*) as n from pack_members where content_id > ?')
  const lastId = () => Number(last.get()?.id)
  const ids = [lastId()]
  for (const { objects, objectBytes } of batches) {
    const from = lastId()
    await putObjects(gateway, { objects, bytes: objectBytes })
    await waitForCount(() => Number(sealed.get(from)?.n), objects, { withinMs, what: 'objects were packed' })
    ids.push(lastId())
  }
  const evicted = database.prepare(
    `select count(*) as n from pack_members m join contents c on c.id = m.content_id
     where c.store_state = 'stored' and not exists (select 1 from cache_entries e where e.content_id = c.id)`,
  )
  const all = batches.reduce((sum, { objects }) => sum + objects, 0)
  await waitForCount(() => Number(evicted.get()?.n), all, { withinMs, what: 'objects were stored and evicted' })
  return batches.map((_, at) => readPacks(database, ids[at] ?? 0, ids[at + 1] ?? 0))
}

/** The packs with these content ids. */
function readPacks(database: DatabaseSync, after: number, last: number): readonly Pack[] {
  const packs = database
    .prepare(
      `select c.id, c.size, min(d.service_url || '/piece/' || p.piece_cid) as url from packs s join contents c on c.id = s.content_id
       join copies k on k.content_id = c.id join pieces p on p.id = k.piece_id join data_sets d on d.id = k.data_set_id
       where c.id > ? and c.id <= ? and k.state = 'committed' group by c.id, c.size, s.members order by s.members desc`,
    )
    .all(after, last) as unknown as readonly Omit<Pack, 'members'>[]
  const members = database.prepare(
    `select v.key, c.sha256, c.size from pack_members m join contents c on c.id = m.content_id
     join object_versions v on v.content_id = c.id where m.pack_id = ? order by m.offset_bytes`,
  )
  return packs.map((pack) => ({ ...pack, members: members.all(pack.id) as unknown as readonly Member[] }))
}

/** Returns the milliseconds of a read. @throws Error when other bytes arrive */
async function read({ gateway: { port, bucket, user } }: Scene, connection: RawConnection, member: Member): Promise<number> {
  const { head } = signedRequest(port, { method: 'GET', url: `/${bucket}/${member.key}`, user })
  const digest = createHash('sha256')
  const startMs = performance.now()
  await connection.exchange([Buffer.from(head)], { bodyBytes: member.size, onBody: (piece) => void digest.update(piece) })
  const tookMs = performance.now() - startMs
  if (digest.digest('hex') !== member.sha256) throw new Error(`${member.key} was read with other bytes`)
  return tookMs
}

const requestsOf = ({ network: { devnet } }: ColdScene): number =>
  devnet.providers.reduce((sum, { counters }) => sum + counters.requests.retrieve, 0)

async function readRandom(scene: Scene, packs: readonly Pack[], reads: number) {
  const members = packs.flatMap((pack) => pack.members)
  const before = requestsOf(scene)
  const times: number[] = []
  let left = reads
  const keepReading = async (): Promise<void> => {
    using connection = await RawConnection.open(scene.gateway.port)
    while (left-- > 0) {
      const member = members[Math.floor(Math.random() * members.length)]
      if (member) times.push(await read(scene, connection, member))
    }
  }
  await Promise.all(Array.from({ length: readersAtOnce }, keepReading))
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { p50Ms: at(0.5), p99Ms: at(0.99), requests: requestsOf(scene) - before }
}

/** The members of a pack one after the other, again from memory, and the whole piece from its provider. */
async function readInOrder(
  scene: Scene,
  pack: Pack | undefined,
  { objectBytes, delayMs }: Pick<InOrder, 'objectBytes' | 'delayMs'>,
): Promise<InOrder> {
  if (!pack) throw new Error('nothing was packed')
  const { members, size, url } = pack
  const { providers } = scene.network.devnet
  if (delayMs > 0) for (const { faults } of providers) faults.add({ kind: 'delay', delayMs, routes: ['retrieve'] })
  using connection = await RawConnection.open(scene.gateway.port)
  const readAll = async (): Promise<void> => {
    for (const member of members) await read(scene, connection, member)
  }
  const bytes = members.reduce((sum, member) => sum + member.size, 0)
  const before = requestsOf(scene)
  const mibPerSecond = await rateOf(bytes, readAll)
  const requests = requestsOf(scene) - before
  const memoryMibPerSecond = await rateOf(bytes, readAll)
  const wholeMibPerSecond = await rateOf(size, async () => {
    const answer = await (await fetch(url)).arrayBuffer()
    if (answer.byteLength !== size) throw new Error(`the whole piece has ${answer.byteLength} bytes instead of ${size}`)
  })
  for (const { faults } of providers) faults.clear()
  return { objectBytes, delayMs, mibPerSecond, memoryMibPerSecond, wholeMibPerSecond, requests, chunks: Math.ceil(size / mib) }
}

/** MiB a second. */
async function rateOf(bytes: number, run: () => Promise<void>): Promise<number> {
  const startMs = performance.now()
  await run()
  return ((bytes / mib) * 1000) / (performance.now() - startMs)
}

function inOrderRows({ objectBytes, delayMs, requests, chunks, ...rates }: InOrder): readonly BenchRow[] {
  const { mibPerSecond, memoryMibPerSecond, wholeMibPerSecond } = rates
  const where = delayMs > 0 ? `, providers ${delayMs} ms away` : ''
  const label = `members of ${objectBytes / 1024} KiB in order${where}`
  return [
    {
      label: `cold ${label}`,
      value: mibPerSecond,
      unit: 'MiB/s',
      note: `${(mibPerSecond / wholeMibPerSecond).toFixed(3)} × the whole piece; ${requests} requests to providers for ${chunks} MiB`,
      figures: { ratio: mibPerSecond / wholeMibPerSecond, requests },
    },
    { label: '… again, from memory', value: memoryMibPerSecond, unit: 'MiB/s', note: 'the most that one request per member allows' },
    { label: '… the whole piece from its provider', value: wholeMibPerSecond, unit: 'MiB/s' },
  ]
}
