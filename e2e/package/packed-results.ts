/** Names the tests that were skipped because they need the sources, with the reasons, and counts all results in the last line. */
import { relative } from 'node:path'
import type { Reporter } from 'vitest/node'
import { countTests } from '../../tools/closing-reporter.ts'
import '../fixtures/needs-sources.ts'

export const packedResults: Reporter = {
  onTestRunEnd(modules, errors) {
    const lines = modules.flatMap(({ children, moduleId, project }) =>
      [...children.allTests('skipped')].flatMap((test) => {
        const reason = test.meta().needsSources
        return reason === undefined ? [] : [`  ${relative(project.config.root, moduleId)} > ${test.fullName}: ${reason}\n`]
      }),
    )
    if (lines.length > 0) process.stdout.write(['\n Skipped, because they need the sources:\n', ...lines].join(''))
    const { passed, failed, skipped } = countTests(modules, errors)
    process.stdout.write(
      `\nsvc: ${passed} passed, ${failed} failed, ${skipped} skipped, ${lines.length} of them because they need the sources\n`,
    )
  },
}
