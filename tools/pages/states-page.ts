/** Writes docs/reference/states.md: the states of copies, data sets, batches, removals, endings and replacements. */

import { replacementEvents } from '../../plugins/replacement/docs.ts'
import {
  batchEvents,
  copyEffects,
  copyEvents,
  dataSetEffects,
  dataSetEvents,
  endedRemovalStates,
  endingStates,
  removalStates,
} from '../../plugins/replication/docs.ts'
import { attemptStates, type StateNames, transitions } from '../../plugins/wallet/docs.ts'
import { causes, drawDiagram } from './state-diagram.ts'

interface Event {
  readonly source: keyof typeof causes
  readonly meaning: string
  readonly from: readonly string[]
  readonly to: string
  readonly follows?: readonly string[]
}

type Events = Readonly<Record<string, Event>>

const head = `# States

The tables of \`plugins/replication/states/tables/\`, of paid attempts and of replacements, drawn by \`npm run docs\`. An event that is not drawn changes nothing. The
stores of \`plugins/replication/states/\` are the only writers of the first three; what follows from an event happens in its transaction.

`

export function writeStatesPage(): string {
  return [
    head,
    drawTable('Copies', '`copies.state`', copyEvents, copyEffects),
    drawTable('Data sets', '`data_sets.state`. The readers of the bucket hear of every event.', dataSetEvents, dataSetEffects),
    drawBatches(),
    drawRemovals(),
    drawEndings(),
    drawReplacements(),
  ].join('')
}

function drawTable(title: string, text: string, events: Events, effects: Readonly<Record<string, string>>): string {
  const named = Object.entries(events)
  const edges = named.flatMap(([event, { from, to }]) => from.map((state) => ({ from: state, event, to })))
  const first = named.flatMap(([, { from, to }]) => (from.length === 0 ? to : []))
  const rows = named.map(
    ([name, { source, meaning, follows = [] }]) =>
      `| \`${name}\` | ${causes[source]} | ${meaning} | ${follows.map((effect) => `\`${effect}\``).join(', ')} |`,
  )
  const table = ['| Event | Cause | Meaning | What follows |', '|---|---|---|---|', ...rows, ''].join('\n')
  const meanings = [
    '| What follows | Meaning |',
    '|---|---|',
    ...Object.entries(effects).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
    '',
  ]
  return `## ${title}\n\n${text}\n\n${drawDiagram(edges, { first, last: endsOf(edges) })}\n${table}\n${meanings.join('\n')}\n`
}

/** States that no event leaves. */
const endsOf = (edges: readonly { readonly from: string; readonly to: string }[]): readonly string[] => {
  const left = new Set(edges.map(({ from }) => from))
  return [...new Set(edges.map(({ to }) => to))].filter((state) => !left.has(state))
}

interface BatchRow {
  readonly from: readonly string[]
  readonly to: string | undefined
  readonly copies?: string
  readonly size?: string
}

function drawBatches(): string {
  const named = Object.entries<BatchRow>(batchEvents)
  const edges = named.flatMap(([event, { from, to }]) => from.map((state) => ({ from: state, event, to: to ?? state })))
  const rows = named.flatMap(([name, { copies, size }]) =>
    copies || size ? `| \`${name}\` | ${copies ? `\`${copies}\`` : ''} | ${size ?? ''} |` : [],
  )
  const table = ['| Event | Its copies | Its size, at the provider |', '|---|---|---|', ...rows, ''].join('\n')
  return `## Batches\n\n\`commit_batches.state\`\n\n${drawDiagram(edges, { first: ['pulling', 'ready'], last: ['closed'] })}\n${table}\n`
}

function drawRemovals(): string {
  const open = attemptStates.filter((state) => state !== 'closed').map((state) => removalStates[state])
  const ends = open.map((from) => ({ from, event: 'removed', to: 'removed' }))
  return `## Removals\n\n\`removals.state\`\n\n${drawDiagram([...edgesOf(removalStates), ...ends], { first: ['pending'], last: endedRemovalStates })}\n`
}

function drawEndings(): string {
  return `## Endings\n\n\`data_set_endings.state\`\n\n${drawDiagram(edgesOf(endingStates), { first: ['pending'], last: ['closed'] })}`
}

/** A state with a dot is a status in a phase. */
function drawReplacements(): string {
  const named = Object.entries<Event>(replacementEvents)
  const edges = named.flatMap(([event, { from, to }]) => from.map((state) => ({ from: idOf(state), event, to: idOf(to) })))
  const rows = named.map(([name, { source, meaning }]) => `| \`${name}\` | ${causes[source]} | ${meaning} |`)
  const table = ['| Event | Cause | Meaning |', '|---|---|---|', ...rows, ''].join('\n')
  return `\n## Replacements\n\n\`replacements.status\`, with the phase of those that wait or have failed\n\n${drawDiagram(edges, { first: ['preparing_target'], last: ['completed', 'superseded'] })}\n${table}`
}

/** Diagrams allow no dot in the name of a state. */
const idOf = (state: string): string => state.replace('.', '_')

/** The transitions of a paid attempt between the values of a column. */
const edgesOf = (names: StateNames) =>
  transitions.flatMap(({ from, event, to }) => (names[from] === names[to] ? [] : { from: names[from], event, to: names[to] }))
