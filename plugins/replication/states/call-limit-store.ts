/** How many pieces a provider takes in one call, as its answers tell. */
import type { Params, Reader, Tx } from '#kernel'
import { afterAccepted, afterRefused, type CallLimit, piecesOfCall, type SizedCall } from '../submissions/call-limit-policy.ts'
import { statement } from '../tables.ts'

interface CallOfProvider {
  readonly providerId: string
  readonly call: SizedCall
}

const find = statement((db, { providerId, call }: Params<CallOfProvider>) =>
  db
    .selectFrom('provider_call_limits')
    .select(['pieces', 'refused_at as refusedAtMs'])
    .where('provider_id', '=', providerId)
    .where('call', '=', call),
)

const put = statement((db, { providerId, call, pieces, refusedAtMs }: Params<CallOfProvider & CallLimit>) =>
  db
    .insertInto('provider_call_limits')
    .values({ provider_id: providerId, call, pieces, refused_at: refusedAtMs })
    .onConflict((row) => row.columns(['provider_id', 'call']).doUpdateSet({ pieces, refused_at: refusedAtMs })),
)

/** Pieces of the provider's next call. */
export async function nextCallPieces(
  reader: Reader,
  { providerId, call }: CallOfProvider,
  at: { readonly max: number; readonly nowMs: number },
): Promise<number> {
  return piecesOfCall(call, await reader.get(find, { providerId, call }), at)
}

/** The provider accepted a call with so many pieces. */
export async function learnAccepted(tx: Tx, of: CallOfProvider, pieces: number): Promise<void> {
  const learnt = afterAccepted(of.call, await tx.get(find, { ...of }), pieces)
  if (learnt) await tx.run(put, { ...of, ...learnt })
}

/** The provider refused a call for its number of pieces: the next one has fewer, until a larger one is tried again. */
export async function learnRefused(tx: Tx, of: CallOfProvider, refused: Parameters<typeof afterRefused>[0]): Promise<void> {
  await tx.run(put, { ...of, ...afterRefused(refused) })
}
