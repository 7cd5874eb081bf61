/** A signed client of a gateway while anonymous clients attack it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { startServe } from '../fixtures/serve-process.ts'
import { mib, readResidentMemory } from './resident-memory.ts'

const attackers = fileURLToPath(new URL('./hostile-clients.ts', import.meta.url))
const bucket = 'films'
const body = Buffer.alloc(4096, 'frame')
const requestMsMax = 30_000

export interface FloodReport {
  /** Connections that each kind of attacker opened. */
  readonly attackers: Readonly<Record<string, number>>
  readonly requests: number
  readonly failures: readonly string[]
  readonly p99Ms: number
  readonly maxMs: number
  readonly peakMib: number
  /** Undefined while the gateway runs. */
  readonly ended: NodeJS.Signals | null | undefined
}

/** Without `kinds`: all of them at the same time. */
export async function runFlood(seconds: number, kinds: readonly string[] = []): Promise<FloodReport> {
  await using svc = await startServe()
  const s3 = svc.connect(await svc.createUser())
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  for (let n = 0; n < 20; n++) await putAndGet(s3, n)
  let ended: NodeJS.Signals | null | undefined
  void svc.ended.then((signal) => {
    ended = signal
  })
  const child = spawn(process.execPath, [attackers, svc.s3Url, new URL(svc.adminUrl).origin, String(seconds), ...kinds], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const done = once(child, 'exit')
  let isRunning = true
  void done.then(() => {
    isRunning = false
  })
  const latencies: number[] = []
  const failures: string[] = []
  while (isRunning && ended === undefined) {
    const startedMs = performance.now()
    await putAndGet(s3, latencies.length % 50).catch((error: Error) => failures.push(`${error.name}: ${error.message}`))
    latencies.push((performance.now() - startedMs) / 2)
  }
  const peakMib = ended === undefined ? readResidentMemory(svc.pid).peakBytes / mib : Number.NaN
  await done
  s3.destroy()
  latencies.sort((a, b) => a - b)
  return {
    attackers: JSON.parse(printed || '{}'),
    requests: latencies.length * 2,
    failures,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    maxMs: latencies.at(-1) ?? Number.NaN,
    peakMib,
    ended,
  }
}

async function putAndGet(s3: S3Client, number: number): Promise<void> {
  const abortSignal = AbortSignal.timeout(requestMsMax)
  const Key = `frame-${number}`
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: body }), { abortSignal })
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }), { abortSignal })
  await Body?.transformToByteArray()
}

if (import.meta.main) {
  const [seconds = '60', ...kinds] = process.argv.slice(2)
  process.stdout.write(`${JSON.stringify(await runFlood(Number(seconds), kinds))}\n`)
}
