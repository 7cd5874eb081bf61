import { defineEntity, p } from '@mikro-orm/core'
import type { S3Role } from '../contract.ts'

export const userEntity = defineEntity({
  name: 'S3User',
  tableName: 's3_users',
  properties: {
    access_key: p.text().primary(),
    owner_id: p.text(),
    secret_key: p.text(),
    role: p.text().$type<S3Role>(),
    /** JSON of the limits of this user alone. */
    limits: p.text().nullable(),
    name: p.text().nullable(),
    disabled_at: p.bigint('number').nullable(),
    /** Written now and then: up to ten minutes old. */
    used_at: p.bigint('number').nullable(),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
  },
})
