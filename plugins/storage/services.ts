/** Services of this plugin that no other plugin sees. */
import { defineService } from '#kernel'
import type { Cache } from './cache/cache.ts'
import type { UploadMeter } from './copies/upload-meter.ts'
import type { Providers } from './datasets/providers.ts'
import type { PieceCalculator } from './pieces/piece-calculator.ts'

export const cache = defineService<Cache>('storage.cache')
export const providers = defineService<Providers>('storage.providers')
export const pieceCalculator = defineService<PieceCalculator>('storage.piece-calculator')
export const uploadMeter = defineService<UploadMeter>('storage.upload-meter')
