/** Internal services of this plugin. */
import { defineService } from '#kernel'
import type { UploadEvents } from '../replication/copies/upload-events.ts'
import type { UploadMeter } from '../replication/copies/upload-meter.ts'
import type { Providers } from '../replication/datasets/providers.ts'
import type { PieceCalculator } from '../replication/pieces/piece-calculator.ts'
import type { RemoteReader } from '../replication/remote-reads/read-remote.ts'
import type { Cache } from './cache/cache.ts'
import type { OpenedObject } from './contract.ts'

export const cache = defineService<Cache>('storage.cache')
/** Object reads since the start, by source of the bytes. */
export const readCounts = defineService<Record<OpenedObject['source'], number>>('storage.read-counts')
export const providers = defineService<Providers>('storage.providers')
/** One instance for all reads, because they share a memory limit. */
export const remoteReader = defineService<RemoteReader>('storage.remote-reader')
export const pieceCalculator = defineService<PieceCalculator>('storage.piece-calculator')
export const uploadEvents = defineService<UploadEvents>('storage.upload-events')
export const uploadMeter = defineService<UploadMeter>('storage.upload-meter')
