/** Writes docs/reference/submissions.md: the states of paid attempts and their names in each table. */
import { batchStates, creationStates, endingStates, removalStates } from '../../plugins/replication/docs.ts'
import {
  type AttemptEventName,
  attemptEvents,
  attemptStates,
  operationStates,
  type StateNames,
  transitions,
} from '../../plugins/wallet/docs.ts'
import { causes, drawDiagram } from './state-diagram.ts'

const columns: readonly (readonly [string, StateNames])[] = [
  ['Addition of pieces<br>`commit_batches.state`', batchStates],
  ['Creation of a data set<br>`data_sets.state`', creationStates],
  ['Removal of pieces<br>`removals.state`', removalStates],
  ['Termination of a service<br>`data_set_endings.state`', endingStates],
  ['Wallet operation<br>`wallet_operations.status`', operationStates],
]

const head = `# Paid attempts

Every paid request is an attempt with the states below. An event that is not drawn is refused. Only a \`recorded\` attempt is sent, in the run
that recorded it. After an answer that proves nothing, or a crash, the chain decides: only a look-up returns the attempt to \`ready\`. It is
sent again with the same bytes; only a removal, which has no nonce, and a termination by the wallet are signed again. This page is written by \`npm run docs\` from \`plugins/wallet/submissions/transition-policy.ts\`.

`

export function writeSubmissionsPage(): string {
  return `${head}${drawDiagram(transitions, { first: ['ready'], last: ['closed'] })}\n## Events\n\n${listEvents()}\n## Column values\n\nData sets and wallet operations keep one value while the outcome is open; other columns and the chain tell the rest.\n\n${listColumns()}`
}

function listEvents(): string {
  const rows = (Object.keys(attemptEvents) as AttemptEventName[]).map((name) => {
    const { source, meaning } = attemptEvents[name]
    return `| \`${name}\` | ${causes[source]} | ${meaning} |`
  })
  return ['| Event | Cause | Meaning |', '|---|---|---|', ...rows, ''].join('\n')
}

function listColumns(): string {
  const header = [`| State | ${columns.map(([title]) => title).join(' | ')} |`, `|---|${'---|'.repeat(columns.length)}`]
  const rows = attemptStates.map((state) => `| ${state} | ${columns.map(([, names]) => `\`${names[state]}\``).join(' | ')} |`)
  return [...header, ...rows, ''].join('\n')
}
