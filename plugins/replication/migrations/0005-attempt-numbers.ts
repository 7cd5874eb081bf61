import { defineMigration } from '#kernel'

/** Tells sends of a batch apart that an operator was asked about: part of the id that a release names. */
export const attemptNumbersMigration = defineMigration('0005-attempt-numbers', [
  'alter table commit_batches add column attempt_number integer not null default 1',
])
