import { taskMigrations } from '#kernel/testing'
import { storageMigrations } from '../../storage/testing/rows.ts'
import { replicationMigrations } from '../migrations/all-migrations.ts'

export const replicationSchema = { name: 'replication', migrations: replicationMigrations }

export const taskSchema = { name: 'kernel', migrations: taskMigrations }

/** All tables of contents, their copies and tasks. */
export const contentSchemas = [taskSchema, { name: 'storage', migrations: storageMigrations }, replicationSchema]
