import { type Clock, type Database, defineService, type Events, type Log, type Outcome, type TaskRun, type Tx, wait } from '#kernel'
import type { Providers, WarmStorageReads } from '#plugins/providers'
import type { CachedContents, Contents } from '#plugins/storage'
import { type Chain, type ChainSettings, type Funds, isChainUnreachable, type Signer, type WalletOperations } from '#plugins/wallet'
import type { PaidCallCounts } from './contract/paid-work.ts'
import type { Pace } from './pace.ts'
import type { PieceCalculator } from './pieces/piece-calculator.ts'
import type { StateSchedule } from './states/copy-states.ts'
import type { States } from './states/states.ts'
import type { UploadEvents, UploadMeter } from './upload-meter.ts'

/** Enqueues the pipeline's tasks. Each runs at least once after the call. Times in clock milliseconds; default now. */
export interface Schedule extends StateSchedule {
  /** Looks up the uploaded pieces of a data set at its provider. */
  park(tx: Tx, dataSetId: number, atMs?: number): Promise<void>
  /** Counts the contents of a data set again, whose copies began or stopped to count as durable. */
  standing(tx: Tx, dataSetId: number): Promise<void>
  /** These contents need no upload: completes the store tasks that wait for a provider to store them, and lets the others run again. */
  endStores(tx: Tx, contentIds: readonly number[]): Promise<void>
}

/** Dependencies of the steps that store a content. Internal to this plugin. */
export interface Pipeline {
  readonly database: Database
  readonly schedule: Schedule
  readonly states: States
  readonly clock: Clock
  readonly log: Log
  readonly events: Events
  readonly chain: Chain
  readonly reads: WarmStorageReads
  readonly signer: Signer
  readonly funds: Funds
  readonly walletOperations: WalletOperations
  readonly settings: ChainSettings
  readonly calls: PaidCallCounts
  readonly providers: Providers
  readonly pieces: PieceCalculator
  readonly uploads: UploadMeter
  readonly uploadEvents: UploadEvents
  readonly pace: Pace
  /** Enqueues the store of a content that waited for a provider slot: outside any run, because the run that waited has ended (I-06). */
  notifyStore(contentId: number): void
  /** Reports lasting progress of the run: see `TaskRun.progressed`. */
  progressed(): void
  readonly contents: Contents
  readonly cached: CachedContents
}

export const pipeline = defineService<Pipeline>('replication.pipeline')

/** The pipeline for one task run: writes of a run that has lost its lease change nothing (I-06). */
export function pipelineOf({ services, fence, progressed }: TaskRun<unknown, { readonly pipeline: typeof pipeline }>): Pipeline {
  return { ...services.pipeline, database: fence(services.pipeline.database), progressed }
}

/** An attempt with a certain failure: the engine counts it and backs off. The code is shown to operators. */
export class PipelineFault extends Error {
  override readonly name = 'PipelineFault'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export type Wait = Extract<Outcome, { readonly kind: 'wait' }>

export function waitFor(clock: Clock, reason: string, forMs: number, message?: string): Wait {
  return wait(reason, clock.now() + forMs, message) as Wait
}

/** Until the disk of the cache is looked for again. */
const cacheWaitMs = 30_000

/** Runs a step that reads cached bytes. While the disk of the cache is not mounted, the task waits and uses no attempt (I-08). */
export async function waitIfCacheUnavailable({ clock }: Pick<Pipeline, 'clock'>, step: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'cache_unavailable')) throw error
    return waitFor(clock, 'cache', cacheWaitMs, error.message)
  }
}

/** Runs a step. While the chain node does not answer, the task waits and uses no attempt (I-08). */
export async function waitIfChainUnreachable(
  { clock, pace }: Pick<Pipeline, 'clock' | 'pace'>,
  step: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await step()
  } catch (error) {
    if (!isChainUnreachable(error)) throw error
    const isSilent = error.name === 'ChainUnreachable'
    return waitFor(clock, 'chain', pace.chainMs, isSilent ? `the chain node does not answer: ${error.message}` : error.message)
  }
}
