import { defineMigration } from '#kernel'

/** Attempts that ended without a landing, and whose bytes were sent again: part of the id that a release names. */
export const attemptNumbersMigration = defineMigration('0005-attempt-numbers', [
  'alter table commit_batches add column attempt_number integer not null default 1',
])
