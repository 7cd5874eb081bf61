import { createTable, defineMigration } from '#kernel'

const attempts = ['commit_batches', 'commit_items', 'removal_attempts', 'data_set_endings'].map((table) => [table, 'price_list'] as const)

/** The price list with which each paid attempt, and each release of a copy that may cost another one, was made. */
export const priceListsMigration = defineMigration('0008-price-lists', [
  createTable({
    name: 'price_lists',
    columns: ({ text }) => ({
      fingerprint: `${text} not null primary key`,
      prices: `${text} not null`,
      seen_at: 'bigint not null',
    }),
  }),
  ...[...attempts, ['data_sets', 'create_price_list'] as const].map(([table, column]) => ({
    sqlite: `alter table ${table} add column ${column} text`,
    postgres: `alter table ${table} add column ${column} text collate "C"`,
  })),
])
