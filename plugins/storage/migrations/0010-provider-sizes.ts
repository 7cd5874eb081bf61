import { defineMigration } from '#kernel'

/** Providers of earlier data sets were chosen only when they took the largest object. */
export const providerSizesMigration = defineMigration('0010-provider-sizes', [
  'alter table data_sets add column piece_bytes_max bigint not null default 1065353216',
])
