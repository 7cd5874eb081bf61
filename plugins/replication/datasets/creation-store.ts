/** What is known of the creation of a data set on chain while its outcome is open. */
import type { Params, Tx } from '#kernel'
import { valuesThatTake } from '#plugins/wallet'
import { creationStates } from '../submissions/row-states-policy.ts'
import { statement } from '../tables.ts'

const recordTx = statement((db, { id, txHash, nowMs }: Params<{ id: number; txHash: string; nowMs: number }>) =>
  db
    .updateTable('data_sets')
    .set({ create_tx: txHash, updated_at: nowMs })
    .where('id', '=', id)
    .where('state', 'in', valuesThatTake(creationStates, 'answered_ok')),
)

const observe = statement((db, { id, senderNonce }: Params<{ id: number; senderNonce: number }>) =>
  db
    .updateTable('data_sets')
    .set({ create_sender_nonce: senderNonce })
    .where('id', '=', id)
    .where('state', 'in', valuesThatTake(creationStates, 'observed')),
)

export async function recordCreationTx(tx: Tx, id: number, txHash: string, nowMs: number): Promise<void> {
  await tx.run(recordTx, { id, txHash, nowMs })
}

/** Once the sender's final nonce reaches `senderNonce`, an unused creation nonce means that the attempt did not land. */
export async function observeCreation(tx: Tx, id: number, senderNonce: number): Promise<void> {
  await tx.run(observe, { id, senderNonce })
}
