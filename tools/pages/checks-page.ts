/** Writes docs/reference/checks.md: how to use `svc doctor`, and every check and fix that svc and its plugins contribute. */
import type { DoctorCheck, DoctorFix } from '#kernel/system'

const head = `# Checks of svc doctor

\`svc doctor\` compares the database, the cached files, the chain and the providers with each other. It changes nothing without \`--fix\`.
This page is written by \`npm run docs\`.

## Use

| Situation | Command |
|---|---|
| svc is stopped | \`svc doctor\`: locks the data, so that no gateway starts during the check |
| svc is running | \`svc doctor --online\`: asks it through the Admin API, page by page; uploads and reads go on |
| after a restored backup, before an upgrade | \`svc doctor --whole\`: every byte of the cache, every piece on chain and at its provider |
| the chain or the providers do not answer | \`svc doctor --local\` |
| a repair | \`svc doctor --fix\`: asks before it applies the fixes that the findings name; \`--yes\` for scripts |
| a report | \`svc doctor --json\`: every check with its findings |

Each finding says what is wrong, where (a bucket and a key if there is one), and the next step. Its severity is \`error\` when data or money
is affected, else \`warning\`. A check that could not run is \`unknown\`, with the reason.

| Exit code | Meaning |
|---|---|
| 0 | nothing found, or all of it repaired |
| 1 | errors |
| 2 | usage error |
| 3 | only warnings |
| 4 | no errors, but a check, or the doctor itself, could not run |

\`\`\`
svc doctor --online --json > report.json || [ $? = 3 ] || alert-operator
\`\`\`

## Checks

*Whole*: without \`--whole\` it compares a sample of \`--sample\` entries. *Network*: asks the chain or providers. *Gateway*: only with
\`--online\`. The invariants are those of ARCHITECTURE.md. Compared are rows, files, answers, or the rules of a check.

| Name | Compares | Invariants | Cost | Needs |
|---|---|---|---|---|
`

const middle = `
## Fixes

A fix repairs without risk: it derives data from other data, or removes what is unusable. It tests the damage again first, or counts again.

| Name | Does |
|---|---|
`

export function writeChecksPage(checks: readonly DoctorCheck[], fixes: readonly DoctorFix[]): string {
  const rows = checks.map(
    ({ name, title, proves, cost, needs }) => `| \`${name}\` | ${title} | ${proves.join(', ') || '–'} | ${cost} | ${needs ?? '–'} |`,
  )
  return `${head}${rows.join('\n')}\n${middle}${fixes.map(({ name, title }) => `| \`${name}\` | ${title} |`).join('\n')}\n`
}
