// Measures the move of a replica with many contents to another provider on a local devnet: its transactions and fees, its progress over HTTP, the
// memory of the gateway, and what it leaves of the pipeline to another bucket.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { defaultNetwork, networkVersions } from '../../devnet/chain/network-versions.ts'
import { type FundedDevnet, startFundedDevnet } from '../../e2e/fixtures/gateways/funded-devnet.ts'
import { mib, readResidentMemory } from '../../e2e/load/resident-memory.ts'
import { devnetSettings, type Gateway, startGateway } from '../bench-server.ts'
import { type BenchRow, type BenchTable, renderBenchTable } from '../bench-table.ts'
import { openCounts, putObjects, waitForCopies } from '../stored-objects.ts'

/** The chain holds a piece for each copy in memory, and its blocks become slower with them. */
const copies = 1
const blockTimeSeconds = 1
const sampleMs = 100
/** A content with its copies must not take longer than this on average. */
const contentMsMax = 500
const leastMs = 300_000
const deposit = 5000n * 10n ** 18n
const { fees: prices } = networkVersions[defaultNetwork()].prices
const usdfcOf = (amount: bigint) => Number(amount) / 1e18

interface MoveScale {
  /** Contents of the replica that moves. */
  readonly contents?: number | undefined
  /** Objects that another bucket stores alone, and again during the move. */
  readonly others?: number | undefined
  /** Size of each. */
  readonly bytes?: number | undefined
}

/** Linux only: the memory of the gateway comes from /proc. @throws Error when contents are not stored or moved in time */
export async function benchMove({ contents = 20_000, others = 500, bytes = 1024 }: MoveScale = {}): Promise<BenchTable> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-move-'))
  try {
    await using network = await startFundedDevnet({ providers: copies + 2, blockTimeSeconds })
    await network.devnet.mintUsdfc(network.payer, deposit)
    await network.devnet.depositFor(network.privateKey, deposit)
    await using gateway = await startGateway(join(dir, 'gateway'), { settings: devnetSettings(network, copies) })
    const other = await makeOther(gateway)
    await store(gateway, { objects: contents, bytes })
    const alone = await store(other, { objects: others, bytes })
    const moved = await measureMove(gateway, { objects: contents, storeOther: () => store(other, { objects: others, bytes }) })
    return {
      name: `replacement: a replica of ${contents} contents of ${bytes} bytes moves to another provider`,
      rows: rowsOf(moved, { alone, added: addedTo(network, moved.record), contents }),
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function makeOther(gateway: Gateway): Promise<Gateway> {
  const bucket = 'other'
  await gateway.admin('POST', '/api/v1/buckets', { name: bucket, owner_access_key: gateway.user.accessKey, default_copies: copies })
  return { ...gateway, bucket }
}

/** Puts the objects and waits for their copies. Returns objects per minute, without the creation of the data sets. */
async function store(gateway: Gateway, puts: { readonly objects: number; readonly bytes: number }): Promise<number> {
  using counts = openCounts(gateway, gateway.bucket)
  await putObjects(gateway, { ...puts, objects: 1 })
  await waitForCopies(counts, counts.committed() + copies, leastMs)
  const before = counts.committed()
  const startMs = performance.now()
  await putObjects(gateway, puts)
  await waitForCopies(counts, before + copies * puts.objects, Math.max(leastMs, puts.objects * contentMsMax))
  return (puts.objects * 60_000) / (performance.now() - startMs)
}

interface MoveRecord {
  readonly id: number
  readonly status: string
  readonly last_error: string | null
  readonly target: { readonly data_set_id: string | null }
  readonly progress: { readonly phase: string; readonly items_copied: number; readonly seeding_complete: boolean }
}

interface Moved {
  readonly record: MoveRecord
  /** Time from the confirmation, and from the takeover, until every content was copied. */
  readonly seconds: number
  readonly copySeconds: number
  readonly progressMs: readonly number[]
  /** Resident memory in bytes, in the order of time. */
  readonly memory: readonly number[]
  /** Objects per minute of the other bucket during the move. */
  readonly otherRate: number
}

async function measureMove(
  { admin, pid, bucket }: Gateway,
  { objects, storeOther }: { readonly objects: number; readonly storeOther: () => Promise<number> },
): Promise<Moved> {
  const { data_sets } = (await (await admin('GET', `/api/v1/buckets/${bucket}`)).json()) as {
    data_sets: { id: number; replaceable: boolean }[]
  }
  const source = data_sets.find(({ replaceable }) => replaceable)
  const startMs = performance.now()
  const path = `/api/v1/buckets/${bucket}/data-sets/${source?.id}/replacement`
  let record = (await (await admin('POST', path, { mode: 'automatic', client_request_id: 'bench' })).json()) as MoveRecord
  const deadline = startMs + Math.max(leastMs, objects * contentMsMax)
  const [progressMs, memory]: [number[], number[]] = [[], []]
  let [takenOverMs, copiedMs] = [Number.NaN, Number.NaN]
  let other: Promise<number> | undefined
  while (record.status !== 'completed') {
    if (performance.now() > deadline || record.status === 'failed') throw new Error(`the replacement stays ${JSON.stringify(record)}`)
    const askedMs = performance.now()
    record = (await (await admin('GET', `/api/v1/storage-replacements/${record.id}`)).json()) as MoveRecord
    progressMs.push(performance.now() - askedMs)
    memory.push(readResidentMemory(pid).bytes)
    if (record.progress.phase === 'migrate' && !other) {
      takenOverMs = performance.now()
      other = storeOther()
      // Awaited below.
      other.catch(() => undefined)
    }
    if (record.progress.phase === 'retire' && Number.isNaN(copiedMs)) copiedMs = performance.now()
    await pause(sampleMs)
  }
  if (!other) throw new Error('the replacement ended before its copying was seen: it needs more contents')
  return {
    record,
    seconds: (copiedMs - startMs) / 1000,
    copySeconds: (copiedMs - takenOverMs) / 1000,
    progressMs,
    memory,
    otherRate: await other,
  }
}

function addedTo({ devnet }: FundedDevnet, { target }: MoveRecord) {
  const sent = devnet.addPiecesTransactions().filter(({ dataSetId, ok }) => ok === true && String(dataSetId) === target.data_set_id)
  const pieces = sent.reduce((sum, { pieceCids }) => sum + pieceCids.length, 0)
  return { transactions: sent.length, pieces }
}

interface Compared {
  /** Objects per minute of the other bucket before the move. */
  readonly alone: number
  readonly added: ReturnType<typeof addedTo>
  readonly contents: number
}

function rowsOf(moved: Moved, { alone, added, contents }: Compared): BenchRow[] {
  const { seconds, copySeconds, progressMs, memory, otherRate } = moved
  const { transactions, pieces } = added
  const fees = usdfcOf(
    prices.createDataSetFee + BigInt(transactions) * prices.addPiecesBaseFee + BigInt(pieces) * prices.addPiecesPerPieceFee,
  )
  const p95 = progressMs.toSorted((a, b) => a - b)[Math.floor(progressMs.length * 0.95)] ?? Number.NaN
  const third = Math.ceil(memory.length / 3)
  const [early, late] = [Math.max(...memory.slice(0, third)), Math.max(...memory.slice(-third))].map((bytes) => bytes / mib)
  return [
    {
      label: 'contents copied',
      value: (contents * 60) / copySeconds,
      unit: '/min',
      note: `${copySeconds.toFixed(0)} s; ${seconds.toFixed(0)} s from the confirmation`,
    },
    {
      label: 'pieces per transaction',
      value: pieces / transactions,
      unit: '',
      note: `${pieces} pieces in ${transactions} transactions`,
      figures: { pieces, transactions },
    },
    { label: 'fees', value: fees * 1000, unit: 'mUSDFC', note: `${((fees / contents) * 1e6).toFixed(0)} USDFC for a million contents` },
    { label: 'progress over HTTP, p95', value: p95, unit: 'ms', note: `${progressMs.length} requests` },
    {
      label: 'memory in the last third',
      value: late,
      unit: 'MiB',
      note: `${early?.toFixed(0)} MiB in the first`,
      figures: { early, late },
    },
    {
      label: 'another bucket during the move',
      value: otherRate,
      unit: '/min',
      note: `${(otherRate / alone).toFixed(2)} × alone (${alone.toFixed(0)}/min)`,
      figures: { alone },
    },
  ]
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchMove()))
