import { $, component$, type Signal, useTask$ } from '@builder.io/qwik'
import { Confirm, call, toast, useAction$ } from '@svc/ui-kit'
import { type Finding, subjectText } from './check-run-policy.ts'
import { forgetFinding } from './check-runs.ts'

export const FixDialog = component$<{ open: Signal<boolean>; check: string; finding: Finding | undefined }>((props) => {
  const apply = useAction$(async (name: string, target: string) =>
    call('POST /doctor/fixes/:name', { params: { name }, body: { target } }, { deadlineMs: 160_000 }),
  )
  useTask$(({ track }) => {
    if (track(() => props.open.value)) void apply.reset()
  })
  const confirm = $(async () => {
    const fix = props.finding?.fix
    const answer = fix && (await apply.run(fix.name, fix.target))
    if (!fix || !answer) return
    props.open.value = false
    forgetFinding(props.check, fix)
    toast(
      answer.changed
        ? { title: 'Repaired', text: props.finding && subjectText(props.finding.subject) }
        : { tone: 'info', title: 'Nothing was left to repair' },
    )
  })
  const { finding } = props
  return (
    <Confirm
      open={props.open}
      level="review"
      changes="POST /doctor/fixes/:name"
      title="Apply this repair?"
      rows={
        finding && [
          { label: 'Subject', to: subjectText(finding.subject) },
          { label: 'Wrong', to: finding.message },
          { label: 'Repair', to: finding.repair },
        ]
      }
      confirmLabel="Repair"
      pending={apply.isPending}
      error={apply.error?.message}
      onConfirm$={confirm}
    />
  )
})
