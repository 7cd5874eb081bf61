import { type Params, statementsOver, type TablesOf } from '#kernel'
import type { storageEntities } from './storage-entities.ts'

export interface StorageTables extends TablesOf<(typeof storageEntities)[number]> {}

export const statement = statementsOver<StorageTables>()

/** Parameters of a statement about one content. */
export type AtContent<P = Record<never, never>> = Params<P & { contentId: number }>
