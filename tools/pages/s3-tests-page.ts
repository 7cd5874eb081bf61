/** Writes docs/reference/s3-tests.md: how many tests of ceph/s3-tests pass, and why the others fail. */
import { expectedFailures, failureReasons } from '../../e2e/s3-tests/expected-failures.ts'
import { markersLeftOut, suiteCommit, testsInScope, testsLeftOut } from '../../e2e/s3-tests/scope.ts'

const head = `# Results of ceph/s3-tests

\`npm run test:s3-tests -- <checkout>\` runs [ceph/s3-tests](https://github.com/ceph/s3-tests) against \`svc dev --any-size\`, with three users
of the role userplus, public access (\`s3.public_access\`) and the object ownership ObjectWriter as default, and fails when a test fails that is not listed here. It needs Python 3.9 or later; \`--help\` lists its options.
This page is written by \`npm run docs\` from \`e2e/s3-tests/\`.
`

export function writeS3TestsPage(): string {
  const failed = expectedFailures.size
  const passed = testsInScope - failed
  return [
    head,
    `At commit \`${suiteCommit}\` of the suite, ${testsInScope} tests are in scope: ${passed} pass and ${failed} fail.`,
    '',
    ...failureReasons.flatMap(({ title, why, tests }) => [`## ${title} (${tests.length})`, '', why, '', ...listTests(tests), '']),
    '## Left out',
    '',
    'Tests with these markers, and tests of IAM, STS, S3 Select and SNS, are not run:',
    '',
    ...Object.entries(markersLeftOut).map(([marker, reason]) => `- \`${marker}\`: ${reason}`),
    '',
    'Nor are these tests:',
    '',
    ...Object.entries(testsLeftOut).flatMap(([reason, tests]) => [`- ${reason} ${tests.map((name) => `\`${name}\``).join(', ')}`]),
    '',
  ].join('\n')
}

const listTests = (tests: readonly string[]): readonly string[] => tests.toSorted().map((name) => `- \`${name}\``)
