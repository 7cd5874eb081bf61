/** What a test file may cost: CPU seconds of its worker and of the processes it started, on two idle cores. */

/** Files that cost more than others of their kind, and why that is needed. */
const allowances: Readonly<Record<string, number>> = {}

/** Files that start processes or wait for a chain. */
export const waitingFolders = ['e2e', 'devnet', 'cli/dev', 'bench']

const waitingFileSeconds = 10
const computingFileSeconds = 4

export const isWaiting = (path: string): boolean => waitingFolders.some((folder) => path.startsWith(`${folder}/`))

/** @param path relative to the project */
export const allowedSeconds = (path: string): number => allowances[path] ?? (isWaiting(path) ? waitingFileSeconds : computingFileSeconds)

export const allowedFiles: readonly string[] = Object.keys(allowances)
