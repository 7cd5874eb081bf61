/** CPU limits per test file, in seconds of its worker and its child processes, on two idle cores. */

/** Higher limits by path, each with the reason. */
const allowances: Readonly<Record<string, number>> = {}

/** Folders whose tests start processes or wait for a chain. */
const waitingFolders = ['e2e', 'devnet', 'cli/dev', 'bench']

const waitingFileSeconds = 10
const computingFileSeconds = 4

/** Files elsewhere that start processes. */
const waitingFiles = ['cli/serve-command.test.ts', 'plugins/storage/objects/put-crash.test.ts']

/** Globs of the tests that wait, for the project `waiting`. */
export const waitingTests = [...waitingFolders.map((folder) => `${folder}/**/*.test.ts`), ...waitingFiles]

export const isWaiting = (path: string): boolean =>
  waitingFiles.includes(path) || waitingFolders.some((folder) => path.startsWith(`${folder}/`))

/** @param path relative to the project root */
export const allowedSeconds = (path: string): number => allowances[path] ?? (isWaiting(path) ? waitingFileSeconds : computingFileSeconds)

export const allowedFiles: readonly string[] = Object.keys(allowances)
