import { defineMigration } from '#kernel'

/** How often a lost piece was stored again. */
export const refillsMigration = defineMigration('0020-refills', ['alter table copy_doubts add column refills integer not null default 0'])
