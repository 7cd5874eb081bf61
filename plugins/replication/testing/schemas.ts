import { storageMigrations } from '../../storage/testing/rows.ts'
import { replicationMigrations } from '../migrations/all-migrations.ts'

export const replicationSchema = { name: 'replication', migrations: replicationMigrations }

/** All tables of contents and their copies. */
export const contentSchemas = [{ name: 'storage', migrations: storageMigrations }, replicationSchema]
