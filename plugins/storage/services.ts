/** Internal services of this plugin. */
import { defineService } from '#kernel'
import type { Cache } from './cache/cache.ts'
import type { Keepers } from './contents/keepers.ts'
import type { OpenedObject } from './contract.ts'
import type { ObjectEvents } from './events/object-events.ts'

export const cache = defineService<Cache>('storage.cache')
/** Object reads since the start, by source of the bytes. */
export const readCounts = defineService<Record<OpenedObject['source'], number>>('storage.read-counts')
export const objectEvents = defineService<ObjectEvents>('storage.object-events')
/** The attached keepers. They are not asked about contents that are packed. */
export const attachedKeepers = defineService<Keepers>('storage.attached-keepers')
export const keepers = defineService<Keepers>('storage.keepers')
