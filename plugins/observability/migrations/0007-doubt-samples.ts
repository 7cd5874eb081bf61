import { defineMigration } from '#kernel'

/** Whether the copy was in doubt when it was read: these checks have bytes of their own. */
export const doubtSamplesMigration = defineMigration('0007-doubt-samples', [
  'alter table copy_samples add column of_doubt integer not null default 0',
])
