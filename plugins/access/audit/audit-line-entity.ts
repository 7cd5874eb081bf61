import { defineEntity, p } from '@mikro-orm/core'

/** A line of the audit log. The log of the process is the record; this is the copy that can be searched. */
export const auditLineEntity = defineEntity({
  name: 'AuditLine',
  tableName: 'audit_lines',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    at: p.bigint('number'),
    what: p.text().$type<'sign_in' | 'block' | 'refusal' | 'change'>(),
    outcome: p.text().$type<'done' | 'refused' | 'failed' | 'blocked' | 'cut'>(),
    /** Null: not signed in, or the name is not known. */
    who: p.text().nullable(),
    how: p.text(),
    client: p.text(),
    method: p.text().nullable(),
    route: p.text().nullable(),
    status: p.integer().nullable(),
    /** JSON of the ids that the request named, or the code of a refusal. */
    subject: p.text(),
  },
})
