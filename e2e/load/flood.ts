/** `npm run flood -- [seconds (60)] [kind…]`: a signed client of a gateway while clients without credentials attack it. Prints one line of JSON. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { Gateway } from '../fixtures/gateway.ts'
import { readCount } from '../fixtures/read-count.ts'
import { startServe } from '../fixtures/serve-process.ts'
import { mib, readResidentMemory } from './resident-memory.ts'

const attackers = fileURLToPath(new URL('./hostile-clients.ts', import.meta.url))
const bucket = 'films'
const body = Buffer.alloc(4096, 'frame')
const requestMsMax = 30_000

interface FloodReport {
  /** Those that each kind of attacker opened. */
  readonly connections: Readonly<Record<string, number>>
  readonly requests: number
  readonly failures: readonly string[]
  readonly p99Ms: number
  readonly maxMs: number
  readonly peakMib: number
  /** Undefined while the gateway runs. */
  readonly ended: NodeJS.Signals | null | undefined
}

/** Without `kinds`: all of them at the same time. Ends early when the gateway does. */
export async function runFlood(seconds: number, kinds: readonly string[] = []): Promise<FloodReport> {
  await using svc = await startServe()
  const s3 = svc.connect(await svc.createUser())
  using _ = { [Symbol.dispose]: () => s3.destroy() }
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  const latencies: number[] = []
  const failures: string[] = []
  for (let warmUp = 0; warmUp < 20; warmUp++) for (const request of requestsOf(s3, warmUp)) await request()
  let ended: NodeJS.Signals | null | undefined
  void svc.ended.then((signal) => {
    ended = signal
  })
  const flood = startAttackers(svc, seconds, kinds)
  for (let round = 0; flood.isRunning() && ended === undefined; round++) {
    for (const request of requestsOf(s3, round % 50)) {
      const startedMs = performance.now()
      await request().catch((error: Error) => failures.push(`${error.name}: ${error.message}`))
      latencies.push(performance.now() - startedMs)
    }
  }
  const peakMib = ended === undefined ? readResidentMemory(svc.pid).peakBytes / mib : Number.NaN
  latencies.sort((a, b) => a - b)
  const [p99Ms, maxMs] = [latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN, latencies.at(-1) ?? Number.NaN]
  return { connections: await flood.connections, requests: latencies.length, failures, p99Ms, maxMs, peakMib, ended }
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

/** One after another, as a client sends them. */
const requestsOf = (s3: S3Client, number: number) => {
  const place = { Bucket: bucket, Key: `frame-${number}` }
  const options = () => ({ abortSignal: AbortSignal.timeout(requestMsMax) })
  return [
    async () => void (await s3.send(new PutObjectCommand({ ...place, Body: body }), options())),
    async () => void (await (await s3.send(new GetObjectCommand(place), options())).Body?.transformToByteArray()),
  ]
}

if (import.meta.main) {
  const [seconds = '60', ...kinds] = process.argv.slice(2)
  process.stdout.write(`${JSON.stringify(await runFlood(readCount('the seconds', seconds), kinds))}\n`)
}
