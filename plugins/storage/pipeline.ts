import { type Clock, type Database, defineService, type Events, type Log, type Outcome, type TaskRun, type Tx, wait } from '#kernel'
import type { Chain, ChainSettings, Funds, Signer } from '#plugins/wallet'
import type { WarmStorageReads } from './chain/warm-storage-reads.ts'
import type { Bucket } from './contract.ts'
import type { CachedFile } from './copies/cached-file.ts'
import type { UploadEvents } from './copies/upload-events.ts'
import type { UploadMeter } from './copies/upload-meter.ts'
import type { Providers } from './datasets/providers.ts'
import type { Pace } from './pace.ts'
import type { PieceCalculator } from './pieces/piece-calculator.ts'

/** Puts the pipeline's tasks on record. None is ever lost: each runs at least once after the call. Times in clock milliseconds; default now. */
export interface Schedule {
  store(tx: Tx, contentId: number): void
  ensure(tx: Tx, dataSetId: number): void
  pull(tx: Tx, dataSetId: number, atMs?: number): void
  commit(tx: Tx, dataSetId: number, atMs?: number): void
  /** Removes what was released. Returns the task's id. */
  cleanup(tx: Tx, dataSetId: number, atMs?: number): number
  /** Verifies on chain what landed, until it is final. */
  verifyLandings(tx: Tx, atMs?: number): void
  reviewDurability(tx: Tx, bucket: Pick<Bucket, 'id' | 'name'>): void
  /** Cached bytes may have become releasable, or room is short. */
  reconcileCapacity(tx: Tx): void
  /** Removes cached files of a content that could not be removed before. */
  finishEviction(tx: Tx, contentId: number): void
}

/** What the steps of storing a content work with. Internal to this plugin. */
export interface Pipeline {
  readonly database: Database
  readonly schedule: Schedule
  readonly clock: Clock
  readonly log: Log
  readonly events: Events
  readonly chain: Chain
  readonly reads: WarmStorageReads
  readonly signer: Signer
  readonly funds: Funds
  readonly settings: ChainSettings
  readonly providers: Providers
  readonly pieces: PieceCalculator
  readonly uploads: UploadMeter
  readonly uploadEvents: UploadEvents
  readonly pace: Pace
  /** Puts the store of a content on record that waits for a free turn: outside any run, because the one that asked has ended by then (I-06). */
  wakeStore(contentId: number): void
  /** Reports that the run achieved something that lasts: see `TaskRun.progressed`. */
  progressed(): void
  /** The cached file of a content, when it is there with its length. One that is not is forgotten. */
  locateCached(contentId: number): Promise<CachedFile | undefined>
  /** The file has other bytes than the content: it is removed, and the content is lost unless a provider has it. */
  forgetCached(contentId: number, file: CachedFile): Promise<void>
}

export const pipeline = defineService<Pipeline>('storage.pipeline')

/** The pipeline as one run of a task uses it: a write of a run that has lost its lease changes nothing (I-06). */
export function pipelineOf({ services, fence, progressed }: TaskRun<unknown, { readonly pipeline: typeof pipeline }>): Pipeline {
  return { ...services.pipeline, database: fence(services.pipeline.database), progressed }
}

/** An attempt that failed through no uncertainty: the engine counts it and backs off. The code is shown to operators. */
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

/** Runs a step; where the chain node does not answer, the task waits for it and uses no attempt (I-08). */
export async function unlessChainIsSilent({ clock, pace }: Pipeline, step: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'chain_unreachable')) throw error
    return waitFor(clock, 'chain', pace.chainMs, `the chain node does not answer: ${error.message}`)
  }
}
