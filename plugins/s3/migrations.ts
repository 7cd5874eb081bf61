import { accessMigration } from './access/access-migration.ts'
import { publicObjectsMigration } from './access/public-objects-migration.ts'
import { bucketSettingsMigration } from './bucket-settings/bucket-settings-migration.ts'
import { limitsMigration } from './users/limits-migration.ts'
import { userMigrations } from './users/migrations.ts'
import { ownerIdsMigration } from './users/owner-ids-migration.ts'
import { userFactsMigration } from './users/user-facts-migration.ts'

/** Sorted by execution. */
export const migrations = [
  ...userMigrations,
  bucketSettingsMigration,
  accessMigration,
  ownerIdsMigration,
  publicObjectsMigration,
  limitsMigration,
  userFactsMigration,
]
