/** A gateway that is killed and restarted while clients use it. */
import type { S3Client } from '@aws-sdk/client-s3'
import type { FundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { startGateway } from '../fixtures/gateways/gateway-process.ts'
import type { ServeProcess } from '../fixtures/gateways/serve-process.ts'
import type { S3User } from '../fixtures/s3-client.ts'
import { until } from '../fixtures/until.ts'
import { hasSeveralPieces, type SizeChoice } from './sizes.ts'

export interface LiveGateway extends AsyncDisposable {
  readonly dir: string
  /** The newest process, running or just killed. */
  readonly process: ServeProcess
  readonly s3: S3Client
  readonly user: S3User
  /** SIGKILL, then a new process on the same directory. */
  crash(): Promise<void>
  /** Waits as `until` does. The limit starts again after a restart, whose duration depends on the load of the machine. */
  until<T>(what: string, ask: () => Promise<T | undefined>, limit: { readonly withinMs: number }): Promise<T>
}

interface LiveOptions {
  readonly name: string
  readonly sizes: SizeChoice
  readonly seed: number
  /** Repairs what others ended. */
  readonly hasMoves: boolean
}

/** Evicts after enough commits, so that reads are also served by providers. */
const afterUpload = { 'cache.eviction_policy': 'after_upload' }
/** Evicts above 20 MiB, so that reads fill the cache and evict each other's bytes. The largest objects do not fit in the cache. */
const small = { 'cache.eviction_policy': 'lru', 'cache.lru_high_watermark_percent': 1, 'cache.lru_low_watermark_percent': 0 }

/** Packs are sealed often, so that kills meet them. */
const packed = { 'packs.default': 'small', 'packs.idle': '200ms', 'packs.wait': '1s' }

/** A lease of 3 s may end during the upload of a piece of 1 GiB on a busy machine; the upload then begins again and again. */
const largeObject = { 'worker.tasks.lease_duration': '30s' }

/** Faults of data sets are found within seconds, and repaired in the next round. */
const repairing = { 'repair.auto': true, 'repair.daily_spend_limit': '', 'chain.observability.interval': '2s' }

function settingsOf(sizes: SizeChoice, seed: number) {
  if (sizes === 'packed') return { ...afterUpload, ...packed }
  if (sizes !== 'any') return afterUpload
  const cache = { 's3.object_sizes': 'any', 'cache.max_size_gb': 2, ...(seed % 2 === 0 ? small : afterUpload) }
  return hasSeveralPieces(seed) ? { ...cache, ...largeObject } : cache
}

export async function startLiveGateway(network: FundedDevnet, { name, sizes, seed, hasMoves }: LiveOptions): Promise<LiveGateway> {
  const dir = network.makeDir(name)
  const settings = { ...settingsOf(sizes, seed), ...(hasMoves && repairing) }
  const start = () => startGateway({ dir, devnet: network.devnet, privateKey: network.privateKey, settings })
  await using started = new AsyncDisposableStack()
  let process = await start()
  // Kills the process also when a later step of the start fails.
  started.defer(() => process.kill())
  const user = await process.createUser()
  let s3 = process.connect(user)
  started.defer(() => s3.destroy())
  const running = started.move()
  let restarts = 0
  let restart = Promise.resolve()
  const restartNow = async () => {
    await process.kill()
    s3.destroy()
    process = await start()
    s3 = process.connect(user)
  }
  return {
    dir,
    user,
    get process() {
      return process
    },
    get s3() {
      return s3
    },
    async crash() {
      restarts += 1
      const restarting = restartNow()
      // The caller gets the error.
      restart = restarting.catch(() => undefined)
      await restarting
    },
    async until(what, ask, limit) {
      for (;;) {
        await restart
        const before = restarts
        try {
          return await until(what, ask, limit)
        } catch (error) {
          if (restarts === before) throw error
        }
      }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
