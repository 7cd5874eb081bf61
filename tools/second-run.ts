/** Which test files run a second time, alone: see docs/adr/0099. */

interface FileResult {
  readonly path: string
  readonly project: string
  readonly hasFailed: boolean
}

/** More failures than these are no accident of timing. */
const filesMax = 2

/**
 * Files that wait for chains, processes and browsers share two cores with three others, and may miss a moment. One or two of them that
 * failed run again; anything else that failed, and an error outside the tests, decides at once.
 */
export function chooseSecondRun(files: readonly FileResult[], errorCount: number): readonly string[] {
  const failed = files.filter(({ hasFailed }) => hasFailed)
  const isDecided = errorCount > 0 || failed.length > filesMax || failed.some(({ project }) => project !== 'waiting')
  return isDecided ? [] : failed.map(({ path }) => path)
}
