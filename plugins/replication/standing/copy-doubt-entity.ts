import { defineEntity, p } from '@mikro-orm/core'
import { copyEntity } from '../copies/records/copy-entity.ts'

/** A committed copy that its provider did not serve, or served with other bytes, at the last read or check. It does not count as durable. */
export const copyDoubtEntity = defineEntity({
  name: 'CopyDoubt',
  tableName: 'copy_doubts',
  properties: {
    copy_id: () => p.manyToOne(copyEntity).fieldName('copy_id').mapToPk().primary().updateRule('no action').deleteRule('cascade'),
    result: p.text().$type<'missing' | 'wrong_bytes'>(),
    /** Failed checks of the whole piece; 0: only a read failed. */
    failures: p.integer().default(0),
    /** Checks since the copy was denied. */
    checks: p.integer().default(0),
    first_failed_at: p.bigint('number').nullable(),
    next_check_at: p.bigint('number'),
    /** How often the piece was stored again since it was last found intact. */
    refills: p.integer().default(0),
    /** When a second check, later than the first, found the same. */
    denied_at: p.bigint('number').nullable(),
    /** What the chain said about the piece then. */
    chain_state: p.text().$type<'live' | 'gone' | 'unknowable'>().nullable(),
  },
})
