import { defineMigration } from '#kernel'

/** The default is right for older data sets: their providers were only selected if they accept the largest object. */
export const providerSizesMigration = defineMigration('0010-provider-sizes', [
  'alter table data_sets add column piece_bytes_max bigint not null default 1065353216',
])
