/** Internal services of this plugin. */
import { defineService } from '#kernel'
import type { PaidCallCounts } from './contract/paid-work.ts'
import type { PieceCalculator } from './pieces/piece-calculator.ts'
import type { RemoteReader } from './remote-reads/read-remote.ts'
import type { CommitCounts } from './states/commit-counts.ts'
import type { States } from './states/states.ts'
import type { UploadEvents, UploadMeter } from './upload-meter.ts'

/** One instance for all reads, because they share a memory limit. */
export const remoteReader = defineService<RemoteReader>('replication.remote-reader')
export const pieceCalculator = defineService<PieceCalculator>('replication.piece-calculator')
export const uploadEvents = defineService<UploadEvents>('replication.upload-events')
export const commitCounts = defineService<CommitCounts>('replication.commit-counts')
export const paidCallCounts = defineService<PaidCallCounts>('replication.paid-call-counts')
export const states = defineService<States>('replication.states')
export const uploadMeter = defineService<UploadMeter>('replication.upload-meter')
