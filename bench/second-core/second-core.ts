// Compares ways to use a second core for small requests, with the S3 listener, the signature check and the statements of the product.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchRow, type BenchTable, describeSpread, median, renderBenchTable } from '../bench-table.ts'
import { createObjectRequests } from '../object-requests.ts'
import { type ExpectedAnswer, type PreparedRequest, RawConnection } from '../raw-connection.ts'
import { user } from './front.ts'
import { startVariant, type Variant } from './start-variant.ts'
import { sum, threadTimes, usedSince, waitUntilIdle } from './thread-times.ts'
import { type VariantName, variantNames } from './variants.ts'

const objectBytes = 4096
const connectionCount = 32
/** After this time a turn starts no further request. */
const turnMsMax = 10_000
const cores = 2
const microsPerSecond = 1_000_000

type Method = 'HEAD' | 'GET' | 'PUT'

/** Amount of work: full for measurements, reduced for tests. */
interface SecondCoreScale {
  readonly variants: readonly VariantName[]
  readonly rounds: number
  /** Rounds before the first one that counts: V8 optimizes for many thousands of requests. */
  readonly warmUps: number
  readonly objects: number
  readonly requests: Readonly<Record<Method, number>>
}

const fullScale: SecondCoreScale = {
  variants: variantNames,
  rounds: 8,
  warmUps: 3,
  objects: 400,
  requests: { HEAD: 4000, GET: 4000, PUT: 1000 },
}

interface Turn {
  readonly requestsPerSecond: number
  /** CPU microseconds per request: of all threads, of the busiest and the second thread, and of the client. */
  readonly allCpu: number
  readonly busiest: number
  readonly second: number
  readonly client: number
  readonly loopP99: number
}

/** Takes about five minutes on a quiet machine. Linux only. @throws Error when an answer is wrong */
export async function benchSecondCore(scale: SecondCoreScale = fullScale): Promise<BenchTable> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-second-core-'))
  try {
    await using stack = new AsyncDisposableStack()
    const variants: Variant[] = []
    for (const name of scale.variants) variants.push(stack.use(await startVariant(name, join(dir, name.replaceAll(' ', '-')))))
    const rows: BenchRow[] = []
    // PUTs last, because thousands of rows slow the reads slightly.
    for (const method of ['HEAD', 'GET', 'PUT'] as const) rows.push(...(await compareVariants(method, variants, scale)))
    for (const variant of variants) rows.push({ label: `resident memory: ${variant.name}`, value: variant.residentMib(), unit: 'MiB' })
    return { name: `second core: medians of ${scale.rounds} rounds, ${objectBytes} bytes, ${connectionCount} connections`, rows }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function compareVariants(method: Method, variants: readonly Variant[], scale: SecondCoreScale): Promise<BenchRow[]> {
  const count = scale.requests[method]
  const measured = await Promise.all(
    variants.map(async (variant) => ({ variant, turns: [] as Turn[], next: await prepare(method, variant, scale) })),
  )
  for (let round = -scale.warmUps; round < scale.rounds; round++) {
    for (const { variant, turns, next } of measured) {
      const turn = await measureTurn(variant, method, next(), count)
      if (round >= 0) turns.push(turn)
    }
  }
  const base = measured[0]?.turns ?? []
  return measured.map(({ variant, turns }) => rowOf(`${method}: ${variant.name}`, turns, base))
}

async function prepare(method: Method, { port }: Variant, scale: SecondCoreScale): Promise<() => readonly PreparedRequest[]> {
  const requests = createObjectRequests({ objectBytes, bucket: 'photos', user })
  if (method === 'PUT') return () => requests.prepare(port, scale.requests.PUT).map(({ put }) => put)
  const objects = requests.prepare(port, scale.objects)
  using connection = await RawConnection.open(port)
  for (const { put } of objects) await connection.exchange(put)
  const wanted = objects.map(({ get, head }) => (method === 'GET' ? get : head))
  return () => wanted
}

async function measureTurn(variant: Variant, method: Method, requests: readonly PreparedRequest[], count: number): Promise<Turn> {
  const connections: RawConnection[] = []
  for (let n = 0; n < connectionCount; n++) connections.push(await RawConnection.open(variant.port))
  await waitUntilIdle(variant.pids)
  await variant.takeLoopDelay()
  const before = { threads: threadTimes(variant.pids), client: process.cpuUsage(), ms: performance.now() }
  const expected: ExpectedAnswer = method === 'PUT' ? { bodyBytes: 0 } : { bodyBytes: objectBytes, isHead: method === 'HEAD' }
  let sent = 0
  const keepBusy = async (connection: RawConnection): Promise<void> => {
    using open = connection
    while (sent < count && performance.now() - before.ms < turnMsMax) {
      const request = requests[sent % requests.length] as PreparedRequest
      sent += 1
      await open.exchange(request, expected)
    }
  }
  await Promise.all(connections.map(keepBusy))
  const tookMs = performance.now() - before.ms
  const client = process.cpuUsage(before.client)
  const used = usedSince(before.threads, threadTimes(variant.pids))
  return {
    requestsPerSecond: (sent * 1000) / tookMs,
    allCpu: sum(used) / sent,
    busiest: (used[0] ?? 0) / sent,
    second: (used[1] ?? 0) / sent,
    client: (client.user + client.system) / sent,
    loopP99: await variant.takeLoopDelay(),
  }
}

/** `bound`: requests per second that the CPU times allow on two cores, if the client and nothing else runs there too. */
function rowOf(label: string, turns: readonly Turn[], base: readonly Turn[]): BenchRow {
  const middle = (figure: keyof Turn, of = turns) => median(of.map((turn) => turn[figure]))
  const boundOf = (of: readonly Turn[]) =>
    Math.min(microsPerSecond / middle('busiest', of), (cores * microsPerSecond) / (middle('allCpu', of) + middle('client', of)))
  const rates = turns.map(({ requestsPerSecond }) => requestsPerSecond)
  const bound = boundOf(turns)
  const ratio = bound / boundOf(base)
  const figures = {
    rounds: rates,
    bound,
    boundRatio: ratio,
    busiestMicros: middle('busiest'),
    secondMicros: middle('second'),
    allCpuMicros: middle('allCpu'),
    clientMicros: middle('client'),
    loopP99Ms: middle('loopP99'),
  }
  const note = [
    describeSpread(rates, 0),
    `threads ${figures.busiestMicros.toFixed(0)} + ${figures.secondMicros.toFixed(0)} µs, all ${figures.allCpuMicros.toFixed(0)} µs`,
    `client ${figures.clientMicros.toFixed(0)} µs`,
    `bound ${bound.toFixed(0)}/s, ${ratio.toFixed(2)} × one loop`,
    `event loop p99 ${figures.loopP99Ms.toFixed(1)} ms`,
  ].join('; ')
  return { label, value: median(rates), unit: '/s', note, figures }
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchSecondCore()))
