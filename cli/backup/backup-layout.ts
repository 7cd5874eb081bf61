/**
 * A backup directory: `backup.json` names the run that is the backup. `<run>/` has the database, the configuration and SHA256SUMS, whose
 * paths start at the directory, so that `sha256sum -c <run>/SHA256SUMS` checks everything. `files/` has the files, shared by runs.
 */
import { join } from 'node:path'

export const manifestName = 'backup.json'
export const filesFolder = 'files'
export const databaseName = 'database.db'
export const configName = 'config.toml'
export const sumsName = 'SHA256SUMS'
export const lockName = 'svc.lock'
/** End of the name of a file that is being written. */
export const partialEnd = '.partial'

const runPattern = /^run-\d{8}T\d{9}Z$/

export const runName = (nowMs: number): string => `run-${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')}`
export const isRunName = (name: string): boolean => runPattern.test(name)
export const isOwnName = (name: string): boolean =>
  isRunName(name) || name === manifestName || name === filesFolder || name.startsWith(lockName) || name.startsWith(`${manifestName}.`)
/** Path of a file of a source, from the directory. */
export const filePath = (source: string, path: string): string => join(filesFolder, source, path)
