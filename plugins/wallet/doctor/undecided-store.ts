import { type Reader, sqlStatement } from '#kernel'

interface UndecidedOperation {
  readonly id: number
  readonly type: string
  readonly hash: string | null
  readonly updatedAtMs: number
}

const undecided = sqlStatement<{ beforeMs: number; limit: number }, UndecidedOperation>(
  `select id, type, tx_hash as hash, updated_at as "updatedAtMs" from wallet_operations
   where status in ('pending', 'submitted', 'unknown') and updated_at < :beforeMs order by id limit :limit`,
)

/** Operations without an outcome since a time, oldest first. */
export const undecidedOperations = (read: Reader, page: { beforeMs: number; limit: number }): Promise<readonly UndecidedOperation[]> =>
  read.all(undecided, page)
