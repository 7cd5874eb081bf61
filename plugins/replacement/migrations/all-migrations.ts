import { replacementsMigration } from './0001-replacements.ts'

export const replacementMigrations = [replacementsMigration]
