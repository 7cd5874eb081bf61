/**
 * `node tools/run.mjs e2e/backup/upgrades.ts --from <checkout of an earlier release> --times 20`: upgrades under load. Each starts the earlier
 * release, stops it while clients put objects, and starts this one on the same data, which copies and migrates the database.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import { freePort } from '../fixtures/free-port.ts'
import { createGatewayCalls, writeConfig } from '../fixtures/gateways/gateway.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { until } from '../fixtures/until.ts'
import { type Acknowledged, put, readBack } from './load.ts'

const bucket = 'upgraded'
const clients = 4
const loadMs = 1500
const { values } = parseArgs({ options: { from: { type: 'string' }, times: { type: 'string', default: '20' } } })
if (values.from === undefined) throw new Error('--from names a checkout of an earlier release, with its node_modules')
const earlier = join(resolve(values.from), 'cli', 'svc.js')
const current = fileURLToPath(new URL('../../cli/svc.js', import.meta.url))

interface Running {
  readonly child: ChildProcess
  log(): string
}

function serve(program: string, configPath: string, ...flags: readonly string[]): Running {
  const child = spawn(process.execPath, [program, 'serve', '--config', configPath, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  return { child, log: () => text }
}

/** Puts objects until it is stopped, through any pause. Returns the acknowledged ones and the longest time without an answer. */
function startLoad(s3: S3Client) {
  const acknowledged: Acknowledged[] = []
  let isStopped = false
  let [lastMs, longestMs] = [performance.now(), 0]
  const run = async (client: number) => {
    for (let turn = 0; !isStopped; turn++) {
      try {
        acknowledged.push(await put(s3, bucket, `client-${client}-${turn}`, randomBytes(turn % 2 === 0 ? 2000 : 30_000)))
        longestMs = Math.max(longestMs, performance.now() - lastMs)
        lastMs = performance.now()
      } catch {
        // The gateway is being replaced: nothing was acknowledged.
      }
      await sleep(20)
    }
  }
  const ended = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  return {
    acknowledged,
    longestMs: () => longestMs,
    async stop() {
      isStopped = true
      await ended
    },
  }
}

async function upgradeOnce() {
  using place = temporaryDirectory()
  const [s3Port, adminPort] = [await freePort(), await freePort()]
  const settings = { 'server.port': `127.0.0.1:${s3Port}`, 'admin.addr': `127.0.0.1:${adminPort}` }
  const configPath = await writeConfig(place.path, { dir: place.path, settings })
  const calls = createGatewayCalls({ admin: `http://127.0.0.1:${adminPort}`, s3: `http://127.0.0.1:${s3Port}` })
  const first = serve(earlier, configPath)
  const user = await until('the earlier release', () => calls.createUser().catch(() => undefined), { everyMs: 50 })
  const s3 = calls.connect(user)
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  const load = startLoad(s3)
  await sleep(loadMs)
  const before = load.acknowledged.length
  first.child.kill('SIGTERM')
  // The new process waits for the data, as with a service manager.
  const second = serve(current, configPath, '--wait', '60s')
  await once(first.child, 'exit')
  const isUp = () => load.acknowledged.length > before + clients || undefined
  await until('the upgraded gateway', async () => {
    if (second.child.exitCode !== null) throw new Error(`svc ended with ${second.child.exitCode}: ${second.log()}`)
    return second.log().includes(' is running') ? isUp() : undefined
  })
  await sleep(loadMs)
  await load.stop()
  const lost = await readBack(s3, bucket, load.acknowledged)
  const copies = readdirSync(join(place.path, 'db')).filter((name) => name.includes('.before-upgrade'))
  second.child.kill('SIGTERM')
  await once(second.child, 'exit')
  return { objects: load.acknowledged.length, lost, longestMs: Math.round(load.longestMs()), copies: copies.length }
}

const pauses: number[] = []
let [objects, lost] = [0, 0]
for (let time = 0; time < Number(values.times); time++) {
  const result = await upgradeOnce()
  pauses.push(result.longestMs)
  objects += result.objects
  lost += result.lost.length
  process.stdout.write(
    `${time + 1}: ${result.objects} objects, ${result.lost.length} lost, ${result.longestMs} ms without answers, ${result.copies} copies\n`,
  )
  for (const line of result.lost) process.stdout.write(`  ${line}\n`)
}
pauses.sort((a, b) => a - b)
process.stdout.write(
  `${objects} acknowledged objects, ${lost} lost; without answers: median ${pauses[Math.floor(pauses.length / 2)]} ms, longest ${pauses.at(-1)} ms\n`,
)
process.exitCode = lost === 0 ? 0 : 1
