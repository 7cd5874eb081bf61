import { dbSchemas, definePlugin } from '#kernel'

/** Moves replicas of buckets to other storage providers. */
export const replacementPlugin = definePlugin({
  id: 'replacement',
  requires: ['replication', 'storage', 'providers'],
  contributes: [
    dbSchemas.with({
      name: 'replacement',
      load: async () => ({ migrations: (await import('./migrations/all-migrations.ts')).replacementMigrations }),
      entities: async () => [
        (await import('./records/replacement-entity.ts')).replacementEntity,
        (await import('./records/item-entity.ts')).replacementItemEntity,
      ],
    }),
  ],
})
