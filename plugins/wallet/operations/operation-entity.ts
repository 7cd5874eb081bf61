import { defineEntity, p } from '@mikro-orm/core'
import type { OperationType } from '../contract/services.ts'

/** `unknown`: its nonce is used, and the chain node does not show by which transaction. It is still looked up. */
export type OperationStatus = 'pending' | 'submitted' | 'confirmed' | 'failed' | 'unknown'

/** Wallet transactions. The signed bytes are stored before they are broadcast (I-04). */
export const operationEntity = defineEntity({
  name: 'WalletOperation',
  tableName: 'wallet_operations',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    type: p.text().$type<OperationType>(),
    client_request_id: p.text(),
    amount: p.text(),
    target: p.text().nullable(),
    wallet: p.text().nullable(),
    status: p.text().$type<OperationStatus>(),
    chain_nonce: p.bigint('number').nullable(),
    raw_tx: p.text().nullable(),
    tx_hash: p.text().nullable(),
    last_error: p.text().nullable(),
    started_at: p.bigint('number').nullable(),
    submitted_at: p.bigint('number').nullable(),
    completed_at: p.bigint('number').nullable(),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
  },
})
