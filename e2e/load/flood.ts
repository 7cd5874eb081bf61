/** `npm run flood -- [seconds (60)] [kind…]`: a signed client of a gateway while clients without credentials attack it. Prints one line of JSON. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startServe } from '../fixtures/gateways/serve-process.ts'
import { readCount } from '../fixtures/read-count.ts'
import { mib, readResidentMemory } from './resident-memory.ts'

const attackers = fileURLToPath(new URL('./hostile-clients.ts', import.meta.url))
const bucket = 'films'
const body = Buffer.alloc(4096, 'frame')
const requestMsMax = 30_000
const keys = 50
/** Rounds of requests between two on a new connection. */
const newConnectionEach = 5

interface FloodReport {
  /** The number that each kind of attacker opened. */
  readonly connections: Readonly<Record<string, number>>
  readonly requests: number
  readonly failures: readonly string[]
  readonly p99Ms: number
  readonly maxMs: number
  /** Requests on connections of their own. They wait until the gateway accepts these, one in each turn of its event loop. */
  readonly newConnections: number
  readonly newConnectionMaxMs: number
  readonly peakMib: number
  /** Is undefined while the gateway runs. */
  readonly ended: NodeJS.Signals | null | undefined
}

/** Runs all kinds at the same time without `kinds`. Ends early when the gateway does. */
export async function runFlood(seconds: number, kinds: readonly string[] = []): Promise<FloodReport> {
  await using svc = await startServe()
  const user = await svc.createUser()
  const s3 = svc.connect(user)
  using _ = { [Symbol.dispose]: () => s3.destroy() }
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  /** Uses a connection of its own, for which the gateway has to have a place. */
  const getAnew = async (number: number) => {
    const fresh = svc.connect(user)
    await get(fresh, number).finally(() => fresh.destroy())
  }
  const failures: string[] = []
  const timed = async (latencies: number[], request: () => Promise<void>) => {
    const startedMs = performance.now()
    await request().catch((error: Error) => failures.push(`${error.name}: ${error.message}`))
    latencies.push(performance.now() - startedMs)
  }
  for (let warmUp = 0; warmUp < keys; warmUp++) await put(s3, warmUp)
  const [latencies, newLatencies]: [number[], number[]] = [[], []]
  let ended: NodeJS.Signals | null | undefined
  void svc.ended.then((signal) => {
    ended = signal
  })
  const flood = startAttackers(svc, seconds, kinds)
  for (let round = 0; flood.isRunning() && ended === undefined; round++) {
    await timed(latencies, () => put(s3, round % keys))
    await timed(latencies, () => get(s3, round % keys))
    if (round % newConnectionEach === 0) await timed(newLatencies, () => getAnew(round % keys))
  }
  const peakMib = ended === undefined ? readResidentMemory(svc.pid).peakBytes / mib : Number.NaN
  latencies.sort((a, b) => a - b)
  return {
    connections: await flood.connections,
    requests: latencies.length,
    failures,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    maxMs: Math.max(...latencies),
    newConnections: newLatencies.length,
    newConnectionMaxMs: Math.max(...newLatencies),
    peakMib,
    ended,
  }
}

function startAttackers({ s3Url, adminUrl }: Gateway, seconds: number, kinds: readonly string[]) {
  const child = spawn(process.execPath, [attackers, s3Url, adminUrl, String(seconds), ...kinds], { stdio: ['ignore', 'pipe', 'inherit'] })
  let isRunning = true
  child.once('exit', () => {
    isRunning = false
  })
  const connections = text(child.stdout).then((printed) => JSON.parse(printed) as FloodReport['connections'])
  return { isRunning: () => isRunning, connections }
}

const placeOf = (number: number) => ({ Bucket: bucket, Key: `frame-${number}` })
const deadline = () => ({ abortSignal: AbortSignal.timeout(requestMsMax) })

async function put(s3: S3Client, number: number): Promise<void> {
  await s3.send(new PutObjectCommand({ ...placeOf(number), Body: body }), deadline())
}

async function get(s3: S3Client, number: number): Promise<void> {
  const { Body } = await s3.send(new GetObjectCommand(placeOf(number)), deadline())
  await Body?.transformToByteArray()
}

if (import.meta.main) {
  const [seconds = '60', ...kinds] = process.argv.slice(2)
  process.stdout.write(`${JSON.stringify(await runFlood(readCount('the seconds', seconds), kinds))}\n`)
}
