import { Ago, Badge, type Column, KeyText, type Tone } from '@svc/ui-kit'
import { actionText, type Line, outcomeLabels, subjectText } from './audit-filter-policy.ts'

const tones: Readonly<Record<Line['outcome'], Tone>> = {
  done: 'success',
  refused: 'warning',
  failed: 'danger',
  blocked: 'danger',
  cut: 'warning',
}

export const auditColumns: readonly Column<Line>[] = [
  { id: 'at', label: 'When', title: true, cell: ({ at }) => <Ago time={at} /> },
  { id: 'who', label: 'Who', cell: ({ who }) => (who === undefined ? <span class="text-muted">Unknown</span> : <bdi>{who}</bdi>) },
  { id: 'action', label: 'Action', cell: (line) => <span class="font-mono text-xs">{actionText(line)}</span> },
  {
    id: 'outcome',
    label: 'Outcome',
    cell: ({ outcome, status }) => (
      <Badge tone={tones[outcome]} title={status === undefined ? undefined : `Status ${status}`}>
        {outcomeLabels[outcome]}
      </Badge>
    ),
  },
  {
    id: 'subject',
    label: 'Subject',
    grow: true,
    cell: ({ subject }) => {
      const text = subjectText(subject)
      return text === '' ? <span class="text-muted">—</span> : <KeyText text={text} />
    },
  },
  { id: 'client', label: 'Address', align: 'end', wide: true, cell: ({ client }) => <span class="font-mono text-xs">{client}</span> },
]
