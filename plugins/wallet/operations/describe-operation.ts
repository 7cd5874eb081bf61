import { defineEvent } from '#kernel'
import { formatPreciseTime } from '#kernel/system'
import type { OperationRecord } from './operation-record-store.ts'
import type { WalletOperation } from './operations-api.ts'

/** Published at every change of an operation that operators see. */
export const walletOperationUpdated = defineEvent<{ readonly operation: WalletOperation }>('wallet_operation_updated')

/** Returns undefined for a termination, which the data set shows. */
export function describeOperation(record: OperationRecord): WalletOperation | undefined {
  const { id, type, clientRequestId, amount, status, hash, lastError } = record
  if (type === 'terminate') return undefined
  return {
    id,
    type,
    client_request_id: clientRequestId,
    amount,
    status,
    ...(hash !== null && { tx_hash: hash }),
    ...(lastError !== null && { last_error: lastError }),
    ...(record.startedAtMs !== null && { started_at: formatPreciseTime(record.startedAtMs) }),
    ...(record.submittedAtMs !== null && { submitted_at: formatPreciseTime(record.submittedAtMs) }),
    ...(record.completedAtMs !== null && { completed_at: formatPreciseTime(record.completedAtMs) }),
    created_at: formatPreciseTime(record.createdAtMs),
    updated_at: formatPreciseTime(record.updatedAtMs),
  }
}
