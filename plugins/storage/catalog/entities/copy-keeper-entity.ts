import { defineEntity, p } from '@mikro-orm/core'

/** Keepers of copies that were ever attached, and whether one missed changes of contents because a start was without it. */
export const copyKeeperEntity = defineEntity({
  name: 'CopyKeeper',
  tableName: 'copy_keepers',
  properties: { name: p.text().primary(), was_absent: p.integer().default(0) },
})
