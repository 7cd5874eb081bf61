import type { Params, Reader } from '#kernel'
import { statement } from '../tables.ts'

/** Why a provider has no copy. */
export interface CopyFailure {
  readonly providerId: string | null
  readonly reason: string | null
  readonly message: string | null
}

const find = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db
    .selectFrom('copies as k')
    .innerJoin('data_sets as d', 'd.id', 'k.data_set_id')
    .select(['k.content_id as contentId', 'd.provider_id as providerId', 'k.last_error_code as reason', 'k.last_error as message'])
    .where('k.content_id', 'in', contentIds)
    .where('k.state', 'not in', ['committed', 'removed'])
    .where('k.last_error', 'is not', null)
    .orderBy('k.id'),
)

/** The copies of each content that failed at their provider. */
export async function failuresOf(read: Reader, contentIds: readonly number[]): Promise<ReadonlyMap<number, readonly CopyFailure[]>> {
  if (contentIds.length === 0) return new Map()
  return Map.groupBy(await read.all(find, { contentIds: [...new Set(contentIds)] }), ({ contentId }) => contentId)
}

/** The contents that hold the copies: the parts of a composite, else the one that is copied. */
export const idsOf = ({ copiedId, partIds }: { readonly copiedId: number; readonly partIds: readonly number[] }): readonly number[] =>
  partIds.length > 0 ? partIds : [copiedId]

/** The last failure of each provider. */
export const onePerProvider = (failures: readonly CopyFailure[]): readonly CopyFailure[] => [
  ...new Map(failures.map((failure) => [failure.providerId, failure])).values(),
]
